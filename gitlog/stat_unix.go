//go:build unix

package gitlog

import (
	"bytes"
	"io"
	"os"
	"syscall"
	"time"
)

// unixModes: files have executable bits.
const unixModes = true

// statIfSame is what the index may remember of a file whose bytes are content:
// its stat, taken before and after reading, so that a save in between is not
// taken for clean. In every other case it is zero, and git looks for itself.
func statIfSame(file string, content []byte) fileStat {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(content)) {
		return fileStat{}
	}
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fileStat{}
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return fileStat{}
	}
	buf := make([]byte, len(content)+1)
	n, err := io.ReadFull(f, buf)
	if err != io.ErrUnexpectedEOF && err != io.EOF || !bytes.Equal(buf[:n], content) {
		return fileStat{}
	}
	after, err := f.Stat()
	if err != nil {
		return fileStat{}
	}
	b, ok := before.Sys().(*syscall.Stat_t)
	a, ok2 := after.Sys().(*syscall.Stat_t)
	if !ok || !ok2 || statOf(b) != statOf(a) {
		return fileStat{}
	}
	// A file that changed in the same tick of the kernel's clock keeps its
	// time. git trusts a time only if the index was written in a later second,
	// so the one dangerous moment is the end of a second.
	now := time.Now()
	if now.Sub(after.ModTime()) < 20*time.Millisecond && now.Nanosecond() > int(900*time.Millisecond) {
		return fileStat{}
	}
	return statOf(a)
}
