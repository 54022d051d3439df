package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func scriptGit(ts *testscript.TestScript, neg bool, args []string) {
	if err := ts.Exec("git", args...); (err != nil) != neg {
		ts.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
}

// gitOut is what the real git prints in the story's directory.
func gitOut(ts *testscript.TestScript, args ...string) string {
	out, err := gitCommand(ts, args...).Output()
	if err != nil {
		ts.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

func gitCommand(ts *testscript.TestScript, args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "GIT_CONFIG_NOSYSTEM=1")
	return cmd
}

func scriptCommits(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 1 && !neg, "commits N")
	if got := strings.TrimSpace(gitOut(ts, "rev-list", "--count", "HEAD")); got != args[0] {
		ts.Fatalf("%s commits, want %s:\n%s", got, args[0], gitOut(ts, "log", "--oneline", "--stat"))
	}
}

func scriptLastTree(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg, "lasttree FILE...")
	got := gitOut(ts, "-c", "core.quotePath=false", "show", "--format=", "--name-only", "--no-renames", "-z", "HEAD")
	have := map[string]bool{}
	for _, g := range strings.Split(strings.Trim(got, "\x00\n"), "\x00") {
		have[g] = true
	}
	for _, a := range args {
		if !have[a] {
			ts.Fatalf("the last commit changes %q, want %q", got, args)
		}
		delete(have, a)
	}
	if len(have) > 0 {
		ts.Fatalf("the last commit changes %q, want %q", got, args)
	}
}

func scriptLastAuthor(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 1, "lastauthor REGEXP")
	got := strings.TrimSpace(gitOut(ts, "log", "-1", "--format=%an <%ae>, committed by %cn"))
	ok, err := regexp.MatchString(args[0], got)
	ts.Check(err)
	if ok == neg {
		ts.Fatalf("the last commit is by %s", got)
	}
}

func scriptNumstat(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 3 && !neg, "numstat FILE ADDED REMOVED")
	got := gitOut(ts, "-c", "core.quotePath=false", "show", "--format=", "--numstat", "--no-renames", "HEAD")
	line := fmt.Sprintf("%s\t%s\t%s\n", args[1], args[2], args[0])
	if !strings.Contains("\n"+got, "\n"+line) {
		ts.Fatalf("the last commit is\n%swant %s", got, line)
	}
}

func scriptTracked(ts *testscript.TestScript, neg bool, args []string) {
	for _, p := range args {
		out, err := gitCommand(ts, "show", "HEAD:./"+p).Output()
		ok := err == nil && string(out) == ts.ReadFile(p)
		if ok == neg {
			ts.Fatalf("tracked %s: %v", p, ok)
		}
	}
}

func scriptClean(ts *testscript.TestScript, neg bool, args []string) {
	if out := gitOut(ts, "status", "--porcelain"); (out != "") != neg {
		ts.Fatalf("git status:\n%s%s", out, gitOut(ts, "diff"))
	}
	fsck(ts)
}

func fsck(ts *testscript.TestScript) {
	out, err := gitCommand(ts, "fsck", "--strict", "--no-dangling").CombinedOutput()
	out = bytes.ReplaceAll(out, []byte("notice: HEAD points to an unborn branch (main)\nnotice: No default references\n"), nil)
	if err != nil || len(bytes.TrimSpace(out)) > 0 {
		ts.Fatalf("git fsck: %v\n%s", err, out)
	}
}

// check looks at every invariant of a store at rest.
func scriptCheck(ts *testscript.TestScript, neg bool, args []string) {
	fsck(ts)
	if !neg { // so that there is an index, which doctor compares with the memories
		if err := ts.Exec("memsync", append([]string{"search", "-q", "--limit", "1", "anything"}, args...)...); err != nil {
			ts.Fatalf("memsync search: %v", err)
		}
	}
	if err := ts.Exec("memsync", append([]string{"doctor"}, args...)...); (err != nil) != neg {
		ts.Fatalf("memsync doctor: %v", err)
	}
}
