package gitlog

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func exchange(dir int, a, b string) error {
	return unix.Renameat2(dir, a, dir, b, unix.RENAME_EXCHANGE)
}

func renameNoReplace(dir int, from, to string) error {
	return unix.Renameat2(dir, from, dir, to, unix.RENAME_NOREPLACE)
}

// beingWritten reports whether anybody has the file open for writing. A read
// lease is only granted while nobody does; it goes with the close. Where leases
// do not exist (network file systems, somebody else's file) the answer is no.
func beingWritten(f *os.File) bool {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return errors.Is(err, unix.EAGAIN)
}
