package memsync_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestLinked: a package that is linked is initialised by every hook, every merge
// driver and every command. What only a transfer without git needs is in a
// program of its own, which in turn knows nothing of memsync.
func TestLinked(t *testing.T) {
	const helper = "./cmd/memsync-remote-http"
	for program, banned := range map[string][]string{
		"./cmd/memsync": {"net/http", "crypto/tls", "crypto/x509", "encoding/gob", "encoding/xml", "html/template", "testing",
			"github.com/go-git/gcfg", "github.com/go-git/go-git/v5/plumbing/transport"},
		"./cmd/memsync-merge-driver": {"net", "github.com/blevesearch/bleve/v2/search", "github.com/fsnotify/fsnotify", "github.com/spf13/cobra",
			"memsync/keeper", "memsync/lint", "memsync/indexer/search", "memsync/watcher", "memsync/compose"},
		helper: nil, // of memsync, below
	} {
		out, err := exec.Command("go", "list", "-deps", program).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		linked := map[string]bool{}
		for name := range strings.Lines(string(out)) {
			name = strings.TrimSpace(name)
			linked[name] = true
			if program == helper && strings.HasPrefix(name, "memsync") && name != "memsync/"+strings.TrimPrefix(helper, "./") {
				t.Errorf("%s links %s", program, name)
			}
		}
		if len(linked) < 50 {
			t.Fatalf("%s links %d packages only", program, len(linked))
		}
		for _, name := range banned {
			if linked[name] {
				t.Errorf("%s links %s", program, name)
			}
		}
	}
}
