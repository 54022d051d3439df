//go:build unix

package watcher_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	"memsync"
	"memsync/internal/format"
	"memsync/watcher"
)

// tree is a store on disk with what is known of it.
type tree struct {
	t      *testing.T
	root   string
	scopes []memsync.Scope
	known  map[memsync.Path]watcher.Stat
}

func newTree(t *testing.T, files ...string) *tree {
	tr := &tree{t: t, root: t.TempDir(), known: map[memsync.Path]watcher.Stat{},
		scopes: []memsync.Scope{{Kind: memsync.Global, Dir: "memory", System: "memory"}}}
	for _, f := range files {
		tr.write(f, f)
	}
	return tr
}

func (tr *tree) abs(p string) string { return filepath.Join(tr.root, filepath.FromSlash(p)) }

func (tr *tree) must(err error) {
	tr.t.Helper()
	if err != nil {
		tr.t.Fatal(err)
	}
}

func (tr *tree) write(p, text string) {
	tr.must(os.MkdirAll(filepath.Dir(tr.abs(p)), 0o755))
	tr.must(os.WriteFile(tr.abs(p), []byte(text), 0o644))
}

func (tr *tree) scan(outside bool) watcher.Batch {
	tr.t.Helper()
	expected := slices.Sorted(maps.Keys(tr.known))
	last := memsync.Path("")
	b, err := watcher.Scan(tr.root, tr.scopes, outside, &watcher.Known{
		Stat: func(p memsync.Path) (watcher.Stat, bool) {
			if p <= last {
				tr.t.Errorf("%q is asked for after %q", p, last)
			}
			last = p
			st, ok := tr.known[p]
			return st, ok
		},
		Next: func() (path []byte) {
			if len(expected) > 0 {
				path, expected = []byte(expected[0]), expected[1:]
			}
			return path
		},
	})
	tr.must(err)
	return b
}

// learn takes what a scan saw for known.
func (tr *tree) learn(b watcher.Batch) {
	for _, s := range append(b.Changed, b.Authored...) {
		tr.known[s.Path] = s.Stat
	}
}

func (tr *tree) missing(b watcher.Batch) []string {
	var out []string
	for _, p := range b.Missing {
		out = append(out, string(p))
	}
	return out
}

func paths(seen []watcher.Seen) (out []string) {
	for _, s := range seen {
		out = append(out, string(s.Path))
	}
	return out
}

func equal(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s %s", what, d)
	}
}

func TestScanSays(t *testing.T) {
	tr := newTree(t,
		"memory/MEMORY.md", "memory/REVIEW.md", "memory/README.md", "memory/user_a.md", "memory/sub/dir/project_b.md",
		"memory/2026-01-02.md", "memory/logs/x.md", "memory/data.json", "memory/.hidden.md", "memory/.obsidian/x.md", "memory/n.md~",
		"memory/a.sync-conflict-20260101-101112-ABCDEFG.md", "memory/nested/MEMORY.md", "memory/nested/c.md", "memory/sediments/f.md", "memory/skip/d.md", "memory/x.draft.md",
		"memory/_system/ledger/2026-01.x.jsonl", "memory/_system/archive/old.md", "memory/_index/user-a.md", "memory/_inbox/1.md", "memory/_draft.md",
		"agents/bot/AGENT.md", "agents/bot/memory/user_e.md", "memsync.toml", ".gitattributes", "notes.md", "src/deep/doc.md", "src/x.go",
		".git/HEAD.md", "other/.git/HEAD", "other/y.md", "local/memory/z.md")
	tr.scopes[0].Ignore = []string{"skip/**", "*.draft.md"}
	tr.scopes = append(tr.scopes, memsync.Scope{Kind: memsync.Agent, Agent: "bot", Dir: "agents/bot/memory", System: "agents/bot/memory"})

	b := tr.scan(true)
	changed := []string{"agents/bot/memory/user_e.md", "memory/2026-01-02.md", "memory/logs/x.md", "memory/nested/c.md", "memory/sediments/f.md", "memory/sub/dir/project_b.md", "memory/user_a.md"}
	equal(t, "changed", paths(b.Changed), changed...)
	equal(t, "authored", paths(b.Authored), ".gitattributes", "agents/bot/AGENT.md", "memory/MEMORY.md", "memory/README.md", "memory/REVIEW.md",
		"memory/skip/d.md", "memory/x.draft.md", "memsync.toml", "notes.md", "src/deep/doc.md")
	if !slices.Equal(b.Copies, []memsync.Path{"memory/a.sync-conflict-20260101-101112-ABCDEFG.md"}) || !slices.Equal(b.Nested, []memsync.Path{"memory/nested/MEMORY.md"}) {
		t.Errorf("copies %v, nested %v", b.Copies, b.Nested)
	}
	if b.Memories != len(changed) || len(b.Skipped)+len(b.RootGone)+len(b.Emptied) > 0 {
		t.Errorf("%+v", b)
	}
	for _, s := range b.Changed {
		if log := strings.Contains(string(s.Path), "2026") || strings.Contains(string(s.Path), "logs/"); log != (s.Class == format.LogFile) {
			t.Errorf("%s is %v", s.Path, s.Class)
		}
	}

	b = tr.scan(false)
	equal(t, "changed, scopes only", paths(b.Changed), changed...)
	equal(t, "authored, scopes only", paths(b.Authored), "memory/MEMORY.md", "memory/README.md", "memory/REVIEW.md", "memory/skip/d.md", "memory/x.draft.md")
}

