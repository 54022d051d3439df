package gitlog

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memsync"
)

// editConfig changes the repository's own configuration, the one that all its
// worktrees share, as `git config` does: under config.lock, which is renamed over
// the file. The git binary is not needed. change is told the file's text behind
// a BOM. What it makes is read again before it counts: a file in which anything
// but the sections named would mean something else afterwards is left as it was.
func (r *Repo) editConfig(sections []string, change func(text string) string) error {
	file := filepath.Join(r.common, "config")
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	lock, err := os.OpenFile(file+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return &memsync.Error{Code: memsync.CodeGitLocked, Message: file + ".lock is held: another git command is changing the configuration"}
	}
	if err != nil {
		return fault(memsync.CodeIOWrite, "locking git's configuration", err)
	}
	moved := false
	defer func() {
		lock.Close()
		if !moved {
			os.Remove(lock.Name())
		}
	}()
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault(memsync.CodeIORead, "reading git's configuration", err)
	}
	text, bom := strings.CutPrefix(string(old), "\ufeff")
	now := change(text)
	if now == text {
		return nil
	}
	if bom {
		now = "\ufeff" + now
	}
	if !sameOutside([]byte(now), old, sections) {
		return &memsync.Error{Code: memsync.CodeGit, Message: file + " is written in a way that can't be edited safely here, so it stays as it is",
			Hint: "use `git config` for " + strings.Join(sections, ", ")}
	}
	if info, err := os.Stat(file); err == nil {
		_ = lock.Chmod(info.Mode().Perm()) // as git does
	}
	_, err = lock.WriteString(now)
	if err = errors.Join(err, lock.Sync(), lock.Close()); err == nil {
		err = os.Rename(lock.Name(), file)
		moved = err == nil
	}
	if err != nil {
		return fault(memsync.CodeIOWrite, "writing git's configuration", err)
	}
	return syncDir(filepath.Dir(file))
}

// sameOutside reports whether two configurations say the same but for some
// sections.
func sameOutside(a, b []byte, sections []string) bool {
	return maps.EqualFunc(outside(a, sections), outside(b, sections), slices.Equal)
}

func outside(data []byte, sections []string) map[string][]string {
	out := map[string][]string{}
	parseConfig(data, func(key, value string) {
		for _, s := range sections {
			if rest, ok := strings.CutPrefix(key, s+"."); ok && !strings.Contains(rest, ".") {
				return
			}
		}
		out[key] = append(out[key], value)
	})
	return out
}
