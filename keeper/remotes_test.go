package keeper

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"memsync"
	"memsync/gitlog"
	"memsync/internal/store"
)

// TestAddRemote: who may have a remote.
func TestAddRemote(t *testing.T) {
	for kind, want := range map[store.Kind]memsync.Code{store.Dedicated: "", store.Local: memsync.CodeStoreRefused, store.Embedded: memsync.CodeStoreRefused} {
		dir := filepath.Join(t.TempDir(), "s")
		if kind == store.Embedded {
			if err := gitlog.Init(dir, "main", gitlog.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		made, err := Init(context.Background(), dir, InitOptions{Kind: kind, Branch: map[bool]string{true: "trunk"}[kind == store.Dedicated], Now: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		repo, err := gitlog.Open(dir, gitlog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer repo.Close()
		err = AddRemote(made.Store, repo, "origin", "/some/where")
		if got := memsync.CodeOf(err); got != want {
			t.Errorf("%s: %v", kind, err)
		}
		if m, err := repo.Upstream("trunk"); (err == nil) != (want == "") || want == "" && m.URL != "/some/where" {
			t.Errorf("%s: %+v %v", kind, m, err)
		}
	}
}
