//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// deed is one thing that happens in a shop: a command, or a file that somebody
// saves or removes.
type deed struct {
	by    string // "", agent, person
	in    string // directory, from the store
	stdin string
	env   string
	run   []string // memsync's arguments, or sh and its
	save  string   // path, with text; removed when there is none
	text  string
}

// twinDeeds are a working day: each verb, in each format that it has, where it
// succeeds and where it is refused.
var twinDeeds = []deed{
	{run: []string{"write", "Deploy day", "--type", "project", "--content", "-"}, stdin: "We deploy on Tuesdays.\n"},
	{run: []string{"write", "Style", "--type", "feedback", "--content", "@../note.md", "--json"}},
	{run: []string{"write", "Style", "--type", "feedback", "--content", "@note.md", "--jsonl"}, in: ".."},
	{run: []string{"-C", "store", "write", "Far", "--type", "user", "--content", "@note.md", "--verbose"}, in: ".."},
	{run: []string{"write", "None", "--type", "user", "--content", "@nowhere.md"}},
	{run: []string{"write", "Bad", "--type", "user", "--content", "-"}, stdin: "\xff\xfe"},
	{run: []string{"write", "Once", "--type", "user", "--content", "Only once.", "--request-id", "r1"}},
	{run: []string{"write", "Once", "--type", "user", "--content", "Only once.", "--request-id", "r1", "--json"}},
	{run: []string{"write", "Board", "--type", "project", "--content", "The board.", "--json"}},
	{run: []string{"batch", "board", "--operations", "-", "--json"}, stdin: `[{"action":"add","content":"One more line."}]`},
	{run: []string{"batch", "board", "--operations", `[{"action":"add","content":"One more line."}]`, "--json"}},
	{run: []string{"batch", "board", "--operations", `[{"action":"replace","old_text":"nowhere","content":"x"}]`}},
	{run: []string{"edit", "memory/project_board.md", "--set", "extra=1"}, by: "agent"},
	{run: []string{"edit", "project_board.md", "--description", "What is on the board"}, in: "memory"},
	{run: []string{"edit", "board", "--description", "x", "--if-version", strings.Repeat("0", 64)}},
	{run: []string{"edit", "board"}},
	{run: []string{"edit", "board"}, by: "person", env: `EDITOR=sed -i s/board/table/`},
	{run: []string{"edit", "board"}, by: "person", env: "EDITOR=true"},
	{run: []string{"edit", "board"}, by: "person", env: "EDITOR=sh -c 'echo typed >>\"$0\"; exit 3'"},
	{run: []string{"new", "Fresh", "--type", "user"}, by: "person", env: `EDITOR=sh -c 'echo "Typed by hand." >>"$0"'`},
	{run: []string{"rename", "Far", "Near"}},
	{run: []string{"delete", "near", "--json"}},
	{run: []string{"show", "near"}},
	{run: []string{"restore", "near"}},
	{run: []string{"restore", "memory/user_near.md"}, by: "person"},
	{run: []string{"reject", "near", "--reason", "wrong"}, by: "agent"},
	{run: []string{"forget", "once"}},
	{run: []string{"forget", "once"}, by: "person", env: "ANSWER=n"},
	{run: []string{"forget", "once", "--json"}, by: "person", env: "ANSWER=y"},
	{run: []string{"forget", "once"}, by: "person"},
	{save: "memory/user_hand.md", text: memoryFile("hand", "user", "Saved by hand.")},
	{run: []string{"status"}},
	{run: []string{"status", "--json"}},
	{run: []string{"up", "--once", "--dry-run"}},
	{run: []string{"up", "--once"}},
	{save: "memory/user_odd.md", text: "---\nname: odd\ntags: [a\n---\n\nOdd.\n"},
	{run: []string{"up", "--once", "--json"}},
	{run: []string{"accept", "memory/user_odd.md"}, by: "person"},
	{run: []string{"accept", "memory/user_odd.md"}, by: "agent"},
	{save: "memory/user_odd.md"},
	{run: []string{"up", "--once"}},
	{run: []string{"accept-deletes"}, by: "person"},
	{run: []string{"allow", "nothing", "--reason", "none"}, by: "person"},
	{run: []string{"config", "set", "index.lines", "150"}},
	{run: []string{"config", "set", "limits.body_bytes", "20000"}},
	{run: []string{"config", "set", "limits.body_bytes", "20000"}},
	{run: []string{"config", "get", "git.commit"}},
	{run: []string{"write", "For an agent", "--type", "user", "--agent", "ada", "--content", "Hers."}},
	{run: []string{"write", "For an agent", "--type", "user", "--agent", "bob", "--content", "His.", "--dry-run"}},
	{run: []string{"write", "Elsewhere", "--type", "user", "--scope", "nowhere", "--content", "x"}},
	{run: []string{"list"}},
	{run: []string{"list", "--json"}},
	{run: []string{"list", "--as-of", "HEAD~2", "--jsonl"}},
	{run: []string{"show", "board"}},
	{run: []string{"show", "board", "--json"}},
	{run: []string{"show", "board@HEAD~5"}},
	{run: []string{"log"}},
	{run: []string{"log", "board", "--json"}},
	{run: []string{"diff", "board", "--from", "HEAD~8"}},
	{run: []string{"history", "--json"}},
	{run: []string{"history", "board"}},
	{run: []string{"decisions", "list"}},
	{run: []string{"decisions", "list", "--json"}},
	{run: []string{"decisions", "list", "--jsonl"}},
	{run: []string{"sh", "-c", `memsync decisions show "$(memsync decisions list --limit 1 | cut -d' ' -f1)" --json`}},
	{run: []string{"decisions", "show", "nothing"}},
	{run: []string{"conflicts", "--json"}},
	{run: []string{"conflicts", "nothing"}},
	{run: []string{"resolve", "nothing", "--ours"}, by: "person"},
	{run: []string{"doctor"}},
	{run: []string{"list", "--type", "odd"}},
	{run: []string{"list", "extra"}},
	{run: []string{"nothing"}},
	{run: []string{"write", "--help"}},
}

