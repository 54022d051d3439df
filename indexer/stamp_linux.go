package indexer

import (
	"fmt"
	"io/fs"
	"syscall"
)

// stampOf is one word that is another one after each write: the file's size, times
// and inode. A write shows in the second time whatever anybody sets the first to.
func stampOf(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d-%d.%09d-%d.%09d-%d", st.Size, st.Mtim.Sec, st.Mtim.Nsec, st.Ctim.Sec, st.Ctim.Nsec, st.Ino)
}
