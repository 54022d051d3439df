package gitlog

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestIndexProperty: whatever people stage, commit, pack and convert in
// between, our commits leave an index that git reads, whose cached trees are
// true, in which our paths are clean and theirs are as staged.
func TestIndexProperty(t *testing.T) {
	names := []string{"a.md", "b.md", "d/a.md", "d/b.md", "d/e/a.md", "d-x.md", "f/g/h/i.md"}
	few := sparingly(25) // each runs some fifty git commands
	rapid.Check(t, func(rt *rapid.T) {
		if few() {
			return
		}
		s := newScene(t).open()
		s.must("a.md", "0")
		s.repo.care.end()
		staged := map[string]bool{} // paths that a person has touched since their last commit
		for i := range rapid.IntRange(2, 8).Draw(rt, "steps") {
			switch rapid.IntRange(0, 7).Draw(rt, "step") {
			case 0:
				name := rapid.SampledFrom(names).Draw(rt, "stage")
				s.write(name, fmt.Sprintf("by hand %d", i))
				s.git("add", name)
				staged[name] = true
			case 1:
				name := rapid.SampledFrom(names).Draw(rt, "unstage")
				if _, err := s.tryGit("rm", "-q", "-f", "--cached", name); err == nil {
					staged[name] = true
				}
			case 2:
				if _, err := s.tryGit("commit", "-qm", "theirs"); err == nil {
					clear(staged)
				}
			case 3:
				s.git("update-index", "--index-version", rapid.SampledFrom([]string{"2", "4"}).Draw(rt, "version"))
			case 4:
				s.git("status")
			default:
				var pairs []string
				for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 4, rapid.ID[string]).Draw(rt, "ours") {
					text := fmt.Sprintf("ours %d", i)
					if rapid.IntRange(0, 3).Draw(rt, "remove") == 0 {
						text = gone
					}
					pairs = append(pairs, name, text)
				}
				before := s.entries(staged)
				done, err := s.commit(pairs...)
				s.repo.care.end() // its own test asks about it; here a person's git comes next, at once
				if err != nil {
					rt.Fatal(err)
				}
				for j := 0; j < len(pairs); j += 2 {
					if name := pairs[j]; !staged[name] {
						if out := s.git("status", "--porcelain", "-uall", "--", name); out != "" {
							rt.Errorf("status of %s: %s", name, out)
						}
					}
				}
				for name, entry := range s.entries(staged) {
					// What was staged may have been just what was committed.
					if before[name] != entry && !strings.Contains(entry, done.Blobs[pathOf(name)]) && entry != "" {
						rt.Errorf("%s was staged as %q and is %q", name, before[name], entry)
					}
				}
			}
			s.trueTrees(rt)
		}
		s.sound()
	})
}

// entries are index entries by name.
func (s *scene) entries(names map[string]bool) map[string]string {
	out := map[string]string{}
	for name := range names {
		out[name] = s.git("ls-files", "-s", "--", name)
	}
	return out
}

