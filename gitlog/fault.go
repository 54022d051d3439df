package gitlog

import (
	"errors"
	"io/fs"
	"syscall"

	"memsync"
	"memsync/internal/diskfull"
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
	case diskfull.Is(err):
		e.Code = memsync.CodeIOFull
		e.Hint = "nothing was changed; free some space, then run the command again: a save waits on disk and is taken then"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Code = memsync.CodeIODenied
		e.Hint = "nothing was changed; make the git directory writable, then run the command again: a save waits on disk and is taken then"
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
