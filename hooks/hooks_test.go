//go:build unix

package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memsync"
)

// yard is a work tree with a hooks directory, and a program that stands for
// memsync and writes down how it was called.
type yard struct {
	t      *testing.T
	p      Place
	binary string
	log    string
}

func newYard(t *testing.T) *yard {
	top := filepath.Join(t.TempDir(), "it's a $(touch oops) `yard`\n\"here\"")
	dir := filepath.Join(top, ".git", "hooks")
	y := &yard{t: t, p: Place{Top: top, Dir: dir, Default: dir}, binary: filepath.Join(top, "bin", "memsync"), log: filepath.Join(t.TempDir(), "log")}
	for _, d := range []string{dir, filepath.Dir(y.binary)} {
		y.check(os.MkdirAll(d, 0o777))
	}
	y.program(y.binary, "ours")
	return y
}

func (y *yard) check(err error) {
	y.t.Helper()
	if err != nil {
		y.t.Fatal(err)
	}
}

// program is a script that logs its name, arguments and standard input.
func (y *yard) program(file, name string) string {
	text := "#!/bin/sh\n{ echo " + name + "; printf '<%s>' \"$@\"; if [ \"${STDIN-}\" ]; then cat; fi; echo; } >> '" + y.log + "'\nexit ${EXIT-0}\n"
	y.check(os.WriteFile(file, []byte(text), 0o755))
	return text
}

func (y *yard) hook(name string) string { return filepath.Join(y.p.Dir, name) }

func (y *yard) read(file string) string {
	y.t.Helper()
	data, err := os.ReadFile(file)
	y.check(err)
	return string(data)
}

func (y *yard) install(opt Options) Result {
	y.t.Helper()
	opt.Binary = y.binary
	r, err := Install(y.p, opt)
	y.check(err)
	return r
}

func (y *yard) uninstall(opt Options) Result {
	y.t.Helper()
	r, err := Uninstall(y.p, opt)
	y.check(err)
	return r
}

// run runs a hook as git does, and gives what was logged.
func (y *yard) run(name, stdin string, env []string, args ...string) (log, stderr string, code int) {
	y.t.Helper()
	os.Remove(y.log)
	cmd := exec.Command(filepath.Join(".git", "hooks", name), args...)
	cmd.Dir = y.p.Top
	cmd.Env = append([]string{"PATH=/usr/bin:/bin"}, env...)
	cmd.Stdin = strings.NewReader(stdin)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		y.t.Fatal(err)
	}
	data, _ := os.ReadFile(y.log)
	return string(data), errs.String(), cmd.ProcessState.ExitCode()
}

// snapshot is every file below the top: mode, name and bytes.
func (y *yard) snapshot() string {
	var b strings.Builder
	y.check(filepath.WalkDir(y.p.Top, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || d.IsDir() {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(full)
			fmt.Fprintf(&b, "%s -> %q\n", full, to)
			return err
		}
		data, err := os.ReadFile(full)
		fmt.Fprintf(&b, "%v %q %q\n", info.Mode(), full, data)
		return err
	}))
	return b.String()
}

