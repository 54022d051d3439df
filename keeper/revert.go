package keeper

import (
	"context"

	"memsync"
	"memsync/internal/format"
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
		c.Op, c.From, c.Path, c.Scope = memsync.OpRename, d.Path, d.From, ""
		if c.Fields, err = k.nameBefore(d); err != nil {
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

// nameBefore is the name that a rename replaced, as the field that sets it.
func (k *Keeper) nameBefore(d memsync.Decision) ([]memsync.Field, error) {
	data, err := k.version(d.From, d.Prior)
	if err != nil {
		return nil, err
	}
	doc, err := format.Parse(data, k.Store.Policy.Limits)
	if err != nil {
		return nil, nil // unreadable then: there was no name to bring back
	}
	name, ok := doc.Get("name")
	if !ok || name.IsList {
		return nil, nil
	}
	return []memsync.Field{{Key: "name", Value: name}}, nil
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
