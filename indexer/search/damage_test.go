package search

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"memsync"
)

// notices collects what an index says.
type notices struct {
	mu   sync.Mutex
	said []string
}

func (n *notices) notice(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = append(n.said, fmt.Sprintf(format, args...))
}

// asked is a handful of queries that together touch every field and every
// memory of history.
var asked = []string{"deploy", "common words", "tag:even", "type:user", `"common words"`, "needle7", "eedle1", "after:2026", "雾凇"}

// answers are what an index finds, scores included.
func answers(x *Index) (string, error) {
	var b strings.Builder
	for _, q := range asked {
		page, err := x.Search(context.Background(), Request{Query: ParseQuery(q), Limit: 1000})
		if err != nil {
			return "", fmt.Errorf("%s: %w", q, err)
		}
		fmt.Fprintf(&b, "%s: %d\n", q, page.Total)
		for _, h := range page.Hits {
			fmt.Fprintf(&b, "\t%s %v %d %s\n", h.Path, h.Score, h.Line, h.Text)
		}
	}
	return b.String(), nil
}

// history is an index in three steps, and what it answers after each.
type history struct {
	after map[string]string // answers by stamp
	last  map[string]mem    // what is in it in the end
}

func (h *history) docs() []mem {
	return slices.SortedFunc(maps.Values(h.last), func(a, b mem) int { return strings.Compare(a.path, b.path) })
}

// closed writes a history into a new index in dir, and closes it.
func closed(t testing.TB, dir string) *history {
	t.Helper()
	x, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := write(t, x)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	return h
}

