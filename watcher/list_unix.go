//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package watcher

import "io/fs"

// list yields what is in d, in no order, with what the directory says that it is:
// 0 for a regular file, irregular where it does not say.
func (d *folder) list(_ []byte, yield func(name []byte, kind fs.FileMode)) error {
	entries, err := d.file.ReadDir(-1)
	for _, e := range entries {
		yield([]byte(e.Name()), e.Type())
	}
	return err
}
