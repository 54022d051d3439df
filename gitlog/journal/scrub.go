package journal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"

	"memsync"
)

// Scrub makes the journal forget memories, and files that have no id: every
// content that was theirs, what generated files said of them, and the texts in
// their decisions. Ids, paths, hashes and codes stay. Afterwards the file is
// rewritten, so that no free page keeps what was said.
func (j *Journal) Scrub(ids []memsync.ID, paths []memsync.Path) error {
	if err := j.update(func(tx *bolt.Tx) error { return scrub(tx, ids, paths) }); err != nil {
		return err
	}
	return j.Compact()
}

// forgotten is what one scrubbing looks for.
type forgotten struct {
	ids    map[memsync.ID]bool
	paths  map[memsync.Path]bool
	hashes map[memsync.Hash]bool
	names  [][]byte // file names and ids, as generated files mention them
	lines  map[string]bool
}

func scrub(tx *bolt.Tx, ids []memsync.ID, paths []memsync.Path) error {
	if len(ids) == 0 && len(paths) == 0 {
		return nil
	}
	if err := tx.Bucket(bucketMeta).Put(keyCompact, []byte{1}); err != nil {
		return err
	}
	f := &forgotten{map[memsync.ID]bool{}, map[memsync.Path]bool{}, map[memsync.Hash]bool{}, nil, map[string]bool{}}
	for _, id := range ids {
		f.ids[id] = true
	}
	for _, p := range paths {
		f.paths[p] = true
	}
	if err := f.scrubDecisions(tx); err != nil {
		return err
	}
	for id := range f.ids {
		f.names = append(f.names, []byte(id))
	}
	for p := range f.paths {
		f.names = append(f.names, []byte(p.Base()))
	}
	if err := f.scrubHeld(tx); err != nil {
		return err
	}
	return f.scrubContents(tx)
}

// scrubDecisions blanks the texts in decisions about the forgotten, and
// collects their paths and the hashes of every version.
func (f *forgotten) scrubDecisions(tx *bolt.Tx) error {
	b := tx.Bucket(bucketDecisions)
	type change struct{ key, value []byte }
	var changes []change
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if !f.mentioned(v) {
			continue
		}
		h, body, err := splitDecision(v)
		if err != nil {
			return err
		}
		var rec decisionRecord
		if err := json.Unmarshal(body, &rec); err != nil {
			return damaged(err)
		}
		d := &rec.Decision
		path, from := memsync.Path(h.path), memsync.Path(h.from)
		own := f.ids[d.Memory] || d.Memory == "" && (f.paths[path] || f.paths[from])
		if !own && !f.ids[d.Other] && !f.ids[d.Memory] {
			continue
		}
		if own {
			for _, p := range []memsync.Path{path, from} {
				if p != "" {
					f.paths[p] = true
				}
			}
			for _, h := range []memsync.Hash{d.Base, d.Prior, d.Post} {
				if h != "" {
					f.hashes[h] = true
				}
			}
		}
		blank(d)
		for i := range rec.Events {
			if f.ids[rec.Events[i].Memory] {
				rec.Events[i].Reason = ""
			}
		}
		value, err := joinDecision(&h, &rec)
		if err != nil {
			return err
		}
		changes = append(changes, change{bytes.Clone(k), value})
	}
	for _, c := range changes {
		if err := b.Put(c.key, c.value); err != nil {
			return err
		}
	}
	return nil
}

// mentioned is a quick look at a record before it is decoded.
func (f *forgotten) mentioned(v []byte) bool {
	for id := range f.ids {
		if bytes.Contains(v, []byte(id)) {
			return true
		}
	}
	for p := range f.paths {
		if bytes.Contains(v, []byte(p)) {
			return true
		}
	}
	return false
}

// blank takes out of a decision whatever may quote the memory.
func blank(d *memsync.Decision) {
	for i := range d.Reasons {
		d.Reasons[i].Detail = ""
	}
	for i := range d.Findings {
		d.Findings[i].Message, d.Findings[i].Hint = "", ""
	}
	if d.Error != nil {
		d.Error = &memsync.Error{Code: d.Error.Code, Path: d.Error.Path}
	}
}

