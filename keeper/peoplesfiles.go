package keeper

import (
	"bytes"
	"errors"

	"memsync"
	"memsync/compose/agents"
	"memsync/internal/store"
	"memsync/lint"
)

// Files that people write and compositions write into: REVIEW.md, and those that
// [[into]] names.

// review plans a scope's REVIEW.md.
func (b *batch) review(store *agents.Store, scope memsync.Scope) error {
	p := agents.ReviewPath(scope)
	if f := b.k.noFile(p); f != nil {
		return nil
	}
	saved, disk, unknown, err := b.peoples(p)
	if err != nil || unknown {
		return err
	}
	var waiting []agents.Waiting
	if store != nil {
		waiting = store.Waiting(scope.Name())
	}
	if saved == nil && len(waiting) == 0 {
		return nil
	}
	previous, _, err := b.k.accepted(p)
	if err != nil {
		return err
	}
	b.derived(p, disk, agents.Review(scope, waiting, saved, previous))
	return nil
}

// peoples is a file that people write too, as the plan has it, and the hash of what
// the disk has. unknown says that this is a save that this batch does not know: its
// own batch will.
func (b *batch) peoples(p memsync.Path) (data []byte, disk memsync.Hash, unknown bool, err error) {
	if f, planned := b.files[p]; planned {
		return f.Content, f.Base, false, nil
	}
	data, disk, err = b.k.onDisk(p)
	if err != nil {
		return nil, "", false, err
	}
	known, _, ok := b.k.catalog.Accepted(p)
	return data, disk, data != nil && b.k.Store.CommitMode() == memsync.CommitAuto && (!ok || known != disk), nil
}

// into plans the region of a file that people load.
func (b *batch) into(st *agents.Store, into memsync.Into) error {
	warn := func(message, hint string) {
		b.findings = append(b.findings, memsync.Finding{Code: lint.IntoDrift, Severity: memsync.Warning, Path: into.File, Message: message, Hint: hint})
	}
	if f := b.k.noFile(into.File); f != nil {
		warn("the file is no regular file, so the prompt of "+into.Agent+" is not written into it", "replace it by a file, or take its [[into]] out of memsync.toml")
		return nil
	}
	data, disk, unknown, err := b.peoples(into.File)
	if err != nil {
		return err
	}
	if unknown {
		if limit := b.k.readLimit(into.File); b.k.Store.Kind == store.Embedded || limit > 0 && int64(len(data)) > limit {
			warn("it has changes that are not committed, so the prompt of "+into.Agent+" is not written into it", "commit the file; `memsync up --once` writes the prompt then")
		}
		return nil
	}
	if data == nil {
		warn("the file is gone, so the prompt of "+into.Agent+" is written nowhere", "`memsync compose "+into.Agent+" --into "+string(into.File)+"` makes it again; or take its [[into]] out of memsync.toml")
		return nil
	}
	var c *agents.Composition
	ok := false
	if st != nil {
		c, ok = st.Compose(into.Agent)
	}
	if !ok {
		warn("there is no agent "+into.Agent, "write agents/"+into.Agent+"/AGENT.md, or take its [[into]] out of memsync.toml")
		return nil
	}
	out, err := agents.Into(into.File, data, into.Agent, c.Prompt())
	if err != nil {
		var e *memsync.Error
		if errors.As(err, &e) {
			warn(e.Message, e.Hint)
			return nil
		}
		return err
	}
	if bytes.Equal(out, data) {
		return nil
	}
	b.rewritten = append(b.rewritten, into)
	b.derived(into.File, disk, out)
	return nil
}
