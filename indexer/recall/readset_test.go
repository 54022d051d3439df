package recall

import (
	"strings"
	"testing"
	"time"

	"memsync"
)

// TestReadSet: one row a sentence of what a reader gets. A memory is written as
// "store scope type/slug=id flags": until, from (years), over=id.
func TestReadSet(t *testing.T) {
	scopes := map[string]memsync.Scope{
		"global":        {Kind: memsync.Global, Dir: "memory"},
		"workspace":     {Kind: memsync.Workspace, Dir: "memory"},
		"bob":           {Kind: memsync.Agent, Agent: "bob", Tier: memsync.TierGlobal, Dir: "agents/bob/memory"},
		"bob@workspace": {Kind: memsync.Agent, Agent: "bob", Tier: memsync.TierWorkspace, Dir: "agents/bob/memory"},
		"workspace:A":   {Kind: memsync.Workspace, Workspace: "A", Label: "workspace:A", Dir: "workspaces/A/memory"},
		"workspace:B":   {Kind: memsync.Workspace, Workspace: "B", Label: "workspace:B", Dir: "workspaces/B/memory"},
		"eve":           {Kind: memsync.Agent, Agent: "eve", Tier: memsync.TierGlobal, Dir: "agents/eve/memory"},
	}
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	stores := []string{"project", "home", "local"}
	for _, tc := range []struct {
		name     string
		agent    string
		memories []string
		want     string // id:standing in the order of the places
	}{
		{"the more specific scope hides", "", []string{"home global user/style=a", "project workspace user/style=b"}, "b a:shadowed"},
		{"another slug or type hides nothing", "", []string{"home global user/style=a", "project workspace user/other=b", "project workspace feedback/style=c"}, "b c a"},
		{"untyped counts as a type", "", []string{"home global /style=a", "project workspace /style=b"}, "b a:shadowed"},
		{"agent in the workspace, agent, workspace, local, global", "", []string{"home global user/style=a", "local global user/style=l", "project workspace user/style=b", "home bob user/style=c", "project bob@workspace user/style=d"},
			"d c:shadowed b:shadowed l:shadowed a:shadowed"},
		{"two agents hide nothing from each other", "", []string{"home bob user/style=b", "home eve user/style=e"}, "b e"},
		{"an agent reads no other's scopes", "bob", []string{"home bob user/style=b", "home eve user/style=e", "home global user/other=g"}, "b g"},
		{"what an unread agent keeps hides nothing", "bob", []string{"home eve user/style=e", "home global user/style=g"}, "g"},
		{"two of one slug in one scope are two memories", "", []string{"home global user/style=a", "home global user/style=b"}, "a b"},
		{"what has expired hides nothing", "", []string{"home global user/style=a", "project workspace user/style=b until=2001"}, "b:expired a"},
		{"what is still to come hides nothing", "", []string{"home global user/style=a", "project workspace user/style=b from=2999"}, "b:upcoming a"},
		{"what is superseded hides nothing", "", []string{"home global user/style=a", "project workspace user/style=b", "project workspace user/new=c over=b"}, "b:superseded c a"},
		{"superseded across stores", "", []string{"home global user/old=a", "project workspace user/new=b over=a"}, "b a:superseded"},
		{"an expired one supersedes nothing", "", []string{"home global user/old=a", "home global user/new=b over=a until=2001"}, "a b:expired"},
		{"an unread one supersedes nothing", "bob", []string{"home global user/old=a", "home eve user/new=b over=a"}, "a"},
		{"two that supersede each other both count", "", []string{"home global user/x=a over=b", "home global user/y=b over=a"}, "a b"},
		{"what is kept for this project counts in it", "", []string{"project workspace user/x=p", "home global user/style=a", "home workspace:A user/style=b"}, "p b a:shadowed"},
		{"what is kept for another project is not read in it", "", []string{"project workspace user/x=p", "home global user/style=a", "home workspace:B user/style=b"}, "p a"},
		{"outside of projects it is read, and hides nothing", "", []string{"home global user/style=a", "home workspace:B user/style=b"}, "b a"},
		{"a ring of three all count", "", []string{"home global user/x=a over=b", "home global user/y=b over=c", "home global user/z=c over=a"}, "a b c"},
		{"a chain counts at its end", "", []string{"home global user/x=a", "home global user/y=b over=a", "home global user/z=c over=b"}, "a:superseded b:superseded c"},
		{"a log hides nothing and is not hidden", "", []string{"home global user/style=a log", "project workspace user/style=b log"}, "b a"},
		{"the last day counts", "", []string{"home global user/style=a until=2026"}, "a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var sources []Source
			for _, store := range stores {
				var list []*memsync.Memory
				var in []memsync.Scope
				for _, line := range tc.memories {
					f := strings.Fields(line)
					if f[0] != store {
						continue
					}
					scope := scopes[f[1]]
					if _, ok := memsync.FindScope(in, scope.Name()); !ok {
						in = append(in, scope)
					}
					what, id, _ := strings.Cut(f[2], "=")
					typ, slug, _ := strings.Cut(what, "/")
					m := &memsync.Memory{ID: memsync.ID(id), Path: scope.Dir.Join(id + ".md"), Scope: scope.Name(), Kind: memsync.KindMemory, Type: memsync.Type(typ), Slug: slug}
					for _, flag := range f[3:] {
						key, value, _ := strings.Cut(flag, "=")
						year, _ := time.Parse("2006", value)
						switch key {
						case "until":
							m.ValidUntil = year.AddDate(1, 0, 0).Add(-time.Millisecond)
						case "from":
							m.ValidFrom = year
						case "over":
							m.Supersedes = memsync.ID(value)
						case "log":
							m.Kind = memsync.KindLog
						}
					}
					list = append(list, m)
				}
				src := Source{Root: store, Local: store == "local", View: memsync.NewView(memsync.Revision{}, in, list)}
				if store == "project" && len(list) > 0 {
					src.Workspace = "A"
				}
				sources = append(sources, src)
			}
			set := NewReadSet(tc.agent, now, sources...)
			var got []string
			for _, p := range set.Places {
				for m := range set.Sources[p.Source].View.InScope(p.Scope.Name()) {
					st, by := set.Standing(p.Source, m)
					one := string(m.ID)
					if st != InForce {
						one += ":" + string(st)
					}
					if (st == Shadowed) != (by.Scope.Kind != "") {
						t.Errorf("%s is %q, by %q", m.ID, st, by.Scope.Name())
					}
					got = append(got, one)
				}
			}
			if got := strings.Join(got, " "); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}
