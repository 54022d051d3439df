package config

import (
	"strings"
	"testing"

	"memsync"
)

// Scopes are edited by key: other bytes stay, and what cannot be done so is
// refused.
func TestPutScope(t *testing.T) {
	const file = "# top\nformat = 1\n\n[[scope]]\npath = \"a\" # mine\nkind = \"agent\"\nagent = \"r\"\n\n[[scope]]\npath = \"b\"\nignore = [\n  \"x\", # why\n  \"y\",\n]\n# end\n"
	a := memsync.Scope{Dir: "a", Kind: memsync.Agent, Agent: "r"}
	for name, c := range map[string]struct {
		file string
		put  memsync.Scope
		want string
	}{
		"as it is":      {file, a, file},
		"another value": {file, memsync.Scope{Dir: "a", Kind: memsync.Agent, Agent: "s"}, strings.Replace(file, `agent = "r"`, `agent = "s"`, 1)},
		"one more key":  {file, memsync.Scope{Dir: "a", Kind: memsync.Agent, Agent: "r", Writers: memsync.Mixed}, strings.Replace(file, "agent = \"r\"\n", "agent = \"r\"\nwriters = \"mixed\"\n", 1)},
		"two keys that hold together": {file, memsync.Scope{Dir: "a", Kind: memsync.Global},
			strings.Replace(file, "kind = \"agent\"\nagent = \"r\"\n", "kind = \"global\"\n", 1)},
		"a list":        {file, memsync.Scope{Dir: "b", Ignore: []string{"z"}}, strings.Replace(file, "ignore = [\n  \"x\", # why\n  \"y\",\n]", "ignore = [\"z\"]", 1)},
		"a new scope":   {"format = 1\n", memsync.Scope{Dir: "c", Writers: memsync.Mixed}, "format = 1\n\n[[scope]]\npath = \"c\""},
		"CRLF":          {"[[scope]]\r\npath = \"a\"\r\n", memsync.Scope{Dir: "a", Writers: memsync.Mixed}, "[[scope]]\r\npath = \"a\"\r\nwriters = \"mixed\"\r\n"},
		"inline tables": {"scope = [{path = \"a\"}]\n", memsync.Scope{Dir: "a", Writers: memsync.Mixed}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := PutScope([]byte(c.file), c.put)
			if c.want == "" {
				if memsync.CodeOf(err) != memsync.CodeConfig {
					t.Errorf("%v, %q", err, got)
				}
				return
			}
			if err != nil || !strings.HasPrefix(string(got), c.want) {
				t.Fatalf("%v\n%s\nwant\n%s", err, got, c.want)
			}
			p, err := Parse(got)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range p.Scopes {
				if s.Dir == c.put.Dir && (s.Kind != c.put.Kind && c.put.Kind != "" || s.Writers != withDefaults(c.put).Writers || s.Agent != c.put.Agent) {
					t.Errorf("it says %+v", s)
				}
			}
		})
	}
	got, err := DropScope([]byte(file), "a")
	if want := "# top\nformat = 1\n\n\n[[scope]]\npath = \"b\"" + file[strings.Index(file, "\nignore"):]; err != nil || string(got) != want {
		t.Errorf("%v\n%q\nwant\n%q", err, got, want)
	}
	if got, err := DropScope([]byte(file), "none"); err != nil || string(got) != file {
		t.Errorf("%v %q", err, got)
	}
}

func TestUnsetAndSetFormat(t *testing.T) {
	const file = "format = 1\n[limits]\nbody_lines = 3 # x\nindex_lines = 9\n"
	if got, err := Unset([]byte(file), "limits.body_lines"); err != nil || string(got) != "format = 1\n[limits]\nindex_lines = 9\n" {
		t.Errorf("%v %q", err, got)
	}
	if got, err := Unset([]byte(file), "deletes.hold_files"); err != nil || string(got) != file {
		t.Errorf("%v %q", err, got)
	}
	if _, err := Unset([]byte("limits = {body_lines = 3}\n"), "limits.body_lines"); memsync.CodeOf(err) != memsync.CodeConfig {
		t.Error(err)
	}
	for in, want := range map[string]string{"format = 1 # n\n": "format = 1 # n\n", "[limits]\nbody_lines = 3\n": "format = 1\n[limits]\nbody_lines = 3\n"} {
		if got, err := SetFormat([]byte(in), 1); err != nil || string(got) != want {
			t.Errorf("%v %q", err, got)
		}
	}
}
