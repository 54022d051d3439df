//go:build unix

package keeper

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"memsync"
)

// TestRemoteThatHangs: a remote in a directory that gives no answer, as a share whose
// server is away, is waited for as long as a transfer may take, and nobody else waits
// meanwhile.
func TestRemoteThatHangs(t *testing.T) {
	dir := newStore(t)
	hub := filepath.Join(t.TempDir(), "hub.git")
	git(t, dir, "clone", "-q", "--bare", dir, hub)
	git(t, dir, "remote", "add", "origin", hub)
	git(t, dir, "fetch", "-q")
	git(t, dir, "branch", "-q", "--set-upstream-to=origin/main", "main")
	ref := filepath.Join(hub, "refs", "heads", "main")
	if err := os.Remove(ref); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(ref, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // whoever still opens it goes on
		if f, err := os.OpenFile(ref, os.O_RDWR, 0); err == nil {
			f.Close()
		}
		os.Remove(ref)
	})
	k := openAt(t, dir)
	turns := func(ctx context.Context, do func(context.Context, *Keeper) error) error { return do(ctx, k) }
	ended := make(chan error, 1)
	go func() {
		_, err := Sync(context.Background(), turns, SyncOptions{Timeout: time.Second})
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, memsync.CodeSyncTimeout) {
			t.Error(err)
		}
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it waits for ever")
	}
}
