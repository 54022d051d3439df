package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"memsync"
)

// design is the example of format.md, to the byte: every key of the write path
// with its default.
const design = `format = 1

[git]
commit = "auto"            # dedicated: auto; embedded: off
branch = "main"            # dedicated only

[[scope]]                  # the standard places need no entry; bound directories and departures do
path = "memory"            # relative to the store
kind = "global"            # global | workspace | agent
agent = ""                 # with kind = agent
writers = "people"         # people | mixed | agent:<name>
identity = "inline"        # inline | ledger
memory_md = "region"       # region | lint
ignore = []                # glob patterns

[normalize]
stamp = false              # keep provenance.updated_at current on saves

[limits]
body_lines = 200
body_bytes = 25600
save_bytes = 1048576
frontmatter_bytes = 16384
description_chars = 300
index_lines = 200
index_bytes = 25000

[deletes]
hold_files = 10            # and hold_percent: both exceeded in one batch (one scan is one batch) waits
hold_percent = 30

[targets]
from_model = "allow"       # allow | propose | deny: what an agent's choice of a place in a prompt is worth

[sync]
auto = false               # dedicated only: memsync up exchanges commits by itself
interval = "5m"            # how often, at the latest
push = true                # false: commits are taken over and never sent
`

var emptyIsNil = cmpopts.EquateEmpty()

func TestParseTheDesignsExample(t *testing.T) {
	got, err := Parse([]byte(design))
	if err != nil {
		t.Fatal(err)
	}
	want := memsync.DefaultPolicy()
	want.Git = memsync.GitPolicy{Commit: memsync.CommitAuto, Branch: "main"}
	want.Scopes = []memsync.Scope{{Kind: memsync.Global, Dir: "memory", Writers: memsync.People, Identity: memsync.Inline, MemoryMD: memsync.Region}}
	if d := cmp.Diff(want, got, emptyIsNil); d != "" {
		t.Error(d)
	}
	// It names every key there is.
	for _, name := range Keys() {
		if short := name[strings.LastIndexByte(name, '.')+1:]; !strings.Contains(design, "\n"+short+" = ") && short != "format" {
			t.Errorf("the example lacks %s", name)
		}
	}
}

func TestAbsentAndEmptyFilesAreEveryDefault(t *testing.T) {
	for _, data := range []string{"", "\n", "# nothing\n", "\xef\xbb\xbf", "format = 1\r\n", "[git]\n", "scope = []\n"} {
		got, err := Parse([]byte(data))
		if err != nil {
			t.Errorf("%q: %v", data, err)
			continue
		}
		if d := cmp.Diff(memsync.DefaultPolicy(), got, emptyIsNil); d != "" {
			t.Errorf("%q: %s", data, d)
		}
	}
}

