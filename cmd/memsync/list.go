package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/indexer/recall"
	"memsync/internal/text"
)

func init() {
	verbs = append(verbs, verb{"list", "List the memories here, most specific scope first", (*app).listVerb})
}

// row is one memory of a listing.
type row struct {
	*memsync.Memory
	Store    string `json:"store"`
	Shadowed string `json:"shadowed_by,omitempty"` // scope of the memory that hides this one
	Standing string `json:"standing,omitempty"`    // why it is not in force
}

// rowJSON is the shape of a listed memory for programs.
type rowJSON struct {
	ID          memsync.ID   `json:"id"`
	Path        memsync.Path `json:"path"`
	Store       string       `json:"store"`
	Scope       string       `json:"scope"`
	Kind        memsync.Kind `json:"kind"`
	Type        string       `json:"type"`
	Slug        string       `json:"slug"`
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Tags        []string     `json:"tags"`
	Key         string       `json:"key,omitempty"`
	Pinned      bool         `json:"pinned,omitempty"`
	Hash        memsync.Hash `json:"hash"`
	Shadowed    string       `json:"shadowed_by,omitempty"`
	Standing    string       `json:"standing,omitempty"`
}

func (r row) json() rowJSON {
	t := string(r.Type)
	if r.Type == memsync.Untyped {
		t = "untyped"
	}
	tags := r.Tags
	if tags == nil {
		tags = []string{}
	}
	return rowJSON{r.ID, r.Path, r.Store, r.Scope, r.Kind, t, r.Slug, r.Name, r.Description, tags, r.Key, r.Pinned, r.Hash, r.Shadowed, r.Standing}
}

// listing is what to list, and how.
type listing struct {
	typ, scope, project, key string
	tags                     []string
	agent                    string
	all                      bool
	sort, cursor             string
	limit                    int
}

// sorts are the orders of a listing; the empty one is most specific scope
// first, then by path.
var sorts = map[string]func(a, b row) int{
	"scope":   nil,
	"name":    func(a, b row) int { return cmp.Or(strings.Compare(a.SortKey, b.SortKey), byPath(a, b)) },
	"path":    byPath,
	"created": func(a, b row) int { return cmp.Or(b.Created().Compare(a.Created()), byPath(a, b)) },
}

func byPath(a, b row) int {
	return cmp.Or(strings.Compare(string(a.Path), string(b.Path)), strings.Compare(a.Store, b.Store))
}

func (a *app) listVerb() *cobra.Command {
	var l listing
	var asOf asOfFlags
	cmd := &cobra.Command{
		Long: "list reads the store that is found here, and in a project also the home store and its local store. A memory is hidden by one of the same\n" +
			"type and slug in a more specific scope; --all lists it too and says by which. What is expired, not yet valid or superseded is\n" +
			"listed, and marked.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if l.typ != "" {
				if _, ok := memsync.ParseType(l.typ); !ok && l.typ != "untyped" {
					return &memsync.Error{Code: memsync.CodeTypeInvalid, Message: "no type " + l.typ, Hint: "user, feedback, project, reference or untyped"}
				}
			}
			order, ok := sorts[l.sort]
			switch {
			case !ok:
				return usage("--sort takes scope, name, path or created, not %q", l.sort)
			case l.limit < 0:
				return usage("--limit is 1 or more, or 0 for all")
			}
			asked := fmt.Sprintf("%q %q %v %q", []string{l.typ, l.scope, l.project, l.key, l.agent, l.sort}, l.tags, l.all, asOf)
			skip, err := decodeCursor(l.cursor, asked, 1)
			if err != nil {
				return err
			}
			set, err := a.reading(l.agent, asOf)
			if err != nil {
				return err
			}
			rows := slices.DeleteFunc(rows(set), func(r row) bool { return !l.wants(r) })
			if order != nil {
				slices.SortStableFunc(rows, order)
			}
			total, next := len(rows), ""
			rows = rows[min(skip[0], total):]
			if l.limit > 0 && l.limit < len(rows) {
				rows = rows[:l.limit]
				next = encodeCursor(asked, []int{skip[0] + l.limit})
			}
			a.printRows(rows, pageOf(total, l.limit, next))
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&l.typ, "type", "", "only this `TYPE`")
	f.StringVar(&l.scope, "scope", "", "only this `SCOPE`")
	f.StringArrayVar(&l.tags, "tag", nil, "only with this `TAG`; may be repeated")
	f.StringVar(&l.project, "project", "", "only of this `PROJECT`")
	f.StringVar(&l.key, "key", "", "only with this `KEY`")
	f.StringVar(&l.agent, "agent", "", "read as the agent `NAME`: no other agent's scopes")
	f.BoolVar(&l.all, "all", false, "also what a more specific scope hides")
	f.StringVar(&l.sort, "sort", "scope", "`BY` scope (most specific first), name, path or created (newest first)")
	f.IntVar(&l.limit, "limit", 0, "at most `N` memories on a page; 0 is all")
	f.StringVar(&l.cursor, "cursor", "", "the page that follows the one that gave this `CURSOR`")
	asOf.register(cmd)
	return cmd
}

// wants reports whether a row is asked for. Tags, project and key are compared
// without case, as search does.
func (l *listing) wants(r row) bool {
	is := func(asked, has string) bool { return asked == "" || text.Fold(asked) == text.Fold(has) }
	t := string(r.Type)
	if t == "" {
		t = "untyped"
	}
	for _, tag := range l.tags {
		if !slices.ContainsFunc(r.Tags, func(has string) bool { return is(tag, has) }) {
			return false
		}
	}
	return (l.typ == "" || l.typ == t) && (l.scope == "" || l.scope == r.Scope) && (l.all || r.Shadowed == "") &&
		is(l.project, r.Project) && is(l.key, r.Key)
}

// rows are the memories of a read set, most specific scope first, with who
// shadows whom.
func rows(set *recall.ReadSet) []row {
	var out []row
	for _, p := range set.Places {
		src := set.Sources[p.Source]
		for m := range src.View.InScope(p.Scope.Name()) {
			r := row{Memory: m, Store: src.Root}
			st, by := set.Standing(p.Source, m)
			r.Standing = string(st)
			if st == recall.Shadowed {
				r.Shadowed = by.Scope.Name()
			}
			out = append(out, r)
		}
	}
	return out
}

func (a *app) printRows(rows []row, page pageJSON) {
	switch {
	case a.flags.jsonl:
		for _, r := range rows {
			a.emit(r.json())
		}
		return
	case a.flags.json:
		list := make([]rowJSON, 0, len(rows))
		for _, r := range rows {
			list = append(list, r.json())
		}
		a.emit(map[string]any{"memories": list, "total": page.Total, "page": page})
		return
	}
	last := ""
	for _, r := range rows {
		if head := r.Scope + "  " + oneLine(r.Store); head != last {
			fmt.Fprintf(a.stdout, "%s\n", head)
			last = head
		}
		t := string(r.Type)
		if t == "" {
			t = "untyped"
		}
		if r.Kind != memsync.KindMemory {
			t = string(r.Kind)
		}
		line := fmt.Sprintf("  %-9s %s  %s", t, r.ID, oneLine(r.Name))
		if r.Description != "" {
			line += " — " + oneLine(r.Description)
		}
		switch {
		case r.Shadowed != "":
			line += " (hidden by " + r.Shadowed + ")"
		case r.Standing != "":
			line += " (" + r.Standing + ")"
		}
		fmt.Fprintln(a.stdout, strings.TrimRight(line, " "))
	}
	a.sayMore(len(rows), page.Total, page.NextCursor)
}
