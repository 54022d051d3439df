package keeper

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"memsync"
	"memsync/internal/ledger"
	"memsync/internal/store"
)

// TestGrownStateIsTheFold: whatever happens to the ledgers, on disk and in
// commits, a keeper that folded what was there before has the State of one that
// reads everything.
func TestGrownStateIsTheFold(t *testing.T) {
	home := t.TempDir()
	for k, v := range map[string]string{"HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org",
		"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org"} {
		t.Setenv(k, v)
	}
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		root := filepath.Join(home, fmt.Sprint(run))
		dir := filepath.Join(root, "memory", "_system", "ledger")
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		git := func(args ...string) {
			cmd := exec.Command("git", args...)
			cmd.Dir = root
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
		must(os.MkdirAll(dir, 0o777))
		defer os.RemoveAll(root)
		must(os.WriteFile(filepath.Join(root, "memsync.toml"), []byte("format = 1\n\n[[scope]]\nkind = \"global\"\npath = \"memory\"\n"), 0o666))
		git("init", "-q")
		git("add", "-A")
		git("commit", "-q", "-m", "store")
		s, err := store.Find(root)
		must(err)
		k, err := Open(context.Background(), s, Options{})
		must(err)
		defer k.Close()

		drawn := 0
		event := func() memsync.LedgerEvent {
			drawn++
			n := rapid.IntRange(0, drawn).Draw(t, "event")
			at := time.Date(2026, 3, 1, 0, 0, n, 0, time.UTC)
			return memsync.LedgerEvent{ID: ledger.DerivedID(at, fmt.Sprint(n)), Op: memsync.LedgerDelete, At: at,
				Memory: ledger.DerivedID(at, "m", fmt.Sprint(n%3)), Path: memsync.Path(fmt.Sprintf("memory/%d.md", n%3))}
		}
		for range rapid.IntRange(2, 8).Draw(t, "steps") {
			file := filepath.Join(dir, rapid.SampledFrom([]string{"2026-03.c1.jsonl", "2026-03.c2.jsonl"}).Draw(t, "file"))
			old, _ := os.ReadFile(file)
			switch rapid.SampledFrom([]string{"append", "append", "append", "cut", "half", "remove", "commit", "commit", "rewrite"}).Draw(t, "step") {
			case "append":
				must(os.WriteFile(file, ledger.Append(old, event(), event()), 0o666))
			case "half": // somebody is in the middle of a line
				line := ledger.Append(nil, event())
				must(os.WriteFile(file, append(old, line[:rapid.IntRange(1, len(line)-1).Draw(t, "bytes")]...), 0o666))
			case "cut":
				must(os.WriteFile(file, old[:rapid.IntRange(0, len(old)).Draw(t, "left")], 0o666))
			case "remove":
				os.Remove(file)
			case "rewrite":
				must(os.WriteFile(file, ledger.Append(nil, event()), 0o666))
			case "commit":
				git("add", "-A")
				git("commit", "-q", "--allow-empty", "-m", "more")
			}
			got := stateOf(t, k)
			k.folded = folded{}
			if d := cmp.Diff(stateOf(t, k), got); d != "" {
				t.Fatal(d)
			}
		}
	})
}

// stateOf is what the State answers about every memory that the test names.
func stateOf(t *rapid.T, k *Keeper) (out []string) {
	k.state = nil
	s, err := k.State()
	if err != nil {
		t.Fatal(err)
	}
	out = append(out, fmt.Sprint(s.Len()))
	for n := range 20 {
		at := time.Date(2026, 3, 1, 0, 0, n, 0, time.UTC)
		for m := range 3 {
			out = append(out, fmt.Sprint(s.Events(ledger.DerivedID(at, "m", fmt.Sprint(m)))))
		}
	}
	for m := range 3 {
		e, ok := s.DeletedAt(memsync.Path(fmt.Sprintf("memory/%d.md", m)))
		out = append(out, fmt.Sprint(e.ID, ok))
	}
	return out
}
