package gitlog

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memsync"
)

// A few of the histories that controller/join is proved by, on real
// repositories: three clones that fetch by path, with saves that nobody has
// committed when a tip is taken over.
func TestJoinHistories(t *testing.T) {
	for seed := range uint64(joinHistories) {
		t.Run(fmt.Sprint("seed ", seed+1), func(t *testing.T) { simulateJoins(t, seed+1) })
	}
}

func simulateJoins(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 11))
	first := newLogStore(t, "memsync.toml", "format = 1\n", "memory/user_a.md", memo(joinID, "A", "one\n\ntwo\n\nthree"), "note.txt", "note\n")
	bare := filepath.Join(t.TempDir(), "remote.git")
	first.git("clone", "-q", "--bare", "--template=", first.dir, bare)
	clones := []*logStore{first}
	for i := range 2 {
		s := &logStore{t: t, dir: filepath.Join(t.TempDir(), fmt.Sprint("clone", i))}
		first.git("clone", "-q", "--template=", bare, s.dir)
		s.git("config", "user.name", "Bea")
		s.git("config", "user.email", "bea@example.org")
		s.open()
		clones = append(clones, s)
	}
	clock, n := planTime, 0
	said := map[string]bool{}
	line := func() string {
		n++
		tok := fmt.Sprintf("t%dx", n)
		said[tok] = true
		return "Says " + tok + "."
	}
	dirty := map[*logStore]string{} // a save that waits
	commit := func(s *logStore) {
		clock = clock.Add(time.Minute)
		s.git("add", "-A")
		if s.git("status", "--porcelain") != "" {
			s.commitAt(clock.Format(time.RFC3339))
		}
		delete(dirty, s)
	}
	sync := func(s *logStore) {
		s.git("fetch", "-q", bare, "main")
		before := ""
		if p := dirty[s]; p != "" {
			before = s.read(p)
		}
		j, err := s.join("FETCH_HEAD")
		if err != nil {
			t.Fatal(err)
		}
		if p := dirty[s]; p != "" && s.read(p) != before {
			t.Errorf("what somebody saved in %s became %q", p, s.read(p))
		}
		if !j.Unchanged && dirty[s] == "" {
			s.statusEmpty()
		}
		s.git("push", "-q", bare, "main")
	}
	for range 14 {
		s := clones[r.IntN(len(clones))]
		switch r.IntN(6) {
		case 0:
			commit(s)
			p := fmt.Sprintf("memory/user_%c.md", 'b'+r.IntN(3))
			if s.read(p) == absent {
				s.save(p, memo(string(memsync.MakeID(clock, [10]byte{byte(n), byte(seed)})), p, line()))
				commit(s)
			}
		case 1, 2:
			commit(s)
			p := "memory/user_a.md"
			s.save(p, strings.TrimRight(s.read(p), "\n")+"\n\n"+line()+"\n")
			commit(s)
		case 3:
			commit(s)
			s.save("note.txt", s.read("note.txt")+line()+"\n")
			commit(s)
		case 4: // saved, not committed
			if dirty[s] == "" {
				commit(s)
				dirty[s] = fmt.Sprintf("mine-%d.txt", n)
				s.save(dirty[s], line()+"\n")
			}
			sync(s)
		default:
			sync(s)
		}
	}
	for _, s := range clones {
		commit(s)
	}
	for range 2 {
		for _, s := range clones {
			sync(s)
		}
	}
	head := clones[0].head()
	for _, s := range clones {
		if s.head() != head {
			t.Errorf("one clone is at %s, another at %s", head, s.head())
		}
		s.statusEmpty()
		s.clean(&memsync.Plan{}, 0)
		var all strings.Builder
		filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == ".git" {
				return filepath.SkipDir
			}
			if data, err := os.ReadFile(path); err == nil {
				all.Write(data)
			}
			return nil
		})
		for tok := range said {
			if !strings.Contains(all.String(), tok) {
				t.Errorf("%s is lost", tok)
			}
		}
	}
}
