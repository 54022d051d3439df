package gitlog

import (
	"bytes"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
	"unsafe"

	"memsync"
	"memsync/internal/pages"
	"memsync/internal/plainfile"
)

// Staged is git's index as a commit would take it, below the store. It is what
// was read: nobody's later `git add` changes it.
type Staged struct {
	r        *Repo
	x        *indexFile
	from, to int // the entries below the store
	written  time.Time

	changes func() ([]StagedChange, error)
}

// Repo is the repository whose index it is.
func (s *Staged) Repo() *Repo { return s.r }

// StagedEntry is one line of the index. While a merge is not resolved a path
// has several, each with its stage.
type StagedEntry struct {
	Path            memsync.Path // relative to the store
	Blob            string
	Mode            uint32 // git's: 0100644, 0100755, 0120000, 0160000
	Stage           int    // 0, or 1 to 3 for the sides of a conflict
	IntentToAdd     bool   // `git add -N`: no commit takes it
	SkipWorktree    bool   // outside of a sparse checkout: there need be no working file
	AssumeUnchanged bool

	// What git noted of the working file when it last was what Blob holds. Size is
	// cut to 32 bits. See Same.
	Size    uint32
	ModTime time.Time
	node    uint32
}

// Staged reads the index. indexFile "" is this worktree's own; a hook is told
// another one in GIT_INDEX_FILE when `git commit -a` or `git commit PATH` made
// one for itself. A relative name is relative to this process's working
// directory, which is what git means by it inside a hook.
func (r *Repo) Staged(indexFile string) (*Staged, error) {
	file, err := r.indexAt(indexFile)
	if err != nil {
		return nil, err
	}
	stamp := stampOf(file)
	data, err := readInto(pages.Bytes(int(stamp.size)+bytes.MinRead), file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault(memsync.CodeIORead, "reading the index", err)
	}
	x, err := parseIndex(data, r.kind)
	var foreign *foreignIndex
	if errors.As(err, &foreign) || err == nil && x.incomplete() {
		x, err = r.plainIndex(data)
	}
	if err != nil {
		return nil, err
	}
	s := &Staged{r: r, x: x, to: x.len(), written: stamp.mod}
	if r.prefix != "" {
		s.from, s.to = x.below(string(r.prefix)+"/", 0, x.len())
	}
	s.changes = sync.OnceValues(s.compare)
	return s, nil
}

// indexAt is the absolute name of an index file.
func (r *Repo) indexAt(file string) (string, error) {
	if file == "" {
		return filepath.Join(r.gitDir, "index"), nil
	}
	abs, err := filepath.Abs(file)
	return abs, fault(memsync.CodeIORead, "looking up the index "+file, err)
}

// plainIndex has git write an index that only it can read (split, sparse, of a
// later version) as one that anybody can, in a place of its own.
func (r *Repo) plainIndex(data []byte) (*indexFile, error) {
	if r.binary == "" {
		return nil, missing("this index (split or sparse) is read through the git binary")
	}
	dir, err := os.MkdirTemp("", "memsync-index-*")
	if err != nil {
		return nil, fault(memsync.CodeIOWrite, "reading the index", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "index")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, fault(memsync.CodeIOWrite, "reading the index", err)
	}
	ctx, cancel := background()
	defer cancel()
	_, err = r.run(ctx, gitCall{env: []string{"GIT_INDEX_FILE=" + file}, args: []string{"-c", "core.splitIndex=false", "-c", "index.sparse=false",
		"-c", "index.version=2", "update-index", "--no-split-index", "--force-write-index"}})
	if err != nil {
		return nil, err
	}
	if data, err = plainfile.Read(file); err != nil {
		return nil, fault(memsync.CodeIORead, "reading the index", err)
	}
	x, err := parseIndex(data, r.kind)
	if err == nil && x.incomplete() {
		err = &memsync.Error{Code: memsync.CodeGitUnsupported, Message: "this git does not write a plain index from a split or sparse one",
			Hint: "turn it off: `git update-index --no-split-index`, `git sparse-checkout reapply --no-sparse-index`"}
	}
	return x, err
}

// below is the range of the entries in [from, to) whose names begin with prefix.
func (x *indexFile) below(prefix string, from, to int) (int, int) {
	p := []byte(prefix)
	lo := from + sort.Search(to-from, func(i int) bool { return bytes.Compare(x.entry(from+i).name, p) >= 0 })
	hi := lo + sort.Search(to-lo, func(i int) bool { return !bytes.HasPrefix(x.entry(lo+i).name, p) })
	return lo, hi
}

