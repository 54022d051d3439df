package main

import (
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSyncWithoutGit takes a store to a remote and back on machines that have the
// two programs, as they are built, and no git.
func TestSyncWithoutGit(t *testing.T) {
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("git", "--exec-path").Output()
	check(err)
	root := t.TempDir()
	mustRun(t, root, "git", "init", "-q", "--bare", "-b", "main", "r.git")
	mustRun(t, root, "git", "-C", "r.git", "config", "http.receivepack", "true")
	web := httptest.NewServer(&cgi.Handler{Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=ada", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + root}})
	t.Cleanup(web.Close)
	// memsync as a link, as package managers make it: the other program is beside what it leads to.
	bin := t.TempDir()
	check(os.Symlink(command, filepath.Join(bin, "memsync")))
	machine := func(name string) func(wants string, args ...string) {
		home := t.TempDir()
		dir := filepath.Join(root, name)
		return func(wants string, args ...string) {
			t.Helper()
			cmd := exec.Command(filepath.Join(bin, "memsync"), args...)
			cmd.Dir = dir
			cmd.Env = []string{"PATH=" + bin, "HOME=" + home, "MEMSYNC_HOME=" + filepath.Join(home, "memory"), "GIT_CONFIG_NOSYSTEM=1", "MEMSYNC_NO_DAEMON=1"}
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), wants) {
				t.Fatalf("%s: memsync %s: %v, want %q\n%s", name, strings.Join(args, " "), err, wants, out)
			}
		}
	}
	laptop, desk := machine("laptop"), machine("desk")
	check(os.Mkdir(filepath.Join(root, "laptop"), 0o777))
	laptop("made", "init", ".")
	laptop("", "write", "Deploy day", "--type", "user", "--content", "We deploy on Tuesdays.")
	laptop("added origin", "remote", "add", "origin", web.URL+"/r.git")
	laptop("pushed", "sync")
	mustRun(t, root, "git", "clone", "-q", web.URL+"/r.git", "desk") // memsync clones nothing
	desk("", "write", "Lunch", "--type", "user", "--content", "Lunch is at noon.")
	desk("pushed 1 commit", "sync")
	laptop("", "write", "Tea", "--type", "user", "--content", "Tea is at four.")
	laptop("joined 1 commit", "sync")
	desk("took over 2 commits", "sync")
	desk("same as", "check")
	mustRun(t, root, "git", "-C", "desk", "fsck", "--strict")
}
