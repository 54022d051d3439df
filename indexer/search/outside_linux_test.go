package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"memsync"
)

func init() { children["full"] = onAFullDisk }

// onAFullDisk runs in a mount name space of its own.
func onAFullDisk(dir string) error {
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=3m"); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	x, err := Open(filepath.Join(dir, "index"), Options{})
	if err != nil {
		return err
	}
	first := mem{path: "m/first.md", name: "first", body: "word"}
	if err := x.Rebuild(seq(first), "r1"); err != nil {
		return err
	}
	if err := x.Close(); err != nil {
		return err
	}
	fill := filepath.Join(dir, "fill")
	os.WriteFile(fill, make([]byte, 4<<20), 0o600) // as much as fits
	for range 3 {                                  // nothing has changed, so nothing has to be written
		if x, err = Open(filepath.Join(dir, "index"), Options{Notice: func(f string, a ...any) { fmt.Printf("it said "+f+"\n", a...) }}); err != nil {
			return fmt.Errorf("open on a full disk: %w", err)
		}
		if p, err := x.Search(context.Background(), Request{Query: ParseQuery("word")}); err != nil || p.Total != 1 || x.Stamp() != "r1" {
			return fmt.Errorf("opened on a full disk: %v, %d found at %q", err, p.Total, x.Stamp())
		}
		x.Close() // what it can't note makes the next Open look closely
	}
	if x, err = Open(filepath.Join(dir, "index"), Options{}); err != nil {
		return err
	}
	full := func(what string, err error) error {
		var e *memsync.Error
		if !errors.Is(err, memsync.CodeIOFull) || !errors.As(err, &e) || e.Hint == "" {
			return fmt.Errorf("%s on a full disk: %v", what, err)
		}
		return nil
	}
	finds := func(what string, want int, stamp string) error {
		p, err := x.Search(context.Background(), Request{Query: ParseQuery("word")})
		if err != nil || p.Total != want || x.Stamp() != stamp || p.Stamp != stamp {
			return fmt.Errorf("%s: %v, %d found at %q", what, err, p.Total, x.Stamp())
		}
		return nil
	}
	second := mem{path: "m/second.md", name: "second", body: "word " + strings.Repeat("more words here ", 3000)}
	step := Batch{Put: []Doc{second.doc()}, Stamp: "r2"}
	for range 2 {
		if err := full("rebuild", x.Rebuild(seq(first, second), "r2")); err != nil {
			return err
		}
		if err := finds("after a rebuild on a full disk", 1, "r1"); err != nil {
			return err
		}
	}
	for range 2 { // nobody waits for the disk: it is found, and what is on disk does not claim it
		if err := x.Apply(step); err != nil {
			return fmt.Errorf("apply on a full disk: %w", err)
		}
		if err := finds("what the disk has no room for", 2, "r2"); err != nil {
			return err
		}
		if err := full("close", x.Close()); err != nil {
			return err
		}
		if x, err = Open(filepath.Join(dir, "index"), Options{}); err != nil {
			return fmt.Errorf("open on a full disk: %w", err)
		}
		if err := finds("opened on a full disk", 1, "r1"); err != nil {
			return err
		}
	}
	if err := os.Remove(fill); err != nil {
		return err
	}
	if err := x.Apply(step); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	if err := x.Close(); err != nil {
		return fmt.Errorf("close with room again: %w", err)
	}
	if x, err = Open(filepath.Join(dir, "index"), Options{}); err != nil {
		return err
	}
	if err := finds("with room again", 2, "r2"); err != nil {
		return err
	}
	return x.Close()
}

// A full disk is an error, wipes nothing, and is over when there is room.
func TestFullDisk(t *testing.T) {
	cmd := asChild(t.TempDir(), "full")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	done := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer done.Stop()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// unprivileged runs fn as somebody whom permissions hold back.
func unprivileged(t *testing.T, fn func()) {
	if os.Geteuid() == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := syscall.Setfsuid(65534); err != nil {
			t.Fatal(err)
		}
		defer syscall.Setfsuid(0)
	}
	fn()
}

// What may not be read or written is an error, and stays as it is.
func TestDenied(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "index")
	h := closed(t, dir)
	for p := range counting(t, dir) {
		os.Chmod(filepath.Join(dir, p), 0o666)
	}
	os.Chmod(filepath.Join(dir, "lock"), 0o666)
	names, err := generations(dir)
	if err != nil {
		t.Fatal(err)
	}
	os.Chmod(base, 0o777)
	os.Chmod(dir, 0o777)
	os.Chmod(filepath.Join(dir, names[0]), 0o777)
	things := []string{".", "lock", names[0]}
	for p := range counting(t, dir) {
		things = append(things, p)
	}
	for _, p := range things {
		info, err := os.Stat(filepath.Join(dir, p))
		if err != nil {
			t.Fatal(err)
		}
		os.Chmod(filepath.Join(dir, p), 0)
		unprivileged(t, func() {
			x, err := Open(dir, Options{Timeout: 50 * time.Millisecond, Notice: func(f string, a ...any) { t.Errorf("%s: it said "+f, append([]any{p}, a...)...) }})
			if !errors.Is(err, memsync.CodeIODenied) {
				t.Errorf("%s: %v", p, err)
			}
			if err == nil {
				x.Close()
			}
		})
		os.Chmod(filepath.Join(dir, p), info.Mode())
	}
	x := openAt(t, dir)
	if got, err := answers(x); x.Stamp() != "r5" || err != nil || got != h.after["r5"] {
		t.Errorf("afterwards: %q %v", x.Stamp(), err)
	}
}
