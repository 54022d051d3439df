package gitlog

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"memsync"
)

// Resolve names the commit that a revision means: HEAD, branches, tags, remote
// branches, full and shortened ids, with ~n, ^n and ^{commit} behind them. What
// else git knows (dates, reflogs, searches) is asked of the git binary. No such
// revision: CodeNotFound. "" is HEAD.
func (r *Repo) Resolve(rev string) (string, error) {
	id, err := r.resolve(rev)
	return id.hex(), err
}

func (r *Repo) resolve(rev string) (oid, error) {
	id, _, err := r.resolveRead(rev)
	return id, err
}

// commitOf is the commit that a revision names.
func (r *Repo) commitOf(rev string) (oid, commitObject, error) {
	id, data, err := r.resolveRead(rev)
	if err != nil {
		return "", commitObject{}, err
	}
	if data == nil {
		c, err := r.commitAt(id)
		return id, c, err
	}
	c, err := r.commitIn(id, data)
	return id, c, err
}

// resolveRead is resolve, with the bytes of the commit where they had to be read.
func (r *Repo) resolveRead(rev string) (oid, []byte, error) {
	if rev == "" {
		rev = "HEAD"
	}
	base, steps := rev, ""
	if i := strings.IndexAny(rev, "~^"); i > 0 {
		base, steps = rev[:i], rev[i:]
	}
	id, ok, err := r.resolveName(base)
	if err != nil {
		return "", nil, err
	}
	if ok {
		peeled, data, err := r.peelRead(id)
		if err == nil {
			if id, ok, err = r.follow(peeled, steps); err == nil && ok {
				if id != peeled {
					data = nil
				}
				return id, data, nil
			}
		}
		if err != nil {
			return "", nil, err
		}
	}
	if r.binary == "" || strings.ContainsAny(rev, "\x00\n") {
		return "", nil, noRevision(rev)
	}
	ctx, cancel := background()
	defer cancel()
	id, err = r.revParse(ctx, rev)
	return id, nil, err
}

// resolveName looks a name up in git's order.
func (r *Repo) resolveName(name string) (id oid, ok bool, err error) {
	if name == "HEAD" || name == "@" {
		_, id, err := r.head()
		return id, id != "", err
	}
	if id, ok := r.kind.parseOID(strings.ToLower(name)); ok {
		return id, true, nil
	}
	if r.reftable() || !validBranch(name) {
		return "", false, nil
	}
	for _, prefix := range []string{"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"} {
		ref := prefix + name
		if !strings.HasPrefix(ref, "refs/") {
			continue // other files of the git directory are no revisions for us
		}
		if id, ok := r.refExists(ref); ok {
			return id, true, nil
		}
	}
	return r.shortened(strings.ToLower(name))
}

// shortened finds the one loose commit or tag whose id begins so. Packed ones
// are left to the binary.
func (r *Repo) shortened(prefix string) (id oid, ok bool, err error) {
	if len(prefix) < 4 || len(prefix) >= 2*r.kind.size || strings.Trim(prefix, "0123456789abcdef") != "" || r.binary != "" {
		return "", false, nil
	}
	var found []oid
	entries, _ := os.ReadDir(filepath.Join(r.common, "objects", prefix[:2]))
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix[2:]) {
			continue
		}
		if id, ok := r.kind.parseOID(prefix[:2] + e.Name()); ok {
			if typ, _, err := r.objects.read(id); err == nil && (typ == typeCommit || typ == typeTag) {
				found = append(found, id)
			}
		}
	}
	if len(found) == 1 {
		return found[0], true, nil
	}
	return r.shortenedPacked(prefix, found)
}

// shortenedPacked walks HEAD's history where there is no binary to ask.
func (r *Repo) shortenedPacked(prefix string, found []oid) (id oid, ok bool, err error) {
	if len(found) > 1 {
		return "", false, nil
	}
	_, head, err := r.head()
	if err != nil || head == "" {
		return "", false, err
	}
	w := r.newWalk()
	w.push(head)
	for {
		c, ok, err := w.next()
		if err != nil || !ok {
			return "", false, err
		}
		if strings.HasPrefix(c.id.hex(), prefix) {
			return c.id, true, nil
		}
		for _, p := range w.parents(c) {
			w.push(p)
		}
	}
}

