package search

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"

	"memsync/internal/diskfull"
)

// The directory of an index:
//
//	lock            held by whoever has it open
//	manifest.json   which generation counts, and whether it was closed
//	index-<n>       a generation: scorch's root.bolt and *.zap
//
// A rebuild fills a new generation and then replaces the manifest, which is
// the swap. What a generation stands for (stamp, count) is inside it, written
// by the same transaction as the documents, so that a process killed anywhere
// leaves a state that says truly which it is.
//
// Zap files never change and end in a checksum of theirs; root.bolt changes
// always, so its checksum is in the manifest while the index is closed. A
// manifest without one means that a process died with the index open: then
// root.bolt is walked and every document counted instead.
//
// The swap waits for the disk. Marks of opening and closing don't: a power loss
// leaves an old mark, which says "open" (looked at closely) or has a checksum
// that no longer holds (rebuilt).

type manifest struct {
	Mapping int     // the version of fields and analysis
	Index   string  // name of the generation that counts
	Closed  *sealed `json:",omitempty"`
	Check   string  // CRC-32C of the rest, in hex
}

// sealed is what a generation was when it was closed.
type sealed struct {
	Size  int64  // of root.bolt
	Sum   uint32 // its CRC-32C
	Docs  int
	Stamp string
}

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

func (m manifest) check() string {
	m.Check = ""
	b, err := json.Marshal(m)
	if err != nil {
		panic("bug: a manifest is plain data: " + err.Error())
	}
	return fmt.Sprintf("%08x", crc32.Checksum(b, castagnoli()))
}

// readManifest gives fs.ErrNotExist for none, and errDamaged for one that makes
// no sense or is of another version.
func readManifest(dir string) (m manifest, err error) {
	b, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		if environment(err) || errors.Is(err, fs.ErrNotExist) {
			return m, err
		}
		return m, fmt.Errorf("%w: its manifest can't be read: %w", errDamaged, err)
	}
	switch err := json.Unmarshal(b, &m); {
	case err != nil:
		return m, fmt.Errorf("%w: its manifest is not one", errDamaged)
	case m.Check != m.check():
		return m, fmt.Errorf("%w: its manifest was changed", errDamaged)
	case m.Mapping != mapping:
		return m, fmt.Errorf("%w: it is of version %d, not %d", errDamaged, m.Mapping, mapping)
	case number(m.Index) < 0:
		return m, fmt.Errorf("%w: its manifest names no generation", errDamaged)
	}
	return m, nil
}

const manifestFile = "manifest.json"

// write replaces the manifest, atomically; durably if asked.
func (m manifest) write(dir string, durably bool) error {
	m.Mapping = mapping
	m.Check = m.check()
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, manifestFile+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already when all went well
	_, err = f.Write(b)
	if err == nil && durably {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, manifestFile))
	}
	if err == nil && durably {
		err = syncDir(dir)
	}
	return err
}

// overwrite writes a manifest over a longer one, in its place, where a full disk
// has no room for a second file. One that is torn by a power loss is not taken
// for a manifest.
func (m manifest) overwrite(dir string) error {
	m.Mapping = mapping
	m.Check = m.check()
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, manifestFile), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if n := st.Size() - int64(len(b)); n > 0 {
		b = append(b, bytes.Repeat([]byte(" "), int(n))...)
	}
	_, err = f.WriteAt(b, 0)
	return err
}

// syncDir makes what was renamed or created in a directory last. Where a
// directory can't be opened for that (Windows), renames last by themselves.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && (diskfull.Is(err) || errors.Is(err, os.ErrClosed)) {
		return err
	}
	return nil
}

// Made when they are first used: most commands search nothing.
var generationName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^index-([1-9][0-9]{0,8})$`) })

// number is a generation's, -1 for names of other things.
func number(name string) int {
	m := generationName().FindStringSubmatch(name)
	if m == nil {
		return -1
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return -1
	}
	return n
}

// totals is what a generation says of itself, in the transaction that made it
// so.
type totals struct {
	Mapping int
	Stamp   string
	Docs    int
	Lengths lengths // summed up over the documents
	Whole   bool    // false while the generation is being filled
}

var totalsKey = []byte("memsync")

func (t totals) encode() []byte {
	b, err := json.Marshal(t)
	if err != nil {
		panic("bug: totals are plain data: " + err.Error())
	}
	return b
}

func (t *totals) join(u totals) {
	t.Docs += u.Docs
	for i, n := range u.Lengths {
		t.Lengths[i] += n
	}
}

func (t *totals) add(l lengths, sign int) {
	t.Docs += sign
	for i := range l {
		t.Lengths[i] += sign * l[i]
	}
}
