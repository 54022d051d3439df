package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/gitlog"
	"memsync/indexer/search"
	"memsync/internal/store"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs, verb{"demo [DIR]", "Show saves becoming commits and being found, in a store of its own", (*app).demoVerb})
}

func (a *app) demoVerb() *cobra.Command {
	return &cobra.Command{
		Long: "demo makes a small store, saves a few memories into it as an editor would, and shows what happens. Without DIR the\nstore is made in a temporary directory and stays there for you to look at.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := demoDir(args)
			if err != nil {
				return err
			}
			return a.demo(dir)
		},
	}
}

func demoDir(args []string) (string, error) {
	if len(args) == 1 {
		return filepath.Abs(args[0])
	}
	return os.MkdirTemp("", "memsync-demo-")
}

// demoFiles are saved one step after the other.
var demoFiles = []struct{ say, path, content string }{
	{"Somebody saves a memory in an editor.", "memory/feedback_test-integrity.md",
		"---\nname: Test Integrity\ndescription: Fix production bugs instead of weakening tests\ntype: feedback\n---\n\nIf a test reveals incorrect behaviour, fix the production code.\n"},
	{"An agent leaves one as its own tools write them: the shape is kept.", "memory/user_review-style.md",
		"---\nname: review-style\ndescription: \"Concise findings first; no praise\"\nmetadata: \n  node_type: memory\n  type: user\n---\n\n**Why:** long reviews are not read.\n**How to apply:** findings first, one line each.\n"},
	{"A broken file stops nothing else, and is not touched.", "memory/project_release.md",
		"---\nname: Release\ntags: [a\n---\n\nThe release train leaves on Tuesdays.\n"},
}

func (a *app) demo(dir string) error {
	made, err := keeper.Init(a.ctx, dir, keeper.InitOptions{Kind: store.Dedicated, Now: time.Now(), Driver: driverBinary()})
	if err != nil {
		return err
	}
	w := a.stdout
	quiet := a.flags.json || a.flags.jsonl
	if quiet {
		w = io.Discard
	}
	steps := []demoStep{}
	fmt.Fprintf(w, "A store in %s\n", dir)
	for _, f := range demoFiles {
		full := filepath.Join(dir, filepath.FromSlash(f.path))
		if err := os.WriteFile(full, []byte(f.content), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(w, "\n%s\n$ save %s\n$ memsync up --once\n", f.say, f.path)
		outcomes, err := a.demoOnce(made.Store, w)
		if err != nil {
			return err
		}
		steps = append(steps, demoStep{f.say, f.path, outcomes})
	}
	const words = "weakening the tests"
	fmt.Fprintf(w, "\nA save is found as soon as it is committed.\n$ memsync search %s\n", words)
	k, err := a.open(made.Store)
	if err != nil {
		return err
	}
	defer k.Close()
	page, err := k.Search(a.ctx, search.Request{Query: search.ParseQuery(words)})
	if err != nil {
		return err
	}
	for _, h := range page.Hits {
		fmt.Fprintf(w, "%s:%d\n    %s\n", h.Path, h.Line, oneLine(h.Snippet))
	}
	if quiet {
		a.emit(map[string]any{"store": dir, "steps": steps, "found": pathsOf(page.Hits)})
		return nil
	}
	index, err := os.ReadFile(filepath.Join(dir, "memory", "MEMORY.md"))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nWhat an agent loads first:\n$ cat memory/MEMORY.md\n%s\nWhat git says:\n$ memsync log\n", index)
	versions, err := k.Repo().Log(gitlog.LogQuery{})
	if err != nil {
		return err
	}
	a.printLog(versions)
	fmt.Fprintf(w, "\nLook around: cd %s && memsync status\n", shellQuote(dir))
	return nil
}

func pathsOf(hits []search.Hit) []memsync.Path {
	out := []memsync.Path{}
	for _, h := range hits {
		out = append(out, h.Path)
	}
	return out
}

// demoStep is one save for programs.
type demoStep struct {
	Say      string           `json:"say"`
	Path     string           `json:"path"`
	Outcomes []keeper.Outcome `json:"outcomes"`
}

// demoOnce is one pass, told in full whatever it finds.
func (a *app) demoOnce(s *store.Store, w io.Writer) ([]keeper.Outcome, error) {
	k, err := a.open(s)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	start := time.Now()
	r, err := k.Once(a.ctx, keeper.OnceOptions{})
	if err != nil {
		return nil, err
	}
	took := time.Since(start)
	for _, o := range r.Outcomes {
		for _, d := range o.Decisions {
			fmt.Fprintf(w, "%s %s\n", d.Op, d.Path)
			if d.Error != nil {
				fmt.Fprintf(w, "  %s\n", oneLine(d.Error.Error()))
			}
		}
		if o.Commit != "" {
			fmt.Fprintf(w, "commit %s in %s\n", short(o.Commit), took.Round(100*time.Microsecond))
		}
	}
	return orEmpty(r.Outcomes), nil
}

// shellQuote makes a path safe to paste.
func shellQuote(s string) string {
	if strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-", r))
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