// What is known is not said again; what differs in any part of its stat is.
func TestScanChangedQ15(t *testing.T) {
	tr := newTree(t, "memory/a.md", "memory/b.md", "memory/c.md", "memory/d.md", "memory/MEMORY.md")
	old := time.Unix(1_700_000_000, 0)
	for p := range maps.Keys(map[string]bool{"a.md": true, "b.md": true, "c.md": true, "d.md": true}) {
		tr.must(os.Chtimes(tr.abs("memory/"+p), old, old))
	}
	tr.learn(tr.scan(true))
	if b := tr.scan(true); len(b.Changed)+len(b.Authored) > 0 {
		t.Fatalf("said again: %+v", b)
	}
	// Same size and same mtime: the ctime gives it away. It moves by the tick
	// of the kernel's clock, so write until it has.
	before := tr.known["memory/a.md"].CTime
	for n := byte(0); ; n++ {
		tr.write("memory/a.md", "memory/a.m"+string('a'+n%26))
		tr.must(os.Chtimes(tr.abs("memory/a.md"), old, old))
		if _, st, err := watcher.Read(tr.root, "memory/a.md", 0); err != nil || st.CTime != before {
			tr.must(err)
			if st.MTime != tr.known["memory/a.md"].MTime || st.Size != tr.known["memory/a.md"].Size {
				t.Fatal("not the case that is meant")
			}
			break
		}
	}
	tr.must(os.Chmod(tr.abs("memory/b.md"), 0o600))
	tr.write("memory/tmp", "memory/c.md")
	tr.must(os.Rename(tr.abs("memory/tmp"), tr.abs("memory/c.md")))
	tr.write("memory/MEMORY.md", "more")
	b := tr.scan(true)
	equal(t, "changed", paths(b.Changed), "memory/a.md", "memory/b.md", "memory/c.md")
	equal(t, "authored", paths(b.Authored), "memory/MEMORY.md")
}

