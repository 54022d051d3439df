package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTranscripts types what the pages show, word for word, and holds what comes
// out to what they say does: ids, commits and times apart. All blocks of a page
// behind a `<!-- transcript -->` are one session, at a terminal, in a new home; a
// prompt with a name before it is a machine's of its own, with its own home. The
// address on the pages is that of an empty repository.
func TestTranscripts(t *testing.T) {
	for _, page := range []string{"composition.md", "sync.md"} {
		t.Run(page, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
			if err != nil {
				t.Fatal(err)
			}
			steps := transcript(t, string(data))
			root := t.TempDir()
			hub := newShop(t)
			hub.git("init", "-q", "--bare", filepath.Join(root, "hub.git"))
			hub.git("config", "--global", "url."+filepath.Join(root, "hub.git")+".insteadOf", "git@example.org:ada/memory.git")
			var script strings.Builder
			script.WriteString(`root=$PWD first=$HOME
at() {
	pwd >"$root/.$now"
	now=$1
	[ -z "$1" ] || { export HOME="$root/$1" MEMSYNC_HOME="$root/$1/.memsync"; mkdir -p "$HOME"; cp "$first/.gitconfig" "$HOME"; }
	cd "$(cat "$root/.$now" 2>/dev/null || echo "$HOME")"
}
now=
`)
			machine := ""
			for _, step := range steps {
				if step.machine != machine {
					machine = step.machine
					script.WriteString("at " + machine + "\n")
				}
				script.WriteString(step.command + "\nprintf '\\036'\n")
			}
			cmd := exec.Command("person", "sh", "-c", script.String())
			cmd.Dir, cmd.Env = root, hub.env
			out, err := cmd.Output()
			said := strings.Split(string(out), "\036")
			if err != nil || len(said) != len(steps)+1 {
				t.Fatalf("%v: %d answers for %d commands:\n%s", err, len(said)-1, len(steps), out)
			}
			for i, step := range steps {
				if step.answer == "…\n" {
					continue
				}
				if d := cmp.Diff(anonymous(step.answer), anonymous(said[i])); d != "" {
					t.Errorf("docs/%s: $ %s\n%s", page, step.command, d)
				}
			}
		})
	}
}

type typed struct{ machine, command, answer string }

// transcript are the commands of a page's session, with here-documents, and what
// follows each.
func transcript(t *testing.T, page string) (steps []typed) {
	for _, part := range strings.Split(page, "<!-- transcript -->\n")[1:] {
		fence, rest, _ := strings.Cut(part, "console\n")
		body, _, ended := strings.Cut(rest, "\n"+fence+"\n")
		if !ended || strings.Trim(fence, "`") != "" {
			t.Fatalf("a transcript without its block:\n%s", part)
		}
		heredoc := ""
		for line := range strings.Lines(body + "\n") {
			n := len(steps) - 1
			switch {
			case heredoc != "":
				steps[n].command += "\n" + strings.TrimSuffix(line, "\n")
				if strings.TrimSuffix(line, "\n") == heredoc {
					heredoc = ""
				}
			case aPrompt.MatchString(line):
				m := aPrompt.FindStringSubmatch(line)
				steps = append(steps, typed{machine: m[1], command: m[2]})
				if h := regexp.MustCompile(`<<'(\w+)'`).FindStringSubmatch(line); h != nil {
					heredoc = h[1]
				}
			default:
				steps[n].answer += line
			}
		}
	}
	if len(steps) == 0 {
		t.Fatal("the page shows nothing")
	}
	return steps
}

var (
	aPrompt = regexp.MustCompile(`^([a-z]*)\$ (.*)\n$`)
	anID    = regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}`)
	aCommit = regexp.MustCompile(`\b[0-9a-f]{12}\b`)
	aTime   = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)
	aDay    = regexp.MustCompile(`\d{4}-\d\d-\d\d`)
)

func anonymous(s string) string {
	s = anID.ReplaceAllString(s, "ID")
	s = aTime.ReplaceAllString(s, "TIME")
	s = aDay.ReplaceAllString(s, "DAY")
	return aCommit.ReplaceAllString(s, "COMMIT")
}
