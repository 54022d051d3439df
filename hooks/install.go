package hooks

import (
	"errors"
	"os"
	"path/filepath"

	"memsync"
)

// Options say how hooks are installed or taken away.
type Options struct {
	Binary    string // the memsync to run, absolute; memsync on PATH where that is gone
	FixStaged bool   // pre-commit mends what can be mended without guessing
	Shared    bool   // also where other repositories have their hooks
	Force     bool   // past scripts that somebody changed: they are kept aside
	DryRun    bool   // only say what would be done
}

// What was done about a hook.
const (
	DoneInstalled = "installed"
	DoneUpdated   = "updated"
	DoneRestored  = "restored" // what was there before is back
	DoneRemoved   = "removed"
	DoneNothing   = "nothing"
)

// Install puts memsync's hooks in place. What is there is chained: it runs first,
// and its failure ends the hook. When one hook is refused none is touched.
func Install(p Place, opt Options) (Result, error) {
	if err := p.usable(opt.Shared); err != nil {
		return Result{}, err
	}
	r, err := p.each(opt, p.installing)
	r.Notes = advice(r.Manager, opt.FixStaged)
	return r, err
}

// Uninstall takes memsync's hooks away and puts back what was there before. It
// does so wherever they are: where git looks, and where it looked before
// core.hooksPath was set.
func Uninstall(p Place, opt Options) (Result, error) {
	if p.Shared && !opt.Shared {
		there, err := Look(p)
		if err != nil || there.ours() {
			return Result{}, errors.Join(err, p.usable(false))
		}
	}
	r, err := p.each(opt, p.uninstalling)
	if err != nil || p.Dir == p.Default {
		return r, err
	}
	old := Place{Top: p.Top, Dir: p.Default, Default: p.Default}
	before, err := old.each(opt, old.uninstalling)
	for i, h := range before.Hooks {
		if h.Done != DoneNothing && r.Hooks[i].Done == DoneNothing {
			r.Hooks[i] = h
		}
	}
	return r, err
}

// step is what is to be done about one hook: what to say, and how; do is nil
// when there is nothing to do.
type step struct {
	Hook
	do func() error
}

// each decides about every hook first, and then does it.
func (p Place) each(opt Options, decide func(name string, opt Options) (step, error)) (Result, error) {
	r := Result{Dir: p.Dir, Manager: p.manager()}
	var steps []step
	for _, name := range Names {
		s, err := decide(name, opt)
		if err != nil {
			return Result{}, err
		}
		steps = append(steps, s)
	}
	for _, s := range steps {
		if s.do != nil && !opt.DryRun {
			if err := s.do(); err != nil {
				return r, failed("the hook "+s.Name, err)
			}
			chained := s.Chained
			now, err := p.look(s.Name)
			if err != nil {
				return r, err
			}
			now.Done, now.Note = s.Done, s.Note
			if s.Done == DoneInstalled || s.Done == DoneUpdated {
				now.Chained = chained
			}
			s.Hook = now
		}
		r.Hooks = append(r.Hooks, s.Hook)
	}
	return r, nil
}

func refused(hook, why, hint string) error {
	return &memsync.Error{Code: memsync.CodeStoreRefused, Message: "the hook " + hook + " " + why, Hint: hint}
}

func (p Place) installing(name string, opt Options) (step, error) {
	mine := script{hook: name, binary: filepath.ToSlash(opt.Binary), fixStaged: opt.FixStaged && name == "pre-commit"}
	if dir := p.husky(); dir != "" {
		return blockIn(filepath.Join(dir, name), mine, opt)
	}
	h, err := p.look(name)
	if err != nil {
		return step{}, err
	}
	s := step{Hook: h}
	write := func() error {
		if err := os.MkdirAll(p.Dir, 0o777); err != nil {
			return err
		}
		return put(h.File, []byte(mine.text()), made)
	}
	data, _ := os.ReadFile(h.File)
	text := string(data)
	if marked(text) {
		_, ok := known(name, text)
		switch {
		case ok && text == mine.text() && h.State != Ignored:
			s.Done = DoneNothing
		case ok:
			s.Done, s.do = DoneUpdated, write
		case !opt.Force:
			return s, refused(name, "is memsync's, and somebody has changed it", "see what is in "+h.File+"; --force keeps it aside and writes it anew")
		default:
			kept := aside(h.File)
			s.Done, s.Note = DoneUpdated, "what was changed is kept as "+filepath.Base(kept)
			s.do = func() error {
				if err := double(h.File, kept); err != nil {
					return err
				}
				return write()
			}
		}
		return s, nil
	}
	s.Done = DoneInstalled
	before := h.File + Before
	switch {
	case h.State == Installed: // pre-commit has moved it, and runs it
		s.Done = DoneNothing
	case !exists(h.File): // what was chained once stays so
		s.do = write
	case !exists(before):
		s.Chained = before
		s.do = func() error {
			if err := double(h.File, before); err != nil {
				return err
			}
			return write()
		}
	case alike(h.File, before): // cut off in between, or put there anew by its program
		s.do = write
	case !opt.Force:
		return s, refused(name, "is another program's, and so is "+filepath.Base(before)+", which it was before",
			"remove the one that is not wanted; --force keeps the older one aside and chains the newer one")
	default:
		kept := aside(h.File)
		s.Note = "the hook of before is kept as " + filepath.Base(kept)
		s.do = func() error {
			if err := os.Rename(before, kept); err != nil {
				return err
			}
			if err := double(h.File, before); err != nil {
				return err
			}
			return write()
		}
	}
	return s, nil
}

func (p Place) uninstalling(name string, opt Options) (step, error) {
	if dir := p.husky(); dir != "" {
		return unblock(filepath.Join(dir, name), name, opt)
	}
	h, err := p.look(name)
	if err != nil {
		return step{}, err
	}
	s := step{Hook: h}
	s.Done = DoneNothing
	data, _ := os.ReadFile(h.File)
	text := string(data)
	before := h.File + Before
	remove := func() error { return os.Remove(h.File) }
	s.Chained = ""
	if exists(before) {
		s.Chained = before
		remove = func() error { return os.Rename(before, h.File) }
	}
	done := func() {
		s.do, s.Done = remove, DoneRemoved
		if s.Chained != "" {
			s.Done = DoneRestored
		}
	}
	switch {
	case marked(text):
		if _, ok := known(name, text); ok {
			done()
			break
		}
		if !opt.Force {
			return s, refused(name, "is memsync's, and somebody has changed it", "see what is in "+h.File+"; --force keeps it aside and puts back what was before")
		}
		kept := aside(h.File)
		done()
		s.Note = "what was changed is kept as " + filepath.Base(kept)
		s.do = func() error {
			if err := double(h.File, kept); err != nil {
				return err
			}
			return remove()
		}
	case h.State == Installed: // pre-commit has moved it, and runs it
		s.Done, s.do = DoneRemoved, func() error {
			if s.Chained != "" && shimOf(before) != PreCommit {
				return os.Rename(before, h.File+legacy)
			}
			return errors.Join(os.Remove(h.File+legacy), removeIf(before))
		}
	case s.Chained == "":
	case !exists(h.File):
		done()
	case alike(h.File, before): // an install that was cut off
		s.Done, s.do = DoneRestored, func() error { return os.Remove(before) }
	default:
		s.Note = "another program's hook is there now, so " + filepath.Base(before) + " was left where it is"
	}
	return s, nil
}