func (y *yard) states(want State) {
	y.t.Helper()
	r, err := Look(y.p)
	y.check(err)
	for _, h := range r.Hooks {
		if h.State != want {
			y.t.Errorf("%s is %s (%s), want %s", h.Name, h.State, h.Note, want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	y := newYard(t)
	y.program(y.hook("pre-commit"), "theirs")
	y.check(os.Chmod(y.hook("pre-commit"), 0o750))
	y.program(filepath.Join(y.p.Dir, "shared-script"), "theirs")
	y.check(os.Symlink("shared-script", y.hook("pre-push")))
	y.check(os.WriteFile(y.hook("post-merge"), []byte("not executable\xff"), 0o644))
	before := y.snapshot()
	dry := y.install(Options{DryRun: true})
	if y.snapshot() != before || dry.Hooks[0].Done != DoneInstalled {
		t.Errorf("a dry run: %+v", dry.Hooks[0])
	}
	r := y.install(Options{})
	for _, h := range r.Hooks {
		chained := slices.Contains([]string{"pre-commit", "pre-push", "post-merge"}, h.Name)
		if h.Done != DoneInstalled || h.State != Installed || (h.Chained != "") != chained {
			t.Errorf("%+v", h)
		}
	}
	y.states(Installed)
	installed := y.snapshot()
	for _, h := range y.install(Options{}).Hooks {
		if h.Done != DoneNothing {
			t.Errorf("the second time: %+v", h)
		}
	}
	if y.snapshot() != installed {
		t.Error("installing twice is not installing once")
	}
	y.install(Options{FixStaged: true})
	if !strings.Contains(y.read(y.hook("pre-commit")), "hooks run pre-commit --fix-staged -- ") {
		t.Error("--fix-staged is not in the script")
	}
	y.states(Installed)
	y.uninstall(Options{})
	if after := y.snapshot(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	y.states(Absent)
	for _, h := range y.uninstall(Options{}).Hooks {
		if h.Done != DoneNothing {
			t.Errorf("uninstalled twice: %+v", h)
		}
	}
}

// TestRuns: the hook that was there comes first, with the same arguments and
// the same standard input, and what it says counts.
func TestRuns(t *testing.T) {
	y := newYard(t)
	y.install(Options{})
	log, _, code := y.run("pre-commit", "", nil, "a b", "--c")
	if log != "ours\n<hooks><run><pre-commit><--><a b><--c>\n" || code != 0 {
		t.Errorf("alone: %q %d", log, code)
	}
	if _, _, code := y.run("pre-commit", "", []string{"EXIT=3"}); code != 3 {
		t.Errorf("our code is %d", code)
	}
	y.uninstall(Options{})
	for _, name := range Names {
		y.program(y.hook(name), "theirs")
	}
	y.install(Options{})
	stdin := "refs/heads/a 1 refs/heads/a 2\n\nlast without an end"
	log, _, code = y.run("pre-push", stdin, []string{"STDIN=1"}, "origin", "url")
	if want := "theirs\n<origin><url>" + stdin + "\nours\n<hooks><run><pre-push><--><origin><url>" + stdin + "\n"; log != want || code != 0 {
		t.Errorf("%q\nwant\n%q %d", log, want, code)
	}
	if log, _, code = y.run("post-rewrite", stdin, []string{"STDIN=1"}, "rebase"); strings.Count(log, stdin) != 2 || code != 0 {
		t.Errorf("%q %d", log, code)
	}
	if log, _, code = y.run("pre-push", strings.Repeat("x", 1<<20), nil); code != 0 || !strings.Contains(log, "ours") {
		t.Errorf("a hook that does not read its input: %d %q", code, log)
	}
	if log, _, code = y.run("pre-commit", "", []string{"EXIT=7"}); code != 7 || strings.Contains(log, "ours") {
		t.Errorf("their failure: %d %q", code, log)
	}
	if log, _, code = y.run("pre-commit", "", []string{"MEMSYNC_HOOK=off"}); code != 0 || log != "theirs\n<>\n" {
		t.Errorf("off: %d %q", code, log)
	}
	y.check(os.Remove(y.binary))
	for _, name := range Names {
		log, stderr, code := y.run(name, "", nil)
		want := 1
		if after(name) {
			want = 0
		}
		if code != want || !strings.Contains(stderr, "MEMSYNC_HOOK=off") || !strings.Contains(log, "theirs") {
			t.Errorf("%s without a binary: %d %q %q", name, code, log, stderr)
		}
		if _, stderr, code = y.run(name, "", []string{"MEMSYNC_HOOK=optional"}); code != 0 || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s, optional: %d %q", name, code, stderr)
		}
	}
	other := filepath.Join(t.TempDir(), "memsync")
	y.program(other, "on the path")
	if log, _, code := y.run("pre-commit", "", []string{"PATH=" + filepath.Dir(other) + ":/usr/bin:/bin"}); code != 0 || !strings.Contains(log, "on the path") {
		t.Errorf("on the path: %d %q", code, log)
	}
	if exists(filepath.Join(y.p.Top, "oops")) {
		t.Error("the path was run")
	}
}

// TestPreCommitAround: pre-commit installed over us runs us, and its older copy
// behind us is not run by us once more.
func TestPreCommitAround(t *testing.T) {
	y := newYard(t)
	shim := "#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\necho shim >> '" + y.log + "'\n" +
		"old=$(dirname \"$0\")/pre-commit.legacy\n[ -x \"$old\" ] && { PRE_COMMIT_RUNNING_LEGACY=1 \"$old\" \"$@\" || exit 1; }\nexit 0\n"
	y.check(os.WriteFile(y.hook("pre-commit"), []byte(shim), 0o755))
	r := y.install(Options{})
	if r.Manager != PreCommit || !strings.Contains(strings.Join(r.Notes, "\n"), ".pre-commit-hooks.yaml") {
		t.Errorf("%s %q", r.Manager, r.Notes)
	}
	y.check(os.Rename(y.hook("pre-commit"), y.hook("pre-commit.legacy"))) // what `pre-commit install` does
	y.check(os.WriteFile(y.hook("pre-commit"), []byte(shim), 0o755))
	if log, _, code := y.run("pre-commit", "", nil); code != 0 || log != "shim\nours\n<hooks><run><pre-commit><-->\n" {
		t.Errorf("%d %q", code, log)
	}
	y.states(Installed)
	if h := y.install(Options{}).Hooks[0]; h.Done != DoneNothing {
		t.Errorf("%+v", h)
	}
	y.uninstall(Options{})
	if y.read(y.hook("pre-commit")) != shim || exists(y.hook("pre-commit.legacy")) || exists(y.hook("pre-commit"+Before)) {
		t.Errorf("something is left:\n%s", y.snapshot())
	}
}

// TestCutOff: an install that died between its steps is finished by the next one,
// and undone by an uninstall.
func TestCutOff(t *testing.T) {
	for _, how := range []string{"install", "uninstall"} {
		for _, link := range []bool{false, true} {
			y := newYard(t)
			if link {
				y.program(filepath.Join(y.p.Dir, "script"), "theirs")
				y.check(os.Symlink("script", y.hook("pre-commit")))
			} else {
				y.program(y.hook("pre-commit"), "theirs")
			}
			before := y.snapshot()
			y.check(double(y.hook("pre-commit"), y.hook("pre-commit"+Before)))
			y.check(os.WriteFile(y.hook("pre-push")+".memsync-1.tmp", []byte("half"), 0o755))
			if how == "install" {
				y.install(Options{})
				if log, _, code := y.run("pre-commit", "", nil); code != 0 || strings.Count(log, "theirs") != 1 || strings.Count(log, "ours") != 1 {
					t.Errorf("%d %q", code, log)
				}
			}
			y.uninstall(Options{})
			y.check(os.Remove(y.hook("pre-push") + ".memsync-1.tmp"))
			if after := y.snapshot(); after != before {
				t.Errorf("%s: before\n%s\nafter\n%s", how, before, after)
			}
		}
	}
}

// TestChanged: a script of ours that somebody changed is theirs, too.
func TestChanged(t *testing.T) {
	y := newYard(t)
	y.program(y.hook("pre-commit"), "theirs")
	theirs := y.read(y.hook("pre-commit"))
	y.install(Options{})
	edited := y.read(y.hook("pre-commit")) + "echo mine\n"
	y.check(os.WriteFile(y.hook("pre-commit"), []byte(edited), 0o755))
	before := y.snapshot()
	for _, do := range []func(Place, Options) (Result, error){Install, Uninstall} {
		_, err := do(y.p, Options{Binary: y.binary})
		var e *memsync.Error
		if !errors.As(err, &e) || e.Code != memsync.CodeStoreRefused || !strings.Contains(e.Hint, "--force") {
			t.Errorf("%v", err)
		}
		if y.snapshot() != before {
			t.Error("a refusal changed something")
		}
	}
	if r, err := Look(y.p); err != nil || r.Hooks[0].State != Changed || r.Lost() {
		t.Errorf("%+v %v", r.Hooks[0], err)
	}
	y.install(Options{Force: true})
	y.states(Installed)
	if y.read(y.hook("pre-commit.memsync-kept")) != edited {
		t.Error("what was changed is not kept")
	}
	y.check(os.WriteFile(y.hook("pre-commit"), []byte(edited), 0o755))
	y.uninstall(Options{Force: true})
	if y.read(y.hook("pre-commit")) != theirs || y.read(y.hook("pre-commit.memsync-kept-2")) != edited {
		t.Errorf("%s", y.snapshot())
	}
}

// TestReplaced: another program's hook came over ours.
func TestReplaced(t *testing.T) {
	y := newYard(t)
	y.program(y.hook("pre-commit"), "theirs")
	y.install(Options{})
	older := y.read(y.hook("pre-commit" + Before))
	newer := y.program(y.hook("pre-commit"), "newer")
	r, err := Look(y.p)
	if err != nil || r.Hooks[0].State != Replaced || !r.Lost() {
		t.Errorf("%+v %v", r.Hooks[0], err)
	}
	if _, err := Install(y.p, Options{Binary: y.binary}); memsync.CodeOf(err) != memsync.CodeStoreRefused {
		t.Errorf("%v", err)
	}
	if h := y.uninstall(Options{}).Hooks[0]; h.Done != DoneNothing || h.Note == "" || y.read(y.hook("pre-commit")) != newer {
		t.Errorf("%+v", h)
	}
	y.install(Options{Force: true})
	if y.read(y.hook("pre-commit"+Before)) != newer || y.read(y.hook("pre-commit.memsync-kept")) != older {
		t.Errorf("%s", y.snapshot())
	}

	y.check(os.Remove(y.hook("pre-push")))
	y.check(os.Chmod(y.hook("post-merge"), 0o644))
	y.check(os.Rename(y.hook("post-checkout"), y.hook("post-checkout.old")))
	y.program(y.hook("post-checkout"), "a lefthook")
	r, err = Look(y.p)
	for i, want := range []State{Installed, Replaced, Ignored, Replaced, Installed} {
		if err != nil || r.Hooks[i].State != want || want != Installed && r.Hooks[i].Note == "" {
			t.Errorf("%+v, want %s", r.Hooks[i], want)
		}
	}
	y.install(Options{})
	y.states(Installed)

	// core.hooksPath was set since
	moved := y.p
	moved.Dir, moved.Value = filepath.Join(y.p.Top, "elsewhere"), "elsewhere"
	if r, err := Look(moved); err != nil || r.Hooks[0].State != Ignored || !r.Lost() {
		t.Errorf("%+v %v", r.Hooks[0], err)
	}
	if r, err := Uninstall(moved, Options{}); err != nil || r.Hooks[0].Done != DoneRestored || r.Hooks[1].Done != DoneRemoved {
		t.Errorf("%+v %v", r.Hooks, err)
	}

	y.install(Options{})
	y.check(os.Remove(y.binary))
	t.Setenv("PATH", t.TempDir())
	y.states(Broken)
}

func TestSharedAndOff(t *testing.T) {
	y := newYard(t)
	p := y.p
	p.Dir, p.Shared, p.Value = filepath.Join(y.p.Top, "global"), true, "~/global"
	if _, err := Install(p, Options{Binary: y.binary}); memsync.CodeOf(err) != memsync.CodeStoreRefused || exists(p.Dir) {
		t.Errorf("%v", err)
	}
	if _, err := Uninstall(p, Options{}); err != nil {
		t.Errorf("nothing is there: %v", err)
	}
	if _, err := Install(p, Options{Binary: y.binary, Shared: true}); err != nil {
		t.Error(err)
	}
	if _, err := Uninstall(p, Options{}); memsync.CodeOf(err) != memsync.CodeStoreRefused {
		t.Errorf("%v", err)
	}
	if r, err := Uninstall(p, Options{Shared: true}); err != nil || r.Hooks[0].Done != DoneRemoved {
		t.Errorf("%v %v", r, err)
	}
	p.Dir, p.Shared, p.Value = os.DevNull, false, os.DevNull
	if _, err := Install(p, Options{Binary: y.binary}); memsync.CodeOf(err) != memsync.CodeStoreRefused {
		t.Errorf("%v", err)
	}
}

func TestHusky(t *testing.T) {
	for _, version := range []string{"9", "8"} {
		for name, text := range map[string]string{"none": "", "usual": "npm test\n", "no line end": "npm test", "CRLF": "#!/usr/bin/env sh\r\nnpm test\r\n"} {
			y := newYard(t)
			dir := filepath.Join(y.p.Top, ".husky")
			y.check(os.MkdirAll(filepath.Join(dir, "_"), 0o777))
			y.p.Value, y.p.Dir = ".husky", dir
			if version == "9" {
				y.p.Value, y.p.Dir = ".husky/_", filepath.Join(dir, "_")
				for _, hook := range Names {
					y.check(os.WriteFile(y.hook(hook), []byte("#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\""), 0o755))
				}
			}
			file := filepath.Join(dir, "pre-commit")
			if text != "" {
				y.check(os.WriteFile(file, []byte(text), 0o744))
			}
			before := y.snapshot()
			r := y.install(Options{})
			if r.Manager != Husky || r.Hooks[0].Done != DoneInstalled || r.Hooks[0].File != file {
				t.Errorf("%+v", r)
			}
			y.states(Installed)
			installed := y.snapshot()
			y.install(Options{})
			if y.snapshot() != installed || strings.Contains(y.read(file), y.binary) {
				t.Errorf("%s %s: %q", version, name, y.read(file))
			}
			y.uninstall(Options{})
			if after := y.snapshot(); after != before {
				t.Errorf("%s %s: before\n%s\nafter\n%s", version, name, before, after)
			}
			// what people add stays, before it and behind it
			y.install(Options{FixStaged: true})
			y.check(os.WriteFile(file, []byte(y.read(file)+"more\n"), 0o744))
			y.states(Installed)
			y.uninstall(Options{})
			want := text + "more\n"
			switch name {
			case "none":
				want = shebang + "more\n"
			case "no line end":
				want = text + "\nmore\n"
			}
			if got := y.read(file); got != want {
				t.Errorf("%s %s: %q, want %q", version, name, got, want)
			}
		}
	}
}

func TestHuskyChanged(t *testing.T) {
	y := newYard(t)
	y.p.Dir = filepath.Join(y.p.Top, ".husky")
	y.check(os.MkdirAll(y.p.Dir, 0o777))
	y.install(Options{})
	file := y.hook("pre-commit")
	edited := strings.Replace(y.read(file), "|| exit $?", "|| true", 1)
	y.check(os.WriteFile(file, []byte(edited), 0o755))
	for _, do := range []func(Place, Options) (Result, error){Install, Uninstall} {
		if _, err := do(y.p, Options{}); memsync.CodeOf(err) != memsync.CodeStoreRefused || y.read(file) != edited {
			t.Errorf("%v", err)
		}
	}
	y.install(Options{Force: true})
	y.states(Installed)
	if y.read(file+".memsync-kept") != edited {
		t.Error("what was changed is not kept")
	}
	y.check(os.WriteFile(file, []byte(strings.Replace(edited, blockEnd, "", 1)), 0o755))
	if _, err := Install(y.p, Options{Force: true}); memsync.CodeOf(err) != memsync.CodeStoreRefused {
		t.Errorf("half a block: %v", err)
	}
}

func TestLefthook(t *testing.T) {
	y := newYard(t)
	y.check(os.WriteFile(filepath.Join(y.p.Top, "lefthook.yml"), []byte("pre-commit:\n"), 0o644))
	shim := "#!/bin/sh\nif [ \"$LEFTHOOK\" = \"0\" ]; then\n  exit 0\nfi\ncall_lefthook()\n{\n  echo lefthook >> '" + y.log + "'\n}\ncall_lefthook run \"pre-commit\" \"$@\"\n"
	y.check(os.WriteFile(y.hook("pre-commit"), []byte(shim), 0o755))
	r := y.install(Options{})
	notes := strings.Join(r.Notes, "\n")
	if r.Manager != Lefthook || !strings.Contains(notes, "run: memsync hooks run pre-push -- {0}") || !strings.Contains(notes, "use_stdin: true") {
		t.Errorf("%s\n%s", r.Manager, notes)
	}
	if log, _, code := y.run("pre-commit", "", nil); code != 0 || !strings.HasPrefix(log, "lefthook\nours") {
		t.Errorf("%d %q", code, log)
	}
	// `lefthook install`
	y.check(os.Rename(y.hook("pre-commit"), y.hook("pre-commit.old")))
	y.check(os.WriteFile(y.hook("pre-commit"), []byte(shim), 0o755))
	if r, err := Look(y.p); err != nil || r.Hooks[0].State != Replaced {
		t.Errorf("%+v %v", r.Hooks[0], err)
	}
	y.install(Options{})
	y.states(Installed)
}

func TestQuote(t *testing.T) {
	for _, s := range []string{"", "a", "it's", "''", `a\'b`, "new\nline", "$HOME `x` \"y\"", "*"} {
		if got, ok := unquote(quote(s)); !ok || got != s {
			t.Errorf("%q became %q", s, got)
		}
		out, err := exec.Command("sh", "-c", "printf %s "+quote(s)).Output()
		if err != nil || string(out) != s {
			t.Errorf("the shell reads %q as %q", s, out)
		}
	}
	if _, ok := unquote("'a'b'"); ok {
		t.Error("a quote inside is read")
	}
}
