package prefault

import (
	"os"
	"syscall"
	"unsafe"
)

// The heap of a short command is in one or two large pages of this size, in bytes. Where
// they are not to be had, the first megabyte, of which `memsync --help` touches nearly
// all, is mapped in small ones.
const (
	large = 2 << 20
	small = 1 << 20
)

// What Linux is advised: to back memory with large pages when it is touched; since
// 5.14 to map what a range holds, to be read or written; since 6.1 to move a range
// into a large page. An older system refuses it, and nothing is lost.
const (
	hugePage      = 14
	populateRead  = 22
	populateWrite = 23
	collapse      = 25
)

// first is on the heap, where what comes next will be too.
var first *[1024]byte

func init() {
	for _, arg := range os.Args {
		if arg == "up" {
			return // it stays, and what it never touches would count as its own
		}
	}
	first = new([1024]byte)
	at := uintptr(unsafe.Pointer(first))
	if advise(at&^(large-1), large, collapse) != nil {
		advise(at&^uintptr(syscall.Getpagesize()-1), small, populateWrite)
	}
	advise(at&^(large-1)+large, large, hugePage)
	if from, to := code(); from < to {
		advise(from, to-from, populateRead)
	}
}

// advise changes no byte, so whether it was heard does not matter.
func advise(from, n, advice uintptr) error {
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
