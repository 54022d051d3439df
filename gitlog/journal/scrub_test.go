package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"memsync"
)

const (
	secretLine = "the salary of Rosalind is ninety thousand"
	otherLine  = "tabs, not spaces, in Go files everywhere"
)

// rawHas looks for text in the file itself, free pages included.
func rawHas(t *testing.T, file, text string) bool {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(raw, []byte(text))
}

// A store with commit = off: every version is in the journal.
func forgettable(t *testing.T, j *Journal) (v1, v2, other, index string) {
	v1, v2 = "one\n"+secretLine+"\n", "two\n"+secretLine+" and five\n"
	other, index = "other\n"+otherLine+"\n", "# Memories\n- [Pay](user_pay.md) — about pay\n- [Tabs](user_tabs.md) — tabs\n"
	n := 0
	do := func(p *memsync.Plan, base ...string) {
		begin(t, j, p, base...)
		applied(t, j, p, "")
	}
	next := func() int { n++; return n }
	p := write(next(), "memory/user_pay.md", memoryID(1), "", v1)
	p.Files = append(p.Files, memsync.FileChange{Path: "memory/MEMORY.md", Post: hash(index), Content: []byte(index)})
	p.Decisions[0].Findings = []memsync.Finding{{Code: memsync.FindNearDuplicate, Message: "quotes " + secretLine}}
	do(p)
	p = write(next(), "memory/user_tabs.md", memoryID(2), "", other)
	p.Decisions[0].Other = memoryID(1)
	p.Decisions[0].Error = &memsync.Error{Code: memsync.CodeDuplicateAmbiguous, Message: "like " + secretLine, Details: map[string]string{"text": secretLine}}
	p.Decisions[0].Reasons = []memsync.Reason{{Rule: "near", Code: memsync.CodeDuplicateAmbiguous, Detail: "like " + secretLine}}
	do(p)
	do(write(next(), "memory/user_pay.md", memoryID(1), v1, v2), v1)
	if err := j.PutHeld(memsync.Held{Path: "memory/user_pay.md", Memory: memoryID(1), Why: memsync.CodeInjection, Since: t0},
		[]byte("held: "+secretLine)); err != nil {
		t.Fatal(err)
	}
	composed := "# Agent\n- " + secretLine + "\n"
	p = write(next(), "agents/x/AGENT.md", "", "", composed)
	p.Decisions[0].Op, p.Decisions[0].Origin, p.Decisions[0].Reasons = memsync.OpAuthored, memsync.OriginFile, nil
	do(p)
	return v1, v2, other, index
}

func TestForgetReachesTheJournal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal.db")
	j := openAt(t, file)
	v1, v2, other, index := forgettable(t, j)
	if !rawHas(t, file, secretLine) {
		t.Fatal("the control does not hold: nothing to forget")
	}
	after := "# Memories\n- [Tabs](user_tabs.md) — tabs\n"
	clean := "# Agent\n"
	p := write(50, "memory/user_pay.md", memoryID(1), v2, "")
	p.Forget = []memsync.ID{memoryID(1)}
	p.Files = append(p.Files,
		memsync.FileChange{Path: "memory/MEMORY.md", Base: hash(index), Post: hash(after), Content: []byte(after)},
		memsync.FileChange{Path: "agents/x/AGENT.md", Base: hash("x"), Post: hash(clean), Content: []byte(clean)})
	begin(t, j, p, v2)
	if !has(t, j, v1) || !has(t, j, v2) {
		t.Fatal("scrubbed before the plan is applied: there is no way back")
	}
	applied(t, j, p, "")

	for text, want := range map[string]bool{v1: false, v2: false, index: false, "held: " + secretLine: false,
		other: true, after: true, clean: true} {
		if have := has(t, j, text); have != want {
			t.Errorf("%q is there: %v", text, have)
		}
	}
	if rawHas(t, file, secretLine) {
		t.Error("deletion.absent_after_reindex_and_restart: a page of the file still says it")
	}
	if !rawHas(t, file, otherLine) {
		t.Error("a sibling went with it")
	}
	rec, ok, err := j.Last("", memoryID(1))
	if err != nil || !ok || rec.ID != RecordID(p.ID, 0) {
		t.Errorf("the audit does not name the deletion: %+v %v %v", rec, ok, err)
	}
	// Reopened, all of it is still so.
	j.Close()
	j = openAt(t, file)
	if has(t, j, v1) || !has(t, j, other) {
		t.Error("another answer after reopening")
	}
}

func TestScrubFinishesAfterACrash(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal.db")
	j := openAt(t, file)
	gone, _, _, _ := forgettable(t, j)
	// The transaction is durable, the process dies before the file is rewritten.
	if err := j.update(func(tx *bolt.Tx) error { return scrub(tx, []memsync.ID{memoryID(1)}, nil) }); err != nil {
		t.Fatal(err)
	}
	if !rawHas(t, file, gone) {
		t.Fatal("the control does not hold: bbolt reused every page")
	}
	os.WriteFile(j.scratch(), []byte("half a compaction"), 0o600)
	j.Close()
	j = openAt(t, file)
	if rawHas(t, file, gone) {
		t.Error("still in the file after reopening")
	}
	if _, err := os.Stat(j.scratch()); err == nil {
		t.Error("the scratch file is still there")
	}
}

func TestScrubByPath(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal.db")
	j := openAt(t, file)
	p := write(1, "notes/log.md", "", "", secretLine)
	begin(t, j, p)
	applied(t, j, p, "")
	q := write(2, "notes/other.md", "", "", otherLine)
	begin(t, j, q)
	applied(t, j, q, "")
	if err := j.Scrub(nil, []memsync.Path{"notes/log.md"}); err != nil {
		t.Fatal(err)
	}
	if rawHas(t, file, secretLine) || !rawHas(t, file, otherLine) {
		t.Error("not exactly the one")
	}
}

func TestPathReuseKeepsTheNewMemory(t *testing.T) {
	j := open(t)
	texts := []string{"first " + secretLine, "second " + strings.Repeat("z", 40)}
	for i, text := range texts {
		p := write(i+1, "a.md", memoryID(i), "", text)
		p.Decisions[0].Origin = memsync.OriginFile
		p.Decisions[0].Base = hash(text)
		begin(t, j, p)
		applied(t, j, p, "")
	}
	if err := j.Scrub([]memsync.ID{memoryID(0)}, nil); err != nil {
		t.Fatal(err)
	}
	if has(t, j, texts[0]) || !has(t, j, texts[1]) {
		t.Error("not exactly the forgotten one")
	}
	if _, ok, _ := j.PreviousSave("a.md"); !ok {
		t.Error("the new memory's previous save went with the old one")
	}
}