// peel follows tags to the commit they stand for.
func (r *Repo) peel(id oid) (oid, error) {
	id, _, err := r.peelRead(id)
	return id, err
}

// peelRead is peel, with the commit's bytes.
func (r *Repo) peelRead(id oid) (oid, []byte, error) {
	for range 10 {
		typ, data, err := r.objects.read(id)
		switch {
		case err == errNoObject:
			return "", nil, noRevision(id.hex())
		case err != nil:
			_, err = r.object(id, typeCommit)
			return "", nil, err
		case typ == typeCommit:
			return id, data, nil
		case typ != typeTag:
			return "", nil, noRevision(id.hex())
		}
		line, _, _ := bytes.Cut(data, []byte("\n"))
		to, ok := r.kind.parseOID(strings.TrimPrefix(string(line), "object "))
		if !ok {
			return "", nil, corrupt("a tag names no object", nil)
		}
		id = to
	}
	return "", nil, corrupt("tags of tags of tags", nil)
}

// follow walks ~n and ^n; ok is false for anything else.
func (r *Repo) follow(id oid, steps string) (oid, bool, error) {
	for steps != "" {
		op := steps[0]
		steps = steps[1:]
		if op == '^' && strings.HasPrefix(steps, "{commit}") {
			steps = steps[len("{commit}"):]
			continue
		}
		digits := 0
		for digits < len(steps) && steps[digits] >= '0' && steps[digits] <= '9' {
			digits++
		}
		n := 1
		if digits > 0 {
			var err error
			if n, err = strconv.Atoi(steps[:digits]); err != nil {
				return "", false, nil
			}
			steps = steps[digits:]
		}
		if steps != "" && steps[0] != '~' && steps[0] != '^' {
			return "", false, nil
		}
		if op == '^' {
			if n == 0 {
				continue
			}
			c, err := r.commitAt(id)
			if err != nil {
				return "", false, err
			}
			if n > len(c.parents) {
				return "", false, noRevision(id.hex() + "^" + strconv.Itoa(n))
			}
			id = c.parents[n-1]
			continue
		}
		for range n {
			c, err := r.commitAt(id)
			if err != nil {
				return "", false, err
			}
			if len(c.parents) == 0 {
				return "", false, noRevision(id.hex() + "~" + strconv.Itoa(n))
			}
			id = c.parents[0]
		}
	}
	return id, true, nil
}

// CommitTime is when a revision was committed.
func (r *Repo) CommitTime(rev string) (time.Time, error) {
	_, c, err := r.commitOf(rev)
	return c.committed, err
}

// nearby is how many commits are looked at before the git binary, which may
// have a commit graph, is asked instead. A guess: 50 ms of reading.
const nearby = 5000

// IsAncestor reports whether commit a can be reached from commit b; a commit
// is its own ancestor.
func (r *Repo) IsAncestor(a, b string) (bool, error) {
	want, err := r.resolve(a)
	if err != nil {
		return false, err
	}
	from, err := r.resolve(b)
	if err != nil {
		return false, err
	}
	w := r.newWalk()
	w.push(from)
	for n := 0; ; n++ {
		if n == nearby && r.binary != "" {
			return r.isAncestorByGit(want, from)
		}
		c, ok, err := w.next()
		if err != nil || !ok {
			return false, err
		}
		if c.id == want {
			return true, nil
		}
		for _, p := range w.parents(c) {
			if p == want {
				return true, nil
			}
			w.push(p)
		}
	}
}

func (r *Repo) isAncestorByGit(a, b oid) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	out, err := r.run(ctx, gitCall{args: []string{"rev-list", "--max-count=1", a.hex(), "^" + b.hex()}})
	if err != nil {
		return false, err
	}
	return len(bytes.TrimSpace(out)) == 0, nil
}

// treeOf is the tree of a revision; "" for the empty one.
func (r *Repo) treeOf(rev string) (oid, error) {
	if rev == "" {
		return "", nil
	}
	_, c, err := r.commitOf(rev)
	if err != nil {
		if rev == "HEAD" && memsync.CodeOf(err) == memsync.CodeNotFound {
			if _, head, herr := r.head(); herr == nil && head == "" {
				return "", nil // an unborn branch holds nothing
			}
		}
		return "", err
	}
	return c.tree, nil
}
