package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// shop is a store and somebody at its counter: it runs the real command, as a
// program unless it is told as whom.
type shop struct {
	t   *testing.T
	dir string
	env []string
	by  []string // put before the command
}

// newShop makes a dedicated store, with a home and a git of its own.
func newShop(t *testing.T) *shop {
	t.Helper()
	home := t.TempDir()
	config := "[user]\n\tname = Ada Person\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "MEMSYNC_") || strings.HasPrefix(name, "CLAUDE") ||
			name == "AI_AGENT" || name == "AGENT" || name == "VISUAL" || name == "EDITOR" {
			continue
		}
		env = append(env, v)
	}
	env = append(env, "HOME="+home, "MEMSYNC_HOME="+filepath.Join(home, "memsync"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
	s := &shop{t: t, dir: filepath.Join(t.TempDir(), "store"), env: env}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.ok("init")
	return s
}

// with is the same shop with more environment.
func (s *shop) with(env ...string) *shop {
	c := *s
	c.env = append(slices.Clip(s.env), env...)
	return &c
}

func (s *shop) agent(name string) *shop   { return s.with("MEMSYNC_AGENT=" + name) }
func (s *shop) session(id string) *shop   { return s.with("MEMSYNC_SESSION=" + id) }
func (s *shop) editor(shell string) *shop { return s.with("EDITOR=" + shell) }

// person sits at a terminal and answers every question with y.
func (s *shop) person() *shop {
	c := *s
	c.by = []string{"person"}
	return &c
}

// try runs the command and gives its exit code.
func (s *shop) try(args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	line := append(append(slices.Clip(s.by), "memsync"), args...)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir, cmd.Env = s.dir, s.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatalf("%v: %v", line, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// code runs the command and wants an exit code.
func (s *shop) code(want int, args ...string) string {
	s.t.Helper()
	out, errs, code := s.try(args...)
	if code != want {
		s.t.Errorf("memsync %q: exit %d, want %d\n%s%s", args, code, want, out, errs)
	}
	return out
}

func (s *shop) ok(args ...string) string { s.t.Helper(); return s.code(0, args...) }

func (s *shop) exit(args ...string) int { s.t.Helper(); _, _, code := s.try(args...); return code }

// any is all that the command says, whatever it makes of it.
func (s *shop) any(args ...string) string {
	s.t.Helper()
	out, errs, _ := s.try(args...)
	return out + errs
}

func (s *shop) git(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (s *shop) commits() int {
	s.t.Helper()
	return strings.Count(s.git("rev-list", "HEAD"), "\n")
}

// rest is the store checker: nothing pending, doctor (search index and all) and
// fsck agree.
func (s *shop) rest() {
	s.t.Helper()
	s.ok("search", "-q", "anything")
	s.ok("doctor")
	if out := s.git("status", "--porcelain"); out != "" {
		s.t.Errorf("git status:\n%s", out)
	}
	if out := s.git("fsck", "--strict", "--no-dangling"); strings.TrimSpace(out) != "" {
		s.t.Errorf("git fsck:\n%s", out)
	}
}

func (s *shop) path(p string) string { return filepath.Join(s.dir, filepath.FromSlash(p)) }

func (s *shop) write(p, content string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(p)), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(p), []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) read(p string) string {
	s.t.Helper()
	data, err := os.ReadFile(s.path(p))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

func (s *shop) remove(p string) {
	s.t.Helper()
	if _, err := os.Lstat(s.path(p)); err != nil {
		s.t.Fatal(err)
	}
	if err := os.RemoveAll(s.path(p)); err != nil {
		s.t.Fatal(err)
	}
}

// files are all files of the working tree, with slashes, sorted.
func (s *shop) files() []string {
	s.t.Helper()
	var out []string
	err := filepath.WalkDir(s.dir, func(full string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		}
		if d.Type().IsRegular() {
			rel, err := filepath.Rel(s.dir, full)
			out = append(out, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// nowhere wants bytes in no file of the store, git's objects included.
func (s *shop) nowhere(text string) {
	s.t.Helper()
	if strings.Contains(s.git("cat-file", "--batch", "--batch-all-objects", "--unordered"), text) {
		s.t.Error("a git object has it")
	}
	filepath.WalkDir(s.dir, func(full string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if data, err := os.ReadFile(full); err == nil && bytes.Contains(data, []byte(text)) {
				s.t.Errorf("%s has it", full)
			}
		}
		return err
	})
}

// at follows a path of keys and places into a JSON document, or into a part
// of one.
func (s *shop) at(doc any, path string) any {
	s.t.Helper()
	if text, ok := doc.(string); ok {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			s.t.Fatalf("no JSON document: %v\n%s", err, text)
		}
		doc = v
	}
	return follow(doc, path)
}

func (s *shop) str(doc any, path string) string { s.t.Helper(); return fmt.Sprint(s.at(doc, path)) }

func (s *shop) list(doc any, path string) []any {
	s.t.Helper()
	list, ok := s.at(doc, path).([]any)
	if !ok {
		s.t.Fatalf("%s is no list", path)
	}
	return list
}

// memoryFile is a memory as a person saves it.
func memoryFile(name, typ, body string) string {
	return "---\nname: " + name + "\ndescription: one line about " + name + "\ntype: " + typ + "\n---\n\n" + body + "\n"
}

// touch sets a file's modification time.
func (s *shop) touch(p string, at time.Time) {
	s.t.Helper()
	if err := os.Chtimes(s.path(p), at, at); err != nil {
		s.t.Fatal(err)
	}
}

// gitFails runs a git command that ends with an error.
func (s *shop) gitFails(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	if err == nil {
		s.t.Fatalf("git %v succeeded:\n%s", args, out)
	}
	return string(out)
}