// Links are never followed and always said; special files and loops hang
// nothing.
func TestScanLinksQ16(t *testing.T) {
	tr := newTree(t, "memory/a.md", "vault/n.md", "outside.md")
	secret := filepath.Join(t.TempDir(), "secret.md")
	tr.must(os.WriteFile(secret, []byte("secret"), 0o644))
	for link, to := range map[string]string{
		"memory/n.md": "../vault/n.md", "memory/loop": "../memory", "memory/p.md": secret, "memory/self.md": "self.md",
		"memory/.#a.md": "user@host.1", "memory/MEMORY.md": "../CLAUDE.md", "elsewhere": "/etc",
	} {
		tr.must(os.Symlink(to, tr.abs(link)))
	}
	tr.must(unix.Mkfifo(tr.abs("memory/pipe.md"), 0o644))
	tr.must(unix.Mkfifo(tr.abs("memory/pipe"), 0o644))
	b := tr.scan(true)
	equal(t, "changed", paths(b.Changed), "memory/a.md")
	equal(t, "authored", paths(b.Authored), "outside.md", "vault/n.md")
	var skipped []string
	for _, s := range b.Skipped {
		skipped = append(skipped, string(s.Path)+": "+s.Reason)
	}
	equal(t, "skipped", skipped,
		`memory/MEMORY.md: a symbolic link to "../CLAUDE.md", not followed`,
		`memory/loop: a symbolic link to "../memory", not followed`,
		`memory/n.md: a symbolic link to "../vault/n.md", not followed`,
		`memory/p.md: a symbolic link to "`+secret+`", not followed`,
		`memory/pipe.md: a special file`,
		`memory/self.md: a symbolic link to "self.md", not followed`)

	for _, p := range []memsync.Path{"memory/p.md", "memory/loop/a.md", "elsewhere/passwd", "memory/self.md", "memory/pipe.md", "memory"} {
		data, _, err := watcher.Read(tr.root, p, 0)
		if err == nil || data != nil || errors.Is(err, memsync.CodeNotFound) {
			t.Errorf("Read %s: %q, %v", p, data, err)
		}
	}
}

// A missing root is never silent: neither a directory that is gone, nor one
// that is a link now, nor one that an unmounted disk left empty.
func TestScanRootsQ44(t *testing.T) {
	for _, outside := range []bool{true, false} {
		tr := newTree(t, "memory/a.md", "memory/sub/b.md", "ws/memory/c.md", "agents/x/memory/d.md", "agents/x/memory/deep/er/e.md")
		tr.scopes = append(tr.scopes,
			memsync.Scope{Kind: memsync.Workspace, Dir: "ws/memory"},
			memsync.Scope{Kind: memsync.Agent, Dir: "agents/x/memory"},
			memsync.Scope{Kind: memsync.Agent, Dir: "agents/x/memory/deep/er"},
			memsync.Scope{Kind: memsync.Agent, Dir: "never/was"})
		tr.learn(tr.scan(outside))

		tr.must(os.RemoveAll(tr.abs("memory")))
		tr.must(os.Rename(tr.abs("ws/memory"), tr.abs("ws/real")))
		tr.must(os.Symlink("real", tr.abs("ws/memory")))
		tr.must(os.RemoveAll(tr.abs("agents/x/memory/deep/er/e.md")))
		b := tr.scan(outside)
		if d := cmp.Diff([]memsync.Path{"memory", "never/was", "ws/memory"}, b.RootGone); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]memsync.Path{"agents/x/memory/deep/er"}, b.Emptied); d != "" {
			t.Error(d)
		}
		// Out of sight is not missing; what is gone is, and RootGone says why.
		equal(t, "missing", tr.missing(b), "agents/x/memory/deep/er/e.md", "memory/a.md", "memory/sub/b.md")
		if len(b.Skipped) != 1 || b.Skipped[0].Path != "ws/memory" {
			t.Errorf("%+v", b.Skipped)
		}
	}
}

func TestScanMissing(t *testing.T) {
	tr := newTree(t, "memory/a.md", "memory/b.md", "memory/sub/c.md", "memory/dir/d.md", "memory/MEMORY.md", "memory/l.md", "memory/link/e.md")
	tr.learn(tr.scan(true))
	tr.must(os.Remove(tr.abs("memory/b.md")))
	for _, p := range []string{"memory/l.md", "memory/link"} { // a link is out of sight, not a deletion
		tr.must(os.RemoveAll(tr.abs(p)))
		tr.must(os.Symlink("a.md", tr.abs(p)))
	}
	tr.must(os.RemoveAll(tr.abs("memory/dir")))
	tr.write("memory/dir", "a file where a folder was")
	equal(t, "missing", tr.missing(tr.scan(true)), "memory/b.md", "memory/dir/d.md")
	if _, _, err := watcher.Read(tr.root, "memory/dir/d.md", 0); !errors.Is(err, memsync.CodeNotFound) {
		t.Errorf("Read below a file: %v", err)
	}
}

