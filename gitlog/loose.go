package gitlog

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"memsync"
)

// compressor packs at level 1, which is what git itself uses for loose objects
// (core.looseCompression): a tree of 10,000 files takes 40 ms at the default
// level, and every commit below it writes one. Its tables are 1 MB, so there
// is one, and it is kept.
type compressor struct {
	z   *zlib.Writer
	buf bytes.Buffer
}

// pack is a loose object's bytes, good until the next one.
func (c *compressor) pack(o newObject) []byte {
	c.buf.Reset()
	if c.z == nil {
		z, err := zlib.NewWriterLevel(&c.buf, zlib.BestSpeed)
		if err != nil {
			panic("bug: zlib does not know its own level: " + err.Error())
		}
		c.z = z
	}
	c.z.Reset(&c.buf)
	c.z.Write(header(o.typ, len(o.data)))
	c.z.Write(o.data)
	c.z.Close()
	return c.buf.Bytes()
}

// writeObjects writes objects that are not there yet, many of them as one pack:
// thousands of files are slow to write, to read and to push. Afterwards each is under
// its name, and a later sync of a file that is created after this call makes
// all of them durable (see settler). Existing ones are marked as used, so that
// a running gc leaves them alone. Called with r.commits held.
func (r *Repo) writeObjects(objs []newObject, s *settler) error {
	packed := r.packable(objs)
	if packed {
		if err := r.writePack(objs, s); err != nil {
			return err
		}
		defer r.objects.changed()
	} else if err := r.writeLoose(objs, s); err != nil {
		return err
	}
	if err := s.flush(); err != nil {
		return fault(memsync.CodeIOWrite, "writing git objects", err)
	}
	// Under their names only once their bytes are on their way to the disk: a
	// name with half an object behind it would be worse than none.
	for _, t := range s.takeRenames() {
		if err := os.Rename(t.from, t.to); err != nil {
			return fault(memsync.CodeIOWrite, "writing git objects", err)
		}
		if packed {
			r.step("pack")
		}
	}
	return nil
}

// writeLoose writes each object as a file of its own.
func (r *Repo) writeLoose(objs []newObject, s *settler) error {
	for _, o := range objs {
		if err := r.writeObject(o, s); err != nil {
			return err
		}
		if len(s.files) == openFiles {
			if err := s.flush(); err != nil {
				return fault(memsync.CodeIOWrite, "writing git objects", err)
			}
		}
	}
	return nil
}

func (r *Repo) writeObject(o newObject, s *settler) error {
	file := looseFile(r.common, o.id)
	now := time.Now()
	if err := os.Chtimes(file, now, now); err == nil {
		return s.existing(file)
	}
	dir := filepath.Dir(file)
	tmp, err := os.CreateTemp(dir, "tmp_obj_") // git prune knows this name
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.Mkdir(dir, 0o777); err == nil || errors.Is(err, fs.ErrExist) {
			s.dir(filepath.Dir(dir))
			tmp, err = os.CreateTemp(dir, "tmp_obj_")
		}
	}
	if err != nil {
		return fault(memsync.CodeIOWrite, "writing git objects", err)
	}
	_, err = tmp.Write(r.packer.pack(o))
	if err == nil {
		err = tmp.Chmod(0o444)
	}
	if err != nil {
		tmp.Close()
		os.Remove(tmp.Name())
		return fault(memsync.CodeIOWrite, "writing git objects", err)
	}
	s.add(tmp, file)
	return nil
}
