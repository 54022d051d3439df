package gitlog

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"memsync/internal/plainfile"
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

// begin decompresses what follows.
func (f *inflater) begin() (err error) {
	if f.z == nil {
		f.z, err = zlib.NewReader(f.in)
	} else {
		err = f.z.(zlib.Resetter).Reset(f.in, nil)
	}
	return damaged(err)
}

// read decompresses what follows, which is size bytes.
func (f *inflater) read(size int64) ([]byte, error) {
	if err := f.begin(); err != nil {
		return nil, err
	}
	data, err := readExactly(f.z, size)
	return data, damaged(err)
}

// loose reads an object that is a file of its own: its header and its content,
// compressed as one.
func (f *inflater) loose(name string) (typ string, data []byte, err error) {
	file, err := plainfile.Open(name)
	if err != nil {
		return "", nil, err
	}
	defer file.Close()
	f.from(file)
	if err := f.begin(); err != nil {
		return "", nil, err
	}
	head := make([]byte, 0, longestHeader)
	for !bytes.HasSuffix(head, []byte{0}) {
		if len(head) == cap(head) {
			return "", nil, io.ErrUnexpectedEOF
		}
		head = head[:len(head)+1]
		if _, err := io.ReadFull(f.z, head[len(head)-1:]); err != nil {
			return "", nil, damaged(err)
		}
	}
	typ, count, _ := strings.Cut(string(head[:len(head)-1]), " ")
	size, err := strconv.ParseInt(count, 10, 64)
	if err != nil || size < 0 || typ == "" || !slices.Contains(packTypes[:], typ) {
		return "", nil, io.ErrUnexpectedEOF
	}
	data, err = readExactly(f.z, size)
	return typ, data, damaged(err)
}

// longestHeader is "commit", a space, the digits of the largest int64, and a NUL.
const longestHeader = 6 + 1 + 19 + 1

// damaged is what the compressor says of broken bytes, as one error; what the
// system says of the file stays.
func damaged(err error) error {
	if err != nil && !errors.As(err, new(*fs.PathError)) {
		return io.ErrUnexpectedEOF
	}
	return err
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
