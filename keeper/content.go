package keeper

import (
	"errors"
	"io/fs"
	"os"

	"memsync"
	"memsync/internal/format"
)

// onDisk reads a file of the store as it is now; nil, "" when there is none.
// What is no file is none: a FIFO in its place would never end.
func (k *Keeper) onDisk(p memsync.Path) ([]byte, memsync.Hash, error) {
	if st, err := os.Stat(k.abs(p)); err == nil && !st.Mode().IsRegular() {
		return nil, "", nil
	}
	data, err := os.ReadFile(k.abs(p))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", ioError(err, p)
	}
	return data, memsync.HashOf(data), nil
}

// accepted reads the last accepted bytes of a path, wherever they are: on
// disk, in git, or in the journal. Nil when nothing was accepted there.
func (k *Keeper) accepted(p memsync.Path) ([]byte, memsync.Hash, error) {
	hash, blob, ok := k.catalog.Accepted(p)
	if !ok {
		return nil, "", nil
	}
	data, err := k.bytesOf(p, hash, blob)
	return data, hash, err
}

// bytesOf finds bytes by their names.
func (k *Keeper) bytesOf(p memsync.Path, hash memsync.Hash, blob string) ([]byte, error) {
	if data, h, err := k.onDisk(p); err == nil && h == hash && data != nil {
		return data, nil
	}
	if blob != "" {
		if data, err := k.repo.Blob(blob); err == nil {
			return data, nil
		}
	}
	data, ok, err := k.journal.Content(hash)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &memsync.Error{Code: memsync.CodeGitCorrupt, Path: p,
			Message: "the last accepted version is neither in git nor in the journal",
			Hint:    "run `git fsck` in the store"}
	}
	return data, nil
}

// Read gives the accepted bytes of a memory.
func (k *Keeper) Read(m *memsync.Memory) ([]byte, error) { return k.bytesOf(m.Path, m.Hash, m.Blob) }

// body is the text of a memory, for comparing.
func (k *Keeper) body(m *memsync.Memory) (string, error) {
	data, err := k.Read(m)
	if err != nil {
		return "", err
	}
	doc, err := format.Parse(data, k.Store.Policy.Limits)
	if err != nil {
		return "", nil // unreadable at HEAD: nothing to compare with
	}
	return doc.Body(), nil
}
