package keeper

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"memsync/internal/store"
)

// TestLookAtDamage: a catalog that turns out to be damaged while the disk is looked at
// is made anew, once. No memory is gone, and none seems changed.
func TestLookAtDamage(t *testing.T) {
	dir := newStore(t)
	file := filepath.Join(dir, "memory", "user_one.md")
	if err := os.WriteFile(file, []byte("---\nname: One\ndescription: A line\ntype: user\n---\n\nThe first.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	k := openAt(t, dir)
	once(t, k)
	catalog := filepath.Join(k.localState(), catalogName)
	head, err := k.repo.Resolve("HEAD")
	if err := errors.Join(err, k.Close()); err != nil {
		t.Fatal(err)
	}
	damageStat(t, catalog, "memory/user_one.md")

	for try, notices := range []int{1, 0} {
		s, err := store.Load(dir, store.Dedicated)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		k, err := Open(context.Background(), s, Options{Notice: func(f string, a ...any) { said = append(said, fmt.Sprintf(f, a...)) }})
		if err != nil {
			t.Fatal(err)
		}
		once(t, k)
		if now, err := k.repo.Resolve("HEAD"); err != nil || now != head {
			t.Errorf("try %d: HEAD moved to %s: %v", try, now, err)
		}
		if v, err := k.View(); err != nil || v.ByPath("memory/user_one.md") == nil {
			t.Errorf("try %d: the memory is not in the view: %v", try, err)
		}
		if len(said) != notices {
			t.Errorf("try %d: %s", try, strings.Join(said, "; "))
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// damageStat makes the stat of a file one that makes no sense, in a catalog whose sum
// is right.
func damageStat(t *testing.T, catalog, path string) {
	t.Helper()
	db, err := bolt.Open(catalog, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error { return tx.Bucket([]byte("stats")).Put([]byte(path), []byte{1}) })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(catalog)
	if err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf("clean %d %08x\n", len(data), crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
	if err := os.WriteFile(catalog+".state", []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
}
