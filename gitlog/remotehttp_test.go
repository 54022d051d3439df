//go:build unix

package gitlog

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memsync"
)

// TestHTTPProgramMissing: without git and without the program beside it nothing is
// reached, and what to install is said; so it is where the program can't be run.
func TestHTTPProgramMissing(t *testing.T) {
	for name, prepare := range map[string]func(dir string){
		"none": func(string) {},
		"broken": func(dir string) {
			check(t, os.WriteFile(filepath.Join(dir, httpProgram), []byte("#!/nonexistent/program\n"), 0o755))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			prepare(dir)
			s := cloneAt(t, server{noBinary: true}, "https://ada:let%20me%20in@memories.invalid/r.git")
			s.env = append(s.env, "PATH="+dir)
			s.open()
			s.add("memory/x.md", "x\n")
			said(t, s.push(Transfer{}), memsync.CodeSyncNoHelper, httpProgram)
			_, err := s.fetch(Transfer{})
			said(t, err, memsync.CodeSyncNoHelper, httpProgram)
			_, err = s.repo.Heads(context.Background(), "origin", Transfer{})
			said(t, err, memsync.CodeSyncNoHelper, httpProgram)
		})
	}
}

// TestHTTPProgramEndsBadly: a program that dies, says something else or stops
// early is never taken for a remote's answer.
func TestHTTPProgramEndsBadly(t *testing.T) {
	for name, script := range map[string]string{
		"says nothing":        "exit 0",
		"ends in a line":      "printf '0123'",
		"another program":     "echo hello; echo world",
		"killed":              "kill -9 $$",
		"does not know it":    "echo 'usage' >&2; exit 2",
		"no pack":             "cat >/dev/null & echo '" + strings.Repeat("1", 40) + " refs/heads/main'; echo",
		"fails after a pack":  "echo '" + strings.Repeat("1", 40) + " refs/heads/main'; echo; printf 'PACK'; echo 'early EOF' >&2; exit 1",
		"says neither ok, ng": "echo; echo maybe; cat >/dev/null",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			check(t, os.WriteFile(filepath.Join(dir, httpProgram), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
			s := cloneAt(t, server{noBinary: true}, "http://memories.invalid/r.git")
			s.env = append(s.env, "PATH="+dir+":/usr/bin:/bin")
			s.open()
			s.add("memory/x.md", "x\n")
			if err := s.push(Transfer{}); err == nil {
				t.Error("pushed")
			}
			if s.git("for-each-ref", "refs/remotes") != "" {
				t.Error("something is known of the remote")
			}
			if name == "says neither ok, ng" { // the branch is not there, which fetch takes as it is
				return
			}
			if _, err := s.fetch(Transfer{}); err == nil {
				t.Error("fetched")
			}
		})
	}
}

// TestHTTPProgramShowsNoPassword: who looks at the processes of the machine while a
// transfer runs sees no password, and a cancelled transfer leaves no process.
func TestHTTPProgramShowsNoPassword(t *testing.T) {
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Log("this system has no /proc to look at")
		return
	}
	root := t.TempDir()
	bareRepo(t, root, "r.git")
	dir, err := httpProgramDir()
	check(t, err)
	program := filepath.Join(dir, httpProgram)
	asked, over := make(chan string, 1), make(chan struct{})
	web := httpServer(t, root, true, func(http.ResponseWriter, *http.Request) bool {
		asked <- processesOf(program)
		<-over
		return false
	})
	t.Cleanup(func() { close(over) })
	s := cloneAt(t, server{noBinary: true}, strings.Replace(web.URL, "http://", "http://ada:let%20me%20in@", 1)+"/r.git")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := s.repo.Heads(ctx, "origin", Transfer{})
		done <- err
	}()
	seen := <-asked
	if !strings.Contains(seen, "upload-pack") || strings.Contains(seen, "let%20me") || strings.Contains(seen, serverPassword) {
		t.Errorf("the process list has %q", seen)
	}
	cancel()
	if err := <-done; err != context.Canceled {
		t.Error(err)
	}
	if left := processesOf(program); left != "" {
		t.Errorf("left behind: %q", left)
	}
}

// processesOf are command line and environment of the processes with that program.
func processesOf(program string) string {
	var out strings.Builder
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		line, err := os.ReadFile(name)
		if err != nil || !strings.HasPrefix(string(line), program+"\x00") {
			continue
		}
		env, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "environ"))
		out.Write(line)
		out.Write(env)
	}
	return out.String()
}
