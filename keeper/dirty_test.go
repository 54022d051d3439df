package keeper

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memsync"
)

// TestSavesWhileJoining: files that are being written while others' commits are
// taken over are joined with these. Neither side undoes the other's, whatever kind
// of file it is and whatever its writer did.
func TestSavesWhileJoining(t *testing.T) {
	const head, rest = "---\nname: One\ndescription: A line\ntype: user\n---\n\n", "\nIn between.\n\nThe last paragraph.\n"
	swap := func(old, now string) func(string) string {
		return func(s string) string {
			if !strings.Contains(s, old) {
				t.Fatalf("no %q in\n%s", old, s)
			}
			return strings.Replace(s, old, now, 1)
		}
	}
	is := func(text string) func(string) string { return func(string) string { return text } }
	gone := is("")
	for name, c := range map[string]struct {
		path         memsync.Path
		base         string // "" for a file that is new on both sides, or that init makes
		theirs, ours func(string) string
		has, lacks   []string
		copies       int
	}{
		"a memory, other paragraphs": {"memory/user_one.md", head + "The first.\n" + rest, swap("The first.", "Theirs."), swap("The last paragraph.", "Ours."),
			[]string{"Theirs.", "Ours."}, []string{"The first.", "The last"}, 0},
		"a memory, the same words": {"memory/user_one.md", head + "The first.\n", swap("The first.", "Theirs."), swap("The first.", "Ours."),
			[]string{"Ours."}, []string{"Theirs."}, 1},
		"a new memory on both sides": {"memory/user_two.md", "", is(head + "Theirs.\n"), is(head + "Ours.\n"), []string{"Ours.", "Theirs."}, nil, 0},
		"two new memories, ids of their own": {"memory/user_two.md", "", is("---\nid: 01JNB2Q0T7ZC4X9V8M5H3K0001\n" + head[4:] + "Theirs.\n"),
			is("---\nid: 01JNB2Q0T7ZC4X9V8M5H3K0002\n" + head[4:] + "Ours.\n"), []string{"Ours."}, nil, 1},
		"removed here, edited there":      {"memory/user_one.md", head + "The first.\n", swap("The first.", "Theirs."), gone, []string{"Theirs."}, nil, 0},
		"edited here, removed there":      {"memory/user_one.md", head + "The first.\n", gone, swap("The first.", "Ours."), []string{"Ours."}, nil, 0},
		"an agent's file":                 {"agents/harbor/AGENT.md", "a: 1\nb: 1\nc: 1\nd: 1\n", swap("a: 1", "a: 2"), swap("d: 1", "d: 2"), []string{"a: 2", "d: 2"}, nil, 0},
		"notes, the same line":            {"notes.md", "one\n", is("theirs\n"), is("ours\n"), []string{"ours"}, []string{"<<<<", "theirs"}, 1},
		"the policy":                      {"memsync.toml", "", swap("body_lines = 200", "body_lines = 100"), swap("hold_files = 10", "hold_files = 20"), []string{"body_lines = 100", "hold_files = 20"}, nil, 0},
		"text of a person's in MEMORY.md": {"memory/MEMORY.md", "Above.\n", swap("Above.", "Above, theirs."), func(s string) string { return s + "\nBelow, ours.\n" }, []string{"Above, theirs.", "Below, ours."}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			dir := newStore(t)
			file := filepath.Join(dir, filepath.FromSlash(string(c.path)))
			put := func(text string) {
				t.Helper()
				var err error
				if text == "" {
					err = os.Remove(file)
				} else if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
					err = os.WriteFile(file, []byte(text), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			k := openAt(t, dir)
			defer k.Close()
			if c.base != "" {
				put(c.base)
			}
			once(t, k)
			base, _ := os.ReadFile(file)
			git(t, dir, "branch", "-f", "other")
			git(t, dir, "worktree", "add", "-q", dir+"-other", "other")
			theirs := filepath.Join(dir+"-other", filepath.FromSlash(string(c.path)))
			if err := os.MkdirAll(filepath.Dir(theirs), 0o755); err != nil {
				t.Fatal(err)
			}
			if text := c.theirs(string(base)); text == "" {
				git(t, dir+"-other", "rm", "-q", string(c.path))
			} else if err := os.WriteFile(theirs, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			git(t, dir+"-other", "add", "-A")
			git(t, dir+"-other", "commit", "-q", "--no-verify", "-m", "theirs")

			put(c.ours(string(base)))
			got, err := k.takeOver(ctx, "other")
			if err != nil {
				t.Fatal(err)
			}
			if len(got.joined.Dirty) != 1 {
				t.Fatalf("dirty: %v", got.joined.Dirty)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.has {
				if !strings.Contains(string(data), want) {
					t.Errorf("lacks %q:\n%s", want, data)
				}
			}
			for _, never := range c.lacks {
				if strings.Contains(string(data), never) {
					t.Errorf("has %q:\n%s", never, data)
				}
			}
			if len(got.conflicts) != c.copies {
				t.Errorf("conflict copies: %v\n%s", got.conflicts, data)
			}
			for _, p := range got.conflicts {
				if lost, err := os.ReadFile(k.abs(p)); err != nil || !strings.Contains(strings.ToLower(string(lost)), "theirs") {
					t.Errorf("%s: %v\n%s", p, err, lost)
				}
			}
			if bases, err := k.log.Bases(); err != nil || len(bases) > 0 {
				t.Errorf("still unsettled: %v %v", bases, err)
			}
			head := k.catalog.Revision()
			if once(t, k); k.catalog.Revision() != head {
				t.Error("another pass finds something to do")
			}
			git(t, dir, "diff", "--exit-code", "HEAD")
		})
	}
}

// TestSaveLikeTheBase: a file that was being written and is, in the end, what its
// writer began with, undoes nothing.
func TestSaveLikeTheBase(t *testing.T) {
	dir := newStore(t)
	file := filepath.Join(dir, "memory", "user_one.md")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	k := openAt(t, dir)
	defer k.Close()
	write("---\nname: One\ndescription: A line\ntype: user\n---\n\nThe first.\n")
	once(t, k)
	base, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "checkout", "-q", "-b", "other")
	write(strings.Replace(string(base), "The first.", "Theirs.", 1))
	git(t, dir, "commit", "-q", "-a", "--no-verify", "-m", "theirs")
	git(t, dir, "checkout", "-q", "main")
	once(t, k)
	write(string(base) + "<<<<<<< a save that is held\n=======\n>>>>>>> x\n")
	if got, err := k.takeOver(context.Background(), "other"); err != nil || len(got.report.Held) != 1 {
		t.Fatalf("%v %+v", err, got.report)
	}
	write(string(base))
	once(t, k)
	if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), "Theirs.") {
		t.Errorf("%v\n%s", err, data)
	}
}

func once(t *testing.T, k *Keeper) Report {
	t.Helper()
	r, err := k.Once(context.Background(), OnceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
