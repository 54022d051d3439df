package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"memsync"
	"memsync/internal/store"
	"memsync/keeper"
)

// opened is a store that a verb works on: a keeper of its own, or, in the
// process that owns the store for others, a turn of that process's keeper.
// Verbs don't see the difference.
type opened struct {
	*keeper.Keeper
	close func() error
	apart func(do func()) error // runs do while others may have the store; nil where nobody waits for us
}

// Close lets go of the store. It may be called more than once, and on nothing.
func (o *opened) Close() error {
	if o == nil {
		return nil
	}
	return o.close()
}

// aside does what may take a person's time: an editor, a question. Others may
// have the store meanwhile, so what was read before may be old afterwards.
func (o *opened) aside(do func()) error {
	if o.apart == nil {
		do()
		return nil
	}
	return o.apart(do)
}

// open opens a store for the length of one command. A dry run works on a
// scratch copy of the local state and writes nothing; so does a verb that only
// reads, where nothing can be written. Where another process
// owns the store and serves it, that process does the whole command instead:
// open then ends this one with its exit code. So a verb opens a store before
// it has done anything that can't be done twice.
func (a *app) open(s *store.Store) (*opened, error) {
	if a.handed != nil {
		return nil, *a.handed
	}
	if a.far != nil {
		if k := ownedAt(s.Root); k != nil {
			return a.share(k, s)
		}
	}
	for {
		if err := a.ctx.Err(); err != nil {
			return nil, err
		}
		var line *ownerLine
		opt := a.keeperOptions()
		opt.ReadOnly = a.flags.dryRun
		if !a.alone() {
			opt.Busy = func(stateDir string) bool {
				line = callOwner(stateDir)
				return line != nil
			}
		}
		k, err := keeper.Open(a.ctx, s, opt)
		if unwritable(err) && a.reads() {
			opt.ReadOnly = true
			k, err = keeper.Open(a.ctx, s, opt)
		}
		switch {
		case line != nil && a.far != nil:
			o, err := a.borrow(line, s)
			if errors.Is(err, errLost) {
				continue
			}
			return o, err
		case line != nil:
			code, err := a.handOver(line)
			if errors.Is(err, errLost) {
				a.lost = true
				continue
			}
			if err != nil {
				return nil, err
			}
			ended := exitError(code)
			a.handed = &ended
			return nil, ended
		case err != nil && a.ctx.Err() != nil: // nobody waited for the lock to the end
			return nil, a.ctx.Err()
		case err != nil:
			return nil, err
		}
		o := &opened{Keeper: k, close: k.Close}
		if a.lost && !a.flags.dryRun {
			return a.afterLoss(o)
		}
		return o, nil
	}
}

// borrow opens a store that another process owns, in an owner that does a
// client's command: a command is handed over once, and may need the stores of
// two owners.
func (a *app) borrow(line *ownerLine, s *store.Store) (*opened, error) {
	var give func() error
	take := func() (*keeper.Keeper, error) {
		if err := line.borrow(a.ctx); err != nil {
			line.conn.Close()
			return nil, err
		}
		opt := a.keeperOptions()
		opt.ReadOnly, opt.Unlocked = a.flags.dryRun, true
		k, err := keeper.Open(a.ctx, s, opt)
		if err != nil {
			line.conn.Close()
			return nil, err
		}
		k.Talk(keeper.Caller{Notice: opt.Notice, Progress: opt.Progress, Env: a.far.order.Env, Delivery: a.delivery})
		conn := line.conn
		give = sync.OnceValue(func() error { return errors.Join(k.Close(), conn.Close()) })
		return k, nil
	}
	k, err := take()
	if err != nil {
		return nil, err
	}
	o := &opened{Keeper: k, close: func() error { return give() }}
	a.far.hands = append(a.far.hands, o)
	o.apart = func(do func()) error {
		dir := o.Repo().StateDir()
		give()
		do()
		if line = callOwner(dir); line == nil {
			return &memsync.Error{Code: memsync.CodeStoreBusy, Message: errLost.Error(), Hint: "try again"}
		}
		o.Keeper, err = take()
		return err
	}
	return o, nil
}

// reads reports whether the verb changes nothing: those that do have a dry run.
func (a *app) reads() bool { return a.verb != nil && a.verb.Flags().Lookup("dry-run") == nil }

