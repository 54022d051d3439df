package lint

import (
	"fmt"
	"slices"
	"strings"

	"memsync"
	"memsync/internal/ledger"
)

// ledgers judges the ledger and what it says against what is there.
func (j *join) ledgers() {
	var all []ledger.Located
	for _, l := range j.Ledgers {
		if _, _, _, ok := ledger.ParseFileName(l.Path.Base()); !ok {
			j.find(Finding{Finding: memsync.Finding{Code: LedgerFileName, Severity: warn, Path: l.Path,
				Message: "no clone writes a ledger file of this name; its lines are read all the same", Hint: "move its lines into a file of a clone's, or leave it"}})
		}
		events, findings := ledger.Parse(l.Path, l.Data)
		s := newSource(l.Data)
		for _, f := range findings {
			found := Finding{Finding: f, About: "line"}
			s.settle(&found)
			j.find(found)
		}
		all = append(all, ledger.Locate(l.Scope, l.Path, events)...)
	}
	for _, f := range j.state.Problems() {
		j.find(Finding{Finding: f, About: f.Message})
	}
	j.breaches()
	if j.Partial {
		return
	}
	j.unproven(all)
	for _, l := range j.Lost {
		where := "the working tree lacks, and HEAD has"
		if l.Commit != "" {
			where = "commit " + l.Commit[:min(12, len(l.Commit))] + " took out"
		}
		j.find(Finding{Finding: memsync.Finding{Code: LedgerLost, Severity: bad, Path: l.Path,
			Message: fmt.Sprintf("the ledger lost the line of event %s, which %s", l.Event, where), Hint: "a person's `memsync resolve --ledger` writes it back"}, About: string(l.Event)})
	}
	j.attachments()
}

// breaches finds memories that are there although they were forgotten or
// deleted.
func (j *join) breaches() {
	for _, r := range j.Reports {
		if r.Memory == nil {
			continue
		}
		id := r.Memory.ID
		e, forgotten := j.state.Forgotten(id)
		if id == "" || !forgotten {
			e, forgotten = j.state.ForgottenAt(r.Path)
		}
		verb := "forgotten"
		if !forgotten {
			if id == "" {
				e, forgotten = j.state.DeletedAt(r.Path)
			} else {
				e, forgotten = j.state.Deleted(id)
			}
			verb = "deleted"
		}
		if !forgotten {
			continue
		}
		hint := "remove the file; a person's `memsync accept` takes it in, under a new id"
		if verb == "deleted" {
			hint = "remove the file, or `memsync restore` it"
		}
		j.find(j.at(r.Memory, "id", memsync.Finding{Code: TombstoneBreach, Severity: bad,
			Message: fmt.Sprintf("this memory was %s on %s by %s", verb, e.At.UTC().Format("2006-01-02"), actor(e.Actor)), Hint: hint}, string(e.ID)))
	}
}

func actor(a memsync.Actor) string {
	if a.Name == "" {
		return "a " + string(a.Class)
	}
	return a.Name
}

// unproven finds events about memories that nothing else knows: no file, no
// identify event, no tombstone.
func (j *join) unproven(all []ledger.Located) {
	told := map[memsync.ID]bool{}
	for _, e := range all {
		id := e.Memory
		if id == "" || told[id] || proves(e.Op) || len(j.view.ByID(id)) > 0 {
			continue
		}
		told[id] = true
		known := slices.ContainsFunc(j.state.Events(id), func(e memsync.LedgerEvent) bool { return proves(e.Op) })
		held := slices.ContainsFunc(j.Reports, func(r *Report) bool { return r.held })
		if known || held || slices.ContainsFunc(j.Reports, func(r *Report) bool { return r.Memory != nil && r.Memory.ID == id }) {
			continue
		}
		j.find(Finding{Finding: memsync.Finding{Code: UnprovenEvent, Severity: info, Path: e.File,
			Message: fmt.Sprintf("the event %s (%s) is about %s, which no file and no other event knows", e.ID, e.Op, id), Hint: "none needed; it counts when the memory comes"}, About: string(e.ID)})
	}
}

// proves reports whether an event says by itself what became of its memory.
func proves(op memsync.LedgerOp) bool {
	switch op {
	case memsync.LedgerIdentify, memsync.LedgerDelete, memsync.LedgerForget, memsync.LedgerArchive, memsync.LedgerQuarantine, memsync.LedgerRejectValue, memsync.LedgerAccept, memsync.LedgerAllow:
		return true
	}
	return false
}

// attachments finds what is kept for a memory that is nowhere, and conflict
// copies that wait.
func (j *join) attachments() {
	for _, p := range j.Attached {
		dir := p.Dir().Base()
		base := p.Base()
		id, err := memsync.ParseID(base[:min(len(base), 26)])
		switch {
		case dir == "conflicts":
			j.find(Finding{Finding: memsync.Finding{Code: memsync.FindConflictLeft, Severity: bad, Path: p,
				Message: "a conflict copy that nobody has resolved", Hint: "`memsync conflicts --diff`, then `memsync resolve`"}})
		case dir == "archive" && err == nil && len(j.state.Events(id)) > 0:
		case strings.HasPrefix(base, "."):
		case err != nil || len(j.view.ByID(id)) == 0 && len(j.state.Events(id)) == 0:
			j.find(Finding{Finding: memsync.Finding{Code: Orphan, Severity: info, Path: p,
				Message: "it is kept for a memory that is nowhere", Hint: "remove it, if nobody misses the memory"}})
		}
	}
}
