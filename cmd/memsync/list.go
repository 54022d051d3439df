package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/indexer/recall"
)

func init() {
	verbs = append(verbs, verb{"list", "List the memories that are in force here, most specific scope first", (*app).listVerb})
}

// row is one memory of a listing.
type row struct {
	*memsync.Memory
	Store    string `json:"store"`
	Shadowed string `json:"shadowed_by,omitempty"` // scope of the memory that hides this one
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
	return rowJSON{r.ID, r.Path, r.Store, r.Scope, r.Kind, t, r.Slug, r.Name, r.Description, tags, r.Key, r.Pinned, r.Hash, r.Shadowed}
}

func (a *app) listVerb() *cobra.Command {
	var typ, scope string
	var all bool
	var asOf asOfFlags
	cmd := &cobra.Command{
		Long: "list reads the store that is found here, the home store and its local store. A memory is hidden by one of the same\n" +
			"type and slug in a more specific scope; --all lists it too and says by which.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if typ != "" {
				if _, ok := memsync.ParseType(typ); !ok && typ != "untyped" {
					return &memsync.Error{Code: memsync.CodeTypeInvalid, Message: "no type " + typ, Hint: "user, feedback, project, reference or untyped"}
				}
			}
			set, err := a.reading("", asOf)
			if err != nil {
				return err
			}
			rows := slices.DeleteFunc(rows(set), func(r row) bool {
				t := string(r.Type)
				if t == "" {
					t = "untyped"
				}
				return typ != "" && t != typ || scope != "" && r.Scope != scope || !all && r.Shadowed != ""
			})
			a.printRows(rows)
			return nil
		},
	}
	cmd.Flags().StringVar(&typ, "type", "", "only this `TYPE`")
	cmd.Flags().StringVar(&scope, "scope", "", "only this `SCOPE`")
	cmd.Flags().BoolVar(&all, "all", false, "also what a more specific scope hides")
	asOf.register(cmd)
	return cmd
}

// rows are the memories of a read set, most specific scope first, with who
// shadows whom.
func rows(set *recall.ReadSet) []row {
	var out []row
	for _, p := range set.Places {
		src := set.Sources[p.Source]
		for m := range src.View.InScope(p.Scope.Name()) {
			r := row{Memory: m, Store: src.Root}
			if st, by := set.Standing(p.Source, m); st == recall.Shadowed {
				r.Shadowed = by.Scope.Name()
			}
			out = append(out, r)
		}
	}
	return out
}

func (a *app) printRows(rows []row) {
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
		a.emit(map[string]any{"memories": list, "total": len(list)})
		return
	}
	last := ""
	for _, r := range rows {
		if head := r.Scope + "  " + r.Store; head != last {
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
		if r.Shadowed != "" {
			line += " (hidden by " + r.Shadowed + ")"
		}
		fmt.Fprintln(a.stdout, strings.TrimRight(line, " "))
	}
}
