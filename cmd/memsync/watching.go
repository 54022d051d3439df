package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"memsync"
	"memsync/internal/store"
	"memsync/keeper"
	"memsync/watcher"
)

// upWatching owns and watches stores until the context ends: those of the
// directories, or the working directory's.
func (a *app) upWatching(dirs []string, poll bool) error {
	stores, err := a.storesOf(dirs)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(a.ctx)
	defer stop()
	u := &watching{a: a, many: len(stores) > 1}
	errs := make([]error, len(stores))
	var all sync.WaitGroup
	for i, s := range stores {
		all.Go(func() {
			if errs[i] = u.own(ctx, s, poll); errs[i] != nil {
				stop() // nobody runs half of what was asked for
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// storesOf are the stores that hold the directories, each once.
func (a *app) storesOf(dirs []string) ([]*store.Store, error) {
	if len(dirs) == 0 {
		s, err := a.find()
		return []*store.Store{s}, err
	}
	var out []*store.Store
	seen := map[string]bool{}
	for _, dir := range dirs {
		s, err := store.Find(dir)
		if err != nil {
			return nil, err
		}
		if !seen[s.Root] {
			seen[s.Root] = true
			out = append(out, s)
		}
	}
	return out, nil
}

// watching is what `up` says. Its stores take turns to speak.
type watching struct {
	a    *app
	many bool
	mu   sync.Mutex
	told map[string]memsync.Hash // what waits and was told of, by store and path
}

// own is one store from its lock to its release. One that was replaced
// meanwhile is opened anew.
func (u *watching) own(ctx context.Context, s *store.Store, poll bool) error {
	for {
		err := u.ownThis(ctx, s, poll)
		if !errors.Is(err, keeper.ErrReplaced) {
			return err
		}
		u.say(s, "this is another repository than before; it is opened anew")
		if s, err = store.Load(s.Root, s.Kind); err != nil {
			return err
		}
	}
}

func (u *watching) ownThis(ctx context.Context, s *store.Store, poll bool) error {
	k, err := u.a.open(s)
	if err != nil {
		return err
	}
	defer k.Close()
	closeServer, err := serveOwner(ctx, u.a, k.Keeper)
	if err != nil {
		return err
	}
	defer closeServer()
	return k.Run(ctx, keeper.RunOptions{
		Timing:  watcher.Usual,
		Poll:    poll,
		Ready:   func() { u.say(s, "watching %s", seeing(k.Watching())) },
		Report:  func(r keeper.Report) { u.report(s, r) },
		Problem: func(err error) { u.problem(s, err) },
		Sight:   func(i watcher.Info) { u.sight(s, i) },
		Synced:  func(out keeper.Synced) { u.synced(s, out) },
	})
}

// sight tells that the watcher became blind, or sees again.
func (u *watching) sight(s *store.Store, i watcher.Info) {
	op, why := memsync.EventRecovered, seeing(&i)
	if i.Blind != "" {
		op, why = memsync.EventBlind, i.Blind+"; everything is looked at instead, now and then"
	}
	u.say(s, "[%s] %s", op, why)
	if u.a.flags.json || u.a.flags.jsonl {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.a.emit(struct {
			Store string          `json:"store"`
			Event memsync.EventOp `json:"event"`
			At    time.Time       `json:"at"`
			Why   string          `json:"why"`
		}{s.Root, op, time.Now().UTC().Truncate(time.Millisecond), why})
	}
}

func seeing(i *watcher.Info) string {
	if i == nil {
		return ""
	}
	if i.Backend == "poll" {
		return "by looking now and then"
	}
	return fmt.Sprintf("%d directories (%s)", i.Watches, i.Backend)
}

// say is one line of talk about a store.
func (u *watching) say(s *store.Store, format string, args ...any) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.a.say("%s: "+format, append([]any{s.Root}, args...)...)
}

// report prints what a pass did.
func (u *watching) report(s *store.Store, r keeper.Report) {
	if !isTerminal(u.a.stdout) && !u.a.flags.verbose && !u.a.flags.json && !u.a.flags.jsonl {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	r = u.news(s, r)
	if u.a.flags.json || u.a.flags.jsonl {
		for _, d := range r.Decisions() {
			u.a.emit(struct {
				Store string `json:"store"`
				memsync.Decision
			}{s.Root, d})
		}
		return
	}
	if u.many && len(r.Outcomes) > 0 {
		fmt.Fprintf(u.a.stdout, "%s %s\n", time.Now().Format(time.TimeOnly), filepath.Base(s.Root))
	}
	_ = u.a.printReport(r) // its error is an exit code
}

// news is a report without what waits still: each look at everything decides
// about it again, and nobody has to hear of it again.
func (u *watching) news(s *store.Store, r keeper.Report) keeper.Report {
	if u.told == nil {
		u.told = map[string]memsync.Hash{}
	}
	outcomes := r.Outcomes
	r.Outcomes = nil
	for _, o := range outcomes {
		had := len(o.Decisions) > 0
		o.Decisions = slices.DeleteFunc(slices.Clone(o.Decisions), func(d memsync.Decision) bool {
			key := s.Root + "\x00" + string(d.Path)
			if d.Op != memsync.OpHold {
				delete(u.told, key)
				return false
			}
			old, before := u.told[key]
			u.told[key] = d.Base
			return before && old == d.Base
		})
		if len(o.Decisions) > 0 || !had || o.Commit != "" {
			r.Outcomes = append(r.Outcomes, o)
		}
	}
	return r
}

// synced tells what an exchange did, or why it did not.
func (u *watching) synced(s *store.Store, out keeper.Synced) {
	for _, line := range syncLines(out) {
		u.say(s, "%s", line)
	}
	if e := out.Error; e != nil {
		u.say(s, "sync: %s [%s]", oneLine(e.Error()), e.Code)
		if hint := cmp.Or(e.Hint, hintOf(e.Code)); hint != "" {
			u.say(s, "  %s", oneLine(hint))
		}
	}
	if u.a.flags.json || u.a.flags.jsonl {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.a.emit(struct {
			Store string        `json:"store"`
			Sync  keeper.Synced `json:"sync"`
		}{s.Root, out})
	}
}

func (u *watching) problem(s *store.Store, err error) {
	code := memsync.CodeOf(err)
	u.say(s, "%s [%s]; tried again", oneLine(err.Error()), code)
	if hint := hintOf(code); hint != "" {
		u.say(s, "  %s", hint)
	}
}
