package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	bolterrors "go.etcd.io/bbolt/errors"

	"memsync"
	"memsync/internal/diskfull"
)

// ErrRebuild is wrapped by errors of an index that has nothing to search in:
// new, damaged, of another version, or deleted while it was open. Rebuild heals
// it.
var ErrRebuild = errors.New("the search index must be rebuilt")

// errDamaged is wrapped by whatever says that the files make no sense. It never
// leaves the package: it becomes a Notice and ErrRebuild.
var errDamaged = errors.New("the search index is damaged")

var errClosed = errors.New("the search index is closed")

// outside are the error numbers that say nothing about the index: files that may
// not be read or written, a full disk, no more file handles or memory. Nothing
// is removed for these.
var outside = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EACCES, syscall.EPERM, syscall.EROFS, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO}

// environment reports an error that rebuilding would not heal.
func environment(err error) bool {
	return errors.Is(err, fs.ErrPermission) || diskfull.Is(err) || slices.ContainsFunc(outside, func(no syscall.Errno) bool { return errors.Is(err, no) })
}

// unflattened gives an error of scorch its number back, which scorch lost: it
// says "persist err: %v".
func unflattened(err error) error {
	if err == nil || environment(err) {
		return err
	}
	for _, no := range outside {
		if strings.HasSuffix(err.Error(), ": "+no.Error()) {
			return &flattened{err, no}
		}
	}
	return err
}

type flattened struct {
	error
	no syscall.Errno
}

func (f *flattened) Unwrap() []error { return []error{f.error, f.no} }

// busy is what a lock that somebody else holds becomes.
func busy() error {
	return &memsync.Error{Code: memsync.CodeStoreBusy, Message: "the search index is held by another process", Hint: "try again when it has finished"}
}

func isTimeout(err error) bool { return errors.Is(err, bolterrors.ErrTimeout) }

// wrap gives an error of the outside world its code.
func wrap(err error) error {
	var e *memsync.Error
	switch {
	case err == nil, errors.Is(err, ErrRebuild), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.As(err, &e):
		return err
	case isTimeout(err):
		return busy()
	}
	code := memsync.CodeIO
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		code = memsync.CodeIODenied
	case diskfull.Is(err):
		code = memsync.CodeIOFull
	}
	return &memsync.Error{Code: code, Message: "the search index can't be read or written", Err: err,
		Hint: "see that the store's git directory is writable and has room; the index can be rebuilt at any time"}
}

// guarded turns a panic of scorch, zap or bbolt on bytes that make no sense, or
// a fault in a mapped file that was cut, into errDamaged. It sees its own
// goroutine only.
func guarded(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errDamaged, r)
		}
	}()
	return fn()
}
