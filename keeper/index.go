package keeper

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"memsync"
	"memsync/indexer/search"
)

// Search finds memories among those in force at the revision that the keeper
// stands at, by their words. Whom the caller must not see is the request's.
func (k *Keeper) Search(ctx context.Context, req search.Request) (search.Page, error) {
	for try := 1; ; try++ {
		if _, err := k.feed(ctx, 0); err != nil {
			return search.Page{}, err
		}
		page, err := k.index.Search(ctx, req)
		if !errors.Is(err, search.ErrRebuild) || try == 2 {
			return page, err
		}
	}
}

// SearchStats counts what makes scores of several stores comparable.
func (k *Keeper) SearchStats(ctx context.Context, q search.Query) (search.Stats, error) {
	for try := 1; ; try++ {
		if _, err := k.feed(ctx, 0); err != nil {
			return search.Stats{}, err
		}
		s, err := k.index.Stats(ctx, q)
		if !errors.Is(err, search.ErrRebuild) || try == 2 {
			return s, err
		}
	}
}

// RebuildIndex makes the search index anew. The old one is searched until the
// new one is complete, and stays when anything fails. It says how many memories
// the index holds.
func (k *Keeper) RebuildIndex(ctx context.Context) (memories int, err error) {
	if k.opt.ReadOnly {
		return 0, &memsync.Error{Code: memsync.CodeIODenied, Message: "the search index is in a directory that can't be written",
			Hint: "a search makes a copy of its own here"}
	}
	v, err := k.View()
	if err != nil {
		return 0, err
	}
	_, fresh, err := k.catalog.Fresh()
	if err != nil {
		return 0, err
	}
	return k.rebuild(ctx, v, fresh)
}

// IndexState is how the search index stands beside the memories in force.
type IndexState struct {
	Exists    bool                `json:"exists"`            // there is one
	Documents int                 `json:"documents"`         // memories that it holds
	Behind    int                 `json:"behind"`            // memories that it takes as soon as somebody searches
	Problem   string              `json:"problem,omitempty"` // why it can't be looked into
	Wrong     []search.Difference `json:"-"`                 // what differs although it was taken
}

// Index compares the search index with the memories in force. It changes
// nothing. What keeps it from looking is a Problem as well as an error: whoever
// asks about the store wants to know the rest, too.
func (k *Keeper) Index() (IndexState, error) {
	st, err := k.compareIndex()
	if err != nil {
		st = IndexState{Exists: true, Problem: err.Error()}
	}
	return st, err
}

func (k *Keeper) compareIndex() (IndexState, error) {
	if k.index == nil {
		if _, err := os.Stat(filepath.Join(k.repo.StateDir(), indexName)); errors.Is(err, fs.ErrNotExist) {
			return IndexState{}, nil
		}
	}
	x, err := k.openIndex()
	if err != nil {
		return IndexState{}, err
	}
	v, err := k.View()
	if err != nil {
		return IndexState{}, err
	}
	fed, todo, err := k.catalog.Fresh()
	if err != nil {
		return IndexState{}, err
	}
	want := maps.Collect(wanted(v))
	unseen, err := k.unseen()
	if err != nil {
		return IndexState{}, err
	}
	for p := range unseen {
		delete(want, p)
	}
	stamp := x.Stamp()
	differ, err := x.Verify(maps.All(want))
	if errors.Is(err, search.ErrRebuild) {
		return IndexState{Exists: true, Behind: len(want)}, nil
	}
	if err != nil {
		return IndexState{}, err
	}
	st := IndexState{Exists: true, Documents: len(want)}
	late := map[memsync.Path]bool{}
	for _, p := range todo {
		late[p] = true
	}
	for _, d := range differ {
		switch {
		case d.Want == "":
			st.Documents++
		case d.Have == "":
			st.Documents--
		}
		switch {
		case stamp != fed || !k.hidesAs(stamp) || late[d.Path]:
			st.Behind++
		default:
			st.Wrong = append(st.Wrong, d)
		}
	}
	return st, nil
}

// factPurge says that what the search index and the catalog hold of a forgotten
// memory is not yet removed.
const factPurge = "purge-index"

// purgeIndex removes an index that may hold the text of a forgotten memory, and
// what the catalog has of it: what is no longer found stays in their files until
// they are written anew.
func (k *Keeper) purgeIndex() error {
	if k.opt.ReadOnly {
		return nil
	}
	var due bool
	if _, err := k.journal.Fact(factPurge, &due); err != nil || !due {
		return err
	}
	k.closeIndex()
	for _, name := range []string{indexName, shelfName} {
		if err := os.RemoveAll(filepath.Join(k.repo.StateDir(), name)); err != nil {
			return ioError(err, "")
		}
	}
	if err := k.catalog.Compact(); err != nil {
		return err
	}
	return k.journal.PutFact(factPurge, nil)
}
