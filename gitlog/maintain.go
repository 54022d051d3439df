package gitlog

import "context"

// Maintain packs loose objects when there are enough of them, by git's own
// judgement (`git maintenance run --auto`). It may take seconds and belongs to
// idle time. Without a git binary nothing happens: the store works as well, it
// only takes more room (some 24 kB a commit).
func (r *Repo) Maintain(ctx context.Context) error {
	if r.binary == "" {
		return nil
	}
	_, err := r.run(ctx, gitCall{args: []string{"maintenance", "run", "--auto", "--quiet"}, tidy: true})
	return err
}