func (f *forgotten) scrubHeld(tx *bolt.Tx) error {
	var gone []heldRecord
	err := tx.Bucket(bucketHeld).ForEach(func(k, v []byte) error {
		r, err := decodeHeld(k, v)
		if err == nil && (f.ids[r.Memory] || r.Memory == "" && f.paths[r.Path]) {
			gone = append(gone, r)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, r := range gone {
		f.remember(content(tx, r.Hash))
		if err := dropHeld(tx, r); err != nil {
			return err
		}
	}
	return nil
}

// scrubContents drops the versions of the forgotten, and versions of other
// files in which they are listed or quoted. What is on disk now, the last
// applied version of a path, no longer mentions them and stays.
func (f *forgotten) scrubContents(tx *bolt.Tx) error {
	refs, contents := tx.Bucket(bucketRefs), tx.Bucket(bucketContents)
	for h := range f.hashes {
		f.remember(content(tx, h))
	}
	last := tx.Bucket(bucketLast)
	current := newestVersions(refs)
	open := map[uint64]bool{}
	if err := tx.Bucket(bucketOpen).ForEach(func(k, _ []byte) error { open[number(k)] = true; return nil }); err != nil {
		return err
	}
	var gone [][]byte
	var saves []memsync.Path
	err := refs.ForEach(func(k, _ []byte) error {
		p, need := refPath(k)
		if (need == needPost || need == needBase) && open[number(k[33:41])] {
			return nil // it may have to be put back
		}
		body := contents.Get(k[:32])
		h := memsync.Hash(hex.EncodeToString(k[:32]))
		drop := f.hashes[h] || need == needSave && f.paths[p] && f.ownsPath(tx, last, p)
		if !drop && quotes(p) && !current[h] {
			drop = f.found(p, body)
		}
		if drop {
			gone = append(gone, bytes.Clone(k))
			if need == needSave {
				saves = append(saves, p)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range saves {
		if err := last.Delete(lastSave(p)); err != nil {
			return err
		}
	}
	for _, k := range gone {
		if err := refs.Delete(k); err != nil {
			return err
		}
		if !needed(refs, k[:32]) {
			if err := contents.Delete(k[:32]); err != nil {
				return err
			}
		}
	}
	return nil
}

// newestVersions are the contents that plans left last at their paths.
func newestVersions(refs *bolt.Bucket) map[memsync.Hash]bool {
	type version struct {
		seq uint64
		raw []byte
	}
	newest := map[memsync.Path]version{}
	c := refs.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		if p, need := refPath(k); need == needPost && number(k[33:41]) >= newest[p].seq {
			newest[p] = version{number(k[33:41]), k[:32]}
		}
	}
	out := make(map[memsync.Hash]bool, len(newest))
	for _, v := range newest {
		out[memsync.Hash(hex.EncodeToString(v.raw))] = true
	}
	return out
}

// ownsPath reports whether the last decision at a path was about one of the
// forgotten: another memory may live there by now.
func (f *forgotten) ownsPath(tx *bolt.Tx, last *bolt.Bucket, p memsync.Path) bool {
	rec, ok, err := newReader(tx).byKey(last.Get(lastPath(p)))
	return err != nil || !ok || rec.Decision.Memory == "" || f.ids[rec.Decision.Memory]
}

// quotes reports whether a file may say what a memory says without being one:
// generated files, conflict copies, archives, and an agent's composition.
func quotes(p memsync.Path) bool {
	for _, elem := range strings.Split(string(p), "/") {
		if strings.HasPrefix(elem, "_") {
			return true
		}
	}
	switch p.Base() {
	case "MEMORY.md", "REVIEW.md", "AGENT.md":
		return true
	}
	return false
}

// found reports whether a version of a file lists the forgotten by name, is
// named after one, or repeats a line of theirs.
func (f *forgotten) found(p memsync.Path, body []byte) bool {
	for _, name := range f.names {
		if bytes.Contains([]byte(p.Base()), name) || bytes.Contains(body, name) {
			return true
		}
	}
	for line := range bytes.Lines(body) {
		if f.lines[plain(line)] {
			return true
		}
	}
	return false
}

// remember takes the lines of a forgotten version that say something: 16 bytes
// or more, a guess below which lines are headings and fences.
func (f *forgotten) remember(body []byte) {
	for line := range bytes.Lines(body) {
		if s := plain(line); len(s) >= 16 {
			f.lines[s] = true
		}
	}
}

func plain(line []byte) string { return strings.Trim(string(line), " \t\r\n-*>") }

// wantsCompaction reports whether scrubbed pages are still in the file, because
// the process died before they were gone.
func (j *Journal) wantsCompaction() (wants bool) {
	err := j.view(func(tx *bolt.Tx) error {
		wants = tx.Bucket(bucketMeta).Get(keyCompact) != nil
		return nil
	})
	return err == nil && wants
}

// scratch is where a compaction writes. A dead one's is removed at Open.
func (j *Journal) scratch() string { return j.file + ".compact" }

// Compact rewrites the file without its free pages, in place of the old one.
// Everybody else waits meanwhile (about 5 ms a megabyte).
func (j *Journal) Compact() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return errClosed()
	}
	return j.compact()
}

func (j *Journal) compact() (err error) {
	defer guard(&err)
	if err := os.Remove(j.scratch()); err != nil && !os.IsNotExist(err) {
		return j.wrap("compact the journal", err)
	}
	opt := &bolt.Options{NoSync: true, NoGrowSync: true, FreelistType: bolt.FreelistMapType, Timeout: j.opt.Timeout}
	fresh, err := bolt.Open(j.scratch(), 0o600, opt)
	if err != nil {
		return j.wrap("compact the journal", err)
	}
	err = bolt.Compact(fresh, j.db, 1<<20)
	if err == nil {
		err = fresh.Update(func(tx *bolt.Tx) error { return tx.Bucket(bucketMeta).Delete(keyCompact) })
	}
	if err == nil {
		err = fresh.Sync()
	}
	err = firstError(err, fresh.Close())
	if err != nil {
		os.Remove(j.scratch())
		return j.wrap("compact the journal", err)
	}
	// The lock on the old file goes with its handle. Whoever gets in between
	// opens a whole journal, the old or the new one; the store's lock keeps a
	// second keeper out.
	if err := j.db.Close(); err != nil {
		return j.wrap("compact the journal", err)
	}
	renamed := os.Rename(j.scratch(), j.file)
	if renamed == nil {
		renamed = syncDir(filepath.Dir(j.file))
	}
	if err := j.reopen(); err != nil {
		j.closed = true
		return err
	}
	if renamed != nil {
		return j.wrap("compact the journal", renamed)
	}
	return nil
}

func (j *Journal) reopen() error {
	j.db = nil
	return j.open()
}

func firstError(errs ...error) error {
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return ignoreUnsupported(d.Sync())
}
