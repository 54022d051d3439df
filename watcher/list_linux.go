package watcher

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// list yields what is in d, in no order, with what the directory says that it is:
// 0 for a regular file, irregular where it does not say. A name is good until
// the next one. room, of listRoom bytes, is to be used again.
//
// It is os.File.ReadDir without a piece of memory for each name: in a store of
// 10,000 files that memory was a tenth of what a scan costs.
func (d *folder) list(room []byte, yield func(name []byte, kind fs.FileMode)) error {
	const reclen, typ, text = 16, 18, 19 // offsets in a linux_dirent64, see getdents64(2)
	for {
		n, err := again(func() (int, error) { return unix.ReadDirent(d.fd, room) })
		if err != nil {
			return &fs.PathError{Op: "readdirent", Path: d.file.Name(), Err: err}
		}
		if n <= 0 {
			return nil
		}
		for b := room[:n]; len(b) > text; {
			size := int(binary.NativeEndian.Uint16(b[reclen:]))
			if size <= text || size > len(b) {
				return &fs.PathError{Op: "readdirent", Path: d.file.Name(), Err: os.ErrInvalid}
			}
			name, _, _ := bytes.Cut(b[text:size], []byte{0})
			if s := string(name); s != "." && s != ".." {
				yield(name, kindOf(b[typ]))
			}
			b = b[size:]
		}
	}
}

func kindOf(typ byte) fs.FileMode {
	switch typ {
	case unix.DT_REG:
		return 0
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	case unix.DT_FIFO:
		return fs.ModeNamedPipe
	case unix.DT_SOCK:
		return fs.ModeSocket
	case unix.DT_CHR, unix.DT_BLK:
		return fs.ModeDevice
	}
	return fs.ModeIrregular
}
