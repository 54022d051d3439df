package lint_test

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"memsync"
	"memsync/internal/examples"
	"memsync/internal/format"
	"memsync/lint"
)

// FuzzFile judges any bytes as a memory. Nothing panics; every place lies in the
// file; every fix is made of edits in order that lie in it, leaves what the file
// says, and is not found again once it is made.
func FuzzFile(f *testing.F) {
	n := 0
	for _, p := range pages(f) {
		for _, c := range p.Cases {
			x, err := examples.Of(c)
			if err != nil {
				f.Fatal(err)
			}
			for i, file := range x.Files {
				if len(file.Data) < 4096 && i < 4 {
					f.Add(file.Data)
					n++
				}
			}
		}
	}
	if n == 0 {
		f.Fatal("no seeds")
	}
	policy := memsync.DefaultPolicy()
	policy.Limits.SaveBytes = 1 << 16
	c := checker(f, policy)
	f.Fuzz(func(t *testing.T, data []byte) {
		const path = "memory/user_trip.md"
		in := lint.File{Path: path, Class: format.MemoryFile, Data: data, Size: int64(len(data))}
		before := c.File(in)
		findings := c.Join(lint.Whole{Reports: []*lint.Report{before}}).Findings
		for _, found := range findings {
			inside(t, data, found)
		}
		once, applied := lint.Apply(data, findings)
		if len(applied) == 0 {
			if !bytes.Equal(once, data) {
				t.Fatalf("nothing was applied: %q became %q", data, once)
			}
			return
		}
		in.Data, in.Size = once, int64(len(once))
		after := c.File(in)
		twice, again := lint.Apply(once, c.Join(lint.Whole{Reports: []*lint.Report{after}}).Findings)
		if len(again) > 0 && !bytes.Equal(twice, once) {
			t.Fatalf("%q became %q, and then %q by %v", data, once, twice, again)
		}
		if m, n := before.Memory, after.Memory; m != nil {
			if n == nil {
				t.Fatalf("%q became %q, which does not parse", data, once)
			}
			if m.Name != n.Name || m.Description != n.Description || m.Type != n.Type || m.ID != n.ID || m.MetaKey != n.MetaKey || m.BodyKey != n.BodyKey {
				t.Fatalf("%q became %q, which says something else:\n%+v\n%+v", data, once, m, n)
			}
		}
	})
}

// inside holds a finding to its file: lines and columns that are there, an end
// that is not before its beginning, edits by place.
func inside(t *testing.T, data []byte, f lint.Finding) {
	t.Helper()
	if f.Line < 0 || f.Severity == "" || f.Code == "" || f.Message == "" || !utf8.ValidString(f.Message+f.Hint+f.About) {
		t.Fatalf("%q: %+v", data, f)
	}
	lines := bytes.Split(data, []byte("\n"))
	at := func(line, column int) bool {
		return line >= 1 && line <= len(lines) && column >= 1 && column <= len(lines[line-1])+2 // a line that is empty still has a place of one
	}
	if f.Line > 0 && (!at(f.Line, f.Column) || f.EndLine != 0 && !at(f.EndLine, f.EndColumn)) {
		t.Fatalf("%q: the place is outside: %+v", data, f)
	}
	if f.EndLine != 0 && (f.EndLine < f.Line || f.EndLine == f.Line && f.EndColumn <= f.Column) {
		t.Fatalf("%q: it ends before it begins: %+v", data, f)
	}
	if f.Fix == nil {
		return
	}
	last := 0
	for _, e := range f.Fix.Edits {
		if e.Start < last || e.End < e.Start || e.End > len(data) {
			t.Fatalf("%q: edits outside or not in order: %+v", data, f.Fix)
		}
		last = e.End
	}
}
