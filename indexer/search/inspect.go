package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/blevesearch/bleve/v2/util"
	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

const rootFile = "root.bolt"

// inspect looks at a generation before scorch does, which takes much on trust:
// it maps files without looking at their checksums, prints what it cannot
// load, and then goes on with an older state or an empty one.
func inspect(dir string, closed *sealed, timeout time.Duration) error {
	root := filepath.Join(dir, rootFile)
	if closed != nil {
		switch sum, size, err := checksum(root); {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%w: %s is gone", errDamaged, rootFile)
		case err != nil:
			return err
		case size != closed.Size || sum != closed.Sum:
			return fmt.Errorf("%w: %s is not what was last written", errDamaged, rootFile)
		}
	}
	var files []string
	err := guarded(func() (err error) {
		files, err = walk(root, timeout)
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range files {
		if filepath.Base(name) != name {
			return fmt.Errorf("%w: it names %q", errDamaged, name)
		}
		if err := checkZap(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// walk reads all of root.bolt and gives the zap files of the newest state.
func walk(file string, timeout time.Duration) (files []string, err error) {
	db, err := bolt.Open(file, 0o600, &bolt.Options{Timeout: timeout, ReadOnly: true})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout), environment(err):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	defer func() {
		if cerr := db.Close(); err == nil {
			err = cerr
		}
	}()
	return files, db.View(func(tx *bolt.Tx) error {
		if err := tx.ForEach(func(_ []byte, b *bolt.Bucket) error { return walkBucket(b, 0) }); err != nil {
			return err
		}
		states := tx.Bucket(util.BoltSnapshotsBucket)
		if states == nil {
			return fmt.Errorf("%w: it is empty", errDamaged)
		}
		newest, _ := states.Cursor().Last()
		state := states.Bucket(newest)
		if state == nil {
			return fmt.Errorf("%w: it has no state", errDamaged)
		}
		return state.ForEachBucket(func(k []byte) error {
			if name := state.Bucket(k).Get(util.BoltPathKey); k[0] != util.BoltInternalKey[0] && k[0] != util.BoltMetaDataKey[0] {
				files = append(files, string(name))
			}
			return nil
		})
	})
}

func walkBucket(b *bolt.Bucket, depth int) error {
	if depth > 8 { // scorch's have three levels; pages in a ring have no end
		return fmt.Errorf("%w: its pages go in circles", errDamaged)
	}
	return b.ForEach(func(k, v []byte) error {
		if v != nil {
			return nil
		}
		sub := b.Bucket(k)
		if sub == nil {
			return fmt.Errorf("%w: a bucket is no bucket", errDamaged)
		}
		return walkBucket(sub, depth+1)
	})
}

// checkZap compares the checksum (CRC-32, big endian) at the end of a zap file
// with the file.
func checkZap(file string) error {
	damaged := func(what string) error { return fmt.Errorf("%w: %s %s", errDamaged, filepath.Base(file), what) }
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return damaged("is gone")
	}
	if err != nil {
		return readError(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return readError(err)
	}
	if !info.Mode().IsRegular() || info.Size() < 44 { // a footer alone
		return damaged("is cut short")
	}
	h := crc32.NewIEEE()
	if _, err := io.CopyBuffer(h, io.LimitReader(f, info.Size()-4), make([]byte, 1<<18)); err != nil {
		return readError(err)
	}
	var end [4]byte
	if _, err := io.ReadFull(f, end[:]); err != nil {
		return readError(err)
	}
	if binary.BigEndian.Uint32(end[:]) != h.Sum32() {
		return damaged("is not what was written")
	}
	return nil
}

func readError(err error) error {
	if environment(err) {
		return err
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}

// checksum is the CRC-32C and the size of a file.
func checksum(file string) (sum uint32, size int64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	h := crc32.New(castagnoli())
	size, err = io.Copy(h, f)
	return h.Sum32(), size, err
}
