package checkout_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memsync"
	"memsync/internal/checkout"
	"memsync/internal/examples"
	"memsync/internal/store"
	"memsync/lint"
)

const (
	goodAgent   = "---\njudgments: [{domain: review}]\n---\n"
	brokenAgent = "---\njudgments: [{domain: review, heuristic: [x]}]\n---\n"
	lost        = "---\nname: Owner\ndescription: Who owns it\ntype: project\ntarget: {primitive: judgment, domain: reviews, slot: constraints}\n---\nNo release without an owner.\n"
)

// layFiles makes a store of these files; those that end in " [head]" are as HEAD has
// them.
func layFiles(t *testing.T, files map[string]string) *fixture {
	t.Helper()
	c := lint.Case{Name: "one"}
	for name, text := range files {
		path, note, _ := strings.Cut(name, " [")
		c.Files = append(c.Files, lint.ExampleFile{Path: path, Note: strings.TrimSuffix(note, "]"), Text: text})
	}
	slices.SortFunc(c.Files, func(a, b lint.ExampleFile) int { return strings.Compare(a.Path+a.Note, b.Path+b.Note) })
	x, err := examples.Of(c)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := x.Lay(dir); err != nil {
		t.Fatal(err)
	}
	s, err := store.Find(dir)
	if err != nil || s.PolicyErr != nil {
		t.Fatal(err, s)
	}
	return &fixture{c: c, x: x, dir: dir, store: s}
}

func codesOf(found []lint.Finding) (out []string) {
	for _, f := range found {
		if strings.HasPrefix(f.Code, "MS5") {
			out = append(out, f.Code+" "+string(f.Path))
		}
	}
	return out
}

// TestAgentsInAProject: an embedded store has its agents below .memsync/, and those
// of the project around it are none of its. They are found on disk, in the index and
// as an editor has them.
func TestAgentsInAProject(t *testing.T) {
	x := layFiles(t, map[string]string{
		"memsync.toml [absent]":           "",
		".memsync/workspace.toml":         "workspace_id = \"01JNB2Q0T7ZC4X9V8M5H3K2RDF\"\ncreated_at = \"2026-03-01T00:00:00Z\"\n",
		".memsync/memsync.toml":           "format = 1\n",
		".memsync/memory/project_own.md":  lost,
		".memsync/agents/harbor/AGENT.md": goodAgent,
		".memsync/agents/pilot/AGENT.md":  brokenAgent,
		"agents/project/AGENT.md":         brokenAgent,
	})
	if x.store.Kind != store.Embedded {
		t.Fatal(x.store.Kind)
	}
	want := []string{"MS501 .memsync/agents/pilot/AGENT.md", "MS511 .memsync/memory/project_own.md"}
	for name, opt := range map[string]checkout.Options{"disk": {}, "index": {Staged: true}} {
		if got := codesOf(x.judge(t, opt)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	pilot := memsync.Path(".memsync/agents/pilot/AGENT.md")
	if got := codesOf(x.judge(t, checkout.Options{Staged: true, Partial: true})); !slices.Equal(got, want[:1]) {
		t.Errorf("what is staged alone: %q", got)
	}
	if got := codesOf(x.judge(t, checkout.Options{Overlay: map[memsync.Path][]byte{pilot: []byte(goodAgent)}})); len(got) > 0 {
		t.Errorf("mended in an editor: %q", got)
	}
	neu := memsync.Path(".memsync/agents/tower/AGENT.md")
	if got := codesOf(x.judge(t, checkout.Options{Overlay: map[memsync.Path][]byte{neu: []byte(brokenAgent)}})); len(got) != 1 {
		t.Errorf("new in an editor: %q", got)
	}
}

// TestSizes: the sizes are those of every agent that is told of, and of none where
// only what differs is told. Of a file that does not parse the newest version that
// did is composed.
func TestSizes(t *testing.T) {
	sizes := func(x *fixture, opt checkout.Options) (out []string) {
		t.Helper()
		opt.Now = today
		judged, err := checkout.Judge(t.Context(), x.store, opt)
		if err != nil {
			t.Fatal(err)
		}
		judged.Close()
		for _, s := range judged.Sizes {
			if len(s.Parts) != 6 || s.Ceiling != 6000 {
				t.Errorf("%+v", s)
			}
			out = append(out, s.Agent)
		}
		return out
	}
	x := layFiles(t, map[string]string{"memory/user_home.md": home, "agents/harbor/AGENT.md [head]": goodAgent, "agents/harbor/AGENT.md": brokenAgent,
		"agents/pilot/AGENT.md": goodAgent, "agents/tower/AGENT.md": brokenAgent})
	for name, c := range map[string]struct {
		opt  checkout.Options
		want []string
	}{
		"all":             {checkout.Options{}, []string{"harbor", "pilot"}},
		"one":             {checkout.Options{Paths: []memsync.Path{"agents/pilot"}}, []string{"pilot"}},
		"a memory":        {checkout.Options{Paths: []memsync.Path{"memory"}}, nil},
		"what is staged":  {checkout.Options{Staged: true}, nil},
		"without any git": {checkout.Options{NoGit: true}, []string{"pilot"}},
	} {
		if got := sizes(x, c.opt); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// An unborn branch has no version of anything.
	fresh := layFiles(t, map[string]string{"memory/user_home.md": home, "agents/tower/AGENT.md": brokenAgent})
	if err := os.WriteFile(filepath.Join(fresh.dir, ".git", "HEAD"), []byte("ref: refs/heads/new\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := sizes(fresh, checkout.Options{}); got != nil {
		t.Errorf("%q", got)
	}
}

// TestNoAgents: without an AGENT.md nothing is composed, and what a memory says by
// itself is told all the same.
func TestNoAgents(t *testing.T) {
	x := layFiles(t, map[string]string{"memory/project_own.md": lost, "memory/project_bad.md": strings.Replace(lost, "slot: constraints", "slot: constraint", 1)})
	if got := codesOf(x.judge(t, checkout.Options{})); !slices.Equal(got, []string{"MS513 memory/project_bad.md"}) {
		t.Errorf("%q", got)
	}
}

// TestSinceAgents: what a branch did not touch is not told.
func TestSinceAgents(t *testing.T) {
	x := layFiles(t, map[string]string{"memory/user_home.md": home, "memory/user_home.md [head]": home, "memory/project_own.md": lost, "memory/project_own.md [head]": lost,
		"agents/harbor/AGENT.md": goodAgent, "agents/harbor/AGENT.md [head]": goodAgent, "agents/pilot/AGENT.md": brokenAgent})
	if got := codesOf(x.judge(t, checkout.Options{Since: "HEAD"})); !slices.Equal(got, []string{"MS501 agents/pilot/AGENT.md"}) {
		t.Errorf("%q", got)
	}
}
