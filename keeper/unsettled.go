package keeper

import (
	"context"
	"errors"
	"time"

	"memsync"
	"memsync/indexer"
	"memsync/internal/format"
	"memsync/watcher"
)

// unfinished is how long a file may still become whole: one whose frontmatter is
// not closed yet, and an empty one, which an editor has truncated before it
// writes. 0 for what is taken as it is.
func (k *Keeper) unfinished(st watcher.Stat, data []byte) time.Duration {
	grace := time.Duration(0)
	switch {
	case len(data) == 0:
		grace = emptyGrace
	case unclosed(data, k.Store.Policy.Limits):
		grace = unclosedGrace
	}
	if age := k.opt.Now().Sub(time.Unix(0, st.MTime)); age >= 0 && age < grace {
		return grace - age
	}
	return 0
}

// waitForRest gives a file the time to become whole, and takes it as it is then.
func (k *Keeper) waitForRest(ctx context.Context, p memsync.Path, data []byte, left time.Duration) ([]byte, error) {
	if k.opt.ReadOnly {
		return data, nil
	}
	if err := sleep(ctx, left); err != nil {
		return nil, err
	}
	again, _, err := watcher.Read(k.Store.Root, p, int64(k.Store.Policy.Limits.SaveBytes))
	if err != nil {
		return data, nil // gone or grown: the next look sees it
	}
	return again, nil
}

// note remembers what is on disk, unless the file was written so recently that
// a second write could leave the same stat.
// before is when reading began.
func (k *Keeper) note(up *indexer.Update, p memsync.Path, st watcher.Stat, before time.Time, hash memsync.Hash, data []byte) {
	if age := before.UnixNano() - max(st.MTime, st.CTime); age < int64(racy(st)) {
		return
	}
	up.Stats[p] = indexer.Disk{Stat: indexer.Stat(st), Hash: hash, Blob: k.repo.BlobID(data)}
}

// racy is how long a file's times may stand still while it is written: a few
// ticks of the kernel's clock, two seconds where the file system counts whole
// seconds.
func racy(st watcher.Stat) time.Duration {
	if st.MTime%int64(time.Second) == 0 && st.CTime%int64(time.Second) == 0 {
		return 2 * time.Second
	}
	return 50 * time.Millisecond
}

// unclosed reports whether the bytes look like a frontmatter block that is
// still being written.
func unclosed(data []byte, lim memsync.Limits) bool {
	_, err := format.Parse(data, lim)
	var e *memsync.Error
	return errors.As(err, &e) && e.Details["unclosed"] != ""
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
