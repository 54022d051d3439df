package memsync_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

type actionStep struct {
	ID, Name, Shell, Uses, Run string
	Env, With                  map[string]string
}

type action struct {
	Name, Description string
	Inputs            map[string]struct {
		Description string
		Default     *string
	}
	Runs struct {
		Using string
		Steps []actionStep
	}
}

func readYAML(t *testing.T, name string, to any) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	if err := d.Decode(to); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func readAction(t *testing.T) action {
	t.Helper()
	var a action
	readYAML(t, "action.yml", &a)
	return a
}

// TestActionTakesInputsAsData: an expression in a script is pasted into it
// before the shell reads it, so that an input could be a program.
func TestActionTakesInputsAsData(t *testing.T) {
	a := readAction(t)
	if a.Name == "" || a.Description == "" || a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Fatalf("no composite action: %+v", a)
	}
	used := make(map[string]bool)
	for _, step := range a.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("%s: an expression in a script:\n%s", step.Name, step.Run)
		}
		if step.Run != "" && step.Shell != "bash" {
			t.Errorf("%s: shell %q", step.Name, step.Shell)
		}
		for name, value := range step.Env {
			if m := regexp.MustCompile(`^\$\{\{ inputs\.([a-z-]+) \}\}$`).FindStringSubmatch(value); m != nil {
				used[m[1]] = true
			}
			if !strings.Contains(step.Run, "$"+name) {
				t.Errorf("%s: %s is not used", step.Name, name)
			}
		}
	}
	for name, input := range a.Inputs {
		if !used[name] || input.Description == "" || input.Default == nil {
			t.Errorf("input %s: used %v, described %q", name, used[name], input.Description)
		}
	}
	if len(used) != len(a.Inputs) {
		t.Errorf("%d inputs are used, %d are told", len(used), len(a.Inputs))
	}
}

// TestActionQuotes finds an expansion that the shell would split or glob.
func TestActionQuotes(t *testing.T) {
	for _, step := range readAction(t).Runs.Steps {
		for line := range strings.Lines(step.Run) {
			quoted := false
			for i, r := range line {
				switch {
				case r == '"':
					quoted = !quoted
				case r == '$' && !quoted && strings.HasPrefix(line[i:], "$("):
				case r == '$' && !quoted:
					t.Errorf("%s: not quoted: %s", step.Name, line)
				}
			}
		}
	}
}

// TestActionRuns runs the last step with a memsync that only says how it was
// called.
func TestActionRuns(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("bash is needed, which every runner of actions has: ", err)
	}
	a := readAction(t)
	step := a.Runs.Steps[slices.IndexFunc(a.Runs.Steps, func(s actionStep) bool { return s.ID == "lint" })]
	const called = "#!/bin/sh\nfor a in \"$@\"; do printf '<%s>' \"$a\"; done\necho\nexit ${STATUS:-0}\n"
	for name, tc := range map[string]struct {
		env    map[string]string
		status int
		want   []string // lines; TOKEN for the token
	}{
		"as it comes": {nil, 0, []string{"<lint><--format=github><--fail-on=error><-->"}},
		"findings":    {map[string]string{"STATUS": "1"}, 1, []string{"<lint><--format=github><--fail-on=error><-->"}},
		"everything": {map[string]string{"LINT_PATH": "a b\n$(touch pwned)\n-x\n", "LINT_CHANGED_SINCE": "origin/main", "LINT_BASELINE": "old debt.json",
			"LINT_FAIL_ON": "warning", "LINT_ARGS": "--max-warnings=3\n*"}, 0,
			[]string{"<lint><--format=github><--fail-on=warning><--changed-since=origin/main><--baseline=old debt.json><--max-warnings=3><*><--><a b><$(touch pwned)><-x>"}},
		"SARIF, too": {map[string]string{"LINT_SARIF": "out.sarif", "STATUS": "1"}, 1, []string{
			"<lint><--format=sarif><--output=out.sarif><--fail-on=error><-->", "<lint><--format=github><--fail-on=error><-->"}},
		"SARIF is not to be had": {map[string]string{"LINT_SARIF": "out.sarif", "STATUS": "3"}, 3, []string{
			"<lint><--format=sarif><--output=out.sarif><--fail-on=error><-->"}},
		"text": {map[string]string{"LINT_FORMAT": "text", "STATUS": "1"}, 1, []string{
			"::add-matcher::/action/lint/report/problem-matcher.json", "::stop-commands::TOKEN", "<lint><--format=text><--fail-on=error><-->",
			"::TOKEN::", "::remove-matcher owner=memsync::", "::remove-matcher owner=memsync-info::"}},
		"JSON": {map[string]string{"LINT_FORMAT": "json"}, 0, []string{"::stop-commands::TOKEN", "<lint><--format=json><--fail-on=error><-->", "::TOKEN::"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "memsync-bin"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "memsync-bin", "memsync"), []byte(called), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(bash, "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "RUNNER_TEMP="+dir, "GITHUB_ACTION_PATH=/action")
			for key, value := range step.Env {
				input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
				cmd.Env = append(cmd.Env, key+"="+*a.Inputs[input].Default)
			}
			for key, value := range tc.env {
				cmd.Env = append(cmd.Env, key+"="+value)
			}
			out, err := cmd.Output()
			if status := cmd.ProcessState.ExitCode(); status != tc.status {
				t.Fatalf("exit %d, want %d: %v\n%s", status, tc.status, err, out)
			}
			text := string(out)
			if _, rest, ok := strings.Cut(text, "::stop-commands::"); ok {
				token, _, _ := strings.Cut(rest, "\n")
				if !regexp.MustCompile(`^memsync-[0-9a-f]{32}$`).MatchString(token) {
					t.Errorf("token %q", token)
				}
				text = strings.ReplaceAll(text, token, "TOKEN")
			}
			if diff := cmp.Diff(strings.Join(tc.want, "\n")+"\n", text); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
				t.Error("an input was run")
			}
		})
	}
}

