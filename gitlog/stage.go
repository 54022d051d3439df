package gitlog

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"memsync"
)

// MergeHeads are the commits that an unfinished merge will have as parents
// beside HEAD.
func (r *Repo) MergeHeads() ([]string, error) {
	data, err := os.ReadFile(filepath.Join(r.gitDir, "MERGE_HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return strings.Fields(string(data)), fault(memsync.CodeIORead, "reading MERGE_HEAD", err)
}

// Stage puts contents into an index, as `git add` of files with these bytes
// would, and leaves working files alone; nil takes the entry away. An entry keeps
// its mode. indexFile is as in Staged. Everything goes through the git binary,
// which knows every kind of index; a path with an unresolved conflict is refused.
//
// Inside `git commit PATH` the index that the hook is told is not the one that
// stays: what is staged there is in the commit and not in the worktree's own.
func (r *Repo) Stage(ctx context.Context, indexFile string, changes []Change) error {
	file, err := r.indexAt(indexFile)
	if err != nil {
		return err
	}
	now, err := r.Staged(indexFile)
	if err != nil {
		return err
	}
	var lines bytes.Buffer
	for _, c := range changes {
		e, ok := now.Entry(c.Path)
		if ok && e.Stage != 0 {
			return &memsync.Error{Code: memsync.CodeConflictUnresolved, Path: c.Path, Message: "the index holds an unresolved conflict there",
				Hint: "resolve it and `git add` the file"}
		}
		if strings.Contains(string(c.Path), "\x00") {
			return &memsync.Error{Code: memsync.CodePathInvalid, Path: c.Path, Message: "the name holds a NUL"}
		}
		if c.Content == nil {
			lines.WriteString("0 " + r.kind.zero() + "\t" + r.full(c.Path) + "\x00")
			continue
		}
		out, err := r.run(ctx, gitCall{args: []string{"hash-object", "-w", "-t", typeBlob, "--no-filters", "--stdin"}, stdin: bytes.NewReader(c.Content)})
		if err != nil {
			return err
		}
		mode := "100644"
		if ok && e.Mode == modeExec {
			mode = "100755"
		}
		lines.WriteString(mode + " " + strings.TrimSpace(string(out)) + "\t" + r.full(c.Path) + "\x00")
	}
	if lines.Len() == 0 {
		return nil
	}
	_, err = r.run(ctx, gitCall{args: []string{"update-index", "-z", "--index-info"}, stdin: &lines, env: []string{"GIT_INDEX_FILE=" + file}})
	return err
}

// StageMerged ends the conflict that the index holds at a path (relative to the
// store): content takes the place of all its versions, as `git add` would have
// it. The working file is left alone.
func (r *Repo) StageMerged(ctx context.Context, p memsync.Path, content []byte, mode uint32) error {
	file, err := r.indexAt("")
	if err != nil {
		return err
	}
	out, err := r.run(ctx, gitCall{args: []string{"hash-object", "-w", "-t", typeBlob, "--no-filters", "--stdin"}, stdin: bytes.NewReader(content)})
	if err != nil {
		return err
	}
	bits := "100644"
	if mode == modeExec {
		bits = "100755"
	}
	name := "\t" + r.full(p) + "\x00"
	lines := "0 " + r.kind.zero() + name + bits + " " + strings.TrimSpace(string(out)) + name
	_, err = r.run(ctx, gitCall{args: []string{"update-index", "-z", "--index-info"}, stdin: strings.NewReader(lines), env: []string{"GIT_INDEX_FILE=" + file}})
	return err
}