// TestOwnerTwins: two shops have the same day, one on its own and one as an
// owner's client. What every command prints on each stream, its exit code, and
// what is in the store at the end are the same, byte for byte but for what is
// drawn or dated.
func TestOwnerTwins(t *testing.T) {
	alone, client := newShop(t), newShop(t)
	for _, s := range []*shop{alone, client} {
		if err := os.WriteFile(s.path("../note.md"), []byte("Short sentences.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := client.owner()
	for i, d := range twinDeeds {
		want, have := alone.do(d), client.do(d)
		if want != have {
			t.Errorf("%d. %s%q, - alone, + as a client:\n%s", i, d.by, d.run, cmp.Diff(want, have))
		}
	}
	if want, have := alone.contents(), client.contents(); want != have {
		t.Errorf("the store, - alone, + as a client:\n%s", cmp.Diff(want, have))
	}
	client.rest()
	o.stop()
	alone.rest()
	client.rest()
}

// do does a deed and tells what came of it.
func (s *shop) do(d deed) string {
	s.t.Helper()
	switch {
	case d.save != "" && d.text != "":
		s.write(d.save, d.text)
		return ""
	case d.save != "":
		s.remove(d.save)
		return ""
	}
	who := s
	switch d.by {
	case "agent":
		who = s.agent("ada")
	case "person":
		who = s.person()
	}
	if d.env != "" {
		who = who.with(d.env)
	}
	line := append(append(slices.Clip(who.by), "memsync"), d.run...)
	if d.run[0] == "sh" {
		line = d.run
	}
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir, cmd.Env = filepath.Join(s.dir, filepath.FromSlash(d.in)), who.env
	cmd.Stdin = strings.NewReader(d.stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return s.plain(out.String() + "\n--\n" + errs.String() + "\n--\n" + cmd.ProcessState.String() + "\n")
}

// contents are the store's files and commits.
func (s *shop) contents() string {
	s.t.Helper()
	var b strings.Builder
	for _, f := range s.files() {
		b.WriteString("== " + f + "\n" + s.read(f))
	}
	b.WriteString(s.git("log", "--format=%an %s%n%b", "--name-status"))
	return s.plain(b.String())
}

// drawn is what differs between two days that are the same.
var drawn = []struct {
	re *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`\b01[0-9A-HJKMNP-TV-Z]{24}\b`), "ID"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"},
	{regexp.MustCompile(`\b[0-9a-f]{40}\b`), "COMMIT"},
	{regexp.MustCompile(`\b[0-9a-f]{12}\b`), "COMMIT"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?Z?`), "TIME"},
	{regexp.MustCompile(`memsync-edit-\d+`), "DRAFT"},
	{regexp.MustCompile(`(?m)^[yn]$\n?`), ""}, // a terminal shows what is typed, whenever that is
}

// plain is a text without what is drawn or dated, or names the shop.
func (s *shop) plain(text string) string {
	text = strings.ReplaceAll(text, filepath.Dir(s.dir), "SHOP")
	for _, v := range s.env {
		if home, ok := strings.CutPrefix(v, "HOME="); ok {
			text = strings.ReplaceAll(text, home, "HOME")
		}
	}
	for _, d := range drawn {
		text = d.re.ReplaceAllString(text, d.as)
	}
	return text
}

// TestOwnerDryRun: a client's dry run leaves every byte as it is, git's and the
// journal's included, and says what a real run says. Control: a real run
// changes something.
func TestOwnerDryRun(t *testing.T) {
	s := newShop(t)
	s.board()
	s.owner()
	s.ok("list")
	look := func() string {
		lines, err := manifest(s.dir)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(lines, "\n")
	}
	s.write("memory/user_hand.md", memoryFile("hand", "user", "Saved by hand."))
	before := look()
	for _, args := range [][]string{
		{"write", "One", "--type", "user", "--content", "x", "--dry-run"},
		{"edit", "board", "--set", "a=b", "--dry-run", "--json"},
		{"batch", "board", "--operations", `[{"action":"add","content":"x"}]`, "--dry-run"},
		{"rename", "board", "Table", "--dry-run"},
		{"delete", "board", "--dry-run"},
		{"config", "set", "limits.body_bytes", "20000", "--dry-run"},
		{"up", "--once", "--dry-run"},
	} {
		if _, errs, code := s.try(args...); code != exitFine {
			t.Errorf("%q: exit %d: %s", args, code, errs)
		}
		if after := look(); after != before {
			t.Fatalf("%q changed something:\n%s\n%s", args, before, after)
		}
	}
	s.ok("delete", "board")
	if look() == before {
		t.Error("control: a real run changes nothing")
	}
}
