package checkout

import (
	"errors"
	"slices"
	"strings"

	"memsync"
	"memsync/indexer/recall"
	"memsync/internal/format"
	"memsync/lint"
)

// open chooses where files are read from.
func (j *judge) open() (Tree, error) {
	if j.opt.Staged {
		return j.staged()
	}
	return &disk{j.store, j.repo, j.opt.Overlay}, nil
}

// changes finds what differs from HEAD, or from another revision, where only
// that is told.
func (j *judge) changes() error {
	switch {
	case j.opt.Overlay != nil:
		j.touched = map[memsync.Path]bool{}
		for p := range j.opt.Overlay {
			j.touched[p] = true
		}
	case j.opt.Staged:
		return j.stagedChanges(j.tree.(*index))
	case j.opt.Since != "":
		return j.since()
	}
	return nil
}

// since reads the revision that is compared with.
func (j *judge) since() error {
	if j.repo == nil {
		return &memsync.Error{Code: memsync.CodeUsage, Message: "--changed-since needs git history, and there is no repository here"}
	}
	commit, err := j.repo.Resolve(j.opt.Since)
	base := ""
	if err == nil {
		base, err = j.repo.MergeBase(commit, "HEAD")
	}
	if errors.Is(err, memsync.CodeNotFound) {
		return &memsync.Error{Code: memsync.CodeUsage, Message: "there is no revision " + j.opt.Since + " here, or no commit to compare it with", Err: err,
			Hint: "in CI, fetch it first: a shallow clone has one commit (`fetch-depth: 0`)"}
	}
	if err != nil {
		return err
	}
	if base == "" {
		base = commit
		j.opt.Notice("%s and HEAD have no commit in common here: compared with %s itself", j.opt.Since, j.opt.Since)
	}
	j.base = map[memsync.Path]string{}
	entries, err := j.repo.Tree(base, "")
	if err != nil {
		return err
	}
	for _, e := range entries {
		j.base[e.Path] = e.Blob
	}
	return nil
}

// compare notes which of the files that were read differ from the revision.
func (j *judge) compare() error {
	if j.base == nil {
		return nil
	}
	j.touched = map[memsync.Path]bool{}
	here := map[memsync.Path]bool{}
	for _, r := range j.whole.Reports {
		here[r.Path] = true
		if j.base[r.Path] != r.Blob {
			j.touched[r.Path] = true
		}
	}
	for p := range j.base {
		if here[p] {
			continue
		}
		if _, counts := classify(j.store, p); counts {
			j.touched[p] = true // gone
		}
	}
	return nil
}

// besides notes those files that differ from the revision and are judged with
// the whole.
func (j *judge) besides() {
	if j.base == nil {
		return
	}
	note := func(p memsync.Path, data []byte) {
		if j.base[p] != j.repo.BlobID(data) {
			j.touched[p] = true
		}
	}
	for _, l := range j.whole.Ledgers {
		note(l.Path, l.Data)
	}
	for p, data := range j.whole.Pages {
		note(p, data)
	}
	for _, files := range []map[memsync.Path][]byte{j.whole.Approved, j.whole.Into} {
		for p, data := range files {
			note(p, data)
		}
	}
	for _, p := range j.whole.Attached {
		if _, old := j.base[p]; !old {
			j.touched[p] = true
		}
	}
	if a := j.whole.Attributes; a != nil && a.Exists {
		note(a.Path, a.Data)
	}
}

// around gathers what is not in the files that were judged.
func (j *judge) around() error {
	w := &j.whole
	w.Now = j.opt.Now
	w.Partial, w.Theirs = j.opt.Partial, j.store.CommitMode() == memsync.CommitOff
	w.Nested, w.Unmerged, w.Ignored, w.Repositories = j.list.Nested, j.list.Unmerged, j.list.Ignored, j.list.Repos
	w.Skipped = append(w.Skipped, j.list.Skipped...)
	w.Pages = map[memsync.Path][]byte{}
	read := j.tree.Reader()
	defer read.Close()
	wanted, err := j.pages()
	if err != nil {
		return err
	}
	for _, s := range j.store.Scopes {
		for _, p := range j.tree.Under(recall.PagesDir(s)) {
			if !wanted(p.Base()) {
				continue
			}
			f, err := read.Read(p, 0)
			if err != nil {
				return err
			}
			w.Pages[p] = f.Data
		}
		for _, kind := range []string{"approved", "archive", "conflicts"} {
			w.Attached = append(w.Attached, j.tree.Under(s.System.Join("_system", kind))...)
		}
		if err := j.approved(read, s); err != nil {
			return err
		}
	}
	if j.opt.Partial {
		return nil
	}
	if err := j.into(read); err != nil {
		return err
	}
	for _, s := range j.store.Policy.Scopes {
		if s.Dir != "" && !j.tree.Has(s.Dir) {
			w.Missing = append(w.Missing, s.Dir)
		}
	}
	if err := j.attributes(read); err != nil {
		return err
	}
	j.besides()
	return nil
}

// reasonOf is what an error says to people.
func reasonOf(err error) string {
	var e *memsync.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// pages says which pages of _index/ are read: where a few files are judged, those
// that may list one of them, as it is or as HEAD has it.
func (j *judge) pages() (wanted func(base string) bool, err error) {
	if !j.opt.Partial {
		return func(string) bool { return true }, nil
	}
	var prefixes []string
	for _, r := range j.whole.Reports {
		if r.Memory != nil {
			prefixes = append(prefixes, recall.PagePrefix(r.Memory))
		}
	}
	for p := range j.touched {
		scope, ok := memsync.ScopeOf(j.store.Scopes, p)
		if class, counts := classify(j.store, p); !ok || !counts || class != format.MemoryFile {
			continue
		}
		head, err := j.atHead(p)
		if err != nil {
			return nil, err
		}
		if len(head) != 1 || head[0].Path != p {
			continue
		}
		data, err := j.repo.Blob(head[0].Blob)
		if err != nil {
			return nil, err
		}
		if doc, err := format.Parse(data, j.store.Policy.Limits); err == nil {
			prefixes = append(prefixes, recall.PagePrefix(format.Describe(doc, p, scope)))
		}
	}
	slices.Sort(prefixes)
	prefixes = slices.Compact(prefixes)
	return func(base string) bool {
		return slices.ContainsFunc(prefixes, func(x string) bool { return strings.HasPrefix(base, x) })
	}, nil
}

// attributes looks at what .gitattributes says about the store's own places.
func (j *judge) attributes(read Reader) error {
	if j.repo == nil {
		return nil
	}
	at := j.repo.TreeAttributes()
	a := lint.Attributes{Path: j.store.Base().Join(".gitattributes"), Union: true, Verbatim: true}
	for _, s := range j.store.Scopes {
		if s.System == s.Dir && !at.Verbatim(s.Dir.Join("user_x.md")) {
			a.Verbatim = false
		}
		if !at.Union(s.System.Join("_system", "ledger", "2000-01.x.jsonl")) {
			a.Union = false
		}
	}
	if f, err := read.Read(a.Path, 0); err == nil {
		a.Data, a.Exists = f.Data, true
	}
	j.whole.Attributes = &a
	return nil
}
