package main

import (
	"errors"
	"testing"

	"memsync"
	"memsync/controller/merge"
)

func value(s string) *memsync.Value { v := memsync.Text(s); return &v }

func TestTakeLost_Q51(t *testing.T) {
	const file = "---\nname: Plan\ndescription: mine\ntags: [a]\ntype: user\n---\n\nOne.\n\nTwo.\nTwo more.\n\nTwo.\n"
	list := memsync.List("b", "c")
	body := func(p ...merge.Place) merge.Record { return merge.Record{Kind: merge.Body, Places: p} }
	scalar := func(key string, lost *memsync.Value) merge.Record {
		return merge.Record{Kind: merge.Scalar, Key: key, Places: []merge.Place{{Kept: value("mine"), Lost: lost}}}
	}
	for _, c := range []struct {
		name, file string
		record     merge.Record
		want       string
		refused    bool
	}{
		{"a line gives way", file, body(merge.Place{Kept: value("One."), Lost: value("Eins.")}),
			"---\nname: Plan\ndescription: mine\ntags: [a]\ntype: user\n---\n\nEins.\n\nTwo.\nTwo more.\n\nTwo.\n", false},
		{"several places, in their order", file, body(merge.Place{Kept: value("One."), Lost: value("Eins.\nUnd.")}, merge.Place{Kept: value("Two.\nTwo more."), Lost: value("Zwei.")}),
			"---\nname: Plan\ndescription: mine\ntags: [a]\ntype: user\n---\n\nEins.\nUnd.\n\nZwei.\n\nTwo.\n", false},
		{"lines that the other side took away go", file, body(merge.Place{Kept: value("Two more.")}),
			"---\nname: Plan\ndescription: mine\ntags: [a]\ntype: user\n---\n\nOne.\n\nTwo.\n\nTwo.\n", false},
		{"the file keeps its line ends", "---\r\nname: Plan\r\n---\r\n\r\nOne.\r\nTwo.\r\n", body(merge.Place{Kept: value("One."), Lost: value("Eins.")}),
			"---\r\nname: Plan\r\n---\r\n\r\nEins.\r\nTwo.\r\n", false},
		{"what stands there more than once is no place", file, body(merge.Place{Kept: value("Two."), Lost: value("Zwei.")}), "", true},
		{"what is there no more is no place", file, body(merge.Place{Kept: value("Three."), Lost: value("Drei.")}), "", true},
		{"nothing is no place", file, body(merge.Place{Lost: value("Zwei.")}), "", true},
		{"a key gets its other value", file, scalar("description", value("yours")),
			"---\nname: Plan\ndescription: yours\ntags: [a]\ntype: user\n---\n\nOne.\n\nTwo.\nTwo more.\n\nTwo.\n", false},
		{"a list too", file, scalar("tags", &list),
			"---\nname: Plan\ndescription: mine\ntags: [b, c]\ntype: user\n---\n\nOne.\n\nTwo.\nTwo more.\n\nTwo.\n", false},
		{"or goes", file, scalar("description", nil),
			"---\nname: Plan\ntags: [a]\ntype: user\n---\n\nOne.\n\nTwo.\nTwo more.\n\nTwo.\n", false},
		{"a whole version is taken as it is", file, merge.Record{Kind: merge.Unparsed, Places: []merge.Place{{Kept: value("x"), Lost: value("---\na: [\n---\n")}}}, "---\na: [\n---\n", false},
		{"a path is no text", file, merge.Record{Kind: merge.Rename, Places: []merge.Place{{Kept: value("One."), Lost: value("memory/x.md")}}}, "", true},
		{"nor is a key's other memory", file, merge.Record{Kind: merge.SameKey, Places: []merge.Place{{Kept: value("One."), Lost: value("x")}}}, "", true},
		{"nor what was forgotten", file, merge.Record{Kind: merge.ForgetEdit}, "", true},
		{"a copy without its version is not", file, merge.Record{Kind: merge.Unparsed}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := takeLost([]byte(c.file), c.record, memsync.DefaultLimits())
			if refused := errors.Is(err, memsync.CodeConflictUnresolved); refused != c.refused || err != nil && !refused {
				t.Fatalf("error %v, want refused %v", err, c.refused)
			}
			if string(got) != c.want {
				t.Errorf("got\n%q, want\n%q", got, c.want)
			}
		})
	}
	t.Run("the wish to delete is no text", func(t *testing.T) {
		got, err := takeLost([]byte(file), merge.Record{Kind: merge.DeleteEdit}, memsync.DefaultLimits())
		if got != nil || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
}

func TestPlacesOf(t *testing.T) {
	keys, scopes := placesOf([]byte("format = 1\ngit.commit = \"auto\"\n\n[[scope]]\npath = \"a\"\n\n[limits] # here\n\nbody_lines = 3\n[[scope]]\npath = \"b\"\n\n[deletes]\nhold_files = 3\n"))
	for name, line := range map[string]int{"format": 1, "git.commit": 2, "limits.body_lines": 9, "deletes.hold_files": 14} {
		if keys[name] != line {
			t.Errorf("%s stands on line %d, not %d", name, line, keys[name])
		}
	}
	if len(scopes) != 2 || scopes[0] != 4 || scopes[1] != 10 {
		t.Errorf("scopes on lines %v", scopes)
	}
	keys, scopes = placesOf([]byte("git = { commit = \"off\" }\nscope = [{path = \"a\"}, {path = \"b\"}]\n"))
	if keys["git.commit"] != 1 || len(scopes) != 2 || scopes[1] != 2 {
		t.Errorf("inline: %v %v", keys, scopes)
	}
}

// TestPlace: one scope comes out of the flags, or a refusal.
func TestPlace(t *testing.T) {
	env := func(name string) string { return map[string]string{"MEMSYNC_SCOPE": "agent:env"}[name] }
	for _, c := range []struct {
		name  string
		place place
		scope string
		local bool
		wrong bool
	}{
		{"nothing given: the environment", place{}, "agent:env", false, false},
		{"a scope wins over it", place{scope: "global"}, "global", false, false},
		{"an agent", place{agent: "bot"}, "agent:bot", false, false},
		{"an agent of the workspace", place{agent: "bot", tier: "workspace"}, "agent:bot@workspace", false, false},
		{"a workspace of the home store", place{workspace: "01jnb2q0t7zc4x9v8m5h3k2rdf"}, "workspace:01JNB2Q0T7ZC4X9V8M5H3K2RDF", false, false},
		{"local is a store", place{scope: "local"}, "", true, false},
		{"and needs no scope", place{local: true}, "", true, false},
		{"local and a scope", place{local: true, scope: "global"}, "", false, true},
		{"two scopes", place{scope: "global", agent: "bot"}, "", false, true},
		{"a tier of nobody", place{tier: "global"}, "", false, true},
		{"no such tier", place{agent: "bot", tier: "all"}, "", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.place.settle(env)
			if (err != nil) != c.wrong {
				t.Fatal(err)
			}
			if err == nil && (c.place.scope != c.scope || c.place.local != c.local) {
				t.Errorf("%q, local %v", c.place.scope, c.place.local)
			}
		})
	}
}
