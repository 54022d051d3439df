package watcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// backend is what gives the events here.
const backend = "inotify"

const maxWatches = "/proc/sys/fs/inotify/max_user_watches"

// allowed is how many directories one user may watch; 0 when nobody says.
func allowed() int {
	data, err := os.ReadFile(maxWatches)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return n
}

// full reports whether a watch was refused because there are too many.
func full(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENOMEM)
}

// tooMany says how many watches would do. The system's own words are "no space
// left on device".
func (w *Watch) tooMany() string {
	need := 0
	for _, top := range w.place.tops(w.exists) {
		_ = filepath.WalkDir(w.place.abs(top), func(_ string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				if e.Name() == ".git" {
					return filepath.SkipDir
				}
				need++
			}
			return nil
		})
	}
	return fmt.Sprintf("%d directories are to be watched, and fs.inotify.max_user_watches (%d for all programs of this user) is used up: "+
		"`sysctl fs.inotify.max_user_watches=%d`", need, allowed(), max(2*allowed(), 4*need))
}

// silent reports whether a magic number is that of a file system whose changes by
// others give no events (statfs(2), and v9fs, fuse and vboxsf by their sources).
func silent(magic int64) bool {
	switch magic {
	case 0x6969, 0xff534d42, 0xfe534d42, 0x517b, // nfs, cifs, smb2, smb
		0x01021997, // 9p, which WSL uses
		0x786f4256, // vboxsf
		0x65735546: // fuse: sshfs and the like
		return true
	}
	return false
}

// hasEvents reports whether the file system tells of changes.
func hasEvents(root string) bool {
	var st unix.Statfs_t
	if err := unix.Statfs(root, &st); err != nil {
		return true
	}
	return !silent(int64(uint32(st.Type)))
}
