package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"memsync"
)

const ws = memsync.ID("01JNB2Q0T7ZC4X9V8M5H3K2RDF")

// show is a scope in one line: name, kind, directory, and where they differ
// from the plain case system directory, writers, identity, memory_md, ids.
func show(s memsync.Scope) string {
	out := fmt.Sprintf("%s %s %q", s.Name(), s.Kind, s.Dir)
	if s.Tier != "" {
		out += " tier=" + string(s.Tier)
	}
	if s.Workspace != "" {
		out += " ws"
	}
	if s.System != s.Dir {
		out += " system=" + string(s.System)
	}
	if s.Writers != memsync.People {
		out += " writers=" + string(s.Writers)
	}
	if s.Identity != memsync.Inline {
		out += " identity=" + string(s.Identity)
	}
	if s.MemoryMD != memsync.Region {
		out += " memory_md=" + string(s.MemoryMD)
	}
	return out
}

func TestScopes(t *testing.T) {
	home := Layout{}
	embedded := Layout{Embedded: true, Workspace: ws}
	with := func(l Layout, dirs ...memsync.Path) Layout { l.Dirs = dirs; return l }
	for name, tc := range map[string]struct {
		toml   string
		layout Layout
		want   []string
	}{
		"a new home store": {"", home, []string{`global global "memory"`}},
		"a home store": {"", with(home, "memory", "workspaces/"+memsync.Path(ws)+"/memory", "agents/b/memory", "agents/a/memory"), []string{
			`agent:a agent "agents/a/memory" tier=global`,
			`agent:b agent "agents/b/memory" tier=global`,
			`workspace:` + string(ws) + ` workspace "workspaces/` + string(ws) + `/memory" ws`,
			`global global "memory"`,
		}},
		"a new embedded store": {"", embedded, []string{`workspace workspace ".memsync/memory" ws`}},
		"an embedded store": {"", with(embedded, ".memsync/memory", ".memsync/agents/a/memory"), []string{
			`agent:a@workspace agent ".memsync/agents/a/memory" tier=workspace ws`,
			`workspace workspace ".memsync/memory" ws`,
		}},
		"directories that are no standard place": {"", with(home, "memory", "agents/x", "workspaces/nope/memory", "agents/a b/memory", ".memsync/memory", "docs"),
			[]string{`global global "memory"`}},
		"the project's own memory/ is not the store's": {"", with(embedded, "memory", "agents/a/memory"), []string{`workspace workspace ".memsync/memory" ws`}},
		"a departure from the standard": {"[[scope]]\npath = \"memory\"\nwriters = \"mixed\"\nmemory_md = \"lint\"\n", with(home, "memory"),
			[]string{`global global "memory" writers=mixed memory_md=lint`}},
		"a standard place says what it is": {"[[scope]]\npath = \"agents/a/memory\"\nwriters = \"agent:a\"\n", with(home, "agents/a/memory"),
			[]string{`agent:a agent "agents/a/memory" tier=global writers=agent:a`, `global global "memory"`}},
		"a mirror": {"[[scope]]\npath = \"workspaces/" + string(ws) + "/memory\"\nidentity = \"ledger\"\n", home, []string{
			`workspace:` + string(ws) + ` workspace "workspaces/` + string(ws) + `/memory" ws identity=ledger`, `global global "memory"`}},
		"a bound directory alone": {"[[scope]]\npath = \"docs/agent-memory\"\nidentity = \"ledger\"\n", embedded,
			[]string{`workspace workspace "docs/agent-memory" ws system=.memsync/bound/docs--agent-memory identity=ledger`}},
		"bound directories beside the store's own, in their order": {"[[scope]]\npath = \"z\"\n[[scope]]\npath = \"a\"\n", with(embedded, ".memsync/memory"), []string{
			`workspace workspace ".memsync/memory" ws`,
			`workspace/z workspace "z" ws system=.memsync/bound/z`,
			`workspace/a workspace "a" ws system=.memsync/bound/a`,
		}},
		"an entry puts the store's own in its place": {"[[scope]]\npath = \"z\"\n[[scope]]\npath = \".memsync/memory\"\n", with(embedded, ".memsync/memory"), []string{
			`workspace workspace "z" ws system=.memsync/bound/z`,
			`workspace/.memsync/memory workspace ".memsync/memory" ws`,
		}},
		"an agent's bound directory": {"[[scope]]\npath = \".claude/memory\"\nkind = \"agent\"\nagent = \"claude\"\nwriters = \"agent:claude\"\n",
			with(embedded, ".memsync/agents/claude/memory"), []string{
				`agent:claude@workspace agent ".memsync/agents/claude/memory" tier=workspace ws`,
				`agent:claude@workspace/.claude/memory agent ".claude/memory" tier=workspace ws system=.memsync/bound/.claude--memory writers=agent:claude`,
				`workspace workspace ".memsync/memory" ws`,
			}},
		"the root of a notes repository": {"[[scope]]\npath = \".\"\n[[scope]]\npath = \"other\"\n", home, []string{`global global ""`, `global/other global "other"`}},
		"the root of a project":          {"[[scope]]\npath = \".\"\n", embedded, []string{`workspace workspace "" ws system=.memsync/bound/root--`}},
		"two roots of one kind":          {"[[scope]]\npath = \"other\"\n[[scope]]\npath = \".\"\n", home, []string{`global global "other"`, `global/. global ""`}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse([]byte(tc.toml))
			if err != nil {
				t.Fatal(err)
			}
			scopes, err := Scopes(p, tc.layout)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range scopes {
				got = append(got, show(s))
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestScopesRefusesWhatParseWould(t *testing.T) {
	for name, scopes := range map[string][]memsync.Scope{
		"one directory twice":   {{Dir: "a"}, {Dir: "a"}},
		"an agent without name": {{Dir: "a", Kind: memsync.Agent}},
	} {
		if _, err := Scopes(memsync.Policy{Scopes: scopes}, Layout{}); !errors.Is(err, memsync.CodeConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestScopesLaws: names are unique, ranks ascend, each system directory has one
// owner that does not change when entries come and go, and every scope can be
// found by its name.
func TestScopesLaws(t *testing.T) {
	dirs := []memsync.Path{"a", "b", "a/b", "a--b", "a-/b", "a/-b", "root--", "", ".memsync/memory", ".memsync/agents/x/memory"}
	rapid.Check(t, func(t *rapid.T) {
		var p memsync.Policy
		for _, dir := range rapid.SliceOfNDistinct(rapid.SampledFrom(dirs), 0, 8, func(p memsync.Path) memsync.Path { return p }).Draw(t, "dirs") {
			s := memsync.Scope{Dir: dir, Kind: rapid.SampledFrom([]memsync.ScopeKind{"", memsync.Global, memsync.Workspace, memsync.Agent}).Draw(t, "kind")}
			if s.Kind == memsync.Agent {
				s.Agent = rapid.SampledFrom([]string{"x", "y"}).Draw(t, "agent")
			}
			p.Scopes = append(p.Scopes, s)
		}
		l := Layout{Embedded: true, Workspace: ws, Dirs: []memsync.Path{".memsync/memory", ".memsync/agents/x/memory"}}
		scopes, err := Scopes(p, l)
		if err != nil {
			t.Fatal(err)
		}
		system := map[memsync.Path]memsync.Path{}
		for i, s := range scopes {
			if i > 0 && s.Rank() < scopes[i-1].Rank() {
				t.Fatalf("%s comes after %s", s.Name(), scopes[i-1].Name())
			}
			if found, ok := memsync.FindScope(scopes, s.Name()); !ok || found.Dir != s.Dir {
				t.Fatalf("%q is not found by its name", s.Name())
			}
			if other, taken := system[s.System]; taken {
				t.Fatalf("%q and %q share %s", s.Dir, other, s.System)
			}
			system[s.System] = s.Dir
		}
		if len(p.Scopes) > 0 {
			p.Scopes = slices.Delete(slices.Clone(p.Scopes), 0, 1)
			fewer, err := Scopes(p, l)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range fewer {
				if dir, ok := system[s.System]; ok && dir != s.Dir {
					t.Fatalf("%s went from %q to %q", s.System, dir, s.Dir)
				}
			}
		}
	})
}

func TestStandardScopeBeforeItsDirectoryIs(t *testing.T) {
	s, ok := StandardScope(Layout{}, "agents/new/memory")
	if !ok || !strings.HasPrefix(show(s), "agent:new agent") {
		t.Errorf("%v %s", ok, show(s))
	}
	if _, ok := StandardScope(Layout{Embedded: true}, "memory"); ok {
		t.Error("memory/ beside .memsync is the project's")
	}
}
