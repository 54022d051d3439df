package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"memsync"
	"memsync/internal/format"
)

// region is what memsync generates in MEMORY.md.
var region = regexp.MustCompile(`(?s)\n?\n?<!-- memsync:begin -->.*<!-- memsync:end -->\n`)

// TestRealStoresInline: files of a real shape saved into a store are changed by
// one line, the id, where they have a header to hold it, and by nothing else;
// MEMORY.md keeps every byte of people's. A second pass changes nothing.
func TestRealStoresInline(t *testing.T) {
	for _, sample := range samples() {
		t.Run(sample.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			sample.lay(s)
			s.pass(sample.held)
			got := 0
			for p, was := range sample.files {
				now, isMemory := s.read("memory/"+p), sample.memory(p)
				switch {
				case now == was:
				case strings.HasSuffix("/"+p, "/MEMORY.md"):
					if rest := region.ReplaceAllString(now, ""); strings.TrimRight(rest, "\n") != strings.TrimRight(was, "\n") {
						t.Errorf("%s lost people's text:\n%.2000s", p, rest)
					}
				case !isMemory:
					t.Errorf("%s is no memory and was changed", p)
				default:
					got++
					without := idLine.ReplaceAllString(now, "")
					if without != was {
						t.Errorf("%s is changed by more than its id:\n%.400q\n%.400q", p, was, now)
					}
					if !regexp.MustCompile(`^(\x{FEFF})?---\r?\nid: `).MatchString(now) {
						t.Errorf("%s: the id is not the first line:\n%.200q", p, now)
					}
				}
			}
			s.settled(sample)
			sample.editOne(s, got > 0)
		})
	}
}

// TestRealStoresAdopted: a directory that was there before its store was made is
// never written to: no id, no MEMORY.md, not a byte.
func TestRealStoresAdopted(t *testing.T) {
	for _, sample := range samples() {
		t.Run(sample.name, func(t *testing.T) {
			t.Parallel()
			s := sample.adopted(t)
			for p, was := range sample.files {
				if now := s.read("memory/" + p); now != was {
					t.Errorf("%s was changed:\n%.400q\n%.400q", p, was, now)
				}
			}
			for _, p := range s.files() {
				rel, in := strings.CutPrefix(p, "memory/")
				if _, known := sample.files[rel]; in && !known && !strings.Contains("/"+rel, "/_system/") && sample.links[rel] == "" {
					t.Errorf("%s was put there", p)
				}
			}
			s.settled(sample)
			sample.editOne(s, false)
		})
	}
}

// adopted is a store that was made around the sample.
func (sample *sample) adopted(t *testing.T) *shop {
	t.Helper()
	s := *newShop(t)
	s.dir = filepath.Join(filepath.Dir(s.dir), "adopted")
	sample.lay(&s)
	s.ok("init")
	s.pass(sample.held)
	return &s
}

// lay puts the sample below memory/.
func (sample *sample) lay(s *shop) {
	s.t.Helper()
	for p, content := range sample.files {
		s.write("memory/"+p, content)
	}
	for p, target := range sample.links {
		if err := os.Symlink(target, s.path("memory/"+p)); err != nil {
			s.t.Fatal(err)
		}
	}
}

// memory reports whether a file is a memory or a log by its name.
func (sample *sample) memory(p string) bool {
	c := format.Classify(memsync.Path(p))
	return c == format.MemoryFile || c == format.LogFile
}

// pass runs `up --once` and wants so many files held.
func (s *shop) pass(held int) {
	s.t.Helper()
	want := exitFine
	if held > 0 {
		want = exitPerson
	}
	out := s.code(want, "up", "--once", "--json")
	if got := len(s.list(out, "held")); got != held {
		s.t.Errorf("%d are held, want %d: %.600v", got, held, s.at(out, "held"))
	}
}

// settled: every memory that can be is listed with an id, what is tracked is
// what is on disk, another pass does nothing, and the checkers agree.
func (s *shop) settled(sample *sample) {
	s.t.Helper()
	var want []string
	for p := range sample.files {
		if sample.memory(p) {
			want = append(want, "memory/"+p)
		}
	}
	ids := map[string]bool{}
	listed := s.list(s.ok("list", "--all", "--json"), "memories")
	for _, m := range listed {
		ids[s.str(m, "id")] = true
		if !slices.Contains(want, s.str(m, "path")) {
			s.t.Errorf("%s is listed", s.str(m, "path"))
		}
	}
	if len(listed) != len(want)-sample.held || len(ids) != len(listed) {
		s.t.Errorf("%d are listed with %d ids, want %d", len(listed), len(ids), len(want)-sample.held)
	}
	before, head := s.stat(), s.git("rev-parse", "HEAD")
	s.pass(sample.held)
	if now := s.git("rev-parse", "HEAD"); now != head {
		s.t.Errorf("another pass made a commit:\n%s", s.git("show", "--stat", "HEAD"))
	}
	if now := s.stat(); !maps.Equal(before, now) {
		s.t.Error("another pass changed files")
	}
	if out := s.git("diff", "HEAD", "--stat"); out != "" {
		s.t.Errorf("git has other bytes than the disk:\n%s", out)
	}
	if out := s.git("fsck", "--strict", "--no-dangling"); strings.TrimSpace(out) != "" {
		s.t.Errorf("git fsck:\n%s", out)
	}
}

// stat is the hash of every file of the working tree.
func (s *shop) stat() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	for _, p := range s.files() {
		out[p] = sum([]byte(s.read(p)))
	}
	return out
}

