package gitlog

import (
	"errors"
	"io/fs"
	"syscall"

	"memsync"
)

// fault turns an error of the file system into one with a code. what says what
// was being done, with the file's name; the store's own paths are not known
// here.
func fault(code memsync.Code, what string, err error) error {
	if err == nil {
		return nil
	}
	e := &memsync.Error{Code: code, Message: what, Err: err}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Code = memsync.CodeIOFull
		e.Hint = "nothing is lost; free some space, the write is tried again"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Code = memsync.CodeIODenied
		e.Hint = "nothing is lost; make the git directory writable, the write is tried again"
	}
	return e
}

// corrupt is the error for bytes in the git directory that make no sense.
func corrupt(message string, err error) error {
	return &memsync.Error{
		Code: memsync.CodeGitCorrupt, Message: message, Err: err,
		Hint: "nothing was changed; run `git fsck`",
	}
}