// Entries are all lines below the store, in the index's order: by path, then
// stage.
func (s *Staged) Entries() []StagedEntry {
	out := make([]StagedEntry, 0, s.to-s.from)
	for i := s.from; i < s.to; i++ {
		out = append(out, s.entry(i))
	}
	return out
}

// StagedLine is what most of those who look at a whole index need of a line.
type StagedLine struct {
	Path        memsync.Path
	Mode        uint32
	Stage       int
	IntentToAdd bool
}

// Lines yields Entries without what costs to tell: a big index is mostly looked
// through for few of them.
func (s *Staged) Lines() iter.Seq[StagedLine] {
	return func(yield func(StagedLine) bool) {
		for i := s.from; i < s.to; i++ {
			e := s.x.entry(i)
			name := unsafe.String(unsafe.SliceData(e.name), len(e.name)) // a part of what was read, which nobody writes to
			line := StagedLine{Path: s.r.rel(name), Mode: e.u32(24), Stage: int(s.x.flags(e) & flagStage >> 12),
				IntentToAdd: s.x.extFlags(e)&extFlagIntentToAdd != 0}
			if !yield(line) {
				return
			}
		}
	}
}

// Entry is the line of a path, the first where it has several.
func (s *Staged) Entry(p memsync.Path) (StagedEntry, bool) {
	i, ok := s.x.find(s.r.full(p))
	if !ok {
		return StagedEntry{}, false
	}
	return s.entry(i), true
}

func (s *Staged) entry(i int) StagedEntry {
	e := s.x.entry(i)
	flags, ext := s.x.flags(e), s.x.extFlags(e)
	return StagedEntry{
		Path: s.r.rel(string(e.name)), Blob: s.x.id(e).hex(), Mode: e.u32(24), Stage: int(flags & flagStage >> 12),
		IntentToAdd: ext&extFlagIntentToAdd != 0, SkipWorktree: ext&extFlagSkipWorktree != 0, AssumeUnchanged: flags&flagAssumeValid != 0,
		Size: e.u32(36), ModTime: time.Unix(int64(e.u32(8)), int64(e.u32(12))), node: e.u32(20),
	}
}

// Same reports whether git would take a working file for what the entry holds
// without reading it. False says nothing: the file has to be read. Where git
// converts on checkout the bytes may differ all the same.
func (s *Staged) Same(e StagedEntry, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() || e.Mode != modeFile && e.Mode != modeExec || e.IntentToAdd || uint32(info.Size()) != e.Size {
		return false
	}
	mod := info.ModTime()
	if mod.Unix() != e.ModTime.Unix() || e.ModTime.Nanosecond() != 0 && mod.Nanosecond() != e.ModTime.Nanosecond() {
		return false
	}
	if node := inode(info); node != 0 && e.node != 0 && uint32(node) != e.node {
		return false
	}
	return mod.Truncate(time.Second).Before(s.written.Truncate(time.Second)) // else it may have been saved after git looked
}

// StagedChange is one path whose commit would differ from HEAD.
type StagedChange struct {
	Path             memsync.Path // relative to the store
	From, To         string       // blob ids, "" for absent
	FromMode, ToMode uint32
	Unmerged         bool // the sides of a conflict stand there: no commit takes it, To is ""

	// The same blob left one path and came to another. Both are listed; each
	// names the other.
	RenamedFrom, RenamedTo memsync.Path
}

// Changes are the paths below the store that differ from HEAD, in git's order.
// Directories whose tree the index remembers, and finds at HEAD, are not looked
// into. A path that is only intended to be added counts as absent. HEAD is what it
// was when this was asked for the first time.
func (s *Staged) Changes() ([]StagedChange, error) { return s.changes() }

func (s *Staged) compare() ([]StagedChange, error) {
	head, err := s.r.treeOf("HEAD")
	if err != nil {
		return nil, err
	}
	if head, err = s.r.storeTree(head); err != nil {
		return nil, err
	}
	d := &stagedDiff{s: s}
	cached, dir := s.x.cacheTree(), ""
	if s.r.prefix != "" {
		for _, part := range strings.Split(string(s.r.prefix), "/") {
			cached = cached.child([]byte(part))
		}
		dir = string(s.r.prefix) + "/"
	}
	if err := d.directory(dir, head, cached, s.from, s.to); err != nil {
		return nil, err
	}
	pairRenames(d.out)
	return d.out, nil
}

// stagedDiff compares HEAD's trees with the index.
type stagedDiff struct {
	s   *Staged
	out []StagedChange
}

