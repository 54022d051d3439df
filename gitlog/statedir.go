package gitlog

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
)

// StateDir is where this clone keeps what is its own: <git-dir>/memsync, or on
// a network file system $XDG_STATE_HOME/memsync/<clone>, where <clone> stands
// for the git directory's place and inode. It is made, with mode 0700, on the
// first call; making it may fail (a read-only git directory), which the first
// write into it will say.
func (r *Repo) StateDir() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state == "" {
		r.state = filepath.Join(r.gitDir, "memsync")
		if r.disk == diskNetwork {
			if state := r.env.xdg("XDG_STATE_HOME", filepath.Join(".local", "state")); state != "" {
				r.state = filepath.Join(state, "memsync", r.cloneName())
			}
		}
	}
	if info, err := os.Lstat(r.state); err != nil || info.Mode().Perm() != 0o700 {
		_ = os.MkdirAll(r.state, 0o700)
		_ = os.Chmod(r.state, 0o700)
	}
	return r.state
}

func (r *Repo) cloneName() string {
	key := r.gitDir
	if info, err := os.Stat(r.gitDir); err == nil {
		key += "\x00" + strconv.FormatUint(inode(info), 10)
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:8])
}
