package gitlog

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/http"

	"memsync"
)

// What a machine without the git binary can do: http and https, with a name and
// password that stand in the address. go-git speaks the protocol; what is sent
// and what is kept are this package's own, as everywhere.

// httpSaid is the error of a transfer that this process did.
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

// branchesOf are a remote's branches; an empty repository has none.
func branchesOf(refs *packp.AdvRefs, err error) (map[string]string, error) {
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, err
	}
	heads := map[string]string{}
	for ref, id := range refs.References {
		if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
			heads[name] = id.String()
		}
	}
	return heads, nil
}

func (r *Repo) headsByHTTP(ctx context.Context, m Remote) (map[string]string, error) {
	s, _, heads, err := open(ctx, m, http.NewClient(nil).NewUploadPackSession)
	if err == nil {
		err = s.Close()
	}
	return heads, httpSaid(m, "ls-remote", err)
}

func (r *Repo) fetchByHTTP(ctx context.Context, m Remote, branch string) error {
	return httpSaid(m, "fetch", r.fetchPack(ctx, m, branch))
}

// open begins a session of one kind with a remote and asks for its branches.
func open[S transport.Session](ctx context.Context, m Remote, kind func(*transport.Endpoint, transport.AuthMethod) (S, error)) (s S, refs *packp.AdvRefs, heads map[string]string, err error) {
	end, err := transport.NewEndpoint(m.URL)
	if err != nil {
		return s, nil, nil, err
	}
	if s, err = kind(end, nil); err != nil {
		return s, nil, nil, err
	}
	refs, err = s.AdvertisedReferencesContext(ctx)
	if heads, err = branchesOf(refs, err); err != nil {
		err = errors.Join(err, s.Close())
	}
	return s, refs, heads, err
}

func (r *Repo) fetchPack(ctx context.Context, m Remote, branch string) error {
	s, refs, heads, err := open(ctx, m, http.NewClient(nil).NewUploadPackSession)
	if err != nil {
		return err
	}
	defer s.Close()
	tip, ok := r.kind.parseOID(heads[branch])
	if !ok {
		return errNoSuchBranch
	}
	if _, err := r.object(tip, typeCommit); err != nil {
		req := packp.NewUploadPackRequestFromCapabilities(refs.Capabilities)
		req.Capabilities.Delete(capability.ThinPack) // each pack is whole by itself
		req.Wants = []plumbing.Hash{plumbing.NewHash(tip.hex())}
		if req.Haves, err = r.haves(); err != nil {
			return err
		}
		answer, err := s.UploadPack(ctx, req)
		if err != nil {
			return err
		}
		var pack io.Reader = answer
		if req.Capabilities.Supports(capability.Sideband64k) {
			pack = sideband.NewDemuxer(sideband.Sideband64k, answer)
		} else if req.Capabilities.Supports(capability.Sideband) {
			pack = sideband.NewDemuxer(sideband.Sideband, answer)
		}
		if err := errors.Join(r.keepPack(pack), answer.Close()); err != nil {
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
func (r *Repo) haves() ([]plumbing.Hash, error) {
	var out []plumbing.Hash
	for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
		ids, err := r.refsBelow(prefix)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			out = append(out, plumbing.NewHash(id.hex()))
		}
	}
	return out, nil
}

// keepPack makes a pack that comes from outside one of the repository's, index
// and all, once every object in it was read and its checksum is right.
func (r *Repo) keepPack(from io.Reader) (err error) {
	dir := filepath.Join(r.common, "objects", "pack")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fault(memsync.CodeIOWrite, "keeping what was fetched", err)
	}
	f, err := os.CreateTemp(dir, "tmp_pack_")
	if err != nil {
		return fault(memsync.CodeIOWrite, "keeping what was fetched", err)
	}
	defer func() {
		f.Close()
		os.Remove(f.Name())
	}()
	n, err := io.Copy(f, from)
	if err != nil {
		return err
	}
	if n == 0 {
		return io.ErrUnexpectedEOF
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fault(memsync.CodeIORead, "reading what was fetched", err)
	}
	var index idxfile.Writer
	parser, err := packfile.NewParser(packfile.NewScanner(f), &index)
	if err != nil {
		return err
	}
	sum, err := parser.Parse()
	if err != nil {
		return err
	}
	made, err := index.Index()
	if err != nil {
		return err
	}
	var idx bytes.Buffer
	if _, err := idxfile.NewEncoder(&idx).Encode(made); err != nil {
		return err
	}
	name := filepath.Join(dir, "pack-"+sum.String())
	err = errors.Join(f.Chmod(0o444), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name+".pack")
	}
	if err == nil { // with the index the pack is there
		err = writeSynced(name+".idx", idx.Bytes())
	}
	if err == nil {
		err = syncDir(dir)
	}
	return fault(memsync.CodeIOWrite, "keeping what was fetched", err)
}

// writeSynced makes name hold data, whole or not at all.
func writeSynced(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "tmp_idx_")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o444), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
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
	s, refs, heads, err := open(ctx, m, http.NewClient(nil).NewReceivePackSession)
	if err != nil {
		return err
	}
	defer s.Close()
	if refs == nil { // an empty repository
		refs = packp.NewAdvRefs()
		if err := refs.Capabilities.Set(capability.ReportStatus); err != nil {
			return err
		}
	}
	ref := plumbing.ReferenceName("refs/heads/" + branch)
	was := heads[branch]
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
	for _, head := range heads {
		if h, ok := r.kind.parseOID(head); ok {
			known = append(known, h)
		}
	}
	pack, err := r.packSince(tip, known)
	if err != nil {
		return err
	}
	var words bytes.Buffer
	req := packp.NewReferenceUpdateRequestFromCapabilities(refs.Capabilities)
	if refs.Capabilities.Supports(capability.Sideband64k) {
		if err := req.Capabilities.Set(capability.Sideband64k); err != nil {
			return err
		}
		req.Progress = &words
	}
	req.Commands = []*packp.Command{{Name: ref, Old: plumbing.NewHash(was), New: plumbing.NewHash(id)}}
	req.Packfile = io.NopCloser(bytes.NewReader(pack))
	report, err := s.ReceivePack(ctx, req)
	if report != nil {
		for _, c := range report.CommandStatuses {
			if c.ReferenceName == ref && c.Status != "ok" {
				return pushSaid(m, branch, "remote rejected", c.Status, words.String())
			}
		}
	}
	if err != nil {
		return err
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
