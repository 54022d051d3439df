package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary stand in for the command in the stories of
// testdata/script, and for the two programs that stories put before it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"memsync": func() {
			os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
		"exits":  func() { os.Exit(exitsProgram(os.Args[1:])) },
		"person": func() { os.Exit(personProgram(os.Args[1:])) },
	})
}

// TestScript runs the stories: the built command against real git repositories.
// Each ends, unless it says otherwise, with the store checker on every store it
// made.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		RequireExplicitExec: false,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup:               setupScript,
		Cmds:                scriptCommands,
		Condition:           scriptCondition,
	})
}

// scriptCondition knows [root]: the superuser, whom no file mode stops.
func scriptCondition(cond string) (bool, error) {
	if cond == "root" {
		return os.Geteuid() == 0, nil
	}
	return false, nil
}

// setupScript gives a story a home of its own and a git that knows nobody
// else's configuration.
func setupScript(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	config := "[user]\n\tname = Ada Person\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		return err
	}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "MEMSYNC_") || strings.HasPrefix(name, "CLAUDE") || name == "AI_AGENT" || name == "AGENT" {
			env.Setenv(name, "")
		}
	}
	env.Setenv("HOME", home)
	env.Setenv("MEMSYNC_HOME", filepath.Join(env.WorkDir, ".memsync-home"))
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("LC_ALL", "C")
	return nil
}
