package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Lint opens nothing for writing, makes and moves nothing, starts no program and
// calls nobody: a read-only mount, a machine without git and one without a
// network are all the same to it. Judged by its system calls; the control is a
// fix, which does write.
func TestLintOnlyReads(t *testing.T) {
	s := newShop(t)
	s.write("memory/project_colon.md", "---\nname: Colon\ndescription: Re: booking\ntype: project\n---\nText.\n")
	s.ok("up", "--once")
	writes := regexp.MustCompile(`O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|\b(mkdir|rename|unlink|symlink|link|chmod|chown|truncate|utimens|connect|bind|execve|fork|vfork|mknod)\w*\(`)
	trace := func(args ...string) (found []string) {
		t.Helper()
		log := filepath.Join(t.TempDir(), "trace")
		cmd := exec.Command("strace", append([]string{"-f", "-qq", "-o", log, "-e", "trace=%file,%network,%process,fchmod,fchown,ftruncate", command}, args...)...)
		cmd.Dir, cmd.Env = s.dir, []string{"PATH=/nonexistent"}
		if out, err := cmd.CombinedOutput(); err != nil {
			if code := cmd.ProcessState.ExitCode(); code != exitFindings {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
		}
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		first := true
		for line := range strings.Lines(string(data)) {
			switch {
			case !writes.MatchString(line) || strings.Contains(line, "/dev/null") || strings.Contains(line, "/dev/tty"):
			case strings.Contains(line, "execve(") && first:
				first = false // the command itself
			default:
				found = append(found, line)
			}
		}
		return found
	}
	for _, args := range [][]string{{"lint"}, {"lint", "--staged"}, {"lint", "--changed-since", "HEAD"}, {"lint", "--format", "sarif"}, {"lint", "--fix", "--dry-run"}, {"fmt", "--check"}} {
		if found := trace(args...); len(found) > 0 {
			t.Errorf("%v:\n%s", args, strings.Join(found, ""))
		}
	}
	if found := trace("lint", "--fix"); len(found) == 0 {
		t.Error("control: a fix writes, and nothing was seen")
	}
}
