package indexer

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	bolt "go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"memsync"
)

func openAt(t testing.TB, file string) *Catalog {
	t.Helper()
	c, err := Open(file, Options{Boot: "boot-1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func sample(i int) (memsync.Path, *memsync.Memory, Disk) {
	p := memsync.Path(fmt.Sprintf("memory/feedback/2026-%02d/feedback_rule-%05d.md", i%12+1, i))
	h := memsync.HashOf([]byte(p))
	m := &memsync.Memory{ID: memsync.MakeID(time.UnixMilli(int64(i)+1), [10]byte{byte(i)}), Path: p, Scope: "global", Kind: memsync.KindMemory, Type: memsync.Feedback,
		Slug: fmt.Sprintf("rule-%05d", i), Name: fmt.Sprintf("Rule %05d", i), Description: "Fix production bugs instead of weakening the tests that found them",
		Tags: []string{"testing", "ci"}, Conversations: []string{"01J7VR2Q8MZ4FXWZ8WB7M2A4S0"}, CreatedAt: time.Unix(1775995931, 0).UTC(), Inline: true,
		Hash: h, Blob: string(h[:40]), Size: 754, SortKey: fmt.Sprintf("rule %05d", i), BodyKey: h, MetaKey: h, Sketch: make([]uint32, 64)}
	for k := range m.Sketch {
		m.Sketch[k] = uint32(i * k)
	}
	return p, m, Disk{Stat: Stat{Size: 754, MTime: 1775995931e9 + int64(i), CTime: 1775995931e9, Inode: uint64(i), Mode: 0o644}, Hash: h, Blob: string(h[:40])}
}

func filled(n int) Update {
	u := Update{Revision: memsync.Revision{Commit: "c0ffee"}, Memories: map[memsync.Path]*memsync.Memory{}, Tracked: map[memsync.Path]Tracked{}, Stats: map[memsync.Path]Disk{}}
	for i := range n {
		p, m, d := sample(i)
		u.Memories[p], u.Tracked[p], u.Stats[p] = m, Tracked{m.Hash, m.Blob}, d
	}
	u.Tracked["MEMORY.md"] = Tracked{Hash: memsync.HashOf(nil)}
	return u
}

// content is everything a catalog says.
type content struct {
	Revision memsync.Revision
	Memories []*memsync.Memory
	Tracked  map[memsync.Path]Tracked
	Stats    map[memsync.Path]Disk
}

func read(t interface{ Fatal(...any) }, c *Catalog) content {
	v, err := c.View(nil)
	if err != nil {
		t.Fatal(err)
	}
	stats := map[memsync.Path]Disk{}
	err = c.read(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketStats).ForEach(func(k, v []byte) error {
			d, ok := decodeDisk(v)
			if !ok {
				return ErrDamaged
			}
			stats[memsync.Path(k)] = d
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return content{c.Revision(), slices.Collect(v.All()), maps.Collect(c.AllAccepted()), stats}
}

func TestCatalogKeepsWhatItIsTold(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		file := filepath.Join(dir, fmt.Sprint(n, ".db"))
		c, err := Open(file, Options{Boot: "b"})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { c.Close() }()
		want := content{Tracked: map[memsync.Path]Tracked{}, Stats: map[memsync.Path]Disk{}}
		memories := map[memsync.Path]*memsync.Memory{}
		facts := map[string]string{}
		path := rapid.SampledFrom([]memsync.Path{"a.md", "b/c.md", "MEMORY.md", "é.md", "z"})
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0: // close and open
				if err := c.Close(); err != nil {
					t.Fatal(err)
				}
				if c, err = Open(file, Options{Boot: "b"}); err != nil {
					t.Fatal(err)
				}
				if c.Rebuilt() {
					t.Fatal("rebuilt for nothing")
				}
			case 1:
				p := path.Draw(t, "touched")
				d := Disk{Stat: Stat{Size: rapid.Int64Range(0, 9).Draw(t, "size")}, Hash: memsync.HashOf([]byte(p))}
				if err := c.PutStats(map[memsync.Path]Disk{p: d}); err != nil {
					t.Fatal(err)
				}
				want.Stats[p] = d
			default:
				u := Update{Revision: memsync.Revision{Commit: rapid.StringMatching(`[0-9a-f]{40}`).Draw(t, "commit"), Working: memsync.Hash(rapid.SampledFrom([]string{"", "ab"}).Draw(t, "working"))},
					Memories: map[memsync.Path]*memsync.Memory{}, Tracked: map[memsync.Path]Tracked{}, Stats: map[memsync.Path]Disk{}, Facts: map[string][]byte{}}
				want.Revision = u.Revision
				for _, p := range rapid.SliceOfN(path, 0, 2).Draw(t, "gone") {
					u.Gone = append(u.Gone, p)
					delete(want.Tracked, p)
					delete(want.Stats, p)
					delete(memories, p)
				}
				for _, p := range rapid.SliceOfNDistinct(path, 0, 3, rapid.ID).Draw(t, "put") {
					m := drawMemory(t)
					m.Path = p
					u.Memories[p], u.Tracked[p] = m, Tracked{Hash: memsync.HashOf([]byte(m.Name)), Blob: "b1ob"}
					memories[p], want.Tracked[p] = m, u.Tracked[p]
					if want.Stats[p].Hash != u.Tracked[p].Hash { // known of other bytes
						delete(want.Stats, p)
					}
				}
				if p := path.Draw(t, "out of view"); u.Memories[p] == nil {
					u.Memories[p] = nil
					delete(memories, p)
				}
				name := rapid.SampledFrom([]string{"scan", "scopes"}).Draw(t, "fact")
				if u.Facts[name] = nil; rapid.Bool().Draw(t, "known") {
					u.Facts[name] = []byte(u.Revision.Commit)
				}
				facts[name] = string(u.Facts[name])
				if err := c.Advance(u); err != nil {
					t.Fatal(err)
				}
			}
		}
		want.Memories = slices.SortedFunc(maps.Values(memories), func(a, b *memsync.Memory) int { return cmpPath(a.Path, b.Path) })
		if d := cmp.Diff(want, read(t, c), cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
		if got := slices.Collect(c.MemoryPaths()); !slices.Equal(got, slices.Sorted(maps.Keys(memories))) {
			t.Fatalf("paths %q", got)
		}
		for p, tr := range want.Tracked {
			if h, b, ok := c.Accepted(p); !ok || h != tr.Hash || b != tr.Blob {
				t.Fatalf("%s: %s %s %v", p, h, b, ok)
			}
		}
		for p, d := range want.Stats {
			if got, ok := c.StatOf(p); !ok || got != d {
				t.Fatalf("%s: %v %v", p, got, ok)
			}
		}
		w, err := c.Walk(true)
		if err != nil {
			t.Fatal(err)
		}
		asked := rapid.SliceOfN(path, 0, 12).Draw(t, "asked")
		if rapid.Bool().Draw(t, "ascending") {
			slices.Sort(asked)
		}
		for _, p := range asked {
			d, known := want.Stats[p]
			if got, ok := w.Stat(p); ok != known || got != d.Stat {
				t.Fatalf("%s: %v %v, want %v", p, got, ok, d)
			}
		}
		for _, p := range slices.Sorted(maps.Keys(memories)) {
			if got := w.Next(); string(got) != string(p) {
				t.Fatalf("%q comes, not %q", got, p)
			}
		}
		if got := w.Next(); got != nil {
			t.Fatalf("%q comes at last", got)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for name, v := range facts {
			if string(c.Fact(name)) != v {
				t.Fatalf("fact %s: %q, want %q", name, c.Fact(name), v)
			}
		}
	})
}

func cmpPath(a, b memsync.Path) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestUnknownPath(t *testing.T) {
	c := openAt(t, filepath.Join(t.TempDir(), "c.db"))
	if _, ok := c.StatOf("x"); ok {
		t.Error("a stat of nothing")
	}
	if _, _, ok := c.Accepted("x"); ok {
		t.Error("a version of nothing")
	}
	if c.Fact("x") != nil || c.Rebuilt() {
		t.Error("an empty catalog says something")
	}
}

// crash leaves a catalog as a killed process does.
func crash(t testing.TB, file, boot string) {
	t.Helper()
	c, err := Open(file, Options{Boot: boot})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Advance(filled(20)); err != nil {
		t.Fatal(err)
	}
	c.db.Close()
}

func closed(t testing.TB, file, boot string) {
	t.Helper()
	c, err := Open(file, Options{Boot: boot})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Advance(filled(20)), c.Close()); err != nil {
		t.Fatal(err)
	}
}

// Damage of any kind, and only damage, makes the catalog anew.
func TestDamage(t *testing.T) {
	for _, c := range []struct {
		name    string
		before  func(t testing.TB, file string)
		rebuilt bool
	}{
		{"closed", func(t testing.TB, f string) { closed(t, f, "boot-1") }, false},
		{"closed, then the machine restarted", func(t testing.TB, f string) { closed(t, f, "boot-0") }, false},
		{"killed", func(t testing.TB, f string) { crash(t, f, "boot-1") }, false},
		{"the machine went down", func(t testing.TB, f string) { crash(t, f, "boot-0") }, true},
		{"the machine went down, and the state file is of before", func(t testing.TB, f string) {
			closed(t, f, "boot-0")
			state, _ := os.ReadFile(stateFile(f))
			crash(t, f, "boot-0")
			os.WriteFile(stateFile(f), state, 0o600)
		}, true},
		{"the machine went down before any later page was written", func(t testing.TB, f string) {
			closed(t, f, "boot-0")
			db, _ := os.ReadFile(f)
			state, _ := os.ReadFile(stateFile(f))
			crash(t, f, "boot-0")
			os.WriteFile(f, db, 0o600)
			os.WriteFile(stateFile(f), state, 0o600)
		}, false},
		{"no state file", func(t testing.TB, f string) { closed(t, f, "boot-1"); os.Remove(stateFile(f)) }, true},
		{"an empty state file", func(t testing.TB, f string) { closed(t, f, "boot-1"); os.WriteFile(stateFile(f), nil, 0o600) }, true},
		{"truncated", func(t testing.TB, f string) { closed(t, f, "boot-1"); os.Truncate(f, 8192) }, true},
		{"truncated to nothing", func(t testing.TB, f string) { closed(t, f, "boot-1"); os.Truncate(f, 0) }, true},
		{"removed", func(t testing.TB, f string) { closed(t, f, "boot-1"); os.Remove(f) }, true},
		{"truncated after a kill", func(t testing.TB, f string) { crash(t, f, "boot-1"); os.Truncate(f, 8192) }, true},
		{"garbage", func(t testing.TB, f string) { os.WriteFile(f, []byte("not a database at all"), 0o600) }, true},
		{"another schema", func(t testing.TB, f string) {
			c, _ := Open(f, Options{Boot: "boot-1"})
			_ = c.write(func(tx *bolt.Tx) error { return tx.Bucket(bucketMeta).Put(keySchema, []byte("1")) })
			c.Close()
		}, true},
		{"a bucket is missing", func(t testing.TB, f string) {
			c, _ := Open(f, Options{Boot: "boot-1"})
			_ = c.write(func(tx *bolt.Tx) error { return tx.DeleteBucket(bucketStats) })
			c.Close()
		}, true},
		{"a record that makes no sense, after a kill", func(t testing.TB, f string) {
			c, _ := Open(f, Options{Boot: "boot-1"})
			_ = c.write(func(tx *bolt.Tx) error { return tx.Bucket(bucketMemories).Put([]byte("x"), []byte{1}) })
			c.db.Close()
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "catalog.db")
			c.before(t, file)
			cat := openAt(t, file)
			if cat.Rebuilt() != c.rebuilt {
				t.Fatalf("rebuilt: %v", cat.Rebuilt())
			}
			want := content{}
			if !c.rebuilt {
				u := filled(20)
				want = content{u.Revision, slices.SortedFunc(maps.Values(u.Memories), func(a, b *memsync.Memory) int { return cmpPath(a.Path, b.Path) }), u.Tracked, u.Stats}
			}
			if d := cmp.Diff(want, read(t, cat), cmpopts.EquateEmpty()); d != "" {
				t.Fatal(d)
			}
			if err := errors.Join(cat.Advance(filled(3)), cat.Close()); err != nil {
				t.Fatal(err)
			}
			if again := openAt(t, file); again.Rebuilt() || len(read(t, again).Stats) < 3 {
				t.Error("what was made anew does not last")
			}
		})
	}
}

