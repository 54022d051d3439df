package gitlog

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"memsync"
)

// What a machine without the git binary can do: http and https, with a name and
// password that stand in the address. httpProgram speaks the protocol; what is
// sent and what is kept are this package's own, as everywhere.

// httpSaid is the error of a transfer that was done without git.
func httpSaid(m Remote, doing string, err error) error {
	var known *memsync.Error
	if err == nil || errors.As(err, &known) || errors.Is(err, errNoSuchBranch) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := remoteSaid(m, []string{doing}, err.Error(), err)
	if errors.As(e, &known) && known.Code == memsync.CodeSyncAuth {
		known.Hint = "without the git binary only a name and password in the address are known here; with git installed its credentials are used; nothing was changed"
	}
	return e
}

func (r *Repo) headsByHTTP(ctx context.Context, m Remote) (map[string]string, error) {
	c, err := r.converse(ctx, m, "upload-pack")
	if err != nil {
		return nil, httpSaid(m, "ls-remote", err)
	}
	defer c.close()
	return c.heads, nil
}

func (r *Repo) fetchByHTTP(ctx context.Context, m Remote, branch string) error {
	return httpSaid(m, "fetch", r.fetchPack(ctx, m, branch))
}

func (r *Repo) fetchPack(ctx context.Context, m Remote, branch string) error {
	c, err := r.converse(ctx, m, "upload-pack")
	if err != nil {
		return err
	}
	defer c.close()
	tip, ok := r.kind.parseOID(c.heads[branch])
	if !ok {
		return errNoSuchBranch
	}
	if _, err := r.object(tip, typeCommit); err != nil {
		haves, err := r.haves()
		if err != nil {
			return err
		}
		var ask strings.Builder
		ask.WriteString("want " + tip.hex() + "\n")
		for _, id := range haves {
			ask.WriteString("have " + id.hex() + "\n")
		}
		if err := c.send([]byte(ask.String() + "\n")); err != nil {
			return err
		}
		if err := r.keepPack(c); err != nil {
			return err
		}
		if _, err := r.object(tip, typeCommit); err != nil {
			return corrupt("the remote's pack lacks the commit that was asked for", err)
		}
	}
	before, err := r.tracking(m.Name, branch)
	if err != nil {
		return err
	}
	if before != "" && before != tip.hex() {
		if forward, err := r.IsAncestor(before, tip.hex()); err != nil {
			return err
		} else if !forward {
			return forced(m, branch, "the branch "+branch+" of "+m.Name+" was rewritten: it no longer has what it had")
		}
	}
	return r.setTracking(ctx, m, branch, before, tip)
}

// haves are tips that the remote may know: it sends what they do not reach.
func (r *Repo) haves() ([]oid, error) {
	var out []oid
	for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
		ids, err := r.refsBelow(prefix)
		if err != nil {
			return nil, err
		}
		out = append(out, ids...)
	}
	return out, nil
}

// setTracking moves what is known of a remote's branch, if it still is what it
// was: under the ref's own lock, as git does, with a line in its reflog.
func (r *Repo) setTracking(ctx context.Context, m Remote, branch, before string, tip oid) error {
	ref := trackingRef(m.Name, branch)
	file := filepath.Join(r.refDir(ref), filepath.FromSlash(ref))
	if before == tip.hex() {
		return nil
	}
	fail := func(err error) error { return fault(memsync.CodeIOWrite, "moving "+ref, err) }
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return fail(err)
	}
	lock, err := os.OpenFile(file+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return r.locked(file + ".lock")
	}
	if err != nil {
		return fail(err)
	}
	defer os.Remove(lock.Name()) // renamed when all is well
	defer lock.Close()
	now, err := r.tracking(m.Name, branch)
	if err != nil {
		return err
	}
	if now != before {
		return &memsync.Error{Code: memsync.CodeGitMoved, Message: ref + " moved meanwhile"}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err = lock.WriteString(tip.hex() + "\n")
	if err = errors.Join(err, lock.Sync(), lock.Close()); err == nil {
		err = os.Rename(lock.Name(), file)
	}
	return fail(err)
}

