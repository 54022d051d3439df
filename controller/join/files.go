package join

import (
	"bytes"
	"path"
	"strings"

	"memsync"
	"memsync/controller/merge"
	"memsync/indexer/recall"
	"memsync/internal/format"
)

// joinFiles joins what is no memory: MEMORY.md, REVIEW.md, memsync's own
// files, what people write beside memories, everything else.
func (j *joiner) joinFiles(paths []memsync.Path) error {
	for _, p := range paths {
		if j.keptAbout(p) {
			continue // a forgotten memory's
		}
		how := merge.Lines
		if s, ok := memsync.ScopeOf(j.scopes, p); ok {
			switch class := format.Classify(p.Rel(s.Dir)); {
			case class == format.IndexFile:
				how = merge.Index
			case class == format.ReviewFile || p == system(s).Dir().Join("REVIEW.md"):
				how = merge.Union
			case p.In(recall.PagesDir(s)):
				how = page
			}
		}
		if err := j.joinFile(p, how); err != nil {
			return err
		}
	}
	return nil
}

// page joins a generated page: any will do, it is made anew.
func page(b, x, y merge.Version) merge.Result {
	r := merge.Lines(b, x, y)
	r.Conflicts = nil
	return r
}

// keptAbout reports whether a path is a snapshot, an archived text or a
// conflict copy of a forgotten memory. What only names it stays.
func (j *joiner) keptAbout(p memsync.Path) bool {
	s, ok := memsync.ScopeOf(j.scopes, p)
	if !ok {
		return false
	}
	kind := p.Dir().Base()
	if p.Dir() != system(s, kind) || kind != "approved" && kind != "archive" && kind != "conflicts" || len(p.Base()) < 26 {
		return false
	}
	id, err := memsync.ParseID(p.Base()[:26])
	if err != nil {
		return false
	}
	if _, gone := j.state.Forgotten(id); !gone {
		return false
	}
	for _, sd := range j.side[one:] {
		data, err := j.bytes(sd.tree[p])
		if rec, perr := merge.ParseRecord(data); data == nil || err == nil && perr == nil && rec.Kind == merge.ForgetEdit {
			continue
		}
		return true
	}
	return false
}

// joinFile joins the three versions of one path.
func (j *joiner) joinFile(p memsync.Path, how func(b, x, y merge.Version) merge.Result) error {
	e := j.entries(p)
	if got, ok := oneSided(e[base], e[one], e[two]); ok {
		j.putFile(p, got)
		return nil
	}
	for v := one; v <= two; v++ {
		if err := j.side[v].ask(j.h, []memsync.Path{p}); err != nil {
			return err
		}
	}
	plain := true
	for _, x := range e {
		plain = plain && (!x.there() || x.regular())
	}
	if !plain {
		return j.joinOdd(p, e)
	}
	var v [3]merge.Version
	for i, s := range j.side {
		var err error
		if v[i], err = j.version(s, p); err != nil {
			return err
		}
	}
	r := how(v[base], v[one], v[two])
	out := Entry{Mode: mergeMode(e)}
	for i := one; i <= two; i++ { // one of them took it away
		if !e[i].there() {
			out.Mode = e[one+two-i].Mode
		}
	}
	if r.Bytes == nil {
		return nil
	}
	switch {
	case bytes.Equal(r.Bytes, v[one].Bytes):
		out.Blob = e[one].Blob
	case bytes.Equal(r.Bytes, v[two].Bytes):
		out.Blob = e[two].Blob
	}
	if out.Blob == "" {
		out.Blob = j.keep(r.Bytes)
	}
	j.putFile(p, out)
	j.tellAbout(p, r.Conflicts)
	return nil
}

// joinOdd joins versions of which one is a symbolic link or a submodule: the
// later one's stays, what the other was is in a conflict.
func (j *joiner) joinOdd(p memsync.Path, e [3]Entry) error {
	x, y := j.side[one].versions[p], j.side[two].versions[p]
	late := two
	switch {
	case !e[two].there():
		late = one
	case !e[one].there():
	case x.Time.After(y.Time) || x.Time.Equal(y.Time) && e[one].Blob > e[two].Blob:
		late = one
	}
	lost := one + two - late
	rec := merge.Record{Kind: merge.Unparsed, File: p, Kept: j.side[late].versions[p].Time, Lost: j.side[lost].versions[p].Time}
	if e[lost].there() {
		text := "submodule at " + e[lost].Blob
		if e[lost].Mode != ModeModule {
			data, err := j.bytes(e[lost])
			if err != nil {
				return err
			}
			text = string(data)
		}
		rec.Places = []merge.Place{{Lost: textValue(text)}}
	} else {
		rec.Kind = merge.DeleteEdit
	}
	j.putFile(p, e[late])
	j.tellAbout(p, []merge.Conflict{rec.Conflict()})
	return nil
}

func (j *joiner) tellAbout(p memsync.Path, list []merge.Conflict) {
	if j.scopes == nil { // the policy's own: where copies go is not known yet
		j.untold = append(j.untold, list...)
		return
	}
	for _, c := range list {
		j.tell(j.scopeOf(p), copyStem(p), c.In(p), p)
	}
}

// copyStem is a file's name without what no file name may have at its
// beginning.
func copyStem(p memsync.Path) string {
	s := strings.TrimLeft(stem(p), "._-")
	if s == "" {
		s = "file"
	}
	return path.Base(s)
}

// putFile puts a file at its path. One that some file system takes for another
// that the join brought gets a number, unless a side has both.
func (j *joiner) putFile(p memsync.Path, e Entry) {
	if !e.there() {
		return
	}
	if q, taken := j.placed[format.CollisionKey(p)]; taken && q != p && !j.coexist(p, q) {
		p = j.free(p, func(memsync.Path) bool { return true })
	}
	j.put(p, e)
}

func (j *joiner) coexist(p, q memsync.Path) bool {
	for _, s := range j.side[one:] {
		if s.tree[p].there() && s.tree[q].there() {
			return true
		}
	}
	return false
}