func TestEverySpellingOfTOMLSaysTheSame(t *testing.T) {
	want := memsync.DefaultPolicy()
	want.Git.Commit = memsync.CommitOff
	want.Limits.BodyLines = 1000
	want.Scopes = []memsync.Scope{
		{Dir: "docs/memory", Kind: memsync.Workspace, Writers: "agent:claude", Identity: memsync.Ledger, MemoryMD: memsync.LintOnly, Ignore: []string{"drafts/**", "*.tmp"}},
		{Dir: "", Writers: memsync.People, Identity: memsync.Inline, MemoryMD: memsync.Region},
	}
	for name, data := range map[string]string{
		"tables": "[git]\ncommit = \"off\"\n[limits]\nbody_lines = 1_000\n[[scope]]\npath = 'docs/memory'\nkind = \"workspace\"\nwriters = \"agent:claude\"\nidentity = \"ledger\"\nmemory_md = \"lint\"\nignore = [\n  \"drafts/**\", # not yet\n  \"*.tmp\",\n]\n[[scope]]\npath = \".\"\n",
		"dotted": "git.commit = \"off\"\nlimits.\"body_lines\" = 0x3e8\nscope = [{path = \"./docs//memory/\", kind = \"workspace\", writers = \"agent:claude\", identity = \"ledger\", memory_md = \"lint\", ignore = [\"drafts/**\", \"*.tmp\"]}, {path = \"./\"}]\n",
		"inline": "git = { commit = \"o\\u0066f\" }\nlimits = { body_lines = +1000 }\n\n[[scope]]\npath = \"\"\"docs/memory\"\"\"\nkind = \"workspace\"\nwriters = \"agent:claude\"\nidentity = \"ledger\"\nmemory_md = \"lint\"\nignore = [\"drafts/**\", \"*.tmp\"]\n\n[[scope]]\npath = \"docs/..\"\n",
	} {
		for _, d := range []string{data, strings.ReplaceAll(data, "\n", "\r\n"), "\xef\xbb\xbf" + data} {
			got, err := Parse([]byte(d))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if d := cmp.Diff(want, got, emptyIsNil); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	}
}

func TestParseSaysWhatIsWrongAndWhere(t *testing.T) {
	scope := func(lines string) string { return "[[scope]]\npath = \"memory\"\n" + lines + "\n" }
	for name, tc := range map[string]struct {
		data, says   string
		line, column int
	}{
		"not TOML":                    {"[git\n", "expected ']'", 1, 5},
		"a value left out":            {"format =\n", "", 1, 9},
		"a key twice":                 {"[git]\ncommit = \"auto\"\ncommit = \"off\"\n", "", 3, 1},
		"a table twice":               {"[git]\n[limits]\n[git]\n", "", 3, 2},
		"invalid UTF-8":               {"[git]\nbranch = \"\xff\"\n", "", 2, 11},
		"an unknown key":              {"[limits]\nbody_line = 3\n", `unknown key "limits.body_line" (did you mean "body_lines"?)`, 2, 1},
		"an unknown key in CRLF":      {"format = 1\r\n\r\n[limits]\r\n  body_line = 3\r\n", `did you mean "body_lines"`, 4, 3},
		"an unknown key after a BOM":  {"\xef\xbb\xbfformt = 1\n", `(did you mean "format"?)`, 1, 1},
		"a key in the wrong table":    {"[git]\nbody_lines = 3\n", `(did you mean "limits.body_lines"?)`, 2, 1},
		"a key in no table":           {"hold_files = 3\n", `(did you mean "deletes.hold_files"?)`, 1, 1},
		"an unknown table":            {"[limit]\nbody_lines = 3\n", `unknown key "limit" (did you mean "limits"?)`, 1, 2},
		"an unknown dotted key":       {"git.commits = \"auto\"\n", `(did you mean "commit"?)`, 1, 5},
		"an unknown inline key":       {"git = { commit = \"off\", brunch = \"main\" }\n", `unknown key "git.brunch" (did you mean "branch"?)`, 1, 25},
		"an unknown key of a scope":   {scope(`writer = "people"`), `unknown key "scope.writer" (did you mean "writers"?)`, 3, 1},
		"nothing near":                {"colour = \"red\"\n", `unknown key "colour"`, 1, 1},
		"a quoted key is another key": {"\"git.commit\" = \"auto\"\n", "unknown key", 1, 1},
		"a table below a scope":       {scope("[scope.git]\ncommit = \"off\""), `unknown key "scope.git"`, 3, 8},
		"a table that is a value":     {"git = 1\n", "git is one table", 1, 1},
		"a table that is a list":      {"[[git]]\ncommit = \"off\"\n", "git is one table", 1, 3},
		"scope as one table":          {"[scope]\npath = \"memory\"\n", "write [[scope]]", 1, 2},
		"scope as one inline table":   {"scope = { path = \"memory\" }\n", "write [[scope]]", 1, 1},
		"scope as a word":             {"scope = \"memory\"\n", "write [[scope]]", 1, 1},
		"scope as a mixed list":       {"scope = [{ path = \"memory\" }, 3]\n", "write [[scope]]", 1, 1},

		"format 0":             {"format = 0\n", "format must be at least 1", 1, 10},
		"format as text":       {"format = \"1\"\n", "format must be a whole number", 1, 10},
		"a fraction":           {"[limits]\nbody_lines = 1.5\n", "must be a whole number", 2, 14},
		"a date":               {"[limits]\nbody_lines = 2026-01-02\n", "must be a whole number", 2, 14},
		"a flag as text":       {"[normalize]\nstamp = \"no\"\n", "stamp must be true or false", 2, 9},
		"no limit at all":      {"[limits]\nbody_lines = 0\n", "must be at least 1", 2, 14},
		"a negative limit":     {"[limits]\nsave_bytes = -1\n", "must be at least 1", 2, 14},
		"beyond any file":      {"[limits]\nsave_bytes = 9223372036854775807\n", "far too large", 2, 14},
		"101 percent":          {"[deletes]\nhold_percent = 101\n", "between 0 and 100", 2, 16},
		"less than no percent": {"[deletes]\nhold_percent = -1\n", "between 0 and 100", 2, 16},
		"another commit mode":  {"[git]\ncommit = \"atuo\"\n", `must be one of auto, off, not "atuo" (did you mean "auto"?)`, 2, 10},
		"an option as branch":  {"[git]\nbranch = \"--upload-pack=x\"\n", "must be the name of a branch", 2, 10},
		"no branch":            {"[git]\nbranch = \"\"\n", "must be the name of a branch", 2, 10},
		"a list":               {"[limits]\nbody_lines = [1]\n", "must be a whole number", 2, 1},

		"no duration":              {"[sync]\ninterval = \"soon\"\n", "must be a duration such as 90s, 5m or 1h", 2, 12},
		"too often":                {"[sync]\ninterval = \"10ms\"\n", "must be between 1s and 24h", 2, 12},
		"another worth of a model": {"[targets]\nfrom_model = \"ask\"\n", "must be one of allow, propose, deny", 2, 14},
		"into as one table":        {"[into]\nfile = \"AGENTS.md\"\n", "write [[into]]", 1, 2},
		"into without a file":      {"[[into]]\nagent = \"harbor\"\n", "file is missing", 1, 3},
		"into without an agent":    {"[[into]]\nfile = \"AGENTS.md\"\n", "agent is missing", 1, 3},
		"into a file of our own":   {"[[into]]\nfile = \"memory/MEMORY.md\"\n", "must be a file that people load", 2, 8},
		"into out of the store":    {"[[into]]\nfile = \"../AGENTS.md\"\n", "must lie inside the store", 2, 8},
		"into twice":               {"[[into]]\nfile = \"A.md\"\nagent = \"a\"\n[[into]]\nagent = \"a\"\nfile = \"./A.md\"\n", "has an entry for a already", 4, 3},
		"an unknown key of into":   {"[[into]]\nfiel = \"A.md\"\n", "(did you mean \"file\"?)", 2, 1},
		"no path":                  {"[[scope]]\nkind = \"global\"\n", "path is missing", 1, 3},
		"an empty path":            {"[[scope]]\npath = \"\"\n", "path is missing", 2, 8},
		"path out of the store":    {"[[scope]]\npath = \"a/../../b\"\n", "must lie inside the store", 2, 8},
		"an absolute path":         {"[[scope]]\npath = \"/home/x\"\n", "relative to the store", 2, 8},
		"a drive":                  {"[[scope]]\npath = \"C:/x\"\n", "relative to the store", 2, 8},
		"backslashes":              {"[[scope]]\npath = 'docs\\memory'\n", "slashes", 2, 8},
		"git's own directory":      {"[[scope]]\npath = \"a/.GIT/x\"\n", "must not lie in .GIT", 2, 8},
		"a reserved directory":     {"[[scope]]\npath = \"memory/_system\"\n", "must not lie in _system", 2, 8},
		"what belongs to bound":    {"[[scope]]\npath = \".memsync/bound/x\"\n", "must not be .memsync/bound/x", 2, 8},
		"one path twice":           {scope("") + scope(""), `path "memory" has an entry already`, 5, 8},
		"one path, spelled twice":  {scope("") + "[[scope]]\npath = \"x/../memory/\"\n", "has an entry already", 5, 8},
		"another kind":             {scope(`kind = "worksapce"`), `(did you mean "workspace"?)`, 3, 8},
		"an agent's without name":  {scope(`kind = "agent"`), "agent is missing", 3, 8},
		"an agent's, name empty":   {scope("kind = \"agent\"\nagent = \"\""), "agent is missing", 4, 9},
		"an agent elsewhere":       {scope(`agent = "claude"`), `goes with kind = "agent"`, 3, 9},
		"an agent with a slash":    {scope("kind = \"agent\"\nagent = \"a/../b\""), "letters, digits", 4, 9},
		"an agent with a dot last": {scope("kind = \"agent\"\nagent = \"a.\""), "do not end in a dot", 4, 9},
		"other writers":            {scope(`writers = "poeple"`), `(did you mean "people"?)`, 3, 11},
		"writers without a name":   {scope(`writers = "agent:"`), "1 to 64 bytes", 3, 11},
		"writers with a bad name":  {scope(`writers = "agent:a b"`), "letters, digits", 3, 11},
		"another identity":         {scope(`identity = "file"`), "must be one of inline, ledger", 3, 12},
		"another memory_md":        {scope(`memory_md = "off"`), "must be one of region, lint", 3, 13},
		"a bad glob":               {scope(`ignore = ["ok", "[a"]`), `"[a", which is no glob`, 3, 1},
		"an empty glob":            {scope(`ignore = [""]`), "no glob", 3, 1},
		"a glob that is a number":  {scope(`ignore = [3]`), "list of strings", 3, 1},
		"globs in a list of lists": {scope(`ignore = [["a"]]`), "list of strings", 3, 1},
		"ignore as a word":         {scope(`ignore = "a"`), "list of strings", 3, 10},
		"a kind as a number":       {scope(`kind = 3`), "kind must be a string", 3, 8},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse([]byte(tc.data))
			var e *memsync.Error
			if !errors.As(err, &e) {
				t.Fatalf("no error: %+v", p)
			}
			if e.Code != memsync.CodeConfig || e.Line != tc.line || e.Column != tc.column || !strings.Contains(e.Message, tc.says) {
				t.Errorf("%s %d:%d %s\nwant %d:%d %s", e.Code, e.Line, e.Column, e.Message, tc.line, tc.column, tc.says)
			}
			if d := cmp.Diff(memsync.Policy{}, p, emptyIsNil); d != "" {
				t.Errorf("a policy comes with the error: %s", d)
			}
		})
	}
}

