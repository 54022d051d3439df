package pages

import (
	"runtime"
	"runtime/debug"
	"unsafe"

	bolt "go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// Return gives back the pages of the mapped file. They stay in the system's
// cache, and the next look finds them there. Pages that were looked at count as
// the process's own until then.
func Return(db *bolt.DB) error {
	return db.View(func(tx *bolt.Tx) error { // inside a transaction the mapping stays where it is
		// An error leaves everything as it is.
		unix.Syscall(unix.SYS_MADVISE, db.Info().Data, uintptr(tx.Size()), unix.MADV_DONTNEED)
		return nil
	})
}

// Heap asks that the next n bytes of the heap be backed by large pages, and maps
// what comes before the first whole one. A short process that fills megabytes spends a
// third of its time on faults of small pages otherwise.
func Heap(n int) {
	// What was allocated and let go is where the heap grows next, untouched. One
	// collection lets it go; the room itself must not bring on another.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	room := make([]byte, n)
	unix.Madvise(unsafe.Slice(unsafe.SliceData(room), len(room)), unix.MADV_HUGEPAGE)
	if skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(room)))) & (Large - 1); skip < n {
		unix.Madvise(unsafe.Slice(unsafe.SliceData(room), skip), unix.MADV_POPULATE_WRITE)
	}
	room = nil
	runtime.GC()
}

// Bytes are n bytes, in large pages where they fill a good part of one.
func Bytes(n int) []byte {
	if n < Large/4 {
		return make([]byte, n)
	}
	room := make([]byte, n+Large) // untouched memory costs nothing
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(room)))) & (Large - 1)
	room = room[skip : skip+n : skip+n]
	// Whole pages: the last one may reach over what lies behind.
	unix.Syscall(unix.SYS_MADVISE, uintptr(unsafe.Pointer(unsafe.SliceData(room))), uintptr((n+Large-1)&^(Large-1)), unix.MADV_HUGEPAGE)
	return room
}
