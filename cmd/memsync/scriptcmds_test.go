package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// scriptCommands are the words of the stories beyond testscript's own.
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"git":      scriptGit,
	"commits":  scriptCommits,
	"clean":    scriptClean,
	"check":    scriptCheck,
	"same":     scriptSame,
	"edit":     scriptEdit,
	"bytes":    scriptBytes,
	"person":   scriptPerson,
	"age":      scriptAge,
	"tracked":  scriptTracked,
	"lasttree": scriptLastTree,
}

// git ARG... runs the real git.
func scriptGit(ts *testscript.TestScript, neg bool, args []string) {
	if err := ts.Exec("git", args...); (err != nil) != neg {
		ts.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
}

func gitOut(ts *testscript.TestScript, args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.Output()
	if err != nil {
		ts.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

// commits N: HEAD has N commits.
func scriptCommits(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: commits N")
	}
	if got := strings.TrimSpace(gitOut(ts, "rev-list", "--count", "HEAD")); got != args[0] {
		ts.Fatalf("%s commits, want %s:\n%s", got, args[0], gitOut(ts, "log", "--oneline", "--stat"))
	}
}

// clean: git status says nothing and git fsck --strict is silent.
func scriptClean(ts *testscript.TestScript, neg bool, args []string) {
	if out := gitOut(ts, "status", "--porcelain"); out != "" {
		ts.Fatalf("git status is not clean:\n%s", out)
	}
	fsck(ts)
}

func fsck(ts *testscript.TestScript) {
	cmd := exec.Command("git", "fsck", "--strict", "--no-dangling")
	cmd.Dir = ts.MkAbs(".")
	out, err := cmd.CombinedOutput()
	if err != nil || len(bytes.TrimSpace(out)) > 0 {
		ts.Fatalf("git fsck: %v\n%s", err, out)
	}
}

// check runs the store checker: every invariant of a store at rest.
func scriptCheck(ts *testscript.TestScript, neg bool, args []string) {
	fsck(ts)
	if err := ts.Exec("memsync", append([]string{"doctor"}, args...)...); (err != nil) != neg {
		ts.Fatalf("memsync doctor: %v", err)
	}
}

// same A B: two files hold the same bytes.
func scriptSame(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: same A B")
	}
	if (ts.ReadFile(args[0]) == ts.ReadFile(args[1])) == neg {
		ts.Fatalf("%s and %s: same bytes is not %v", args[0], args[1], !neg)
	}
}

// edit FILE REGEXP REPLACEMENT: what sed -i does, refusing to change nothing.
func scriptEdit(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 || neg {
		ts.Fatalf("usage: edit FILE REGEXP REPLACEMENT")
	}
	old := ts.ReadFile(args[0])
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	repl, err := strconv.Unquote(`"` + strings.ReplaceAll(args[2], `"`, `\"`) + `"`)
	ts.Check(err)
	now := re.ReplaceAllString(old, repl)
	if now == old {
		ts.Fatalf("edit %s: %s matches nothing", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(now), 0o644))
}

// bytes FILE STRING: writes a Go string (with its escapes) as the file.
func scriptBytes(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: bytes FILE STRING")
	}
	s, err := strconv.Unquote(`"` + strings.ReplaceAll(args[1], `"`, `\"`) + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(s), 0o644))
}

// person CMD ARG...: runs a command on a pseudo-terminal, as a person does;
// what it prints goes to stdout. A question is answered with "y".
func scriptPerson(ts *testscript.TestScript, neg bool, args []string) {
	cmd := exec.Command(args[0], args[1:]...)
	path, err := exec.LookPath(args[0])
	if err == nil {
		cmd.Path = path
	}
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "MEMSYNC_HOME", "GIT_CONFIG_NOSYSTEM", "PATH", "LC_ALL", "EDITOR", "VISUAL", "MEMSYNC_OVERRIDE"} {
		if v := ts.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	if found := lookIn(ts.Getenv("PATH"), args[0]); found != "" {
		cmd.Path, cmd.Err = found, nil
	}
	f, err := pty.Start(cmd)
	ts.Check(err)
	defer f.Close()
	f.Write([]byte("y\n"))
	var out bytes.Buffer
	out.ReadFrom(f) // ends with EIO when the other side closes
	err = cmd.Wait()
	ts.Logf("%s", out.String())
	ts.Check(os.WriteFile(ts.MkAbs("person.out"), out.Bytes(), 0o644))
	if (err != nil) != neg {
		ts.Fatalf("person %s: %v", strings.Join(args, " "), err)
	}
}

func lookIn(path, name string) string {
	for _, dir := range strings.Split(path, ":") {
		full := dir + "/" + name
		if st, err := os.Stat(full); err == nil && !st.IsDir() {
			return full
		}
	}
	return ""
}

// age FILE DURATION: sets a file's modification time back.
func scriptAge(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: age FILE DURATION")
	}
	d, err := time.ParseDuration(args[1])
	ts.Check(err)
	at := time.Now().Add(-d)
	ts.Check(os.Chtimes(ts.MkAbs(args[0]), at, at))
}

// tracked FILE: HEAD holds it, with the bytes that are on disk.
func scriptTracked(ts *testscript.TestScript, neg bool, args []string) {
	for _, p := range args {
		cmd := exec.Command("git", "show", "HEAD:./"+p)
		cmd.Dir = ts.MkAbs(".")
		out, err := cmd.Output()
		ok := err == nil && string(out) == ts.ReadFile(p)
		if ok == neg {
			ts.Fatalf("tracked %s: %v", p, ok)
		}
	}
}

// lasttree FILE...: the last commit changes exactly these files.
func scriptLastTree(ts *testscript.TestScript, neg bool, args []string) {
	got := strings.Fields(gitOut(ts, "show", "--format=", "--name-only", "HEAD"))
	want := map[string]bool{}
	for _, a := range args {
		want[a] = true
	}
	for _, g := range got {
		if !want[g] {
			ts.Fatalf("the last commit changes %v, want %v", got, args)
		}
	}
	if len(got) != len(want) {
		ts.Fatalf("the last commit changes %v, want %v", got, args)
	}
}