// A newer format is said before anything else that it may have brought.
func TestNewerFormatIsItsOwnCode(t *testing.T) {
	for _, data := range []string{"format = 2\n", "[recall]\nauto = true\n", "x = 1\nformat = 7\n[[git]]\n"} {
		_, err := Parse([]byte(data))
		if want := strings.Contains(data, "format"); errors.Is(err, memsync.CodeStoreFormat) != want || err == nil {
			t.Errorf("%q: %v", data, err)
		}
	}
}

func genScope() *rapid.Generator[memsync.Scope] {
	return rapid.Custom(func(t *rapid.T) memsync.Scope {
		s := memsync.Scope{
			Kind:     rapid.SampledFrom([]memsync.ScopeKind{"", memsync.Global, memsync.Workspace, memsync.Agent}).Draw(t, "kind"),
			Writers:  rapid.SampledFrom([]memsync.Writers{memsync.People, memsync.Mixed, "agent:claude-3.5_x", "agent:агент"}).Draw(t, "writers"),
			Identity: rapid.SampledFrom([]memsync.IdentityMode{memsync.Inline, memsync.Ledger}).Draw(t, "identity"),
			MemoryMD: rapid.SampledFrom([]memsync.MemoryMDMode{memsync.Region, memsync.LintOnly}).Draw(t, "memory_md"),
			Ignore:   rapid.SliceOfN(rapid.SampledFrom([]string{"*.tmp", "a/**", `q"uo\\te`, "tab\t", "nl\n\x01\x7f", "日*"}), 0, 3).Draw(t, "ignore"),
		}
		if s.Kind == memsync.Agent {
			s.Agent = rapid.SampledFrom([]string{"claude", "a.b", "агент"}).Draw(t, "agent")
		}
		return s
	})
}