// editOne (P20): one edit in an editor is one commit that changes that memory,
// and not one other byte is different, but for the generated part of MEMORY.md.
func (sample *sample) editOne(s *shop, mayRegenerate bool) {
	s.t.Helper()
	listed := s.list(s.ok("list", "--json"), "memories")
	path := s.str(listed[len(listed)/2], "path")
	before, commits := s.stat(), s.commits()
	edited := s.read(path) + "\nOne more line by hand.\n"
	s.write(path, edited)
	s.pass(sample.held)
	if n := s.commits() - commits; n != 1 {
		s.t.Errorf("the edit is %d commits", n)
	}
	if now := s.read(path); now != edited {
		s.t.Errorf("the edited file was touched:\n%.300q", now)
	}
	for p, hash := range s.stat() {
		if p != path && before[p] != hash && !(mayRegenerate && strings.HasSuffix(p, "MEMORY.md")) && !strings.Contains(p, "/_system/") {
			s.t.Errorf("%s changed as well", p)
		}
	}
	if out := s.git("show", "--format=", "--numstat", "HEAD", "--", path); !strings.HasPrefix(out, "2\t0\t") && !strings.HasPrefix(out, "2\t1\t") {
		s.t.Errorf("git sees %q", out)
	}
	s.ok("doctor")
}

// TestRealHistory plays how stores change: a burst, a mass edit, a
// consolidation of twenty files into six, a directory moved, and a delete that a
// merge brings back.
func TestRealHistory(t *testing.T) {
	s := newShop(t)
	sample := kebabMetadata()
	sample.lay(s)
	s.ok("up", "--once")
	ids := func() map[string]string {
		out := map[string]string{}
		for _, m := range s.list(s.ok("list", "--json"), "memories") {
			out[s.str(m, "path")] = s.str(m, "id")
		}
		return out
	}
	first := ids()
	file := func(i int) string {
		return "memory/topic-" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + "-notes.md"
	}

	// A burst: the same file saved again and again is a commit each time it is
	// looked at, and its last bytes stand.
	commits := s.commits()
	for i := range 4 {
		s.write(file(5), s.read(file(5))+"Once more, "+string(rune('a'+i))+".\n")
		s.ok("up", "--once")
	}
	if n := s.commits() - commits; n != 4 {
		t.Errorf("the burst is %d commits", n)
	}

	// A mass edit is one commit.
	commits = s.commits()
	for i := range 19 {
		s.write(file(i), strings.ReplaceAll(s.read(file(i)), "is slow", "was slow")+"\nStale references fixed.\n")
	}
	s.ok("up", "--once")
	if n := s.commits() - commits; n != 1 {
		t.Errorf("the mass edit is %d commits", n)
	}
	if now := ids(); !maps.Equal(first, now) {
		t.Error("a mass edit changed ids")
	}

	// Twenty files become six: what is new is committed, the deletes wait for a
	// person, and then they are one commit.
	for i := range 20 {
		s.remove(file(i))
	}
	for i := range 6 {
		s.write("memory/merged-"+string(rune('0'+i))+".md", flat("Merged "+string(rune('0'+i)), "put together", "project", paragraphs("en", 900+i*9, 12)))
	}
	s.code(exitPerson, "up", "--once")
	if n := len(ids()); n != 46 {
		t.Errorf("%d memories while the deletes wait", n)
	}
	s.person().ok("accept-deletes")
	if n := len(ids()); n != 26 {
		t.Errorf("%d memories after the consolidation", n)
	}

	// A directory moved: renames, the same ids.
	before := ids()
	if err := os.MkdirAll(s.path("memory/topics"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := 20; i < 40; i++ {
		if err := os.Rename(s.path(file(i)), s.path(strings.Replace(file(i), "memory/", "memory/topics/", 1))); err != nil {
			t.Fatal(err)
		}
	}
	out := s.ok("up", "--once", "--json")
	for _, d := range s.list(out, "outcomes.0.decisions") {
		if op := s.str(d, "op"); op != "rename" && op != "noop" && op != "authored" { // noop: the place it left
			t.Errorf("%s %s", op, s.str(d, "path"))
		}
	}
	after := ids()
	for i := 20; i < 40; i++ {
		if was, now := before[file(i)], after[strings.Replace(file(i), "memory/", "memory/topics/", 1)]; was == "" || was != now {
			t.Errorf("%s was %q and is %q", file(i), was, now)
		}
	}
	s.rest()

	// A delete that a merge brings back has its id again.
	s.git("checkout", "-q", "-b", "other")
	gone := "memory/topics/topic-25-notes.md"
	s.write(gone, s.read(gone)+"\nEdited on the other side.\n")
	s.git("commit", "-q", "-a", "-m", "other")
	s.git("checkout", "-q", "main")
	s.remove(gone)
	s.ok("up", "--once")
	cmd := s.with("GIT_MERGE_AUTOEDIT=no")
	if out := cmd.gitFails("merge", "-q", "other"); !strings.Contains(out, "CONFLICT") {
		t.Fatalf("the merge has no conflict:\n%s", out)
	}
	s.code(exitBusy, "up", "--once")
	s.git("add", gone)
	s.git("commit", "-q", "-m", "merged")
	s.ok("up", "--once")
	if now := ids(); now[gone] != after[gone] {
		t.Errorf("it came back as %q, was %q", now[gone], after[gone])
	}
	s.rest()
}