// TestActionNamesTheMatcher: the action removes the matchers that it adds.
func TestActionNamesTheMatcher(t *testing.T) {
	text, err := os.ReadFile("lint/report/problem-matcher.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		ProblemMatcher []struct{ Owner string }
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	steps := readAction(t).Runs.Steps
	for _, m := range file.ProblemMatcher {
		if !strings.Contains(steps[len(steps)-1].Run, "::remove-matcher owner="+m.Owner+"::") {
			t.Errorf("%s stays", m.Owner)
		}
	}
}

// TestDocsNameWhatThereIs: docs/ci.md has each input of the action and each hook.
func TestDocsNameWhatThereIs(t *testing.T) {
	docs, err := os.ReadFile("docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"- id: memsync-lint\n", "- id: memsync-lint-all\n"}
	for name := range readAction(t).Inputs {
		words = append(words, "| `"+name+"` | ")
	}
	for _, word := range words {
		if !strings.Contains(string(docs), word) {
			t.Errorf("docs/ci.md lacks %q", word)
		}
	}
}

func TestPreCommitHooks(t *testing.T) {
	var hooks []struct {
		ID                  string `yaml:"id"`
		Name                string
		Description         string
		Entry               string
		Language            string
		Files               string
		PassFilenames       *bool `yaml:"pass_filenames"`
		AlwaysRun           bool  `yaml:"always_run"`
		RequireSerial       bool  `yaml:"require_serial"`
		Stages              []string
		MinimumFrameVersion string `yaml:"minimum_pre_commit_version"`
	}
	readYAML(t, ".pre-commit-hooks.yaml", &hooks)
	entries := make(map[string]string)
	for _, h := range hooks {
		entries[h.ID] = h.Entry
		if h.Name == "" || h.Description == "" || h.Language != "golang" || h.MinimumFrameVersion == "" {
			t.Errorf("%+v", h)
		}
		if h.PassFilenames == nil || *h.PassFilenames || !h.RequireSerial {
			t.Errorf("%s gets names, and maybe twice at a time", h.ID)
		}
		if h.Files == "" {
			continue
		}
		files := regexp.MustCompile(h.Files)
		for name, want := range map[string]bool{
			"memory/a.md": true, "MEMORY.md": true, "memsync.toml": true, "sub/memsync.toml": true, "_system/events/2026-11.jsonl": true,
			"a.mdx": false, "main.go": false, "notmemsync.toml": false, "a.md/x": false,
		} {
			if files.MatchString(name) != want {
				t.Errorf("%s: %s: %v, want %v", h.ID, name, !want, want)
			}
		}
	}
	if diff := cmp.Diff(map[string]string{"memsync-lint": "memsync hooks run pre-commit", "memsync-lint-all": "memsync lint"}, entries); diff != "" {
		t.Error(diff)
	}
}