func genPolicy() *rapid.Generator[memsync.Policy] {
	n := rapid.IntRange(1, 1<<31-1)
	return rapid.Custom(func(t *rapid.T) memsync.Policy {
		p := memsync.Policy{
			Format: 1, Stamp: rapid.Bool().Draw(t, "stamp"),
			Git: memsync.GitPolicy{
				Commit: rapid.SampledFrom([]memsync.CommitMode{"", memsync.CommitAuto, memsync.CommitOff}).Draw(t, "commit"),
				Branch: rapid.SampledFrom([]string{"", "main", "memory/laptop", `we"ird`}).Draw(t, "branch"),
			},
			Limits: memsync.Limits{
				BodyLines: n.Draw(t, "body_lines"), BodyBytes: n.Draw(t, "body_bytes"), SaveBytes: n.Draw(t, "save_bytes"),
				FrontmatterBytes: n.Draw(t, "frontmatter_bytes"), DescriptionChars: n.Draw(t, "description_chars"),
				IndexLines: n.Draw(t, "index_lines"), IndexBytes: n.Draw(t, "index_bytes"),
			},
			Targets: memsync.TargetPolicy{FromModel: rapid.SampledFrom([]memsync.FromModel{memsync.ModelAllow, memsync.ModelPropose, memsync.ModelDeny}).Draw(t, "from_model")},
			Sync: memsync.SyncPolicy{Auto: rapid.Bool().Draw(t, "auto"), Interval: rapid.SampledFrom([]string{"1s", "5m", "1h30m", "24h"}).Draw(t, "interval"),
				Push: rapid.Bool().Draw(t, "push")},
			Into: rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) memsync.Into {
				return memsync.Into{File: memsync.Path(rapid.SampledFrom([]string{"AGENTS.md", "CLAUDE.md", "docs/agents/harbor.md"}).Draw(t, "file")), Agent: rapid.StringMatching("[a-z]{1,8}").Draw(t, "agent")}
			}), 0, 3, func(i memsync.Into) memsync.Into { return i }).Draw(t, "into"),
			Deletes: memsync.DeletePolicy{HoldFiles: rapid.IntRange(0, 99).Draw(t, "files"), HoldPercent: rapid.IntRange(0, 100).Draw(t, "percent")},
		}
		for _, dir := range rapid.SliceOfNDistinct(rapid.SampledFrom([]memsync.Path{"", "memory", "docs/memory", `sp ace/"q"`, ".claude", "日本"}), 0, 4, func(p memsync.Path) memsync.Path { return p }).Draw(t, "dirs") {
			s := genScope().Draw(t, "scope")
			s.Dir = dir
			p.Scopes = append(p.Scopes, s)
		}
		return p
	})
}

func TestParseReadsWhatInitWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genPolicy().Draw(t, "policy")
		got, err := Parse(Default(p))
		if err != nil {
			t.Fatalf("%v\n%s", err, Default(p))
		}
		if d := cmp.Diff(p, got, emptyIsNil); d != "" {
			t.Fatalf("%s\n%s", d, Default(p))
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(design))
	f.Add(Default(memsync.DefaultPolicy()))
	f.Add([]byte("git = { commit = \"off\" }\nscope = [{path=\"a\"}, {path=\"b\", ignore=[\"*\"]}]\n"))
	f.Add([]byte("\xef\xbb\xbf[limits]\r\nbody_lines = 3 # few\r\n[[scope]]\r\npath = '.'\r\n[scope.x]\r\n"))
	f.Add([]byte("format = 2\n"))
	f.Add([]byte("\"git.commit\" = 1\n'' = 2\n[[a.b]]\nc = [[1], {d = 1979-05-27}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse(data)
		if err != nil {
			var e *memsync.Error
			if !errors.As(err, &e) || e.Code != memsync.CodeConfig && e.Code != memsync.CodeStoreFormat {
				t.Fatalf("%v", err)
			}
			if lines := strings.Count(string(data), "\n") + 1; e.Line < 0 || e.Line > lines || e.Column < 0 {
				t.Fatalf("%d:%d of %d lines", e.Line, e.Column, lines)
			}
			return
		}
		again, err := Parse(Default(p))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(p, again, emptyIsNil); d != "" {
			t.Fatal(d)
		}
		// Setting what is already so changes what the file says in nothing, and
		// setting it once more not one byte.
		for _, k := range keys {
			v, _ := Get(p, k.name)
			if k.name == "format" || v == "" {
				continue
			}
			once, err := Set(data, k.name, v)
			if errors.Is(err, memsync.CodeConfig) {
				continue // refused, whole
			}
			if q, err := Parse(once); err != nil || !cmp.Equal(p, q, emptyIsNil) {
				t.Fatalf("set %s: %v\n%s", k.name, err, once)
			}
			if twice, err := Set(once, k.name, v); err != nil || string(twice) != string(once) {
				t.Fatalf("set %s twice: %v\n%q\n%q", k.name, err, once, twice)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse([]byte(design)); err != nil {
			b.Fatal(err)
		}
	}
}