// Any flipped bit and any missing tail of a closed catalog is found.
func TestAnyFlippedBitIsFound(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "catalog.db")
	closed(t, file, "boot-1")
	db, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	state, err := os.ReadFile(stateFile(file))
	if err != nil {
		t.Fatal(err)
	}
	var used int
	var sum string
	if _, err := fmt.Sscanf(string(state), "clean %d %s", &used, &sum); err != nil {
		t.Fatal(err)
	}
	state = fmt.Appendf(nil, "clean %d %s\n", used, sum) // as where no stamp is known
	rapid.Check(t, func(t *rapid.T) {
		bad := slices.Clone(db)
		at := rapid.IntRange(0, used-1).Draw(t, "at")
		if rapid.Bool().Draw(t, "cut") {
			bad = bad[:at]
		} else {
			bad[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}
		if err := errors.Join(os.WriteFile(file, bad, 0o600), os.WriteFile(stateFile(file), state, 0o600)); err != nil {
			t.Fatal(err)
		}
		if len(bad) == 0 {
			return // TestDamage has it
		}
		if _, err := inspect(file, "boot-1"); !errors.Is(err, ErrDamaged) {
			t.Fatalf("not found: %v", err)
		}
	})
}

// A catalog that nobody has written since it was closed is taken for whole without
// being read; in whatever way the stamp is another one, it is read.
func TestStampSparesTheSum(t *testing.T) {
	for name, c := range map[string]struct {
		boot  string
		touch func(file string) error
		read  bool
	}{
		"nothing happened":         {"boot-1", func(string) error { return nil }, false},
		"the machine went down":    {"boot-2", func(string) error { return nil }, true},
		"no boot is known":         {"", func(string) error { return nil }, true},
		"written":                  {"boot-1", func(f string) error { return os.Chtimes(f, time.Time{}, time.Now().Add(time.Hour)) }, true},
		"copied, and the original": {"boot-1", func(f string) error { return errors.Join(os.Rename(f, f+"2"), copyFile(f+"2", f)) }, true},
		"written, in the times as they were": {"boot-1", func(f string) error {
			info, err := os.Stat(f)
			if err != nil {
				return err
			}
			return errors.Join(os.Chmod(f, 0o640), os.Chtimes(f, time.Time{}, info.ModTime()))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "catalog.db")
			closed(t, file, "boot-1")
			state, err := os.ReadFile(stateFile(file))
			if err != nil {
				t.Fatal(err)
			}
			f := strings.Fields(string(state))
			if runtime.GOOS == "linux" && len(f) != 5 {
				t.Fatalf("%q", state)
			}
			for info, err := os.Stat(file); time.Since(info.ModTime()) < 50*time.Millisecond; info, err = os.Stat(file) {
				if err != nil { // a clock that ticks every few milliseconds must have ticked
					t.Fatal(err)
				}
			}
			f[2] = "00000000" // whoever makes the sum sees damage
			if err := errors.Join(os.WriteFile(stateFile(file), []byte(strings.Join(f, " ")+"\n"), 0o600), c.touch(file)); err != nil {
				t.Fatal(err)
			}
			if _, err := inspect(file, c.boot); errors.Is(err, ErrDamaged) != (c.read || runtime.GOOS != "linux") {
				t.Errorf("%v", err)
			}
		})
	}
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// What may not be read or written is an error, and nothing is wiped.
func TestDeniedWipesNothing(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("root may read everything: a directory in the file's place stands for what can't be opened")
	}
	for name, place := range map[string]func(string) string{"catalog": func(f string) string { return f }, "state": stateFile} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "catalog.db")
			closed(t, file, "boot-1")
			kept := place(file) + ".kept"
			if err := errors.Join(os.Rename(place(file), kept), os.MkdirAll(filepath.Join(place(file), "full"), 0o700)); err != nil {
				t.Fatal(err)
			}
			_, err := Open(file, Options{Boot: "boot-1"})
			if err == nil || errors.Is(err, ErrDamaged) {
				t.Fatalf("got %v", err)
			}
			if err := errors.Join(os.RemoveAll(place(file)), os.Rename(kept, place(file))); err != nil {
				t.Fatal(err)
			}
			if c := openAt(t, file); c.Rebuilt() || len(read(t, c).Memories) != 20 {
				t.Error("it was wiped")
			}
		})
	}
}

func TestErrorsHaveCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		code memsync.Code
	}{
		{&os.PathError{Op: "open", Err: os.ErrPermission}, memsync.CodeIODenied},
		{&os.PathError{Op: "write", Err: syscall.ENOSPC}, memsync.CodeIOFull},
		{errors.New("else"), memsync.CodeIO},
	} {
		if got := memsync.CodeOf(wrap(c.err)); got != c.code {
			t.Errorf("%v: %s, want %s", c.err, got, c.code)
		}
		if errors.Is(wrap(c.err), ErrDamaged) {
			t.Errorf("%v would wipe the catalog", c.err)
		}
	}
}

func TestSecondProcessDoesNotWait(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalog.db")
	c := openAt(t, file)
	if err := c.Advance(filled(3)); err != nil {
		t.Fatal(err)
	}
	_, err := Open(file, Options{Boot: "boot-1", Timeout: time.Nanosecond})
	if !errors.Is(err, memsync.CodeStoreBusy) {
		t.Fatalf("got %v", err)
	}
	if len(read(t, c).Memories) != 3 {
		t.Error("the second one did harm")
	}
}

func TestReadsBesideAWrite(t *testing.T) {
	c := openAt(t, filepath.Join(t.TempDir(), "c.db"))
	if err := c.Advance(filled(50)); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 50 {
				p, _, d := sample(i)
				if got, ok := c.StatOf(p); !ok || got.Hash != d.Hash {
					t.Errorf("%s: %v %v", p, got, ok)
				}
				if _, err := c.View(nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 50 {
		p, _, d := sample(i)
		d.Stat.MTime++
		if err := c.PutStats(map[memsync.Path]Disk{p: d}); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
}

// One reading after a kill is enough: the next boot trusts what it found.
func TestKilledThenClosedIsWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalog.db")
	crash(t, file, "boot-1")
	if err := openAt(t, file).Close(); err != nil {
		t.Fatal(err)
	}
	c, err := Open(file, Options{Boot: "boot-2"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.Rebuilt() || len(read(t, c).Memories) != 20 {
		t.Error("it was made anew")
	}
}

// A reader that writes nothing leaves the files as they are.
func TestReadingLeavesNoTrace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalog.db")
	closed(t, file, "boot-1")
	db, _ := os.ReadFile(file)
	state, _ := os.ReadFile(stateFile(file))
	c := openAt(t, file)
	read(t, c)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	db2, _ := os.ReadFile(file)
	state2, _ := os.ReadFile(stateFile(file))
	if string(db) != string(db2) || string(state) != string(state2) {
		t.Error("reading changed the files")
	}
}
