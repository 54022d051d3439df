//go:build !linux

package gitlog

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// diskOf: no other system promises an order, so every file is synced.
func diskOf(string) diskKind { return diskPlain }

func startWriteback(*os.File) {}

func waitWriteback(f *os.File) error { return f.Sync() }

// syncDir makes the names in a directory durable, where directories can be
// synced at all.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
