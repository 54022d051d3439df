//go:build !linux

package watcher

import (
	"errors"
	"io/fs"
	"os"
)

func statOf(info fs.FileInfo) Stat {
	return Stat{Size: info.Size(), MTime: info.ModTime().UnixNano(), Mode: uint32(info.Mode())}
}

func openNoFollow(full string) (*os.File, error) {
	info, err := os.Lstat(full)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("no regular file")
	}
	return os.Open(full)
}