// unwritable: a mount that is read-only, somebody else's directory.
func unwritable(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// alone reports whether this command has to own the store itself: the user
// wants it so, or it is the one that owns a store for others.
func (a *app) alone() bool {
	if a.env("MEMSYNC_NO_DAEMON") == "1" {
		return true
	}
	if a.verb == nil || a.verb.Name() != "up" {
		return false
	}
	once, err := a.verb.Flags().GetBool("once")
	return err == nil && !once
}

// afterLoss goes on where an owner died before it answered: what it finished is
// told and not done again.
func (a *app) afterLoss(o *opened) (*opened, error) {
	out, done, err := o.Delivered(a.delivery)
	if err == nil && !done {
		return o, nil
	}
	defer o.Close()
	if err == nil {
		err = a.printSubmitted(out)
	}
	if err == nil {
		err = exitError(exitFine)
	}
	return nil, err
}

func (a *app) keeperOptions() keeper.Options {
	return keeper.Options{Now: time.Now, Notice: a.say, Progress: a.progress(), LookUp: a.verb != nil && slices.Contains(lookUps, a.verb.Name())}
}

// lookUps are verbs that need less of a store than others: see keeper.Options.
var lookUps = []string{"list", "scope", "search", "show"}

// share takes a turn of the keeper that this process owns the store with.
func (a *app) share(k *keeper.Keeper, s *store.Store) (*opened, error) {
	var give func() // ends the turn
	take := func() error {
		release, err := k.Turn(a.ctx)
		if err != nil {
			return err
		}
		quiet := k.Talk(keeper.Caller{Notice: a.say, Progress: a.progress(), Env: a.far.order.Env, Delivery: a.delivery})
		undo, err := k.Reopen(a.ctx, s)
		give = sync.OnceFunc(func() { undo(); quiet(); release() })
		if err != nil {
			give()
		}
		return err
	}
	if err := take(); err != nil {
		return nil, err
	}
	o := &opened{Keeper: k, close: func() error { give(); return nil }}
	a.far.hands = append(a.far.hands, o)
	o.apart = func(do func()) error {
		give()
		do()
		return take()
	}
	if !a.flags.dryRun {
		return o, nil
	}
	opt := a.keeperOptions()
	opt.ReadOnly, opt.Unlocked = true, true
	dry, err := keeper.Open(a.ctx, s, opt)
	if err != nil {
		give()
		return nil, err
	}
	o.Keeper, o.close = dry, func() error {
		defer give()
		return dry.Close()
	}
	return o, nil
}

// openHere opens the store of the working directory.
func (a *app) openHere() (*opened, error) {
	s, err := a.find()
	if err != nil {
		return nil, err
	}
	return a.open(s)
}

// owned are the stores whose lock this process holds for others, too.
var owned struct {
	sync.Mutex
	stores []*ownedStore
}

type ownedStore struct {
	root string
	k    *keeper.Keeper
}

// ownedAt is the keeper that this process owns the store at root with; nil
// when it does not.
func ownedAt(root string) *keeper.Keeper {
	owned.Lock()
	defer owned.Unlock()
	for _, o := range owned.stores {
		if o.root == root || sameDir(o.root, root) {
			return o.k
		}
	}
	return nil
}

// abs is a path as the caller of this command means it, who may be in another
// process and another directory.
func (a *app) abs(p string) (string, error) {
	if a.cwd == "" || filepath.IsAbs(p) {
		return filepath.Abs(p)
	}
	return filepath.Join(a.cwd, p), nil
}

// read is the content of a file that the command line names, "-" for standard
// input. Each is read once: a command that is done a second time, or by
// another process, gets the same bytes.
func (a *app) read(name string) ([]byte, error) {
	if data, ok := a.given[name]; ok {
		return data, nil
	}
	data, err := a.readNow(name)
	if err != nil {
		return nil, err
	}
	if a.given == nil {
		a.given = map[string][]byte{}
	}
	a.given[name] = data
	return data, nil
}

// readLimit bounds what is read of one file. No memory may be a fraction of it
// (see memsync.Limits): it is there for what never ends.
const readLimit = 64 << 20

// readNow reads until Ctrl-C: a terminal, a pipe and a FIFO may never end.
func (a *app) readNow(name string) ([]byte, error) {
	type content struct {
		data []byte
		err  error
	}
	read := make(chan content, 1) // what waits for somebody's bytes can't be called off
	go func() {
		data, err := a.readAll(name)
		read <- content{data, err}
	}()
	select {
	case c := <-read:
		return c.data, c.err
	case <-a.ctx.Done():
		return nil, a.ctx.Err()
	}
}

func (a *app) readAll(name string) ([]byte, error) {
	from, what := a.stdin, "standard input"
	if name != "-" {
		full, err := a.abs(name)
		if err != nil {
			return nil, err
		}
		f, err := os.Open(full)
		if err != nil {
			return nil, named(err, full, name)
		}
		defer f.Close()
		from, what = f, oneLine(name)
	}
	data, err := io.ReadAll(io.LimitReader(from, readLimit+1))
	if len(data) > readLimit {
		return nil, &memsync.Error{Code: memsync.CodeTooLarge, Message: fmt.Sprintf("%s is over %d MiB and was not read to its end", what, readLimit>>20)}
	}
	if err != nil && name != "-" {
		full, _ := a.abs(name)
		err = named(err, full, name)
	}
	return data, err
}

// named is an error about a file as the command line names it.
func named(err error, full, name string) error {
	var at *os.PathError
	if errors.As(err, &at) && at.Path == full {
		return &os.PathError{Op: at.Op, Path: name, Err: at.Err}
	}
	return err
}

// unread ends a verb that has no content, in its own words where it is the
// file's fault that there is none.
func unread(err error, why, hint string) error {
	if endless(err) {
		return err
	}
	return &memsync.Error{Code: memsync.CodeIORead, Message: why, Err: err, Hint: hint}
}

// endless reports whether a file had more than anybody wants, or nothing until
// the person went away.
func endless(err error) bool {
	return errors.Is(err, memsync.CodeTooLarge) || errors.Is(err, context.Canceled)
}

// busyWith says that the process that owns the store is another program.
func busyWith(theirs greeting) error {
	return &memsync.Error{Code: memsync.CodeStoreBusy,
		Message: "the store is held by `memsync up` of " + theirs.String() + ", and this is " + ownGreeting().String(),
		Hint:    "restart `memsync up`, so that both are the same program"}
}