// The walk is in the order of the paths, folders among files, in each scope and
// over all of them (tr.scan looks); beside it nothing is taken for missing.
func TestScanOrder(t *testing.T) {
	tr := newTree(t, "memory/a/x.md", "memory/a/b/y.md", "memory/a/b.md", "memory/a.md", "memory/a-b.md", "memory/a0.md", "memory/ab/z.md", "memory/a b/z.md",
		"memory-2/k.md", "memory.d/k.md", "memory0/k.md")
	for _, dir := range []memsync.Path{"memory0", "memory-2", "memory.d"} {
		tr.scopes = append(tr.scopes, memsync.Scope{Kind: memsync.Workspace, Dir: dir, System: dir})
	}
	for _, outside := range []bool{true, false} {
		tr.known = map[memsync.Path]watcher.Stat{}
		tr.learn(tr.scan(outside))
		if b := tr.scan(outside); len(tr.known) != 11 || len(b.Missing)+len(b.Changed) > 0 {
			t.Errorf("known %d, missing %q, changed %v", len(tr.known), b.Missing, b.Changed)
		}
		for p := range tr.known {
			tr.must(os.Remove(tr.abs(string(p))))
			equal(t, "missing", tr.missing(tr.scan(outside)), string(p))
			tr.write(string(p), string(p))
		}
	}
}

// What lies too deep is out of sight, said, and not missing.
func TestScanDepth(t *testing.T) {
	deep := "memory/" + strings.Repeat("d/", 120) + "x.md"
	tr := newTree(t, "memory/a.md", deep)
	tr.known[memsync.Path(deep)] = watcher.Stat{}
	b := tr.scan(false)
	if len(b.Skipped) != 1 || !strings.Contains(b.Skipped[0].Reason, "too deep") || len(tr.missing(b)) > 0 {
		t.Errorf("%+v, missing %v", b.Skipped, tr.missing(b))
	}
}

func TestScanNoStore(t *testing.T) {
	_, err := watcher.Scan(filepath.Join(t.TempDir(), "none"), nil, true, nil)
	if !errors.Is(err, memsync.CodeIORead) {
		t.Errorf("%v", err)
	}
}

// The store itself may be reached through a link; names are what the disk
// says they are.
func TestScanNamesQ32(t *testing.T) {
	names := []string{"my note.md", "café.md", "-rf.md", "a\"b.md", "$(id).md", "日本.md", "a\nb.md", "🎉.md", strings.Repeat("x", 252) + ".md"}
	tr := newTree(t)
	for _, n := range names {
		tr.write("memory/"+n, n)
	}
	link := filepath.Join(t.TempDir(), "link")
	tr.must(os.Symlink(tr.root, link))
	tr.root = link
	b := tr.scan(true)
	var want []string
	for _, n := range names {
		want = append(want, "memory/"+n)
	}
	slices.Sort(want)
	equal(t, "changed", paths(b.Changed), want...)
	for _, s := range b.Changed {
		data, st, err := watcher.Read(link, s.Path, 1000)
		if err != nil || "memory/"+string(data) != string(s.Path) || st != s.Stat {
			t.Errorf("%q: %q, %+v, %v", s.Path, data, st, err)
		}
	}
}

func TestReadLimits(t *testing.T) {
	tr := newTree(t)
	tr.write("memory/a.md", "12345")
	tr.write("memory/empty.md", "")
	for _, c := range []struct {
		path  memsync.Path
		limit int64
		want  string
		code  memsync.Code
	}{
		{"memory/a.md", 0, "12345", ""},
		{"memory/a.md", 5, "12345", ""},
		{"memory/a.md", 4, "", memsync.CodeTooLarge},
		{"memory/empty.md", 4, "", ""},
		{"memory/none.md", 4, "", memsync.CodeNotFound},
		{"none/a.md", 4, "", memsync.CodeNotFound},
	} {
		data, _, err := watcher.Read(tr.root, c.path, c.limit)
		if string(data) != c.want || memsync.CodeOf(err) != c.code {
			t.Errorf("%s, %d: %q, %v", c.path, c.limit, data, err)
		}
	}
}
