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
// behind a `<!-- transcript -->` are one session, at a terminal, in a new home.
func TestTranscripts(t *testing.T) {
	for _, page := range []string{"composition.md"} {
		t.Run(page, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
			if err != nil {
				t.Fatal(err)
			}
			steps := transcript(t, string(data))
			var script strings.Builder
			for _, step := range steps {
				script.WriteString(step.command + "\nprintf '\\036'\n")
			}
			cmd := exec.Command("person", "sh", "-c", script.String())
			cmd.Dir, cmd.Env = t.TempDir(), newShop(t).env
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

type typed struct{ command, answer string }

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
			case strings.HasPrefix(line, "$ "):
				steps = append(steps, typed{command: strings.TrimSuffix(line[2:], "\n")})
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
