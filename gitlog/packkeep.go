package gitlog

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"memsync"
)

// keepPack makes a pack that comes from outside one of the repository's, index
// and all, once every object in it was read and its checksum is right.
func (r *Repo) keepPack(from io.Reader) (err error) {
	dir := filepath.Join(r.common, "objects", "pack")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fault(memsync.CodeIOWrite, "keeping what was fetched", err)
	}
	f, err := os.CreateTemp(dir, "tmp_pack_")
	if err != nil {
		return fault(memsync.CodeIOWrite, "keeping what was fetched", err)
	}
	defer func() {
		f.Close()
		os.Remove(f.Name())
	}()
	n, err := io.Copy(f, from)
	if err != nil {
		return err
	}
	if n == 0 {
		return io.ErrUnexpectedEOF
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fault(memsync.CodeIORead, "reading what was fetched", err)
	}
	var index idxfile.Writer
	parser, err := packfile.NewParser(packfile.NewScanner(f), &index)
	if err != nil {
		return err
	}
	sum, err := parser.Parse()
	if err != nil {
		return err
	}
	made, err := index.Index()
	if err != nil {
		return err
	}
	var idx bytes.Buffer
	if _, err := idxfile.NewEncoder(&idx).Encode(made); err != nil {
		return err
	}
	name := filepath.Join(dir, "pack-"+sum.String())
	err = errors.Join(f.Chmod(0o444), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name+".pack")
	}
	if err == nil { // with the index the pack is there
		err = writeSynced(name+".idx", idx.Bytes())
	}
	if err == nil {
		err = syncDir(dir)
	}
	return fault(memsync.CodeIOWrite, "keeping what was fetched", err)
}

// writeSynced makes name hold data, whole or not at all.
func writeSynced(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "tmp_idx_")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o444), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
