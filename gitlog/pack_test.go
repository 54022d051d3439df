package gitlog

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/cache"

	"memsync"
)

// edited makes some history in which the same files change again and again, so
// that git finds deltas.
func (s *scene) edited(seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	text := func() (out string) {
		for range 40 {
			out += fmt.Sprintf("Line %d of it.\n", random.IntN(1000))
		}
		return out
	}
	files := make([]string, 30)
	for i := range files {
		files[i] = text()
	}
	for range 12 {
		for i := range files {
			if random.IntN(3) == 0 {
				files[i] += text()[:60]
			}
			if err := os.WriteFile(filepath.Join(s.top, fmt.Sprintf("%d-%02d.md", seed, i)), []byte(files[i]), 0o666); err != nil {
				s.t.Fatal(err)
			}
		}
		s.git("add", "-A")
		s.git("commit", "-q", "-m", text())
	}
}

// objects are all that git knows, as git reads them.
func (s *scene) objects() map[oid]string {
	cmd := exec.Command(s.bin, "cat-file", "--batch", "--batch-all-objects")
	cmd.Dir, cmd.Env = s.top, s.env
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatal(err)
	}
	all := map[oid]string{}
	for len(out) > 0 {
		head, rest, _ := bytes.Cut(out, []byte("\n"))
		f := strings.Fields(string(head))
		size, err := strconv.Atoi(f[2])
		if err != nil {
			s.t.Fatal(err)
		}
		id, _ := kindSHA1.parseOID(f[0])
		all[id] = f[1] + " " + string(rest[:size])
		out = rest[size+1:]
	}
	return all
}

// TestPacksAgreeWithGit: whatever packs there are, every object is read as git
// reads it.
func TestPacksAgreeWithGit(t *testing.T) {
	for _, way := range []struct {
		name string
		pack func(s *scene)
	}{
		{"loose", func(s *scene) {}},
		{"one pack, deep deltas", func(s *scene) { s.git("repack", "-q", "-a", "-d", "-f", "--depth=200", "--window=50") }},
		{"deltas against names", func(s *scene) {
			s.git("-c", "repack.useDeltaBaseOffset=false", "repack", "-q", "-a", "-d", "-f", "--depth=50")
		}},
		{"more packs than stay open", func(s *scene) {
			for i := range uint64(openPacks + 3) {
				s.git("repack", "-q", "-d")
				s.edited(10 + i)
			}
		}},
		{"borrowed", func(s *scene) {
			s.git("repack", "-q", "-a", "-d")
			other := filepath.Join(s.home(), "other")
			s.git("clone", "-q", "--shared", ".", other)
			s.top = other
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			s := newScene(t)
			s.edited(1)
			way.pack(s)
			n := &nativeObjects{dir: filepath.Join(s.top, ".git", "objects")}
			defer n.close()
			all := s.objects()
			for range 2 { // the second time much is in the cache
				for id, want := range all { // in no order
					typ, data, err := n.read(id)
					if err != nil {
						t.Fatalf("%s: %v", id.hex(), err)
					}
					if got := typ + " " + string(data); got != want {
						t.Fatalf("%s is %q, git says %q", id.hex(), got, want)
					}
				}
			}
			open := 0
			for _, p := range n.packs {
				if p.file != nil {
					open++
				}
			}
			if open > openPacks {
				t.Errorf("%d packs are open", open)
			}
			if _, _, err := n.read(oid(strings.Repeat("\x7f", 20))); err != errNoObject {
				t.Errorf("an object that is not there: %v", err)
			}
		})
	}
}

