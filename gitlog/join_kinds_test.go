package gitlog

import (
	"slices"
	"strings"
	"testing"

	"memsync"
)

// Repositories of every kind come to the same commit, or say why not.
func TestJoinKinds(t *testing.T) {
	for name, c := range map[string]struct {
		init  []string
		set   [][]string
		force bool
		same  bool // as a plain repository
	}{
		"native":       {same: true},
		"git":          {force: true, same: true},
		"signing":      {set: [][]string{{"commit.gpgsign", "true"}}, same: true},
		"shared group": {set: [][]string{{"core.sharedRepository", "group"}}, same: true},
		"index v4":     {set: [][]string{{"index.version", "4"}}, same: true},
		"sha256":       {init: []string{"--object-format=sha256"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, c.init...)
			s.git("config", "gc.auto", "0")
			for _, kv := range c.set {
				s.git("config", kv[0], kv[1])
			}
			if c.force {
				s.way = allGit
			}
			s.open()
			for _, kv := range [][2]string{{"memsync.toml", "format = 1\n"}, {".gitattributes", "*.md -text\n"}, {"memory/user_a.md", memo(joinID, "A", "one\n\ntwo\n\nthree")}} {
				s.write(kv[0], kv[1])
			}
			at := func(when, message string) {
				s.env = append(s.env, "GIT_COMMITTER_DATE="+when, "GIT_AUTHOR_DATE="+when)
				s.git("add", "-A")
				s.git("-c", "commit.gpgsign=false", "commit", "-q", "-m", message)
			}
			at("2026-03-07T12:00:00Z", "base")
			s.git("checkout", "-q", "-b", "there")
			s.write("memory/user_a.md", memo(joinID, "A", "one\n\ntwo\n\nTHREE"))
			at("2026-03-07T14:00:00Z", "there")
			tip := s.git("rev-parse", "HEAD")
			s.git("checkout", "-q", "main")
			s.write("memory/user_a.md", memo(joinID, "A", "ONE\n\ntwo\n\nthree"))
			s.write("memory/user_b.md", memo(mateID, "B", "b"))
			at("2026-03-07T13:00:00Z", "here")
			l := &logStore{t: t, dir: s.top, log: logOf(t, s.repo)}
			j := l.mustJoin(tip)
			if got := l.read("memory/user_a.md"); got != memo(joinID, "A", "ONE\n\ntwo\n\nTHREE") {
				t.Errorf("joined to %q", got)
			}
			l.statusEmpty()
			if c.same && j.Commit != plainJoin {
				t.Errorf("joined to %s, a plain repository to %s", j.Commit, plainJoin)
			}
		})
	}
}

// plainJoin is the commit that every machine makes of the two tips of
// TestJoinKinds: what changes it changes a contract (format = 1).
const plainJoin = "d408bc0bb606176aa9da5c93308bcab599d073e4"

func TestJoinWithoutBinary(t *testing.T) {
	a, _, tip := pairOf(t, []string{"memory/user_a.md", "A\n"}, []string{"mine.md", "m\n"}, []string{"memory/user_a.md", "A2\n"})
	a.log.Repo.binary = ""
	a.mustJoin(tip)
	a.statusEmpty()
	a.git("config", "core.sharedRepository", "group")
	a.git("reset", "-q", "--hard", "HEAD^1")
	_, err := a.join(tip)
	if j := memsync.CodeOf(err); j != memsync.CodeGitMissing && a.read("memory/user_a.md") != "A2\n" {
		t.Errorf("refused with %v", err)
	}
}

// What an attribute converts is converted on its way to the disk, too.
func TestJoinConverts(t *testing.T) {
	a, b, _ := pairOf(t, []string{"note.txt", "one\n"}, []string{"mine.md", "m\n"}, nil)
	a.save(".git/info/attributes", "*.txt text eol=crlf\n")
	a.git("rm", "-q", "--cached", "note.txt")
	a.git("reset", "-q", "--hard")
	a.git("checkout", "-q", "HEAD", "--", "note.txt")
	if a.read("note.txt") != "one\r\n" {
		t.Fatalf("git checked out %q", a.read("note.txt"))
	}
	b.edit("2026-03-07T14:00:00Z", "note.txt", "two\n", "other.txt", "new\n")
	a.mustJoin(a.fetch(b))
	if a.read("note.txt") != "two\r\n" || a.read("other.txt") != "new\r\n" {
		t.Errorf("on disk: %q, %q", a.read("note.txt"), a.read("other.txt"))
	}
	a.statusEmpty()
	a.log.Repo.binary = ""
	b.edit("2026-03-07T15:00:00Z", "note.txt", "three\n")
	_, err := a.join(a.fetch(b))
	wantCode(t, err, memsync.CodeGitMissing)
}

// Best common ancestors, as git finds them.
func TestBasesAreGits(t *testing.T) {
	s := newLogStore(t, "a", "0\n")
	commit := func(when string, parents ...string) string {
		t.Setenv("GIT_COMMITTER_DATE", when)
		t.Setenv("GIT_AUTHOR_DATE", when)
		args := []string{"commit-tree", "-m", when}
		for _, p := range parents {
			args = append(args, "-p", p)
		}
		return s.git(append(args, s.git("rev-parse", "HEAD^{tree}"))...)
	}
	root := s.head()
	a1, b1 := commit("2026-03-08T01:00:00Z", root), commit("2026-03-08T02:00:00Z", root)
	a2, b2 := commit("2026-03-08T03:00:00Z", a1, b1), commit("2026-03-08T04:00:00Z", b1, a1)
	a3, b3 := commit("2026-03-08T05:00:00Z", a2), commit("2026-03-01T06:00:00Z", b2) // with a clock that is wrong
	c := commit("2026-02-01T00:00:00Z", a3)
	h := history{s.log.Repo}
	for _, pair := range [][2]string{{a1, b1}, {a2, b2}, {a3, b3}, {a3, a1}, {c, b3}, {c, a2}, {root, c}, {b3, b3}} {
		got, err := h.Bases(pair[:1], pair[1:])
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Fields(s.git("merge-base", "--all", pair[0], pair[1]))
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("bases of %v are %v, git says %v", pair, got, want)
		}
	}
}
