package prefault

import (
	"os"
	"syscall"
	"unsafe"
)

// heap is how much of the heap is mapped, in bytes: what `memsync --help` touches.
const heap = 1 << 20

// The advice of Linux 5.14 and later that maps what a range of memory holds, to be
// read or written. An older system refuses it, and nothing is lost.
const (
	populateRead  = 22
	populateWrite = 23
)

// first is on the heap, where what comes next will be too.
var first *[1024]byte

func init() {
	if len(os.Args) > 1 && os.Args[1] == "up" {
		return // it stays, and what it never touches would count as its own
	}
	first = new([1024]byte)
	advise(uintptr(unsafe.Pointer(first))&^4095, heap, populateWrite)
	if from, to := code(); from < to {
		advise(from, to-from, populateRead)
	}
}

// advise changes no byte, so whether it was heard does not matter.
func advise(from, n uintptr, advice uintptr) error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_MADVISE, from, n, advice); errno != 0 {
		return errno
	}
	return nil
}

// code is where the program's code is mapped: the first lines of this process's
// mappings are those of the program, and one of them may be executed.
func code() (from, to uintptr) {
	fd, err := syscall.Open("/proc/self/maps", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0, 0
	}
	defer syscall.Close(fd)
	var head [512]byte
	n, err := syscall.Read(fd, head[:])
	if err != nil {
		return 0, 0
	}
	return executable(head[:n])
}

// executable is the first range that may be executed, of lines as
// "00400000-00bc9000 r-xp 00000000 fe:00 247278 /usr/bin/memsync"; 0, 0 if none of
// them is.
func executable(maps []byte) (from, to uintptr) {
	for len(maps) > 0 {
		var ok bool
		if from, maps, ok = hex(maps, '-'); !ok {
			break
		}
		if to, maps, ok = hex(maps, ' '); !ok {
			break
		}
		if len(maps) > 2 && maps[2] == 'x' {
			return from, to
		}
		for len(maps) > 0 && maps[0] != '\n' {
			maps = maps[1:]
		}
		if len(maps) > 0 {
			maps = maps[1:]
		}
	}
	return 0, 0
}

// hex reads a number up to end, and returns what follows.
func hex(s []byte, end byte) (n uintptr, rest []byte, ok bool) {
	for i, c := range s {
		switch {
		case c == end:
			return n, s[i+1:], i > 0
		case c >= '0' && c <= '9':
			n = n<<4 | uintptr(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | uintptr(c-'a'+10)
		default:
			return 0, nil, false
		}
	}
	return 0, nil, false
}
