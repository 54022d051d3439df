package gitlog

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"memsync"
)

// The steps of a commit that go through the git binary. Only plumbing runs:
// no hook, no filter but those that attributes ask for, nothing that looks at
// the working tree.

func (j *commitJob) git(stdin io.Reader, env []string, args ...string) ([]byte, error) {
	return j.r.run(j.ctx, gitCall{args: args, stdin: stdin, env: env})
}

// blobByGit writes a file's blob as `git add` would, filters and line ends and
// all.
func (j *commitJob) blobByGit(name string, content []byte) (oid, error) {
	out, err := j.git(bytes.NewReader(content), nil, "hash-object", "-w", "--stdin", "--path="+name)
	if err != nil {
		return "", err
	}
	return j.answered(out)
}

func (j *commitJob) answered(out []byte) (oid, error) {
	id, ok := j.r.kind.parseOID(strings.TrimSpace(string(out)))
	if !ok {
		return "", &memsync.Error{Code: memsync.CodeGit, Message: fmt.Sprintf("git answered %.80q where an object id was expected", out)}
	}
	return id, nil
}

// objectsByGit writes objects one by one.
func (j *commitJob) objectsByGit(objs []newObject) error {
	for _, o := range objs {
		out, err := j.git(bytes.NewReader(o.data), nil, "hash-object", "-w", "-t", o.typ, "--stdin")
		if err != nil {
			return err
		}
		id, err := j.answered(out)
		if err != nil {
			return err
		}
		if id != o.id {
			return corrupt("git names an object "+id.hex()+" that is "+o.id.hex()+" here", nil)
		}
	}
	return nil
}

// commitByGit makes the commit, signed when the person signs. The key is the
// person's: git would look for one of the committer's.
func (j *commitJob) commitByGit(tree oid) (oid, error) {
	args := []string{"commit-tree"}
	if j.way.sign {
		key := j.r.config().get("user.signingkey")
		if key == "" {
			if id, fallback := j.r.Identity(); !fallback {
				key = id.Email
			}
		}
		args = append(args, "-S"+key)
	}
	if j.parent != "" {
		args = append(args, "-p", j.parent.hex())
	}
	args = append(args, "-F", "-", tree.hex())
	_, offset := j.c.When.Zone()
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	date := fmt.Sprintf("@%d %c%02d%02d", j.c.When.Unix(), sign, offset/3600, offset/60%60)
	out, err := j.git(strings.NewReader(cleanMessage(j.c.Message)), []string{
		"GIT_AUTHOR_NAME=" + cleanIdent(j.c.Author.Name), "GIT_AUTHOR_EMAIL=" + cleanIdent(j.c.Author.Email), "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=" + committer.Name, "GIT_COMMITTER_EMAIL=" + committer.Email, "GIT_COMMITTER_DATE=" + date,
	}, args...)
	if err != nil {
		return "", err
	}
	return j.answered(out)
}

// indexByGit patches a copy of the index with git, by the same rule as the
// native patch: entries that a person staged stay.
func (j *commitJob) indexByGit(file string) error {
	data, err := os.ReadFile(filepath.Join(j.r.gitDir, "index"))
	if err != nil && !os.IsNotExist(err) {
		return fault(memsync.CodeIORead, "reading the index", err)
	}
	os.Remove(file)
	if err == nil {
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return fault(memsync.CodeIOWrite, "writing the index", err)
		}
	}
	env := []string{"GIT_INDEX_FILE=" + file}
	staged, err := j.stagedByGit(env)
	if err != nil {
		return err
	}
	var in bytes.Buffer
	for _, e := range j.edits {
		now := staged[e.name]
		if now.blob != e.prev && now.blob != e.blob {
			continue
		}
		if e.blob == "" {
			fmt.Fprintf(&in, "0 %s\t%s\x00", j.r.kind.zero(), e.name)
			continue
		}
		mode := e.mode
		if (now.mode == modeExec || now.mode == modeFile) && now.mode != e.prevMode {
			mode = now.mode
		}
		fmt.Fprintf(&in, "%o %s\t%s\x00", mode, e.blob.hex(), e.name)
	}
	_, err = j.git(&in, env, "update-index", "-z", "--index-info")
	if err == nil {
		if _, gone := os.Stat(file); gone != nil { // nothing to change in no index
			err = os.WriteFile(file, data, 0o666)
		}
	}
	return err
}

type stagedEntry struct {
	blob oid
	mode uint32
}

// stagedByGit is what an index has at the paths of the commit.
func (j *commitJob) stagedByGit(env []string) (map[string]stagedEntry, error) {
	out, err := j.git(nil, env, "ls-files", "-s", "-z", "--full-name")
	if err != nil {
		return nil, err
	}
	ours := make(map[string]bool, len(j.edits))
	for _, e := range j.edits {
		ours[e.name] = true
	}
	staged := map[string]stagedEntry{}
	empty := j.r.kind.id(typeBlob, nil)
	for _, line := range strings.Split(string(out), "\x00") {
		meta, name, ok := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 3 {
			continue
		}
		if f[2] != "0" {
			return nil, pausedError("merge", "the index holds an unresolved conflict: resolve it and `git add`")
		}
		if !ours[name] {
			continue
		}
		mode, err := strconv.ParseUint(f[0], 8, 32)
		id, ok := j.r.kind.parseOID(f[1])
		if err != nil || !ok {
			continue
		}
		e := stagedEntry{id, uint32(mode)}
		if id == empty && j.edit(name).prev == "" {
			e = stagedEntry{} // an intent to add (git add -N) looks like an empty file here
		}
		staged[name] = e
	}
	return staged, nil
}

// moveByGit moves the branch with git's own compare and swap.
func (j *commitJob) moveByGit() error {
	old := j.parent.hex()
	if old == "" {
		old = j.r.kind.zero()
	}
	_, err := j.git(nil, []string{"GIT_COMMITTER_NAME=" + committer.Name, "GIT_COMMITTER_EMAIL=" + committer.Email},
		"update-ref", "--create-reflog", "-m", j.said(), j.ref, j.id.hex(), old)
	return err
}

// headByGit asks git for HEAD where refs are not files.
func (r *Repo) headByGit() (ref string, id oid, err error) {
	ctx, cancel := background()
	defer cancel()
	if r.binary == "" {
		return "", "", missing("branches of this repository are not files; they are read through the git binary")
	}
	if out, err := r.run(ctx, gitCall{args: []string{"symbolic-ref", "-q", "HEAD"}}); err == nil {
		ref = strings.TrimSpace(string(out))
	}
	id, err = r.revParse(ctx, "HEAD")
	if err != nil && ref != "" && memsync.CodeOf(err) == memsync.CodeNotFound {
		return ref, "", nil
	}
	return ref, id, err
}

// revParse asks git for the commit that a revision names.
func (r *Repo) revParse(ctx context.Context, rev string) (oid, error) {
	out, err := r.run(ctx, gitCall{args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", rev + "^{commit}"}})
	if err != nil {
		return "", noRevision(rev)
	}
	lines := strings.Fields(string(out))
	if len(lines) == 0 {
		return "", noRevision(rev)
	}
	id, ok := r.kind.parseOID(lines[len(lines)-1])
	if !ok {
		return "", noRevision(rev)
	}
	return id, nil
}

func noRevision(rev string) error {
	return &memsync.Error{Code: memsync.CodeNotFound, Message: fmt.Sprintf("no such revision: %.80q", rev), Hint: "`git log` lists revisions"}
}
