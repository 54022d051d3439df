package join

import (
	"crypto/sha256"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"memsync"
	"memsync/controller"
	"memsync/indexer/recall"
	"memsync/internal/format"
)

// derive makes MEMORY.md and its pages of every scope that the join touched, as
// a plan on the joined tree would.
func (j *joiner) derive() error {
	whole := slices.Contains(j.touched, PolicyFile)
	for _, s := range j.scopes {
		touched := whole || slices.ContainsFunc(j.touched, func(p memsync.Path) bool {
			at, ok := memsync.ScopeOf(j.scopes, p)
			return ok && (at.Dir == s.Dir || p.In(system(s)))
		})
		if !touched {
			continue
		}
		if err := j.digest(s); err != nil {
			return err
		}
	}
	return nil
}

func (j *joiner) digest(s memsync.Scope) error {
	memories, err := j.memories(s)
	if err != nil {
		return err
	}
	in := recall.Input{View: memsync.NewView(memsync.Revision{}, j.scopes, memories), Scope: s, Limits: j.policy.Limits, Pages: map[memsync.Path][]byte{}}
	file := recall.FilePath(s)
	if e := j.out[file]; e.there() && !e.regular() {
		return nil // a link: nobody writes through it
	}
	if in.MemoryMD, err = j.bytes(j.out[file]); err != nil {
		return err
	}
	for p, e := range j.out {
		if p.Dir() == recall.PagesDir(s) && e.regular() {
			if in.Pages[p], err = j.bytes(e); err != nil {
				return err
			}
		}
	}
	out := recall.Digest(in)
	for _, p := range slices.Sorted(maps.Keys(out.Files)) {
		data := out.Files[p]
		if data == nil {
			delete(j.out, p)
			continue
		}
		e := j.out[p]
		if !e.there() {
			e.Mode = ModeFile
		}
		e.Blob = j.keep(data)
		j.put(p, e)
	}
	return nil
}

// memories are what a view of the joined tree has in a scope.
func (j *joiner) memories(s memsync.Scope) ([]*memsync.Memory, error) {
	var paths []memsync.Path
	for p, e := range j.out {
		if at, ok := memsync.ScopeOf(j.scopes, p); ok && at.Dir == s.Dir && e.regular() && listed(s, p) {
			if _, hidden := j.state.Quarantined(p, e.Blob); !hidden {
				paths = append(paths, p)
			}
		}
	}
	slices.Sort(paths)
	out := make([]*memsync.Memory, len(paths))
	if err := inParallel(len(paths), func(i int) error {
		data, err := j.bytes(j.out[paths[i]])
		if err != nil {
			return err
		}
		doc, err := format.Parse(data, j.policy.Limits)
		if err != nil {
			out[i] = format.Unreadable(data, paths[i], s)
			return nil
		}
		out[i] = format.Header(doc, paths[i], s)
		return nil
	}); err != nil {
		return nil, err
	}
	return out, j.identifyMerged(out)
}

// inParallel does something for each of n, in no order and on as many processors
// as that is worth. The error is that of the first that failed.
func inParallel(n int, do func(i int) error) error {
	failed := make([]error, n)
	workers := min(runtime.GOMAXPROCS(0), 1+n/64)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n && (i < workers || failed[i-workers] == nil); i += workers {
				failed[i] = do(i)
			}
		})
	}
	wg.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// identifyMerged gives memories the ids that a view of the joined commit gives
// them.
func (j *joiner) identifyMerged(list []*memsync.Memory) error {
	var ask []memsync.Path
	for _, m := range list {
		if _, known := j.state.Identity(m.Path); !known && m.ID == "" && m.Kind != memsync.KindUnreadable {
			ask = append(ask, m.Path)
		}
	}
	derived := map[memsync.Path]memsync.ID{}
	if len(ask) > 0 {
		heads := slices.Concat(j.side[one].heads, j.side[two].heads)
		slices.Sort(heads)
		var err error
		if derived, err = j.h.DerivedIDs(heads, ask); err != nil {
			return err
		}
	}
	for _, m := range list {
		if m.Kind == memsync.KindUnreadable {
			continue
		}
		id, old := derived[m.Path]
		if !old { // the join itself is the path's oldest commit
			sum := sha256.Sum256([]byte(strings.Join([]string{string(m.Path), j.out[m.Path].Blob}, "\x00")))
			id = memsync.MakeID(j.time, [10]byte(sum[:10]))
		}
		controller.Identify(m, id, j.state)
	}
	return nil
}