// TestPackOf8ByteOffsets: an index may keep its offsets in the table for packs
// over 2 GB; git is told to do so from the first byte on.
func TestPackOf8ByteOffsets(t *testing.T) {
	s := newScene(t)
	s.edited(1)
	s.git("repack", "-q", "-a", "-d")
	packs, err := filepath.Glob(filepath.Join(s.top, ".git", "objects", "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	index := strings.TrimSuffix(packs[0], ".pack") + ".idx"
	if err := os.Remove(index); err != nil {
		t.Fatal(err)
	}
	s.git("index-pack", "--index-version=2,0x40", packs[0])
	all := s.objects()
	if info, err := os.Stat(index); err != nil || info.Size() < int64(len(all))*(packNameLen+4+4+8) {
		t.Fatal("git has not written 8 byte offsets: ", err)
	}
	n := &nativeObjects{dir: filepath.Join(s.top, ".git", "objects")}
	defer n.close()
	for id, want := range all {
		typ, data, err := n.read(id)
		if err != nil || typ+" "+string(data) != want {
			t.Fatalf("%s: %v", id.hex(), err)
		}
	}
}

// FuzzPack: whatever bytes a pack and its index hold, nothing panics and what
// is read has a type. Both are given as what to write over a good one, and
// where.
func FuzzPack(f *testing.F) {
	s := newScene(f)
	s.edited(1)
	s.git("repack", "-q", "-a", "-d", "-f", "--depth=50")
	packs, err := filepath.Glob(filepath.Join(s.top, ".git", "objects", "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		f.Fatal(packs, err)
	}
	name := strings.TrimSuffix(packs[0], ".pack")
	good := map[string][]byte{}
	for _, ending := range []string{".pack", ".idx"} {
		if good[ending], err = os.ReadFile(name + ending); err != nil {
			f.Fatal(err)
		}
	}
	var ids []oid
	for id := range s.objects() {
		ids = append(ids, id)
	}
	f.Add([]byte{}, uint32(0), []byte{}, uint32(0))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff}, uint32(12), []byte{}, uint32(0))
	f.Add([]byte{0x60, 0x80, 0x80, 0x80, 0x80, 0x80}, uint32(3000), []byte{}, uint32(0))
	f.Add([]byte{}, uint32(0), []byte{0, 0, 0xff, 0xff}, uint32(1028))
	f.Add([]byte{}, uint32(0), []byte{0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, uint32(12000))
	f.Fuzz(func(t *testing.T, overPack []byte, atPack uint32, overIndex []byte, atIndex uint32) {
		dir := t.TempDir()
		for ending, change := range map[string]struct {
			over []byte
			at   uint32
		}{".pack": {overPack, atPack}, ".idx": {overIndex, atIndex}} {
			data := bytes.Clone(good[ending])
			copy(data[int(change.at)%len(data):], change.over)
			if err := os.WriteFile(filepath.Join(dir, "p"+ending), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		p := &pack{path: filepath.Join(dir, "p"), cache: cache.NewBufferLRU(cacheBytes)}
		defer p.close()
		for _, id := range ids {
			if typ, _, err := p.read(id); err == nil && typ == "" {
				t.Fatalf("%s has no type", id.hex())
			}
		}
	})
}

// TestManyObjectsAreOnePack: from packedFrom objects on a commit is one pack, which
// git finds nothing wrong with; below, each is a file. The same commit made again
// makes the same pack.
func TestManyObjectsAreOnePack(t *testing.T) {
	for _, files := range []int{packedFrom - 4, packedFrom - 3, packedFrom + 50} {
		t.Run(fmt.Sprint(files), func(t *testing.T) {
			s := newScene(t).open()
			c := Commit{Plan: memsync.ID("01JNB2Q0T7ZC4X9V8M5H3K0001"), Message: "many\n", When: s.when}
			for i := range files {
				c.Changes = append(c.Changes, Change{Path: memsync.Path(fmt.Sprintf("f%03d.md", i)), Content: fmt.Appendf(nil, "file %d\n", i)})
			}
			// Two files of the same bytes are one object.
			c.Changes = append(c.Changes, Change{Path: "same.md", Content: []byte("file 0\n")})
			made, err := s.repo.Commit(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			packs := func() []string {
				list, err := filepath.Glob(filepath.Join(s.top, ".git", "objects", "pack", "*"))
				if err != nil {
					t.Fatal(err)
				}
				return list
			}
			list := packs()
			// Beside the files' objects, same.md's included, there are a tree and the commit.
			if packed := files+3 >= packedFrom; packed && len(list) != 2 || !packed && len(list) > 0 {
				t.Fatalf("%d files: %v", files, list)
			}
			s.git("fsck", "--strict", "--no-dangling")
			for _, name := range list {
				if index, ok := strings.CutSuffix(name, ".idx"); ok {
					s.git("verify-pack", index+".idx")
				}
				if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o444 && runtime.GOOS != "windows" {
					t.Errorf("%s: %v %v", name, info.Mode(), err)
				}
			}
			for _, ch := range c.Changes {
				if data, err := s.repo.Blob(made.Blobs[ch.Path]); err != nil || !bytes.Equal(data, ch.Content) {
					t.Fatalf("%s: %q %v", ch.Path, data, err)
				}
			}
			s.git("update-ref", "-d", "refs/heads/main")
			again, err := s.repo.Commit(t.Context(), c)
			if now := packs(); err != nil || again.ID != made.ID || !slices.Equal(now, list) {
				t.Errorf("made again: %v %v, %v", again.ID, err, now)
			}
		})
	}
}

// TestManyReads: whatever several goroutines ask while many is on, begins and
// ends, and while packs are made and gc'd, is answered as git answers it.
func TestManyReads(t *testing.T) {
	s := newScene(t)
	for i := range uint64(openPacks + 3) {
		s.edited(10 + i)
		if i > 0 { // the last ones stay loose
			s.git("repack", "-q", "-d")
		}
	}
	s.edited(99)
	all := s.objects()
	n := &nativeObjects{dir: filepath.Join(s.top, ".git", "objects")}
	defer n.close()
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for round := 0; ; round++ {
				done := func() {}
				if round%3 > 0 {
					done = n.many()
				}
				for id, want := range all {
					typ, data, err := n.read(id)
					if err != nil || typ+" "+string(data) != want {
						t.Errorf("%s: %v", id.hex(), err)
						return
					}
				}
				if _, _, err := n.read(oid(strings.Repeat("\x7f", 20))); err != errNoObject {
					t.Errorf("an object that is not there: %v", err)
				}
				done()
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	n.changed()
	s.git("repack", "-q", "-a", "-d")
	n.changed()
	close(stop)
	wg.Wait()
	if n.hurry != 0 {
		t.Errorf("%d are in a hurry", n.hurry)
	}
	for _, p := range n.packs {
		if _, held := p.index.(indexInMemory); held {
			t.Errorf("the index of %s is still in memory", p.path)
		}
	}
}
