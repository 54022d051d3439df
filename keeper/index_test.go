package keeper

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memsync"
	"memsync/indexer/search"
	"memsync/internal/store"
)

// newStore is a store of a test's own, with a git that knows a person.
func newStore(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"))
	config := "[user]\n\tname = Ada Person\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "store")
	if _, err := Init(context.Background(), dir, InitOptions{Kind: store.Dedicated, Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "where branches may go back to")
	git(t, dir, "tag", "first")
	return dir
}

func openAt(t *testing.T, dir string) *Keeper {
	t.Helper()
	s, err := store.Load(dir, store.Dedicated)
	if err != nil {
		t.Fatal(err)
	}
	k, err := Open(context.Background(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

var asked = []string{"word3", "common word", "number", `"common word5"`, "tag:even common", "ord7", "project_m2", "-word1 common"}

func found(ctx context.Context, k *Keeper) (string, error) {
	var b strings.Builder
	for _, q := range asked {
		page, err := k.Search(ctx, search.Request{Query: search.ParseQuery(q), Limit: 1000})
		if err != nil {
			return "", fmt.Errorf("%s: %w", q, err)
		}
		fmt.Fprintf(&b, "%s: %d\n", q, page.Total)
		for _, h := range page.Hits {
			fmt.Fprintf(&b, "\t%s %s %.12f %d %s\n", h.Path, h.ID, h.Score, h.Line, h.Text)
		}
	}
	return b.String(), nil
}

// TestLaw8IndexIsDisposable: after any history of saves, writes, deletes,
// renames, commits by hand, branch switches, restarts, and of an index that is
// fed or not, removed, or put back as it was, a search answers as one that
// begins with no index. Others search meanwhile.
func TestLaw8IndexIsDisposable(t *testing.T) {
	for seed := range histories {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { law8(t, uint64(seed)) })
	}
}

func law8(t *testing.T, seed uint64) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(seed, 8))
	dir := newStore(t)
	k := openAt(t, dir)
	defer func() { k.Close() }()
	file := func(i int) string { return filepath.Join(dir, "memory", fmt.Sprintf("project_m%d.md", i)) }
	text := func(i int) string {
		tag := []string{"odd", "even"}[r.IntN(2)]
		return fmt.Sprintf("---\nname: Number %d\ndescription: A common word%d\ntype: project\ntags: [%s]\n---\n\nThe common word%d, word%d.\n", i, r.IntN(9), tag, r.IntN(9), r.IntN(9))
	}
	index := filepath.Join(dir, ".git", "memsync", indexName)
	save := func(i int) {
		if err := os.MkdirAll(filepath.Join(dir, "memory"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file(i), []byte(text(i)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	once := func() {
		if _, err := k.Once(ctx, OnceOptions{AcceptDeletes: true}); err != nil {
			t.Fatal(err)
		}
	}
	var said []string
	for range 14 {
		step := r.IntN(13)
		said = append(said, fmt.Sprint(step))
		switch step {
		case 0, 1, 2:
			for range 1 + r.IntN(4) {
				save(r.IntN(12))
			}
			once()
		case 3:
			if _, err := k.Submit(ctx, memsync.Candidate{Origin: memsync.OriginCLI, Actor: memsync.Actor{Class: memsync.ClassAgent, Name: "a"}, Op: memsync.OpUpsert, Scope: "global",
				Fields:  []memsync.Field{{Key: "name", Value: memsync.Text(fmt.Sprintf("Written %d", r.IntN(5)))}, {Key: "type", Value: memsync.Text("project")}},
				Content: ptr(fmt.Sprintf("A common word%d was written.\n", r.IntN(9)))}); err != nil {
				t.Fatal(err)
			}
		case 4:
			os.Remove(file(r.IntN(12)))
			once()
		case 5:
			os.Rename(file(r.IntN(12)), file(12+r.IntN(3)))
			once()
		case 6:
			save(r.IntN(12))
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-q", "--allow-empty", "-m", "by hand")
			if err := k.refresh(ctx); err != nil {
				t.Fatal(err)
			}
		case 7:
			git(t, dir, "reset", "-q", "--hard", []string{"first", "HEAD@{1}"}[r.IntN(2)])
			if err := k.refresh(ctx); err != nil {
				t.Fatal(err)
			}
			once()
		case 8:
			if err := k.Close(); err != nil {
				t.Fatal(err)
			}
			k = openAt(t, dir)
		case 9:
			os.RemoveAll(index)
		case 10: // as a backup that is put back
			k.Close()
			old := filepath.Join(t.TempDir(), "old")
			if err := os.CopyFS(old, os.DirFS(index)); err == nil {
				k = openAt(t, dir)
				save(r.IntN(12))
				once()
				if _, err := found(ctx, k); err != nil {
					t.Fatal(err)
				}
				k.Close()
				os.RemoveAll(index)
				if err := os.CopyFS(index, os.DirFS(old)); err != nil {
					t.Fatal(err)
				}
			}
			k = openAt(t, dir)
		case 11:
			if _, err := k.feed(ctx, 1+r.IntN(3)); err != nil {
				t.Fatal(err)
			}
		case 12:
			os.Remove(filepath.Join(dir, ".git", "memsync", catalogName))
			k.Close()
			os.Remove(filepath.Join(dir, ".git", "memsync", catalogName))
			k = openAt(t, dir)
		}
		if r.IntN(3) > 0 {
			continue
		}
		others := make(chan error)
		for range 2 {
			go func() {
				release, err := k.Turn(ctx)
				if err == nil {
					_, err = found(ctx, k)
					release()
				}
				others <- err
			}()
		}
		release, err := k.Turn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got, err := found(ctx, k)
		release()
		if err := errors.Join(err, <-others, <-others); err != nil {
			t.Fatalf("after %v: %v", said, err)
		}
		if st, err := k.Index(); err != nil || st.Behind != 0 || len(st.Wrong) > 0 {
			t.Fatalf("after %v: %+v %v", said, st, err)
		}
		k.index.Close()
		k.index = nil
		if err := os.RemoveAll(index); err != nil {
			t.Fatal(err)
		}
		want, err := found(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("after %v:\n%s\nwithout an index before:\n%s", said, got, want)
		}
	}
}

func ptr(s string) *string { return &s }

// What a forget left in the index goes, also when the process died before it
// could see to it.
func TestForgetPurgesTheIndex(t *testing.T) {
	ctx := context.Background()
	dir := newStore(t)
	k := openAt(t, dir)
	if _, err := found(ctx, k); err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(dir, ".git", "memsync", indexName)
	if err := k.journal.PutFact(factPurge, true); err != nil { // as step does before it applies the plan
		t.Fatal(err)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(index); err != nil {
		t.Fatal(err)
	}
	k = openAt(t, dir)
	defer k.Close()
	if _, err := os.Stat(index); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	if _, err := found(ctx, k); err != nil {
		t.Error(err)
	}
	if err := k.purgeIndex(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(index); err != nil {
		t.Errorf("it went without a reason: %v", err)
	}
}
