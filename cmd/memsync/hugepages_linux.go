package main

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePages asks that the next bytes of the heap be backed by pages of 2 MiB. A
// short process that fills megabytes spends a third of its time on faults of
// 4 KiB pages otherwise. It is advice: a kernel that has none to give changes
// nothing.
func hugePages(bytes int) {
	// What was allocated and let go is where the heap grows next, untouched.
	room := make([]byte, bytes)
	unix.Madvise(unsafe.Slice(unsafe.SliceData(room), len(room)), unix.MADV_HUGEPAGE)
	room = nil
	runtime.GC()
}

// arena is the piece of the address space that Go's runtime takes for its heap at
// once on 64-bit systems (runtime, heapArenaBytes).
const arena = 64 << 20

// hugeHeap is hugePages for what a small process has from the start.
func hugeHeap() {
	here := uintptr(unsafe.Pointer(new([64]byte))) &^ (arena - 1)
	syscall.Syscall(syscall.SYS_MADVISE, here, arena, unix.MADV_HUGEPAGE)
}
