package journal

import (
	bolt "go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// unmap gives back the pages of the mapped file. They stay in the system's
// cache, and the next look finds them there. Inside a transaction the mapping
// stays where it is.
func unmap(db *bolt.DB, tx *bolt.Tx) {
	// An error leaves everything as it is.
	unix.Syscall(unix.SYS_MADVISE, db.Info().Data, uintptr(tx.Size()), unix.MADV_DONTNEED)
}