// directory compares one directory (its name ends in a slash, the top's is "")
// whose entries are [i, to). tree "" is none.
func (d *stagedDiff) directory(dir string, tree oid, cached *cacheNode, i, to int) error {
	if tree != "" && cached != nil && cached.count == to-i && string(cached.id) == string(tree) {
		return nil
	}
	x := d.s.x
	var rest []byte
	if tree != "" {
		var err error
		if rest, err = d.s.r.object(tree, typeTree); err != nil {
			return err
		}
	}
	var item treeItem
	have := false
	for {
		if !have && len(rest) > 0 {
			var err error
			if item, rest, err = d.s.r.kind.nextItem(rest); err != nil {
				return err
			}
			have = true
		}
		if !have && i >= to {
			return nil
		}
		order := -1
		var name []byte
		below := false
		if i < to {
			name = x.entry(i).name[len(dir):]
			if slash := bytes.IndexByte(name, '/'); slash >= 0 {
				name, below = name[:slash], true
			}
			order = 1
			if have {
				order = compareNames(item.name, item.isTree(), name, below)
			}
		}
		var head treeItem
		if order <= 0 {
			head, have = item, false
		}
		switch {
		case order >= 0 && below:
			sub := dir + string(name) + "/"
			child := cached.child(name)
			end := x.endOf(sub, child, i, to)
			if err := d.directory(sub, oid(head.id), child, i, end); err != nil {
				return err
			}
			i = end
		case order >= 0:
			next := i + 1
			for next < to && bytes.Equal(x.entry(next).name, x.entry(i).name) {
				next++ // the other sides of a conflict
			}
			d.file(dir, name, head, i)
			i = next
		case head.isTree():
			if err := d.directory(dir+string(head.name)+"/", oid(head.id), nil, 0, 0); err != nil {
				return err
			}
		default:
			d.file(dir, head.name, head, -1)
		}
	}
}

// endOf is where the entries below a directory end, which begin at from.
func (x *indexFile) endOf(dir string, cached *cacheNode, from, to int) int {
	if cached != nil && cached.count > 0 && from+cached.count <= to {
		end := from + cached.count
		if d := []byte(dir); bytes.HasPrefix(x.entry(end-1).name, d) && (end == to || !bytes.HasPrefix(x.entry(end).name, d)) {
			return end
		}
	}
	_, end := x.below(dir, from, to)
	return end
}

// file compares one file: what HEAD has, and entry at of the index, -1 for none.
func (d *stagedDiff) file(dir string, name []byte, head treeItem, at int) {
	c := StagedChange{FromMode: head.mode}
	var to []byte
	if at >= 0 {
		x, e := d.s.x, d.s.x.entry(at)
		switch {
		case x.flags(e)&flagStage != 0:
			c.Unmerged = true
		case x.extFlags(e)&extFlagIntentToAdd == 0:
			to, c.ToMode = e.raw[40:40+x.kind.size], e.u32(24)
		}
	}
	if !c.Unmerged && bytes.Equal(to, head.id) && c.ToMode == head.mode {
		return
	}
	c.Path, c.From, c.To = d.s.r.rel(dir+string(name)), oid(head.id).hex(), oid(to).hex()
	d.out = append(d.out, c)
}

// pairRenames joins what went and what came with the same blob: first those
// that keep their base name, then in order. Empty files are all alike and say
// nothing.
func pairRenames(changes []StagedChange) {
	gone := map[string][]int{}
	for i, c := range changes {
		if c.From != "" && c.To == "" && !c.Unmerged && c.FromMode != modeModule {
			gone[c.From] = append(gone[c.From], i)
		}
	}
	if len(gone) == 0 {
		return
	}
	for _, sameBase := range []bool{true, false} {
		for i := range changes {
			c := &changes[i]
			if c.From != "" || c.RenamedFrom != "" || c.ToMode == modeModule || isEmptyBlob(c.To) {
				continue
			}
			at := slices.IndexFunc(gone[c.To], func(j int) bool { return !sameBase || changes[j].Path.Base() == c.Path.Base() })
			if at < 0 {
				continue
			}
			j := gone[c.To][at]
			gone[c.To] = slices.Delete(gone[c.To], at, at+1)
			c.RenamedFrom, changes[j].RenamedTo = changes[j].Path, c.Path
		}
	}
}

var emptyBlobs = sync.OnceValue(func() []string {
	return []string{kindSHA1.id(typeBlob, nil).hex(), kindSHA256.id(typeBlob, nil).hex()}
})

func isEmptyBlob(id string) bool { return slices.Contains(emptyBlobs(), id) }
