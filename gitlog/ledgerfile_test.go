package gitlog

import (
	"os"
	"testing"

	"memsync"
)

// The ledger file a clone appends to (format.md, The ledger): its own of the
// month while it is exactly what was written last, else the next number.
func TestLedgerFile(t *testing.T) {
	const dir = "memory/_system/ledger"
	const clone = "01KK40DQ9S0W00M0000000000C"
	first, second := "2026-03."+clone+".jsonl", "2026-03."+clone+"-1.jsonl"
	write := func(s *logStore, name, content string) { s.mustApply(s.plan(dir+"/"+name, content)) }
	for _, c := range []struct {
		name string
		do   func(s *logStore)
		want string
		base string
	}{
		{"a new month", func(*logStore) {}, first, ""},
		{"as it was written last", func(s *logStore) { write(s, first, "1\n") }, first, "1\n"},
		{"after another append", func(s *logStore) { write(s, first, "1\n"); write(s, first, "1\n2\n") }, first, "1\n2\n"},
		{"somebody changed it", func(s *logStore) { write(s, first, "1\n"); s.save(dir+"/"+first, "1\nx\n") }, second, ""},
		{"somebody shortened it", func(s *logStore) { write(s, first, "1\n2\n"); s.save(dir+"/"+first, "1\n") }, second, ""},
		{"somebody removed it", func(s *logStore) { write(s, first, "1\n"); os.Remove(s.path(dir + "/" + first)) }, second, ""},
		{"it is only in HEAD, and the journal is new", func(s *logStore) {
			write(s, first, "1\n")
			os.Remove(s.path(dir + "/" + first))
			s.log.Journal.Close()
			os.Remove(s.path(".git/memsync/journal.db"))
			s.reopen()
		}, second, ""},
		{"a restored store with a new journal", func(s *logStore) {
			write(s, first, "1\n")
			s.log.Journal.Close()
			os.Remove(s.path(".git/memsync/journal.db"))
			s.reopen()
		}, second, ""},
		{"the second goes on", func(s *logStore) {
			write(s, first, "1\n")
			s.save(dir+"/"+first, "x")
			write(s, second, "2\n")
		}, second, "2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newLogStore(t)
			c.do(s)
			path, base, err := s.log.LedgerFile(dir, clone, planTime)
			if err != nil || path != memsync.Path(dir+"/"+c.want) || string(base) != c.base {
				t.Errorf("%s with %q, %v; want %s with %q", path, base, err, c.want, c.base)
			}
		})
	}
}

func TestCloneID(t *testing.T) {
	s := newLogStore(t)
	n := 0
	draw := func() memsync.ID { n++; return memsync.MakeID(planTime, [10]byte{byte(n)}) }
	id, err := s.log.Clone(draw)
	if err != nil {
		t.Fatal(err)
	}
	s.reopen()
	if again, _ := s.log.Clone(draw); again != id {
		t.Error("another id after reopening")
	}
	s.log.Journal.Close()
	copied := newLogStoreOpen(t, copyDir(t, s.dir))
	if other, _ := copied.log.Clone(draw); other == id || other == "" {
		t.Error("a copied directory writes under the original's id")
	}
}