func (r *Repo) pushByHTTP(ctx context.Context, m Remote, id, branch string) error {
	return httpSaid(m, "push", r.pushPack(ctx, m, id, branch))
}

func (r *Repo) pushPack(ctx context.Context, m Remote, id, branch string) error {
	c, err := r.converse(ctx, m, "receive-pack")
	if err != nil {
		return err
	}
	defer c.close()
	was := c.heads[branch]
	before, err := r.tracking(m.Name, branch)
	if err != nil {
		return err
	}
	tip, _ := r.kind.parseOID(id)
	switch {
	case was == id:
		return r.setTracking(ctx, m, branch, before, tip)
	case was != "":
		theirs, _ := r.kind.parseOID(was)
		if _, err := r.object(theirs, typeCommit); err != nil {
			return pushSaid(m, branch, "rejected", "fetch first", "")
		}
		if forward, err := r.IsAncestor(was, id); err != nil {
			return err
		} else if !forward {
			return pushSaid(m, branch, "rejected", "non-fast-forward", "")
		}
	}
	var known []oid
	for _, head := range c.heads {
		if h, ok := r.kind.parseOID(head); ok {
			known = append(known, h)
		}
	}
	pack, err := r.packSince(tip, known)
	if err != nil {
		return err
	}
	old := was
	if old == "" {
		old = strings.Repeat("0", len(id))
	}
	if err := c.send(fmt.Appendf(nil, "%s %s refs/heads/%s %d\n", old, id, branch, len(pack))); err != nil {
		return err
	}
	if err := c.send(pack); err != nil {
		return err
	}
	c.in.Close()
	answer, err := io.ReadAll(c)
	if err != nil {
		return err
	}
	said, words, _ := strings.Cut(string(answer), "\n")
	if reason, refused := strings.CutPrefix(said, "ng "); refused {
		return pushSaid(m, branch, "remote rejected", reason, words)
	}
	if said != "ok" {
		return io.ErrUnexpectedEOF
	}
	return r.setTracking(ctx, m, branch, before, tip)
}

// packSince is a pack of what tip reaches and known do not. What known reach is
// left out by their trees: an object that an older commit of theirs had and its
// tip lacks may be sent again, which harms nothing.
func (r *Repo) packSince(tip oid, known []oid) ([]byte, error) {
	commits, _, err := r.commitsSince(tip, known)
	if err != nil {
		return nil, err
	}
	there := map[oid]bool{}
	var ids []oid
	var add func(tree oid, send bool) error
	add = func(tree oid, send bool) error {
		if tree == "" || there[tree] {
			return nil
		}
		there[tree] = true
		data, err := r.object(tree, typeTree)
		if err != nil {
			return err
		}
		if send {
			ids = append(ids, tree)
		}
		for len(data) > 0 {
			item, rest, err := r.kind.nextItem(data)
			if err != nil {
				return err
			}
			data = rest
			id := oid(item.id)
			switch {
			case item.mode == modeModule:
			case item.isTree():
				if err := add(id, send); err != nil {
					return err
				}
			case !there[id]:
				there[id] = true
				if send {
					ids = append(ids, id)
				}
			}
		}
		return nil
	}
	for _, id := range known {
		if c, err := r.commitAt(id); err == nil {
			if err := add(c.tree, false); err != nil {
				return nil, err
			}
		}
	}
	for _, n := range commits {
		ids = append(ids, n.id)
		if err := add(n.tree, true); err != nil {
			return nil, err
		}
	}
	return r.encodePack(ids)
}

// encodePack writes objects as a pack without deltas.
func (r *Repo) encodePack(ids []oid) ([]byte, error) {
	var out bytes.Buffer
	p := newPackWriter(&out, len(ids))
	for _, id := range ids {
		typ, data, err := r.objects.read(id)
		if err != nil {
			return nil, corrupt("object "+hex.EncodeToString([]byte(id))+" can't be read", err)
		}
		p.add(typ, data)
	}
	return p.end(), nil
}
