package gitlog

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memsync"
)

// PushedBlob is one version of a file that a push brings to a remote.
type PushedBlob struct {
	Commit string // the oldest pushed commit that has it
	Path   memsync.Path
	Blob   string
	Mode   uint32
}

// Pushed lists the versions of the store's files that commits bring which can be
// reached from local, and neither from remote nor from what this clone knows of
// the remote (refs/remotes/<remoteName>/). local and remote are object ids as git
// tells them to pre-push: all zeros for a ref that is deleted or new. A remote
// object that this clone does not have excludes nothing. Each version is listed
// once, the oldest commit's first.
//
// What a merge took over from a parent is that parent's; only what no parent has
// counts as brought by the merge. A commit behind which a shallow clone ends
// brings all it has.
func (r *Repo) Pushed(local, remote, remoteName string) ([]PushedBlob, error) {
	tip, ok := r.kind.parseOID(local)
	if !ok {
		return nil, &memsync.Error{Code: memsync.CodeUsage, Message: "not a git object id: " + local}
	}
	if local == r.kind.zero() {
		return nil, nil
	}
	tip, err := r.peel(tip)
	if memsync.CodeOf(err) == memsync.CodeNotFound {
		return nil, nil // a tag of something that is no commit
	}
	if err != nil {
		return nil, err
	}
	known := []oid{}
	if id, ok := r.kind.parseOID(remote); ok {
		known = append(known, id)
	}
	if validBranch(remoteName) { // else an address was pushed to, of which nothing is remembered
		refs, err := r.refsBelow("refs/remotes/" + remoteName + "/")
		if err != nil {
			return nil, err
		}
		known = append(known, refs...)
	}
	commits, w, err := r.commitsSince(tip, known)
	if err != nil {
		return nil, err
	}
	type version struct {
		path string
		blob oid
	}
	seen := map[version]bool{}
	var out []PushedBlob
	for _, n := range slices.Backward(commits) {
		edges, err := w.edges(n)
		if err != nil {
			return nil, err
		}
		for _, c := range made(edges) {
			v := version{c.name, c.to}
			if c.to == "" || seen[v] {
				continue
			}
			seen[v] = true
			out = append(out, PushedBlob{n.id.hex(), memsync.Path(c.name), c.to.hex(), c.mode})
		}
	}
	return out, nil
}

// commitsSince are the commits reachable from tip and from none of known, the
// youngest first. Clocks that go backwards may make it list more than that,
// never fewer.
func (r *Repo) commitsSince(tip oid, known []oid) ([]*node, *walk, error) {
	w := r.newWalk()
	dull := map[*node]bool{} // reachable from known
	line := map[*node]bool{} // those in line that are not dull
	mark := func(n *node) {
		for todo := []*node{n}; len(todo) > 0; {
			n := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if dull[n] {
				continue
			}
			dull[n] = true
			delete(line, n)
			for _, id := range w.parents(n) {
				if p := w.known[id]; p != nil && !dull[p] {
					todo = append(todo, p)
				}
			}
		}
	}
	enqueue := func(n *node) {
		if !n.queued {
			w.enqueue(n)
			if !dull[n] {
				line[n] = true
			}
		}
	}
	for _, id := range known {
		id, err := r.peel(id)
		if err != nil {
			continue // never fetched, or no commit
		}
		n, err := w.read(id)
		if err != nil {
			continue
		}
		mark(n)
		enqueue(n)
	}
	start, err := w.read(tip)
	if err != nil {
		return nil, nil, err
	}
	enqueue(start)
	var found []*node
	oldest := start.committed
	// As long as something that is no older than what was found is in line, it may
	// still turn out to be known.
	for len(line) > 0 || len(found) > 0 && len(w.queue) > 0 && !w.queue[0].committed.Before(oldest) {
		n, _, err := w.next()
		if err != nil {
			return nil, nil, err
		}
		delete(line, n)
		if !dull[n] {
			found = append(found, n)
			if n.committed.Before(oldest) {
				oldest = n.committed
			}
		}
		for _, id := range w.parents(n) {
			p, err := w.read(id)
			if err != nil {
				if dull[n] {
					continue // what the remote has need not be here
				}
				return nil, nil, err
			}
			if dull[n] {
				mark(p)
			}
			enqueue(p)
		}
	}
	return slices.DeleteFunc(found, func(n *node) bool { return dull[n] }), w, nil
}

// refsBelow are the values of the refs whose names begin with prefix, which ends
// in a slash.
func (r *Repo) refsBelow(prefix string) ([]oid, error) {
	if r.reftable() {
		ctx, cancel := background()
		defer cancel()
		out, err := r.run(ctx, gitCall{args: []string{"for-each-ref", "--format=%(objectname)", prefix}})
		if err != nil {
			return nil, err
		}
		var ids []oid
		for _, line := range strings.Fields(string(out)) {
			if id, ok := r.kind.parseOID(line); ok {
				ids = append(ids, id)
			}
		}
		return ids, nil
	}
	names := map[string]bool{}
	top := filepath.Join(r.common, filepath.FromSlash(prefix))
	err := filepath.WalkDir(top, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			if isAbsent(err) {
				return nil
			}
			return err
		}
		if d.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(top, full)
		if err == nil {
			names[prefix+filepath.ToSlash(rel)] = true
		}
		return err
	})
	if err != nil {
		return nil, fault(memsync.CodeIORead, "reading "+prefix, err)
	}
	packed, err := os.ReadFile(filepath.Join(r.common, "packed-refs"))
	if err != nil && !os.IsNotExist(err) {
		return nil, fault(memsync.CodeIORead, "reading packed-refs", err)
	}
	for line := range strings.Lines(string(packed)) {
		if _, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && strings.HasPrefix(name, prefix) {
			names[name] = true
		}
	}
	var ids []oid
	for name := range names {
		if id, _, err := r.readRef(name); err == nil && id != "" {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
