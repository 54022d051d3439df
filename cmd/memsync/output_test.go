//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestOutputThatCantBeWritten: a verb whose output is lost ends with an error.
// Nobody who closes a pipe early gets one.
func TestOutputThatCantBeWritten(t *testing.T) {
	aloneAndClient(t, func(t *testing.T, s *shop) {
		sh := func(line string) (string, int) {
			cmd := exec.Command("sh", "-c", line)
			cmd.Dir, cmd.Env = s.dir, s.env
			out, _ := cmd.CombinedOutput()
			return string(out), cmd.ProcessState.ExitCode()
		}
		for _, line := range []string{
			"list", "list --json", "list --jsonl", "show board", "show board --json", "log", "history", "decisions list", "status", "config list",
			"doctor", "version", "completion bash", "--help", "list --help", "write One --type user --content One.", "up --once --json",
		} {
			said, code := sh("memsync " + line + " >/dev/full")
			if code != exitGit || strings.Count(said, "no space left on device") != 1 || !strings.Contains(said, "memory.io.write") {
				t.Errorf("%s: exit %d: %s", line, code, said)
			}
		}
		s.ok("show", "one")
		if said, code := sh("memsync show nothing >/dev/full"); code != exitRefused || strings.Contains(said, "no space left") {
			t.Errorf("exit %d: %s", code, said)
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		defer w.Close()
		var said bytes.Buffer
		cmd := exec.Command("memsync", "list")
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, s.env, w, &said
		if err := cmd.Run(); err == nil || err.Error() != "signal: broken pipe" || said.Len() > 0 {
			t.Errorf("%v: %s", err, said.String())
		}
	})
}