// trueTrees: the tree that the index's cached trees make is the one that its
// entries make.
func (s *scene) trueTrees(t *rapid.T) {
	cached := s.git("write-tree", "--missing-ok")
	cmd := exec.Command(s.bin, "update-index", "--index-info")
	fresh := filepath.Join(s.top, ".git", "fresh-index")
	os.Remove(fresh)
	env := append(slices.Clone(s.env), "GIT_INDEX_FILE="+fresh)
	cmd.Dir, cmd.Env, cmd.Stdin = s.top, env, strings.NewReader(s.git("ls-files", "-s")+"\n")
	if s.git("ls-files", "-s") == "" {
		return
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	cmd = exec.Command(s.bin, "write-tree", "--missing-ok")
	cmd.Dir, cmd.Env = s.top, env
	out, err := cmd.Output()
	if err != nil || strings.TrimSpace(string(out)) != cached {
		t.Errorf("cached trees make %s, entries %s (%v)", cached, out, err)
	}
}

// The cached trees survive our commits: the next git command finds every
// directory that it knew, and ours as committed.
func TestCachedTreesStayValid(t *testing.T) {
	s := newScene(t).open()
	s.must("a/b/c.md", "1", "a/d.md", "1", "e/f.md", "1", "g.md", "1")
	s.git("read-tree", "HEAD")
	valid := func() (nodes int, invalid []string) {
		x, _, err := s.repo.readIndex()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range x.exts {
			if e.name != "TREE" {
				continue
			}
			for rest := e.data; len(rest) > 0; {
				n, next, ok := x.readNode(rest)
				if !ok {
					t.Fatal("TREE does not parse")
				}
				nodes++
				if n.count < 0 {
					invalid = append(invalid, string(n.name))
				}
				rest = next
			}
		}
		return nodes, invalid
	}
	s.must("a/b/c.md", "2", "a/b/new.md", "2", "a/d.md", gone)
	if n, bad := valid(); n != 4 || len(bad) > 0 {
		t.Errorf("%d nodes, invalid: %q", n, bad)
	}
	if tree := s.git("write-tree"); tree != s.git("rev-parse", "HEAD^{tree}") {
		t.Errorf("tree %s", tree)
	}
	s.must("new/dir.md", "2")
	if n, bad := valid(); n != 4 || !slices.Equal(bad, []string{""}) {
		t.Errorf("after a directory came: %d nodes, invalid: %q", n, bad)
	}
	s.git("read-tree", "HEAD")
	s.write("a/b/c.md", "staged")
	s.git("add", "a/b/c.md")
	if _, err := s.commit("a/b/c.md", "3", "e/f.md", "3"); err != nil {
		t.Fatal(err)
	}
	if _, bad := valid(); !slices.Equal(bad, []string{"", "a", "b", "e"}) {
		t.Errorf("after a person staged: invalid %q", bad)
	}
}

// Everything that is not ours is copied byte for byte.
func TestForeignEntriesAreCopied(t *testing.T) {
	s := newScene(t).open()
	var pairs []string
	for i := range 40 {
		pairs = append(pairs, "d"+itoa(i%5)+"/f"+itoa(i)+".md", itoa(i))
	}
	s.must(pairs...)
	s.git("status")
	x, _, err := s.repo.readIndex()
	if err != nil {
		t.Fatal(err)
	}
	parts, err := x.patch([]indexEdit{
		{name: "d0/f0.md", prev: x.id(x.entry(0)), next: x.id(x.entry(1)), mode: modeFile},
		{name: "d2/new.md", next: x.id(x.entry(1)), mode: modeFile},
		{name: "d4/f9.md", prev: x.id(x.entry(x.len() - 1))},
	}, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	y, err := parseIndex(written(t, parts), kindSHA1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.len() {
		e := x.entry(i)
		name := string(e.name)
		i, found := y.find(name)
		switch {
		case name == "d4/f9.md":
			if found {
				t.Error("not removed")
			}
		case name == "d0/f0.md":
			if !found || bytes.Equal(y.entry(i).raw, e.raw) {
				t.Error("not replaced")
			}
		case !found || !bytes.Equal(y.entry(i).raw, e.raw):
			t.Errorf("%s is not what it was", name)
		}
	}
	if _, found := y.find("d2/new.md"); !found || y.len() != 40 {
		t.Errorf("%d entries", y.len())
	}
}

// TestIndexOverwritten: an index that becomes the new one in its own memory,
// again and again, is to the byte what a fresh one makes of the same edits.
func TestIndexOverwritten(t *testing.T) {
	const entries = 40_000 // 3 MB: several states of the checksum
	data := binary.BigEndian.AppendUint32([]byte("DIRC\x00\x00\x00\x02"), entries)
	blob := func(i int) oid { return kindSHA1.id(typeBlob, []byte(itoa(i))) }
	name := func(i int) string { return fmt.Sprintf("d/%05d.md", i) }
	empty := &indexFile{kind: kindSHA1, version: 2}
	for i := range entries {
		start := len(data)
		data = append(data, empty.fresh(indexEdit{name: name(i), next: blob(i), mode: modeFile, stat: fileStat{mtime: uint32(i), size: 7}})...)
		data = appendPad(append(data, name(i)...), start)
	}
	sum := sha1.Sum(data)
	data = append(data, sum[:]...)
	own, err := parseIndex(bytes.Clone(data), kindSHA1)
	if err != nil {
		t.Fatal(err)
	}
	own.own = true
	had := map[int]oid{}
	for round, at := range []int{39_999, 0, 20_000, 35_000, 35_001, 12} {
		prev, known := had[at]
		if !known {
			prev = blob(at)
		}
		edits := []indexEdit{{name: name(at), prev: prev, next: blob(entries + round), mode: modeFile, stat: fileStat{mtime: 1, size: 5}}}
		had[at] = edits[0].next
		racy := int64(entries - 10*round)
		fresh, err := parseIndex(bytes.Clone(data), kindSHA1)
		if err != nil {
			t.Fatal(err)
		}
		want, err := fresh.patch(edits, nil, racy)
		if err != nil {
			t.Fatal(err)
		}
		got, err := own.patch(edits, nil, racy)
		if err != nil || !own.becomes {
			t.Fatalf("becomes %v: %v", own.becomes, err)
		}
		data = written(t, want)
		if !bytes.Equal(written(t, got), data) {
			t.Fatalf("round %d: not the same index", round)
		}
		if !bytes.Equal(own.body, data[:len(own.body)]) {
			t.Fatalf("round %d: the memory is not what was written", round)
		}
	}
}

// written is the index that the parts make.
func written(t testing.TB, n newIndex) []byte {
	var b bytes.Buffer
	if err := n.writeTo(&b, kindSHA1); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func FuzzIndex(f *testing.F) {
	for _, version := range []string{"2", "4"} {
		s := newScene(f).open()
		s.must("a.md", "a", "d/b.md", "b", "d/e/c.md", "c")
		s.git("update-index", "--index-version", version)
		s.git("update-index", "--skip-worktree", "a.md")
		s.git("read-tree", "-m", "HEAD")
		f.Add(readSmall(filepath.Join(s.top, ".git/index")))
	}
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00aaaaaaaaaaaaaaaaaaaa"))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := parseIndex(data, kindSHA1)
		if err != nil {
			return
		}
		x.foreign()
		for i := 1; i < x.len(); i++ {
			if bytes.Compare(x.entry(i-1).name, x.entry(i).name) >= 0 {
				return // git keeps them in order, and looks them up by it
			}
		}
		added := indexEdit{name: "d/new.md", next: kindSHA1.id(typeBlob, data), mode: modeFile}
		out, err := x.patch([]indexEdit{added}, map[string]treeEdit{"": {}, "d": {}}, 1)
		if err != nil {
			return
		}
		y, err := parseIndex(written(t, out), kindSHA1)
		if err != nil {
			t.Fatalf("what was written does not parse: %v", err)
		}
		if _, had := x.find(added.name); !had {
			if i, has := y.find(added.name); has {
				y.starts = slices.Delete(y.starts, i, i+1)
			}
		}
		if y.len() != x.len() {
			t.Fatalf("%d entries of %d", y.len(), x.len())
		}
		for i := range x.len() {
			if !bytes.Equal(x.entry(i).name, y.entry(i).name) || x.id(x.entry(i)) != y.id(y.entry(i)) || x.flags(x.entry(i)) != y.flags(y.entry(i)) {
				t.Fatalf("entry %d changed", i)
			}
		}
	})
}
