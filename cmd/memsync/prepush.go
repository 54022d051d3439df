package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"memsync"
	"memsync/gitlog"
	"memsync/internal/checkout"
	"memsync/internal/scan"
	"memsync/internal/store"
	"memsync/keeper"
)

// hookFinding is a finding with the commit that has it.
type hookFinding struct {
	memsync.Finding
	Commit      string `json:"commit,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
}

// printHookFindings ends a hook: nothing found, or a line each on stderr, and exit
// 1 where one is an error. git shows what a hook says and nothing of what it means.
func (a *app) printHookFindings(hook string, findings []hookFinding) error {
	for i := range findings { // whatever hook it is, and whoever found it
		f := &findings[i]
		f.Message, f.Path = scan.MaskText(string(f.Path), f.Message, nil), memsync.Path(scan.MaskPath(string(f.Path), nil))
	}
	switch {
	case a.flags.jsonl:
		for _, f := range findings {
			a.emit(f)
		}
	case a.flags.json:
		if findings == nil {
			findings = []hookFinding{}
		}
		a.emit(map[string]any{"hook": hook, "findings": findings})
	}
	if len(findings) == 0 {
		return nil
	}
	last := ""
	for i, f := range findings {
		place := oneLine(string(f.Path))
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", place, f.Line, f.Column)
		}
		commit := ""
		if f.Commit != "" {
			commit = " (commit " + f.Commit[:min(7, len(f.Commit))] + ")"
		}
		if f.Fingerprint != "" {
			commit = ", fingerprint " + f.Fingerprint + commit
		}
		fmt.Fprintf(a.stderr, "%s: %s: [%s] %s%s\n", place, f.Severity, f.Code, oneLine(f.Message), commit)
		if last = f.Hint; last != "" && (i+1 == len(findings) || findings[i+1].Hint != last) { // once for all
			fmt.Fprintf(a.stderr, "  %s\n", oneLine(last))
		}
	}
	if !slices.ContainsFunc(findings, func(f hookFinding) bool { return f.Severity == memsync.Severe }) {
		return nil
	}
	return exitError(exitFindings)
}

// prePush looks for secrets in what a push would bring, in every version: what a
// later commit took out again is pushed as well.
func (a *app) prePush(repo *gitlog.Repo, args []string) error {
	remote := ""
	if len(args) > 0 {
		remote = args[0]
	}
	here, err := store.Find(repo.Top())
	if err != nil || !sameDir(here.Root, repo.Top()) {
		here = nil
	}
	if here != nil {
		if err := keeper.MayLeave(here); err != nil {
			return err
		}
	}
	refs, err := a.pushedRefs(repo)
	if err != nil {
		return err
	}
	leaks, err := checkout.Leaving(repo, here != nil && here.Kind == store.Dedicated, remote, refs)
	if err != nil {
		return err
	}
	var findings []hookFinding
	for _, l := range leaks {
		findings = append(findings, hookFinding{Finding: l.Finding, Commit: l.Commit, Fingerprint: l.Fingerprint})
	}
	return a.printHookFindings("pre-push", findings)
}

// pushedRefs reads standard input. A hook manager whose earlier script has read
// it leaves nothing: then the branch that is checked out is what is judged.
func (a *app) pushedRefs(repo *gitlog.Repo) ([]checkout.Range, error) {
	var data []byte
	if !isTerminal(a.stdin) {
		var err error
		if data, err = io.ReadAll(a.stdin); err != nil {
			return nil, &memsync.Error{Code: memsync.CodeIORead, Message: "standard input can't be read", Err: err}
		}
	}
	var refs []checkout.Range
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		switch len(f) {
		case 0:
		case 4:
			refs = append(refs, checkout.Range{Local: f[1], Remote: f[3]})
		default:
			return nil, usage("pre-push reads lines of LOCAL-REF LOCAL-ID REMOTE-REF REMOTE-ID, not %q", oneLine(strings.TrimSpace(line)))
		}
	}
	if len(refs) > 0 {
		return refs, nil
	}
	st, err := repo.State()
	if err != nil || st.Head == "" {
		return nil, err
	}
	return []checkout.Range{{Local: st.Head, Remote: strings.Repeat("0", len(st.Head))}}, nil
}
