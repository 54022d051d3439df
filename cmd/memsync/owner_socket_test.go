//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwnerSocket: the socket is this user's alone, wherever it has to be.
func TestOwnerSocket(t *testing.T) {
	temp := t.TempDir()
	for name, dir := range map[string]string{"near": "store", "deep": strings.Repeat("d", 60) + "/" + strings.Repeat("e", 60)} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t).with("TMPDIR=" + temp)
			t.Setenv("TMPDIR", temp) // so that socketPath says here what it says there
			s.dir = filepath.Join(t.TempDir(), filepath.FromSlash(dir))
			if err := os.MkdirAll(s.dir, 0o755); err != nil {
				t.Fatal(err)
			}
			s.ok("init")
			o := s.owner()
			p := socketPath(s.path(".git/memsync"))
			if near := filepath.Dir(p) == s.path(".git/memsync"); near != (name == "near") || len(p) > socketLimit {
				t.Errorf("the socket is %s", p)
			}
			for at, want := range map[string]os.FileMode{p: 0o600 | os.ModeSocket, filepath.Dir(p): 0o700 | os.ModeDir} {
				if info, err := os.Lstat(at); err != nil || info.Mode() != want {
					t.Errorf("%s: %v %v", at, info.Mode(), err)
				}
			}
			s.ok("write", "One", "--type", "user", "--content", "Through the socket.")
			if code := s.with("MEMSYNC_NO_DAEMON=1").exit("status"); code != exitBusy {
				t.Errorf("control: exit %d", code)
			}
			o.kill() // leaves its socket behind
			s.ok("list")
			o = s.owner()
			s.ok("list")
			o.stop()
			if _, err := os.Lstat(p); !os.IsNotExist(err) {
				t.Errorf("the socket is still there: %v", err)
			}
			s.rest()
		})
	}
}

// TestOwnerSocketAmongStrangers: a directory that somebody else could have made
// is used by neither side.
func TestOwnerSocketAmongStrangers(t *testing.T) {
	temp, other := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	state := filepath.Join("/", strings.Repeat("d", socketLimit))
	dir := filepath.Dir(socketPath(state))
	for name, make := range map[string]func() error{
		"link": func() error { return os.Symlink(other, dir) },
		"open": func() error { return os.Mkdir(dir, 0o755) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		if l, err := listenOwner(state); err == nil || l != nil {
			t.Errorf("%s: an owner listens", name)
		}
		if dialOwner(state) != nil {
			t.Errorf("%s: a client connects", name)
		}
		os.Remove(dir)
	}
	l, err := listenOwner(state)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if conn := dialOwner(state); conn == nil {
		t.Error("control: nobody answers")
	} else {
		conn.Close()
	}
}
