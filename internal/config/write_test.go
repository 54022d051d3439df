package config

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"memsync"
)

// TestDefaultIsTheDesignsText: what init writes for a store that chose its
// mode and branch and has one entry differs from the example of the design in
// nothing but keys that are empty.
func TestDefaultIsTheDesignsText(t *testing.T) {
	p, err := Parse([]byte(design))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("agent = \"\"                 # with kind = agent\n", "", "ignore = []                # glob patterns\n", "").Replace(design)
	if d := cmp.Diff(want, string(Default(p))); d != "" {
		t.Error(d)
	}
}

func TestDefaultShowsWhatIsLeftOpen(t *testing.T) {
	got := string(Default(memsync.DefaultPolicy()))
	for _, l := range []string{
		"# commit = \"auto\"          # dedicated: auto; embedded: off\n", "# branch = \"main\"          # dedicated only\n",
		"# [[scope]]                # the standard places need no entry; bound directories and departures do\n",
		"# memory_md = \"region\"     # region | lint\n", "save_bytes = 1048576\n",
	} {
		if !strings.Contains(got, l) {
			t.Errorf("lacks %q:\n%s", l, got)
		}
	}
}

func TestGetKnowsEveryKey(t *testing.T) {
	p, err := Parse([]byte(design))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"format": "1", "git.commit": "auto", "git.branch": "main", "normalize.stamp": "false",
		"limits.body_lines": "200", "limits.body_bytes": "25600", "limits.save_bytes": "1048576", "limits.frontmatter_bytes": "16384",
		"limits.description_chars": "300", "limits.index_lines": "200", "limits.index_bytes": "25000",
		"deletes.hold_files": "10", "deletes.hold_percent": "30",
		"targets.from_model": "allow",
		"sync.auto":          "false", "sync.interval": "5m", "sync.push": "true",
	}
	got := map[string]string{}
	for _, name := range Keys() {
		if got[name], err = Get(p, name); err != nil {
			t.Error(err)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, err := Get(p, "limits.body_line"); !errors.Is(err, memsync.CodeConfig) || !strings.Contains(err.Error(), `did you mean "body_lines"`) {
		t.Errorf("unknown key: %v", err)
	}
}

func TestSetChangesOneValueAndNoOtherByte(t *testing.T) {
	for name, tc := range map[string]struct{ file, key, value, want string }{
		"a value":                   {"[limits]\nbody_lines = 200   # mine\n# end\n", "limits.body_lines", "300", "[limits]\nbody_lines = 300   # mine\n# end\n"},
		"a string in other quotes":  {"[git]\ncommit = 'auto' # x\n", "git.commit", "off", "[git]\ncommit = \"off\" # x\n"},
		"a flag":                    {"[normalize]\nstamp=false\n", "normalize.stamp", "true", "[normalize]\nstamp=true\n"},
		"CRLF, no last newline":     {"[git]\r\ncommit = \"auto\"", "git.branch", "main", "[git]\r\ncommit = \"auto\"\r\nbranch = \"main\""},
		"CRLF, in the middle":       {"[git]\r\ncommit = \"auto\" # x\r\n\r\n[limits]\r\n", "git.branch", "main", "[git]\r\ncommit = \"auto\" # x\r\nbranch = \"main\"\r\n\r\n[limits]\r\n"},
		"after a BOM":               {"\xef\xbb\xbf[limits]\nbody_lines = 2\n", "limits.body_lines", "3", "\xef\xbb\xbf[limits]\nbody_lines = 3\n"},
		"dotted":                    {"git.commit = \"auto\" # x\n\n[limits]\n", "git.commit", "off", "git.commit = \"off\" # x\n\n[limits]\n"},
		"inline":                    {"git = { commit = \"auto\", branch = \"a\" }\n", "git.branch", "b", "git = { commit = \"auto\", branch = \"b\" }\n"},
		"a key more in its table":   {"[git]\ncommit = \"auto\" # x\n\n# about limits\n[limits]\n", "git.branch", "main", "[git]\ncommit = \"auto\" # x\nbranch = \"main\"\n\n# about limits\n[limits]\n"},
		"a key more in an empty":    {"[git] # x\n[limits]\n", "git.branch", "main", "[git] # x\nbranch = \"main\"\n[limits]\n"},
		"a key more, dotted":        {"git.commit = \"auto\"\n[limits]\n", "git.branch", "main", "git.commit = \"auto\"\ngit.branch = \"main\"\n[limits]\n"},
		"a table more":              {"format = 1\n", "deletes.hold_files", "0", "format = 1\n\n[deletes]\nhold_files = 0\n"},
		"a table more, no newline":  {"format = 1", "deletes.hold_files", "0", "format = 1\n\n[deletes]\nhold_files = 0\n"},
		"a table more after scopes": {"[[scope]]\npath = \"a\"\n", "git.commit", "off", "[[scope]]\npath = \"a\"\n\n[git]\ncommit = \"off\"\n"},
		"an empty file":             {"", "git.commit", "off", "[git]\ncommit = \"off\"\n"},
		"an empty file with CRLF":   {"\r\n", "git.commit", "off", "\r\n\r\n[git]\r\ncommit = \"off\"\r\n"},
	} {
		got, err := Set([]byte(tc.file), tc.key, tc.value)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(tc.want, string(got)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestSetRefusesAndSaysWhy(t *testing.T) {
	for name, tc := range map[string]struct{ file, key, value, says string }{
		"an unknown key":       {"", "git.comit", "off", `did you mean "commit"`},
		"format":               {"", "format", "2", "can't be set"},
		"a scope":              {"", "scope.path", "x", "can't be set by a key"},
		"a word for a number":  {"", "limits.body_lines", "many", `must be a whole number, not "many"`},
		"a limit of nothing":   {"", "limits.body_lines", "0", "limits.body_lines must be at least 1"},
		"far too much":         {"", "limits.body_lines", "9999999999999", "limits.body_lines"},
		"yes for a flag":       {"", "normalize.stamp", "yes", `must be true or false, not "yes"`},
		"another mode":         {"", "git.commit", "of", `did you mean "off"`},
		"an empty branch":      {"", "git.branch", "", "must be the name of a branch"},
		"a line more":          {"", "git.branch", "a\nb = 1", "must be the name of a branch"},
		"into an inline table": {"git = { commit = \"auto\" }\n", "git.branch", "main", "can't be added here"},
		"a file that is wrong": {"[git]\ncomit = 1\n", "git.branch", "main", `unknown key "git.comit"`},
		"a newer store":        {"format = 2\n", "git.branch", "main", "this store has format 2"},
	} {
		_, err := Set([]byte(tc.file), tc.key, tc.value)
		if err == nil || !strings.Contains(err.Error(), tc.says) || memsync.CodeOf(err) == memsync.CodeInternal {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSetSetsOneKey: over files as init writes them, Set then Get gives the
// value, and every other key is as before.
func TestSetSetsOneKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := genPolicy().Draw(t, "before"), genPolicy().Draw(t, "after")
		k := rapid.SampledFrom(Keys()[1:]).Draw(t, "key")
		v, _ := Get(q, k)
		if v == "" {
			return // the kind of store decides
		}
		data, err := Set(Default(p), k, v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range Keys() {
			want, _ := Get(p, name)
			if name == k {
				want = v
			}
			if have, _ := Get(got, name); have != want {
				t.Fatalf("%s is %q, want %q", name, have, want)
			}
		}
		if d := cmp.Diff(p.Scopes, got.Scopes, emptyIsNil); d != "" {
			t.Fatal(d)
		}
	})
}

func TestAddScopeAppendsOnly(t *testing.T) {
	s := memsync.Scope{Dir: "docs/memory", Kind: memsync.Workspace, Identity: memsync.Ledger, MemoryMD: memsync.LintOnly, Writers: "agent:claude", Ignore: []string{"drafts/**"}}
	for name, file := range map[string]string{
		"empty": "", "design": design, "no newline": "format = 1", "CRLF": "format = 1\r\n[git]\r\ncommit = \"off\"\r\n",
		"BOM": "\xef\xbb\xbfformat = 1\n", "a scope before": "[[scope]]\npath = \"x\"\n", "a comment last": "# [[scope]]\n# path = \"docs/memory\"",
	} {
		got, err := AddScope([]byte(file), s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.HasPrefix(string(got), file) {
			t.Errorf("%s: earlier bytes changed:\n%s", name, got)
		}
		if file := string(got); strings.Contains(file, "\r\n") && strings.Count(file, "\n") != strings.Count(file, "\r\n") {
			t.Errorf("%s: mixed line ends", name)
		}
		p, err := Parse(got)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(s, p.Scopes[len(p.Scopes)-1]); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	for name, file := range map[string]string{
		"there already":       "[[scope]]\npath = \"docs/./memory\"\n",
		"an inline list":      "scope = [{ path = \"x\" }]\n",
		"a file that is none": "[[",
	} {
		if got, err := AddScope([]byte(file), s); !errors.Is(err, memsync.CodeConfig) {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
	if _, err := AddScope(nil, memsync.Scope{Dir: "../x"}); !errors.Is(err, memsync.CodeConfig) {
		t.Errorf("outside the store: %v", err)
	}
}

func TestWorkspaceFile(t *testing.T) {
	w := WorkspaceFile{WorkspaceID: "01JNB2Q0T7ZC4X9V8M5H3K2RDF", CreatedAt: time.Date(2026, 4, 12, 14, 32, 11, 0, time.UTC)}
	want := "workspace_id = \"01JNB2Q0T7ZC4X9V8M5H3K2RDF\"\ncreated_at = 2026-04-12T14:32:11Z\n"
	if got := string(w.Bytes()); got != want {
		t.Errorf("%s", got)
	}
	local := w
	local.RealpathAtCreation = `C:\Users\"x"` + "\u00e9\t"
	for _, w := range []WorkspaceFile{w, local, {WorkspaceID: w.WorkspaceID}} {
		got, err := ParseWorkspace(w.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(w, got); d != "" {
			t.Error(d)
		}
	}
	for _, same := range []string{
		"workspace_id = '01jnb2q0t7zc4x9v8m5h3k2rdf'\r\ncreated_at = \"2026-04-12T16:32:11+02:00\"\r\n",
		"\xef\xbb\xbf# ours\ncreated_at = 2026-04-12 14:32:11Z\nworkspace_id = \"01JNB2Q0T7ZC4X9V8M5H3K2RDF\"",
	} {
		got, err := ParseWorkspace([]byte(same))
		if err != nil {
			t.Error(err)
			continue
		}
		if d := cmp.Diff(w, got); d != "" {
			t.Error(d)
		}
	}
	idLine := "workspace_id = \"" + string(w.WorkspaceID) + "\"\n"
	for data, want := range map[string]struct {
		line int
		says string
	}{
		"":                                      {1, "workspace_id is missing"},
		"workspace_id = 42\n":                   {1, "must be a ULID"},
		"\nworkspace_id = \"nope\"\n":           {2, "must be a ULID"},
		"workspace_id = \"\n":                   {1, ""},
		"\n\nworkspce_id = \"x\"\n":             {3, `did you mean "workspace_id"`},
		idLine + "created_at = 7\n":             {2, "must be a time"},
		idLine + "created_at = {}\n":            {2, "must be a time"},
		idLine + "realpath_at_creation = 1\n":   {2, "must be a string"},
		idLine + "created_at = 2026-04-12\n":    {2, "must be a time"},
		idLine + "[x]\ny = \"realpath\"\n":      {2, "unknown key"},
		idLine + "created_at = \"yesterday\"\n": {2, "must be a time"},
	} {
		_, err := ParseWorkspace([]byte(data))
		var e *memsync.Error
		if !errors.As(err, &e) || e.Code != memsync.CodeConfig || e.Line != want.line || !strings.Contains(e.Message, want.says) {
			t.Errorf("%q: %+v", data, err)
		}
	}
}
