package watcher

import (
	"io/fs"
	"os"
	"syscall"
)

func statOf(info fs.FileInfo) Stat {
	st := Stat{Size: info.Size(), MTime: info.ModTime().UnixNano(), Mode: uint32(info.Mode())}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		st.CTime, st.Inode = sys.Ctim.Nano(), sys.Ino
	}
	return st
}

func openNoFollow(full string) (*os.File, error) {
	return os.OpenFile(full, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}
