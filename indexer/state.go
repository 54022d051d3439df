package indexer

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// The catalog never waits for the disk: it is disposable, and an fsync would
// cost more than everything else it does. What that could leave behind is
// found by a small file beside it, catalog.db.state, which needs no fsync
// either:
//
//	clean <size> <sum> <boot> <stamp>   closed; the first size bytes have that CRC-32C
//	open <boot>                         being written, since the machine's boot of that name
//
// The stamp is what the system said of the file then (its times, its inode); the
// boot and the stamp are absent where one is not known. As long as both are the
// same nobody has written, and the sum need not be made: it costs more than all else
// that a command with nothing to do does.
//
// A process that dies leaves "open" with this boot's name: the kernel has all
// its writes, the last transaction is whole or absent, and every record is
// read once to be sure. After a power loss the file says "open" with another
// boot's name, or still "clean" from before (then the sum tells whether any
// later page reached the disk), or nothing readable: all but a matching sum
// mean that the catalog is made anew. The sum also finds what no header shows:
// flipped bits, pages of zeros, a catalog that was cut or copied in part.

type health int

const (
	whole   health = iota // closed and unchanged since, or not there at all
	crashed               // its process died, or lives; the machine did not go down
)

func stateFile(file string) string { return file + ".state" }

// inspect looks at the catalog without opening it. Damage is ErrDamaged; what
// could not be looked at is another error.
func inspect(file, boot string) (health, error) {
	state, err := os.ReadFile(stateFile(file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, wrap(err)
	}
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		if state != nil {
			return 0, fmt.Errorf("%w: it is gone", ErrDamaged)
		}
		return whole, nil
	}
	if err != nil {
		return 0, wrap(err)
	}
	if name, ok := strings.CutPrefix(string(state), "open "); ok {
		if name = strings.TrimSuffix(name, "\n"); name == "" || name != boot {
			return 0, fmt.Errorf("%w: the machine went down while it was written", ErrDamaged)
		}
		return crashed, nil
	}
	var size int64
	var want uint32
	var since, stamp string
	if n, err := fmt.Sscanf(string(state), "clean %d %x %s %s\n", &size, &want, &since, &stamp); n != 2 && err != nil {
		return 0, fmt.Errorf("%w: nothing says that it is whole", ErrDamaged)
	}
	if stamp != "" && since == boot && stamp == stampOf(info) {
		return whole, nil
	}
	got, err := sum(file, size)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("%w: it was cut short", ErrDamaged)
	case err != nil:
		return 0, wrap(err)
	case got != want:
		err = fmt.Errorf("%w: it is not what was last written", ErrDamaged)
	}
	if err != nil {
		// Perhaps its owner has begun to write since we read the state.
		if now, rerr := os.ReadFile(stateFile(file)); rerr == nil && string(now) == "open "+boot+"\n" && boot != "" {
			return crashed, nil
		}
	}
	return whole, err
}

// seal notes that the catalog is whole.
func seal(file, boot string, size int64) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	s, err := sum(file, size)
	if err != nil {
		return err
	}
	line := fmt.Sprintf("clean %d %08x", size, s)
	if stamp := stampOf(info); boot != "" && stamp != "" {
		line += " " + boot + " " + stamp
	}
	return os.WriteFile(stateFile(file), []byte(line+"\n"), 0o600)
}

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// sum is the CRC-32C of the first size bytes; io.ErrUnexpectedEOF when there
// are fewer.
func sum(file string, size int64) (uint32, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	h := crc32.New(castagnoli())
	n, err := io.Copy(h, bufio.NewReaderSize(io.LimitReader(f, size), 1<<16))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	return h.Sum32(), err
}
