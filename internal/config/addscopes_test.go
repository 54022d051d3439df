package config

import (
	"bytes"
	"testing"

	"memsync"
)

// TestAddScopes: whatever stands in a policy file stays, to the byte, and the
// new entries are what they say.
func TestAddScopes(t *testing.T) {
	docs := memsync.Scope{Kind: memsync.Workspace, Dir: "docs/memory", Writers: memsync.People, Identity: memsync.Ledger, MemoryMD: memsync.LintOnly}
	bot := memsync.Scope{Kind: memsync.Agent, Agent: "bot", Dir: "bot's own", Writers: "agent:bot", Identity: memsync.Ledger, MemoryMD: memsync.LintOnly}
	for name, old := range map[string]string{
		"nothing":      "",
		"defaults":     string(Default(memsync.DefaultPolicy())),
		"comments":     "# mine\nformat = 1 # one\n",
		"no line end":  "format = 1",
		"CRLF":         "format = 1\r\n[git]\r\ncommit = \"off\"\r\n",
		"other scopes": "[[scope]]\npath = \"memory\" # the usual\n",
	} {
		t.Run(name, func(t *testing.T) {
			out, err := AddScopes([]byte(old), []memsync.Scope{docs, bot})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(out, []byte(old)) {
				t.Errorf("what was there changed:\n%s", out)
			}
			if lf, crlf := bytes.Count(out, []byte("\n")), bytes.Count(out, []byte("\r\n")); name == "CRLF" && lf != crlf {
				t.Errorf("%d of %d line ends are CRLF", crlf, lf)
			}
			before, _ := Parse([]byte(old))
			after, err := Parse(out)
			if err != nil {
				t.Fatal(err)
			}
			n := len(before.Scopes)
			if len(after.Scopes) != n+2 {
				t.Fatalf("%d scopes, %d before", len(after.Scopes), n)
			}
			for i, want := range []memsync.Scope{docs, bot} {
				got := after.Scopes[n+i]
				if got.Dir != want.Dir || got.Kind != want.Kind || got.Agent != want.Agent || got.Writers != want.Writers ||
					got.Identity != want.Identity || got.MemoryMD != want.MemoryMD {
					t.Errorf("%+v, want %+v", got, want)
				}
			}
			if _, err := AddScopes(out, []memsync.Scope{docs}); err == nil {
				t.Error("the same directory twice")
			}
		})
	}
	if _, err := AddScopes([]byte("no such key = 1\n"), []memsync.Scope{docs}); err == nil {
		t.Error("a file that does not parse")
	}
}
