package gitlog

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"io/fs"
	"sync"
)

// inflaters are those that nobody uses just now.
var inflaters = sync.Pool{New: func() any { return &inflater{} }}

// inflater decompresses one entry after the other in the same buffers.
type inflater struct {
	in *bufio.Reader
	z  io.ReadCloser
}

// from begins to read; what stands before the compressed bytes is taken from
// the reader that it returns.
func (f *inflater) from(r io.Reader) *bufio.Reader {
	if f.in == nil {
		f.in = bufio.NewReader(nil)
	}
	f.in.Reset(r)
	return f.in
}

// read decompresses what follows, which is size bytes.
func (f *inflater) read(size int64) ([]byte, error) {
	var err error
	if f.z == nil {
		f.z, err = zlib.NewReader(f.in)
	} else {
		err = f.z.(zlib.Resetter).Reset(f.in, nil)
	}
	if err != nil {
		return nil, io.ErrUnexpectedEOF // no such bytes: damage
	}
	data, err := readExactly(f.z, size)
	if err != nil && !errors.As(err, new(*fs.PathError)) {
		err = io.ErrUnexpectedEOF // what zlib says of broken bytes
	}
	return data, err
}

// readExactly reads an object of that size. What a broken header claims is not
// believed before the bytes are there.
func readExactly(r io.Reader, size int64) ([]byte, error) {
	if size > believed {
		var data bytes.Buffer
		data.Grow(believed + bytes.MinRead)
		if _, err := data.ReadFrom(io.LimitReader(r, size+1)); err != nil {
			return nil, err
		}
		if int64(data.Len()) != size {
			return nil, io.ErrUnexpectedEOF
		}
		return data.Bytes(), nil
	}
	if size < 0 {
		return nil, io.ErrUnexpectedEOF
	}
	data := make([]byte, size+1) // one more: it must end there
	for n := 0; ; {
		m, err := r.Read(data[n:])
		switch n += m; {
		case int64(n) > size:
			return nil, io.ErrUnexpectedEOF
		case err == io.EOF && int64(n) == size:
			return data[:n], nil
		case err == io.EOF:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		}
	}
}

// believed is the size up to which a header's word is taken for it.
const believed = 64 << 10
