package keeper

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

	"memsync"
	"memsync/gitlog"
	"memsync/indexer/recall"
	"memsync/internal/ledger"
)

// indexEdit is a saved MEMORY.md: what the scope's region is written into.
type indexEdit struct {
	base     []byte // the saved bytes, with lines that are not ours moved out of the region
	findings []memsync.Finding
	held     bool // the save, or an edit made through it, is held: the file stays as it is
}

// plan turns the decisions into the content of one commit: their files, the
// ledger lines, MEMORY.md and its pages. It is nil when nothing changes.
func (b *batch) plan() (*memsync.Plan, error) {
	for _, f := range b.k.spooled {
		b.addFile(f)
	}
	if err := b.compose(); err != nil {
		return nil, err
	}
	touched := b.touched()
	for _, scope := range touched {
		if err := b.digest(scope); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.events)) {
		if err := b.ledger(name); err != nil {
			return nil, err
		}
	}
	p := &memsync.Plan{ID: b.k.ids.draw(b.now), At: b.now, Base: b.base}
	for i, d := range b.decisions {
		if !d.Op.Changes() {
			continue
		}
		if d.Origin != memsync.OriginPeer || p.Author.Class == "" {
			p.Author = d.Actor
		}
		if d.RequestID == "" && d.Origin == memsync.OriginCLI {
			d.RequestID = b.k.delivery
		}
		p.Decisions = append(p.Decisions, d)
		p.Requests = append(p.Requests, b.requests[i])
		for _, e := range d.Events {
			if e.Op == memsync.LedgerForget {
				p.Forget = append(p.Forget, e.Memory)
			}
		}
	}
	for _, path := range b.order {
		f := *b.files[path]
		if f.Base == f.Post && !b.k.commits(f) {
			continue // already there and already accepted
		}
		p.Files = append(p.Files, f)
	}
	if len(p.Decisions) == 0 && len(p.Files) == 0 {
		return nil, nil
	}
	if len(p.Decisions) == 0 {
		p.Author = memsync.Actor{Class: memsync.ClassProgram, Name: "memsync"}
	}
	if p.Subject = b.composedSubject(); len(p.Decisions) > 0 || p.Subject == "" {
		p.Subject = gitlog.Subject(p)
	}
	return p, nil
}

// commits reports whether a file that is on disk as it should be is still
// unknown to the store.
func (k *Keeper) commits(f memsync.FileChange) bool {
	hash, _, ok := k.catalog.Accepted(f.Path)
	return !ok && f.Post != "" || ok && hash != f.Post
}

