package main

import (
	"testing"

	"memsync"
	"memsync/internal/checkout"
	"memsync/internal/store"
	"memsync/lint"
)

// TestRealStoresLint_P20: directories as agents leave them are judged without
// false alarms: an error is a file that would be held, or a link of a MEMORY.md
// that leads nowhere. A fix changes the bytes of its findings and no others, and
// the second run has nothing to do.
func TestRealStoresLint_P20(t *testing.T) {
	for _, sample := range samples() {
		t.Run(sample.name, func(t *testing.T) {
			t.Parallel()
			s := sample.adopted(t)
			judge := func() []lint.Finding {
				t.Helper()
				st, err := store.Find(s.dir)
				if err != nil {
					t.Fatal(err)
				}
				judged, err := checkout.Judge(t.Context(), st, checkout.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer judged.Close()
				return judged.Findings
			}
			unreadable := map[memsync.Path]bool{}
			by := map[memsync.Path][]lint.Finding{}
			for _, f := range judge() {
				if f.Fix != nil {
					by[f.Path] = append(by[f.Path], f)
				}
				switch {
				case f.Severity != memsync.Severe || f.Code == memsync.FindIndexDrift:
				default:
					unreadable[f.Path] = true
					if len(unreadable) > sample.held {
						t.Errorf("%s:%d: [%s] %s", f.Path, f.Line, f.Code, f.Message)
					}
				}
			}
			if len(unreadable) != sample.held {
				t.Errorf("%d files with errors, want %d: %v", len(unreadable), sample.held, unreadable)
			}
			want := map[string]string{}
			for p, content := range sample.files {
				want[p] = content
				if list := by[memsync.Path("memory/"+p)]; list != nil {
					fixed, applied := lint.Apply([]byte(content), list)
					if len(applied) != len(list) {
						t.Errorf("%s: %d of %d fixes fit", p, len(applied), len(list))
					}
					want[p] = string(fixed)
				}
			}
			s.exit("lint", "--fix")
			for p := range sample.files {
				if got := s.read("memory/" + p); got != want[p] {
					t.Errorf("%s is not what its fixes make it:\n%.400q\n%.400q", p, want[p], got)
				}
			}
			for _, f := range judge() {
				if f.Fix != nil {
					t.Errorf("still to mend: %s:%d [%s] %s", f.Path, f.Line, f.Code, f.Message)
				}
			}
		})
	}
}
