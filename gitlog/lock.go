package gitlog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"memsync"
)

// Mark is what our lock files say: who holds them. A lock without one is
// somebody else's and is never touched.
type Mark struct {
	Machine string // which machine, hashed
	Boot    string // which start of it
	Space   string // which process id space (containers have their own)
	PID     int
	Start   string // when the process began, so that a reused pid is not taken for it
	Plan    string
}

const markHead = "memsync lock 1"

// Marker is the content of a lock file of this process for a plan.
func Marker(planID string) []byte {
	m := selfMark()
	m.Plan = planID
	return fmt.Appendf(nil, "%s\nmachine %s\nboot %s\nspace %s\npid %d\nstart %s\nplan %s\n",
		markHead, m.Machine, m.Boot, m.Space, m.PID, m.Start, oneWord(m.Plan))
}

func oneWord(s string) string {
	return strings.Map(func(c rune) rune {
		if c <= ' ' {
			return -1
		}
		return c
	}, s)
}

// ParseMarker reads a lock file; ok is false when it is not one of ours.
func ParseMarker(data []byte) (m Mark, ok bool) {
	text, found := strings.CutPrefix(string(data), markHead+"\n")
	if !found || !strings.HasSuffix(text, "\n") {
		return m, false
	}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "machine":
			m.Machine = value
		case "boot":
			m.Boot = value
		case "space":
			m.Space = value
		case "pid":
			pid, err := strconv.Atoi(value)
			if err != nil || pid <= 0 {
				return Mark{}, false
			}
			m.PID = pid
		case "start":
			m.Start = value
		case "plan":
			m.Plan = value
		}
	}
	return m, m.PID > 0
}

// who stands for a machine, its boot and a process id space in file names.
func (m Mark) who() string {
	sum := sha256.Sum256([]byte(m.Machine + "\x00" + m.Boot + "\x00" + m.Space))
	return hex.EncodeToString(sum[:6])
}

// Dead reports whether the process that wrote the mark is certainly gone. On
// another machine, or in another container, nobody here can know.
func (m Mark) Dead() bool {
	self := selfMark()
	if m.Machine != self.Machine {
		return false
	}
	if m.Boot != self.Boot && m.Boot != "" && self.Boot != "" {
		return true
	}
	if m.Space != self.Space {
		return false
	}
	if !alive(m.PID) {
		return true
	}
	start := processStart(m.PID)
	return m.Start != "" && start != "" && start != m.Start
}

// lockFile is a lock that this process holds.
type lockFile struct {
	path string
	info fs.FileInfo
}

// release removes the lock, once, and only if the file is still the one that
// was made: after a person removed it by hand, the next one with that name is
// somebody else's. (A deferred removal that came after git had taken the lock
// again once wedged one repository in three.)
func (l *lockFile) release() {
	if l == nil || l.info == nil {
		return
	}
	if now, err := os.Lstat(l.path); err == nil && os.SameFile(now, l.info) {
		os.Remove(l.path)
	}
	l.info = nil
}

// lock makes the lock file at path, waiting for others up to the repository's
// patience. from is a file with our mark: the lock is a hard link to it, so
// that no moment exists in which the lock is there without its mark.
func (r *Repo) lock(ctx context.Context, path, from string) (*lockFile, error) {
	deadline := time.Now().Add(r.lockWait)
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		l, err := makeLock(path, from)
		if err == nil {
			return l, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fault(memsync.CodeIOWrite, "locking "+r.short(path), err)
		}
		if removed, _ := r.removeStale(path); removed {
			continue
		}
		if !time.Now().Add(wait).Before(deadline) {
			return nil, r.locked(path)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

func makeLock(path, from string) (*lockFile, error) {
	err := os.Link(from, path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			err = os.Link(from, path)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrPermission) {
		err = copyLock(path, from) // a file system without hard links
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	return &lockFile{path: path, info: info}, nil
}

func copyLock(path, from string) error {
	mark, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(mark)
	if err := errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
		return err
	}
	return nil
}

// locked says who holds a lock, as far as it can be known.
func (r *Repo) locked(path string) error {
	e := &memsync.Error{Code: memsync.CodeGitLocked, Details: map[string]string{"file": path}}
	age := "of unknown age"
	if info, err := os.Lstat(path); err == nil {
		d := max(time.Since(info.ModTime()), 0).Round(time.Second)
		age = d.String() + " old"
		e.Details["age"] = d.String()
	}
	who := "by a process that left no name"
	if data, err := os.ReadFile(path); err == nil {
		if m, ok := ParseMarker(data); ok {
			who = fmt.Sprintf("by memsync, process %d", m.PID)
			e.Details["pid"] = strconv.Itoa(m.PID)
		}
	}
	e.Message = fmt.Sprintf("waiting for git: %s is held, %s, %s", r.short(path), age, who)
	e.Hint = "nothing was changed; run the command again; if no git command is running, remove " + path
	return e
}

// short names a file of the git directory as people know it.
func (r *Repo) short(path string) string {
	for _, dir := range []string{r.gitDir, r.common} {
		if rel, err := filepath.Rel(dir, path); err == nil && !strings.HasPrefix(rel, "..") {
			return filepath.ToSlash(rel)
		}
	}
	return path
}
