package keeper

import (
	"errors"
	"io/fs"
	"syscall"

	"memsync"
	"memsync/internal/diskfull"
)

// ioError gives a failure of the file system its code and its remedy.
func ioError(err error, p memsync.Path) error {
	if err == nil {
		return nil
	}
	var e *memsync.Error
	if errors.As(err, &e) {
		return err
	}
	switch {
	case diskfull.Is(err):
		return &memsync.Error{Code: memsync.CodeIOFull, Path: p, Err: err, Message: "the disk is full",
			Hint: "free some space and run the command again; nothing was lost"}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &memsync.Error{Code: memsync.CodeIODenied, Path: p, Err: err, Message: "not allowed",
			Hint: "check who owns the file and its directory, then run the command again"}
	default:
		return &memsync.Error{Code: memsync.CodeIO, Path: p, Err: err, Message: "the file system failed"}
	}
}
