package watcher_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"memsync"
	"memsync/watcher"
)

// BenchmarkScan10000 is a reconcile scan of 10,000 known files in directories
// of 250; the goal is 30 ms.
func BenchmarkScan10000(b *testing.B) {
	root := b.TempDir()
	for i := range 10_000 {
		dir := filepath.Join(root, "memory", "project", fmt.Sprintf("2026-%02d", i/250))
		if i%250 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("project_topic-number-%05d.md", i)), []byte("x"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	scopes := []memsync.Scope{{Kind: memsync.Global, Dir: "memory", System: "memory"}}
	stats := map[memsync.Path]watcher.Stat{}
	known := &watcher.Known{
		Stat: func(p memsync.Path) (watcher.Stat, bool) { st, ok := stats[p]; return st, ok },
		Next: func() []byte { return nil },
	}
	batch, err := watcher.Scan(root, scopes, true, known)
	if err != nil || len(batch.Changed) != 10_000 {
		b.Fatal(err, len(batch.Changed))
	}
	for _, s := range batch.Changed {
		stats[s.Path] = s.Stat
	}
	for b.Loop() {
		batch, err = watcher.Scan(root, scopes, true, known)
		if err != nil || len(batch.Changed) != 0 || batch.Memories != 10_000 {
			b.Fatal(err, len(batch.Changed), batch.Memories)
		}
	}
}