func write(t testing.TB, x *Index) *history {
	t.Helper()
	h, err := writeHistory(x)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func writeHistory(x *Index) (*history, error) {
	h := &history{after: make(map[string]string), last: make(map[string]mem)}
	note := func(err error) error {
		if err == nil {
			h.after[x.Stamp()], err = answers(x)
		}
		return err
	}
	one := func(i, version int) mem {
		m := mem{path: fmt.Sprintf("m/%02d.md", i), name: fmt.Sprintf("Memory %d", i), body: fmt.Sprintf("common words\nneedle%d version%d deploy 雾凇词库\n", i, version), typ: memsync.User, created: "2026-01-02"}
		if i%2 == 0 {
			m.tags = []string{"even"}
		}
		h.last[m.path] = m
		return m
	}
	for i := range 30 {
		one(i, 1)
	}
	if err := note(x.Rebuild(seq(h.docs()...), "r1")); err != nil {
		return nil, err
	}
	for step := range 4 {
		b := Batch{Stamp: fmt.Sprintf("r%d", step+2)}
		for i := range 3 {
			b.Put = append(b.Put, one(step*3+i, 2).doc())
		}
		gone := fmt.Sprintf("m/%02d.md", 20+step)
		delete(h.last, gone)
		b.Gone = []memsync.Path{memsync.Path(gone)}
		if err := note(x.Apply(b)); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// writeAndWait is a child that writes a history and waits for its end.
func writeAndWait(dir string) error {
	x, err := Open(dir, Options{})
	if err == nil {
		_, err = writeHistory(x)
	}
	if err != nil {
		return err
	}
	fmt.Println("written")
	select {}
}

// files are the files below dir.
func files(t testing.TB, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			p, _ = filepath.Rel(dir, p)
			out = append(out, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// counting are the files on which what the index answers depends.
func counting(t testing.TB, dir string) map[string]bool {
	t.Helper()
	m, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(m.Index, rootFile)
	zaps, err := walk(filepath.Join(dir, root), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{manifestFile: true, root: true}
	for _, z := range zaps {
		out[filepath.Join(m.Index, z)] = true
	}
	return out
}

// damages are ways in which a file may be found.
var damages = map[string]func(b []byte) []byte{
	"removed":            nil,
	"empty":              func(b []byte) []byte { return nil },
	"one byte":           func(b []byte) []byte { return b[:1] },
	"a quarter":          func(b []byte) []byte { return b[:len(b)/4] },
	"half":               func(b []byte) []byte { return b[:len(b)/2] },
	"all but a byte":     func(b []byte) []byte { return b[:len(b)-1] },
	"garbage":            func(b []byte) []byte { return bytes.Repeat([]byte("\xde\xad\xbe\xef"), len(b)/4+1) },
	"zeros":              func(b []byte) []byte { return make([]byte, len(b)) },
	"garbage inside":     func(b []byte) []byte { copy(b[len(b)/2:], bytes.Repeat([]byte{0xa5}, 64)); return b },
	"garbage at the end": func(b []byte) []byte { copy(b[len(b)*9/10:], bytes.Repeat([]byte{0xa5}, len(b))); return b },
	"a bit":              func(b []byte) []byte { b[len(b)/3] ^= 4; return b },
	"a tail":             func(b []byte) []byte { return append(b, "tail"...) },
	"twice":              func(b []byte) []byte { return append(b, b...) },
}

// TestDamage does everything to every file of an index that was closed, and of
// one whose process was killed: what is opened then answers truly for its
// stamp, or says once that it cannot be used, and one Rebuild heals it.
func TestDamage(t *testing.T) {
	from := map[string]string{"closed": t.TempDir(), "killed": t.TempDir()}
	h := closed(t, from["closed"])
	writer := asChild(from["killed"], "history")
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	writer.Process.Kill()
	writer.Wait()
	if line != "written\n" {
		t.Fatal(line, err)
	}
	for kind, from := range from {
		counts := counting(t, from)
		spare := false
		for _, file := range files(t, from) {
			if strings.HasSuffix(file, ".zap") && !counts[file] {
				if spare {
					continue // one file that no longer counts is like another
				}
				spare = true
			}
			for name, damage := range damages {
				t.Run(kind+"/"+file+"/"+name, func(t *testing.T) {
					dir := filepath.Join(t.TempDir(), "index")
					if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
						t.Fatal(err)
					}
					b, err := os.ReadFile(filepath.Join(dir, file))
					if err != nil || damage != nil && len(b) == 0 {
						return // the lock is empty
					}
					if damage == nil {
						err = os.Remove(filepath.Join(dir, file))
					} else {
						err = os.WriteFile(filepath.Join(dir, file), damage(b), 0o600)
					}
					if err != nil {
						t.Fatal(err)
					}
					usable := heals(t, dir, h)
					if must := counts[file] && (kind == "closed" || !strings.HasSuffix(file, rootFile)); must && usable {
						t.Error("nothing was noticed")
					}
				})
			}
		}
	}
}

// heals opens an index that something was done to, and reports whether it
// could be used as it was.
func heals(t *testing.T, dir string, h *history) (usable bool) {
	t.Helper()
	var n notices
	x, err := Open(dir, Options{Notice: n.notice, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { x.Close() }()
	stamp := x.Stamp()
	got, err := answers(x)
	switch {
	case stamp == "" && (!errors.Is(err, ErrRebuild) || len(n.said) != 1):
		t.Errorf("without a stamp it answers %v, and said %q", err, n.said)
	case stamp != "" && (err != nil || got != h.after[stamp] || len(n.said) != 0):
		t.Errorf("at %q it answers %v, and said %q:\n%s\nwant:\n%s", stamp, err, n.said, got, h.after[stamp])
	}
	if err := x.Rebuild(seq(h.docs()...), "r5"); err != nil {
		t.Fatal(err)
	}
	if got, err := answers(x); err != nil || got != h.after["r5"] {
		t.Errorf("healed, it answers %v: (-want +got)\n%s", err, cmp.Diff(h.after["r5"], got))
	}
	said := len(n.said)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x, err = Open(dir, Options{Notice: n.notice}); err != nil || x.Stamp() != "r5" || len(n.said) != said {
		t.Errorf("opened again: %v, %q, said %q", err, x.Stamp(), n.said)
	}
	if names, err := generations(dir); err != nil || len(names) != 1 {
		t.Errorf("generations left: %q, %v", names, err)
	}
	return stamp != ""
}

// Files of somebody else in the directory are left alone and harm nothing.
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	h := closed(t, dir)
	gen, err := generations(dir)
	if err != nil || len(gen) != 1 {
		t.Fatal(gen, err)
	}
	foreign := []string{"notes.txt", "index-x", "index-0", "sub/file", gen[0] + "/.DS_Store", gen[0] + "/notes.txt"}
	for _, f := range foreign {
		f = filepath.Join(dir, f)
		os.MkdirAll(filepath.Dir(f), 0o700)
		if err := os.WriteFile(f, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x := openAt(t, dir)
	if got, err := answers(x); x.Stamp() != "r5" || err != nil || got != h.after["r5"] {
		t.Errorf("%q %v", x.Stamp(), err)
	}
	for _, f := range foreign {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			t.Error(err)
		}
	}
}

// What a process that died while rebuilding left is swept away.
func TestHalfARebuild(t *testing.T) {
	dir := t.TempDir()
	h := closed(t, dir)
	if err := os.CopyFS(filepath.Join(dir, "index-9"), os.DirFS(filepath.Join(dir, "index-1"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, manifestFile+".123.tmp"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !heals(t, dir, h) {
		t.Error("it was not used")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// An index of another version of fields and analysis is made anew.
func TestAnotherVersion(t *testing.T) {
	dir := t.TempDir()
	h := closed(t, dir)
	m, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := fmt.Appendf(nil, `{"Mapping":%d,"Index":%q,"Check":""}`, mapping+1, m.Index)
	m = manifest{Mapping: mapping + 1, Index: m.Index}
	b = bytes.Replace(b, []byte(`"Check":""`), fmt.Appendf(nil, `"Check":%q`, m.check()), 1)
	if err := os.WriteFile(filepath.Join(dir, manifestFile), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if heals(t, dir, h) {
		t.Error("it was used")
	}
}

// Deleted while it is open: the next use notices, says so once, and a Rebuild
// heals it.
func TestDeletedWhileOpen(t *testing.T) {
	for _, next := range []string{"search", "apply", "verify", "rebuild", "close"} {
		t.Run(next, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "index")
			var n notices
			x, err := Open(dir, Options{Notice: n.notice})
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			h := write(t, x)
			for os.RemoveAll(dir) != nil { // scorch may be writing
			}
			switch next {
			case "search":
				_, err = x.Search(context.Background(), Request{Query: ParseQuery("deploy")})
			case "apply":
				err = x.Apply(Batch{Stamp: "r6"})
			case "verify":
				_, err = x.Verify(func(func(memsync.Path, memsync.Hash) bool) {})
			case "close":
				if err := x.Close(); err != nil {
					t.Fatal(err)
				}
				return
			}
			if next != "rebuild" && (!errors.Is(err, ErrRebuild) || x.Stamp() != "" || len(n.said) != 1) {
				t.Errorf("%v, stamp %q, said %q", err, x.Stamp(), n.said)
			}
			if err := x.Rebuild(seq(h.docs()...), "r5"); err != nil {
				t.Fatal(err)
			}
			if got, err := answers(x); err != nil || got != h.after["r5"] {
				t.Errorf("healed: %v\n%s", err, got)
			}
			if _, err := Open(dir, Options{Timeout: time.Millisecond}); !errors.Is(err, memsync.CodeStoreBusy) {
				t.Errorf("the new directory is not held: %v", err)
			}
		})
	}
}

// Q70: an index that somebody has open is an error soon, and stays as it is.
func TestQ70Locked(t *testing.T) {
	dir := t.TempDir()
	x := openAt(t, dir)
	h := write(t, x)
	start := time.Now()
	_, err := Open(dir, Options{Timeout: 50 * time.Millisecond})
	if !errors.Is(err, memsync.CodeStoreBusy) || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	if got, err := answers(x); err != nil || got != h.after["r5"] {
		t.Errorf("%v", err)
	}
}

// Rebuild that fails leaves the old index in use, and nothing else.
func TestRebuildThatFails(t *testing.T) {
	dir := t.TempDir()
	x := openAt(t, dir)
	h := write(t, x)
	bad := errors.New("a blob can't be read")
	err := x.Rebuild(func(yield func(Doc, error) bool) {
		_ = yield(mem{path: "m/new.md"}.doc(), nil) && yield(Doc{}, bad)
	}, "r9")
	if !errors.Is(err, bad) {
		t.Errorf("%v", err)
	}
	if got, err := answers(x); x.Stamp() != "r5" || err != nil || got != h.after["r5"] {
		t.Errorf("%q %v\n%s", x.Stamp(), err, got)
	}
	if names, _ := generations(dir); len(names) != 1 {
		t.Errorf("generations: %q", names)
	}
}

// Verify names each difference between the index and what it should hold.
func TestVerify(t *testing.T) {
	x := openAt(t, t.TempDir())
	h := write(t, x)
	want := make(map[memsync.Path]memsync.Hash)
	for _, m := range h.docs() {
		want[memsync.Path(m.path)] = m.doc().Memory.Hash
	}
	if d, err := x.Verify(maps.All(want)); err != nil || len(d) != 0 {
		t.Errorf("%+v %v", d, err)
	}
	old := want["m/03.md"]
	delete(want, "m/01.md")
	want["m/03.md"] = "other"
	want["m/99.md"] = "new"
	d, err := x.Verify(maps.All(want))
	if err != nil || len(d) != 3 || d[0].Path != "m/01.md" || d[0].Want != "" || d[1] != (Difference{"m/03.md", "other", old}) || d[2] != (Difference{"m/99.md", "new", ""}) {
		t.Errorf("%+v %v", d, err)
	}
}

// A new index is not damaged: nothing is said.
func TestNew(t *testing.T) {
	var n notices
	x, err := Open(filepath.Join(t.TempDir(), "a", "b"), Options{Notice: n.notice})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Search(context.Background(), Request{}); x.Stamp() != "" || !errors.Is(err, ErrRebuild) || len(n.said) != 0 {
		t.Errorf("%q %v %q", x.Stamp(), err, n.said)
	}
	if err := x.Apply(Batch{Stamp: "r"}); !errors.Is(err, ErrRebuild) {
		t.Errorf("%v", err)
	}
	if err := x.Rebuild(seq(), "r1"); err != nil || x.Stamp() != "r1" {
		t.Errorf("%v %q", err, x.Stamp())
	}
	if p, err := x.Search(context.Background(), Request{Query: ParseQuery("x")}); err != nil || p.Total != 0 {
		t.Errorf("%v %+v", err, p)
	}
	for range 2 {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := x.Search(context.Background(), Request{}); err == nil || errors.Is(err, ErrRebuild) {
		t.Errorf("closed: %v", err)
	}
}
