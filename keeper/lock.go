package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"memsync"
)

// LockWait is how long a process waits for a store that another one owns.
const LockWait = 2 * time.Second

// owner is what the process that holds a store's lock writes beside it, for
// those who wait.
type owner struct {
	Host     string    `json:"host"`
	Boot     string    `json:"boot"`
	PID      int       `json:"pid"`
	Protocol int       `json:"protocol"`
	Since    time.Time `json:"since"`
}

// lockStore takes the store's lock, or says who holds it; with record it says
// beside the lock that it is this process. The lock is the
// kernel's (flock): it vanishes with its process, so a recycled pid in the
// record beside it never locks anybody out.
func lockStore(ctx context.Context, dir string, wait time.Duration, busy func(dir string) bool, record bool) (*flock.Flock, error) {
	l := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
	ok, err := waitFor(ctx, l, wait, func() bool { return busy != nil && busy(dir) })
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		return nil, &memsync.Error{Code: memsync.CodeIOWrite, Message: "the store's lock can't be taken", Err: err,
			Hint: "check that " + dir + " is writable"}
	}
	file := filepath.Join(dir, "owner.json")
	if !ok {
		return nil, &memsync.Error{Code: memsync.CodeStoreBusy, Message: "the store is held by " + describeOwner(file),
			Hint: "a command ends by itself: try again; a running `memsync up` does the work of other commands, and is ended to take its place"}
	}
	if !record {
		return l, nil
	}
	host, _ := os.Hostname()
	o := owner{Host: host, Boot: bootID(), PID: os.Getpid(), Protocol: 1, Since: time.Now().UTC()}
	data, err := json.Marshal(o)
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		l.Unlock()
		return nil, &memsync.Error{Code: memsync.CodeIOWrite, Message: "the owner's record can't be written", Err: err}
	}
	return l, nil
}

// waitFor takes a lock as soon as it is free, or gives up when the time is over
// or stop says so.
func waitFor(ctx context.Context, l *flock.Flock, wait time.Duration, stop func() bool) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if ok, err := l.TryLock(); ok || err != nil || stop() {
			return ok, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func describeOwner(file string) string {
	var o owner
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &o) != nil {
		return "another process"
	}
	return fmt.Sprintf("process %d on %s since %s", o.PID, o.Host, o.Since.Format(time.RFC3339))
}

// bootID tells one boot of a machine from the next; "" where the system does
// not say.
func bootID() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
