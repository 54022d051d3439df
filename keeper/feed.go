package keeper

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memsync"
	"memsync/indexer/search"
	"memsync/internal/format"
	"memsync/internal/scan"
)

// The search index follows the catalog. A running keeper feeds it when nothing
// else is to be done; whoever searches has it take the rest first. So no write
// ever waits for it, and no search answers from the past.

const indexName = "search"

// slice is how many memories an idle keeper has the index take before it looks
// at the disk again: some 50 ms of work. A guess.
const slice = 128

// anew is from how many memories on a search makes the index anew, which is
// faster, rather than change most of it.
const anew = 1000

// openIndex opens the search index when it is first asked for. A read-only
// keeper has a copy of its own.
func (k *Keeper) openIndex() (*search.Index, error) {
	if k.index != nil {
		return k.index, nil
	}
	dir := filepath.Join(k.repo.StateDir(), indexName)
	if k.scratch == "" {
		if err := onlyDirectory(dir); err != nil {
			return nil, err
		}
	} else {
		own := filepath.Join(k.scratch, indexName)
		if err := os.CopyFS(own, os.DirFS(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			if err := os.RemoveAll(own); err != nil { // somebody writes it just now: the copy is made of the store instead
				return nil, ioError(err, "")
			}
		}
		dir = own
	}
	x, err := search.Open(dir, search.Options{Timeout: k.opt.Wait, Notice: func(format string, args ...any) { k.opt.Notice(format, args...) }})
	if err != nil {
		return nil, err
	}
	k.index = x
	return x, nil
}

func (k *Keeper) closeIndex() {
	if k.index != nil {
		k.index.Close() // what it could not note makes the next Open look closely, no more
		k.index = nil
	}
}

// onlyDirectory takes away what stands where a directory of ours belongs and is
// none.
func onlyDirectory(dir string) error {
	if _, err := os.Lstat(dir); err != nil {
		return nil // none yet, or an error that comes again
	}
	if st, err := os.Stat(dir); err == nil && st.IsDir() {
		return nil
	}
	return ioError(os.Remove(dir), "")
}

// localState is where this keeper keeps what it knows.
func (k *Keeper) localState() string {
	if k.scratch != "" {
		return k.scratch
	}
	return k.repo.StateDir()
}

// feed has the index take what it lacks, at most so many memories of it; 0 is
// all. It reports whether it lacks more.
func (k *Keeper) feed(ctx context.Context, most int) (more bool, err error) {
	for try := 1; ; try++ {
		more, err = k.feedOnce(ctx, most)
		if !errors.Is(err, search.ErrRebuild) || try == 2 {
			return more, err
		}
	}
}

func (k *Keeper) feedOnce(ctx context.Context, most int) (more bool, err error) {
	x, err := k.openIndex()
	if err != nil {
		return false, err
	}
	v, err := k.View()
	if err != nil {
		return false, err
	}
	fed, todo, err := k.catalog.Fresh()
	if err != nil {
		return false, err
	}
	switch stamp := x.Stamp(); {
	case stamp == "":
		if most == 0 {
			_, err := k.rebuild(ctx, v, todo)
			return false, err
		}
		// An empty one is where to begin from: it takes everything, by and by.
		if err := x.Rebuild(func(func(search.Doc, error) bool) {}, k.indexStamp()); err != nil {
			return false, err
		}
		todo = slices.AppendSeq(todo, pathsOf(v))
		if err := k.catalog.Indexed(x.Stamp(), nil, todo); err != nil {
			return false, err
		}
	case stamp != fed || !k.hidesAs(stamp):
		differ, err := x.Verify(wanted(v))
		if err != nil {
			return false, err
		}
		for _, d := range differ {
			todo = append(todo, d.Path)
		}
		if len(todo) == 0 {
			return false, k.tell(x, v, nil)
		}
		if err := k.catalog.Indexed(stamp, nil, todo); err != nil {
			return false, err
		}
	}
	slices.Sort(todo)
	todo = slices.Compact(todo)
	if most == 0 && len(todo) >= anew && len(todo) > v.Len()/2 {
		_, err := k.rebuild(ctx, v, todo)
		return false, err
	}
	if most == 0 || most > len(todo) {
		most = len(todo)
	}
	for part := range slices.Chunk(todo[:most], slice) {
		if err := ctx.Err(); err != nil {
			return true, err
		}
		if err := k.tell(x, v, part); err != nil {
			return true, err
		}
	}
	return most < len(todo), nil
}

// tell has the index take the memories at these paths as they are in the view.
func (k *Keeper) tell(x *search.Index, v *memsync.View, paths []memsync.Path) error {
	b := search.Batch{Stamp: k.indexStamp()}
	unseen, err := k.unseen()
	if err != nil {
		return err
	}
	for _, p := range paths {
		m := v.ByPath(p)
		if m == nil || unseen[p] {
			b.Gone = append(b.Gone, p)
			continue
		}
		d, ok, err := k.document(m, v)
		if err != nil {
			return err
		}
		if ok {
			b.Put = append(b.Put, d)
		} else {
			b.Gone = append(b.Gone, p)
		}
	}
	if err := x.Apply(b); err != nil {
		return err
	}
	return k.catalog.Indexed(b.Stamp, paths, slices.Collect(maps.Keys(unseen)))
}

// unseen are the documents that came with others' commits, wait for the rules,
// and have what looks like a secret: the index takes them once they are decided
// about.
func (k *Keeper) unseen() (map[memsync.Path]bool, error) {
	waits, err := k.incoming()
	if err != nil || len(waits) == 0 {
		return nil, err
	}
	state, err := k.State()
	if err != nil {
		return nil, err
	}
	out := map[memsync.Path]bool{}
	for _, p := range waits {
		data, _, err := k.accepted(p)
		if err != nil {
			continue // doctor tells of it
		}
		hits := scan.Text(string(p), string(data))
		if slices.ContainsFunc(hits, func(h scan.Hit) bool { return h.Kind == scan.Secret && !state.Allowed(p, h.Fingerprint) }) {
			out[p] = true
		}
	}
	return out, nil
}

// rebuild makes the index anew from the view, and counts what it holds then.
func (k *Keeper) rebuild(ctx context.Context, v *memsync.View, fresh []memsync.Path) (n int, err error) {
	x, err := k.openIndex()
	if err != nil {
		return 0, err
	}
	unseen, err := k.unseen()
	if err != nil {
		return 0, err
	}
	stamp := k.indexStamp()
	err = x.Rebuild(func(yield func(search.Doc, error) bool) {
		done, total := 0, v.Len()
		for m := range v.All() {
			if err := ctx.Err(); err != nil {
				yield(search.Doc{}, err)
				return
			}
			k.opt.Progress(done, total)
			done++
			if unseen[m.Path] {
				continue
			}
			d, ok, err := k.document(m, v)
			if ok {
				n++
			}
			if (ok || err != nil) && !yield(d, err) {
				return
			}
		}
	}, stamp)
	if err != nil {
		return 0, err
	}
	return n, k.catalog.Indexed(stamp, fresh, slices.Collect(maps.Keys(unseen)))
}

// document is what the index is told of a memory; false for one that does not
// belong there. Bytes that can't be had, or can't be understood any more, keep
// nobody from searching the others: doctor tells of them.
func (k *Keeper) document(m *memsync.Memory, v *memsync.View) (search.Doc, bool, error) {
	if !search.Indexed(m) {
		return search.Doc{}, false, nil
	}
	data, err := k.Read(m)
	if errors.Is(err, memsync.CodeGitCorrupt) {
		return search.Doc{}, false, nil
	}
	if err != nil {
		return search.Doc{}, false, err
	}
	doc, err := format.Parse(data, k.Store.Policy.Limits)
	if err != nil {
		return search.Doc{}, false, nil
	}
	scope, _ := v.Scope(m.Scope)
	return search.NewDoc(m, scope, doc), true, nil
}

// A stamp names one state of the index, and what was hidden from it.

func (k *Keeper) indexStamp() string {
	return string(k.ids.draw(k.opt.Now())) + k.hiddenMark()
}

func (k *Keeper) hidesAs(stamp string) bool { return strings.HasSuffix(stamp, k.hiddenMark()) }

func (k *Keeper) hiddenMark() string {
	if len(k.hidden) == 0 {
		return "."
	}
	var b strings.Builder
	for _, p := range k.hidden {
		fmt.Fprintf(&b, "%q", p)
	}
	return "." + string(memsync.HashOf([]byte(b.String())))
}

func pathsOf(v *memsync.View) iter.Seq[memsync.Path] {
	return func(yield func(memsync.Path) bool) {
		for m := range v.All() {
			if !yield(m.Path) {
				return
			}
		}
	}
}

// wanted is what the index should hold.
func wanted(v *memsync.View) iter.Seq2[memsync.Path, memsync.Hash] {
	return func(yield func(memsync.Path, memsync.Hash) bool) {
		for m := range v.All() {
			if search.Indexed(m) && !yield(m.Path, m.Hash) {
				return
			}
		}
	}
}
