package keeper

import (
	"context"

	"memsync"
)

// Revert undoes one decision by a decision of its own: what was there before
// comes back, if what the decision left is still there. force overwrites what
// changed since.
func (k *Keeper) Revert(ctx context.Context, id string, c memsync.Candidate, force bool) (Outcome, error) {
	rec, err := k.journal.Decision(id)
	if err != nil {
		return Outcome{}, err
	}
	d := rec.Decision
	c.ID, c.Path, c.Scope, c.Base = d.Memory, d.Path, d.Scope, d.Post
	switch d.Op {
	case memsync.OpAdd:
	case memsync.OpUpdate, memsync.OpDelete:
		if c.Raw, err = k.version(d.Path, d.Prior); err != nil {
			return Outcome{}, err
		}
	case memsync.OpRename:
		c.Path, c.Scope = d.From, ""
		if c.Raw, err = k.version(d.From, d.Prior); err != nil {
			return Outcome{}, err
		}
	default:
		return Outcome{}, &memsync.Error{Code: memsync.CodeUsage, Message: "a decision to " + string(d.Op) + " can't be reverted",
			Hint: "add, update, rename and delete can"}
	}
	if force {
		c.Override, c.Base = "revert --force of "+rec.ID, ""
	}
	return k.Submit(ctx, c)
}

// version finds bytes by their hash, wherever this store keeps them.
func (k *Keeper) version(p memsync.Path, h memsync.Hash) ([]byte, error) {
	blob, _, err := k.journal.Blob(h)
	if err != nil {
		return nil, err
	}
	return k.bytesOf(p, h, blob)
}

// Restore brings back a memory as it was in a version, or as it last was.
func (k *Keeper) Restore(ctx context.Context, c memsync.Candidate, data []byte) (Outcome, error) {
	c.Op, c.Raw = memsync.OpRestore, data
	return k.Submit(ctx, c)
}
