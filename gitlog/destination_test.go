package gitlog

import (
	"errors"
	"testing"

	"memsync"
)

// TestDestination: where a branch goes is what git's own configuration says, and
// nothing is chosen that nobody chose.
func TestDestination(t *testing.T) {
	for name, c := range map[string]struct {
		config         [][2]string
		remote, branch string // "" for none
		chosen         bool
	}{
		"no remote":                     {nil, "", "", false},
		"one that nobody chose":         {[][2]string{{"remote.hub.url", "/x"}}, "hub", "main", false},
		"two that nobody chose":         {[][2]string{{"remote.hub.url", "/x"}, {"remote.b.url", "/y"}}, "", "", false},
		"one of two":                    {[][2]string{{"remote.hub.url", "/x"}, {"remote.b.url", "/y"}, {"branch.main.remote", "b"}}, "b", "main", true},
		"another name there":            {[][2]string{{"remote.hub.url", "/x"}, {"branch.main.remote", "hub"}, {"branch.main.merge", "refs/heads/trunk"}}, "hub", "trunk", true},
		"another branch's":              {[][2]string{{"remote.hub.url", "/x"}, {"branch.side.remote", "hub"}}, "hub", "main", false},
		"a branch of this repository":   {[][2]string{{"remote.hub.url", "/x"}, {"branch.main.remote", "."}, {"branch.main.merge", "refs/heads/side"}}, "hub", "main", false},
		"a remote that is not there":    {[][2]string{{"remote.hub.url", "/x"}, {"branch.main.remote", "gone"}}, "", "", false},
		"a tag is no branch over there": {[][2]string{{"remote.hub.url", "/x"}, {"branch.main.remote", "hub"}, {"branch.main.merge", "refs/tags/v1"}}, "hub", "main", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			for _, kv := range c.config {
				s.git("config", kv[0], kv[1])
			}
			s.open()
			d, err := s.repo.Destination("main")
			if c.remote == "" {
				if !errors.Is(err, memsync.CodeSyncNoRemote) {
					t.Fatalf("%+v %v", d, err)
				}
				return
			}
			if err != nil || d.Remote.Name != c.remote || d.Branch != c.branch || d.Chosen != c.chosen {
				t.Errorf("%+v %v", d, err)
			}
		})
	}
}

// TestApart counts what each side lacks, unborn branches and unrelated ones
// included.
func TestApart(t *testing.T) {
	s := newScene(t)
	s.open()
	base := s.add("a", "1")
	ours := s.add("b", "1")
	s.git("checkout", "-q", "-b", "side", base)
	s.add("c", "1")
	theirs := s.add("d", "1")
	s.git("checkout", "-q", "--orphan", "alone")
	alone := s.add("e", "1")
	for name, c := range map[string]struct {
		a, b          string
		ahead, behind int
	}{
		"the same": {ours, ours, 0, 0}, "ahead": {ours, base, 1, 0}, "behind": {base, theirs, 0, 2}, "both": {ours, theirs, 1, 2},
		"nothing there": {ours, "", 2, 0}, "nothing here": {"", theirs, 0, 3}, "nothing at all": {"", "", 0, 0}, "nothing in common": {alone, ours, 1, 2},
	} {
		ahead, behind, err := s.repo.Apart(c.a, c.b)
		if err != nil || ahead != c.ahead || behind != c.behind {
			t.Errorf("%s: %d ahead, %d behind, %v; want %d, %d", name, ahead, behind, err, c.ahead, c.behind)
		}
	}
}
