// Package plainfile reads and writes files that are no pipes and no devices. Package os
// does not know that, and has the system's poller asked about each: four calls more,
// and the poller made for the first, which is much for a program that ends after ten
// milliseconds.
package plainfile

import (
	"io"
	"os"
)

// Open is os.Open.
func Open(name string) (*os.File, error) { return open(name, os.O_RDONLY) }

// Read is os.ReadFile.
func Read(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := int64(0)
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	return ReadRest(f, size)
}

// ReadRest is io.ReadAll of a file that has about size bytes to be read: where it has
// no more, they are read in one call, into memory of that size.
func ReadRest(f *os.File, size int64) ([]byte, error) {
	data := make([]byte, 0, max(size+1, 512)) // one more, for the end to be seen
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return data, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

// Overwrite gives a file that is there other bytes, in place. It is for files of a
// moment: a file that is emptied first is, by ext4, put on the disk when it is closed.
func Overwrite(name string, data []byte) error {
	f, err := open(name, os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Truncate(int64(len(data)))
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
