package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// command is the built command: what every story and crash runs.
var command string

// TestMain builds the commands, as people get them, and puts them first on the path.
// The test binary itself stands in for the programs that stories put before it.
func TestMain(m *testing.M) {
	programs := map[string]func(){
		"exits":  func() { os.Exit(exitsProgram(os.Args[1:])) },
		"person": func() { os.Exit(personProgram(os.Args[1:])) },
		"owner":  func() { os.Exit(ownerProgram(os.Args[1:])) },
	}
	if _, isProgram := programs[filepath.Base(os.Args[0])]; isProgram {
		testscript.Main(m, programs)
		return
	}
	dir, err := os.MkdirTemp("", "memsync-test-")
	if err == nil {
		command = filepath.Join(dir, "memsync")
		err = exec.Command("go", "build", "-o", dir, "../...").Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "building the command:", err)
		os.Exit(1)
	}
	os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	testscript.Main(built{m, dir}, programs)
}

// built removes what TestMain built when the tests are done.
type built struct {
	*testing.M
	dir string
}

func (b built) Run() int {
	defer os.RemoveAll(b.dir)
	return b.M.Run()
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
