package keeper

import (
	"context"

	"memsync/gitlog"
	"memsync/internal/store"
)

// Comparison is how a store stands to its remote, which was asked just now.
// Nothing was fetched and nothing was changed.
type Comparison struct {
	Remote   string          `json:"remote"`
	Address  string          `json:"address"` // without what must not be seen
	Branch   string          `json:"branch"`  // over there
	Commit   string          `json:"commit"`  // of the store, "" for none yet
	Tip      string          `json:"tip"`     // of the remote's branch, "" for none yet
	Relation gitlog.Relation `json:"relation"`
	Ahead    int             `json:"ahead"`
	Behind   int             `json:"behind"`  // of an unknown tip: 0, nobody can count
	Unknown  bool            `json:"unknown"` // the tip is not here: the remote has commits that this clone has never seen
}

// Compare asks the remote for its tip and says how the store stands to it. Errors
// as of Sync.
func Compare(ctx context.Context, turns Turns, opt SyncOptions) (Comparison, error) {
	var repo *gitlog.Repo
	var to gitlog.Destination
	var head string
	err := turns(ctx, func(_ context.Context, k *Keeper) error {
		if err := MayLeave(k.Store); err != nil {
			return err
		}
		if k.Store.Kind == store.Embedded {
			return partOfProject()
		}
		st, err := k.repo.State()
		if err != nil {
			return err
		}
		repo, head = k.repo, st.Head
		branch := st.Branch
		if b := k.Store.Policy.Git.Branch; b != "" {
			branch = b
		}
		to, err = repo.Destination(branch)
		return err
	})
	if err != nil {
		return Comparison{}, err
	}
	return compare(ctx, repo, to, head, gitlog.Transfer{Ask: opt.Ask, Timeout: opt.Timeout})
}

func compare(ctx context.Context, repo *gitlog.Repo, to gitlog.Destination, head string, opt gitlog.Transfer) (c Comparison, err error) {
	c = Comparison{Remote: to.Remote.Name, Address: to.Remote.Shown(), Branch: to.Branch, Commit: head}
	heads, err := repo.Heads(ctx, to.Remote.Name, opt)
	if err != nil {
		return c, err
	}
	c.Tip = heads[to.Branch]
	switch {
	case c.Tip == head:
		c.Relation = gitlog.Same
	case c.Tip == "":
		c.Relation = gitlog.Ahead
		c.Ahead, _, err = repo.Apart(head, "")
	case !repo.Has(c.Tip):
		c.Unknown, c.Relation = true, gitlog.Behind
		known, kerr := repo.Known(to)
		if kerr != nil {
			return c, kerr
		}
		if c.Ahead, _, err = repo.Apart(head, known); c.Ahead > 0 { // of what it had when it was last heard of
			c.Relation = gitlog.Diverged
		}
	case head == "":
		c.Relation = gitlog.Behind
		_, c.Behind, err = repo.Apart("", c.Tip)
	default:
		if c.Relation, _, err = repo.Relate(head, c.Tip); err == nil {
			c.Ahead, c.Behind, err = repo.Apart(head, c.Tip)
		}
	}
	return c, err
}