// touched are the scopes whose MEMORY.md may have to change.
func (b *batch) touched() []string {
	set := map[string]bool{}
	for name := range b.index {
		set[name] = true
	}
	for p, m := range b.changes {
		if m != nil {
			set[m.Scope] = true
		}
		if old := b.before.ByPath(p); old != nil {
			set[old.Scope] = true
		}
	}
	for _, names := range []map[string]bool{b.k.stale, b.retouched} {
		for name := range names {
			set[name] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// noFile says why a MEMORY.md can't be written: something else than a regular
// file stands there. nil when it can.
func (k *Keeper) noFile(path memsync.Path) *memsync.Finding {
	st, err := os.Lstat(k.abs(path))
	if err != nil || st.Mode().IsRegular() {
		return nil
	}
	return &memsync.Finding{Code: memsync.FindIndexSymlink, Severity: memsync.Warning, Path: path,
		Message: "MEMORY.md is not a regular file, so it is not written" + linkTarget(k.abs(path)),
		Hint:    "replace it by a file, or set memory_md = \"lint\" for the scope"}
}

// digest adds what MEMORY.md and its pages must become on the planned view.
func (b *batch) digest(name string) error {
	scope, ok := b.view.Scope(name)
	if !ok {
		return nil
	}
	edit := b.index[name]
	if edit != nil {
		b.findings = append(b.findings, edit.findings...)
		if edit.held {
			return nil
		}
	}
	in := recall.Input{View: b.view, Scope: scope, Limits: b.k.Store.Policy.Limits, Pages: map[memsync.Path][]byte{}}
	bases := map[memsync.Path]memsync.Hash{}
	path := indexPath(scope)
	if f := b.k.noFile(path); f != nil {
		b.findings = append(b.findings, *f)
		return nil
	}
	data, hash, err := b.k.onDisk(path)
	if err != nil {
		return err
	}
	in.MemoryMD, bases[path] = data, hash
	if edit == nil && b.listsTheSame(scope, hash) {
		return nil
	}
	if edit != nil {
		in.Base = edit.base
	} else if known, _, ok := b.k.catalog.Accepted(path); data != nil && b.k.Store.CommitMode() == memsync.CommitAuto && (!ok || known != hash) {
		return nil // a save that this batch does not know: its own batch digests it
	}
	dir := scope.System.Join("_index")
	entries, err := os.ReadDir(b.k.abs(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ioError(err, dir)
	}
	for _, e := range entries {
		p := dir.Join(e.Name())
		if data, hash, err := b.k.onDisk(p); err == nil && data != nil {
			in.Pages[p], bases[p] = data, hash
		}
	}
	out := recall.Digest(in)
	b.k.digested[name] = hash
	if body, written := out.Files[path]; written {
		b.k.digested[name] = memsync.HashOf(body)
	}
	if _, blob, ok := b.k.catalog.Accepted(path); ok && data == nil && edit == nil {
		if _, written := out.Files[path]; !written { // somebody removed it, and there is nothing to list
			b.addFile(memsync.FileChange{Path: path, Prior: blob})
		}
	}
	b.findings = append(b.findings, out.Findings...)
	for _, p := range slices.Sorted(maps.Keys(out.Files)) {
		f := memsync.FileChange{Path: p, Base: bases[p], Content: out.Files[p]}
		if f.Content != nil {
			f.Post = memsync.HashOf(f.Content)
		}
		if _, blob, ok := b.k.catalog.Accepted(p); ok {
			f.Prior = blob
		}
		b.addFile(f)
	}
	return nil
}

func indexPath(s memsync.Scope) memsync.Path { return s.Dir.Join("MEMORY.md") }

func linkTarget(full string) string {
	if to, err := os.Readlink(full); err == nil {
		return "; it points to " + to
	}
	return ""
}

// ledger appends a scope's events to this clone's file.
func (b *batch) ledger(name string) error {
	scope, ok := memsync.FindScope(b.k.Store.Scopes, name)
	if !ok {
		return nil
	}
	dir := ledgerDir(scope)
	tail, _, err := b.k.journal.LedgerTail(dir)
	if err != nil {
		return err
	}
	read := func(file string) ([]byte, bool) {
		data, _, err := b.k.onDisk(dir.Join(file))
		return data, err == nil && data != nil
	}
	file := dir.Join(ledger.NextFile(b.now, string(b.k.clone), tail.Name, int64(tail.Len), tail.Hash, read))
	data, hash, err := b.k.onDisk(file)
	if err != nil {
		return err
	}
	content := ledger.Append(data, b.events[name]...)
	f := memsync.FileChange{Path: file, Base: hash, Post: memsync.HashOf(content), Content: content}
	if _, blob, ok := b.k.catalog.Accepted(file); ok {
		f.Prior = blob
	}
	b.addFile(f)
	return nil
}

// listsTheSame reports whether MEMORY.md, whose bytes have that hash, is what
// this keeper made of the view before, and nothing that it lists has changed:
// an edit of a body, mostly.
func (b *batch) listsTheSame(scope memsync.Scope, hash memsync.Hash) bool {
	name := scope.Name()
	if known, ok := b.k.digested[name]; !ok || known != hash || b.k.stale[name] || b.retouched[name] {
		return false
	}
	for p, m := range b.changes {
		old := b.before.ByPath(p)
		switch {
		case m == nil && old == nil:
		case m == nil || old == nil:
			return false
		case (m.Scope == name || old.Scope == name) && !recall.SameEntry(old, m):
			return false
		}
	}
	return true
}
