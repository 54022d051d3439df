package hooks

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// State is what stands in the place of a hook.
type State string

const (
	Absent    State = "absent"    // nothing of ours
	Installed State = "installed" // ours, and git runs it
	Outdated  State = "outdated"  // ours, of an earlier memsync; it still works
	Changed   State = "changed"   // ours, and somebody has changed it
	Replaced  State = "replaced"  // ours was there: another program's or nobody's is now
	Ignored   State = "ignored"   // ours, and git does not run it: not executable, or it looks elsewhere
	Broken    State = "broken"    // ours, and the memsync it would run is gone
)

// InForce reports whether git runs memsync there.
func (s State) InForce() bool { return s == Installed || s == Outdated || s == Changed }

// Hook is one hook and what was found, or done about it.
type Hook struct {
	Name    string `json:"name"`
	State   State  `json:"state"`
	File    string `json:"file"`              // that is or would be ours
	Chained string `json:"chained,omitempty"` // the file with the hook that was there before
	Binary  string `json:"binary,omitempty"`  // that it runs; empty for memsync on PATH
	Fix     bool   `json:"fix_staged,omitempty"`
	Done    string `json:"done,omitempty"` // installed, updated, restored, removed, kept, nothing
	Note    string `json:"note,omitempty"`
}

// Result is what a command has to say about the hooks of a repository.
type Result struct {
	Dir     string   `json:"dir"`
	Manager Manager  `json:"manager,omitempty"`
	Hooks   []Hook   `json:"hooks"`
	Notes   []string `json:"notes,omitempty"`
}

// Lost reports whether something that was installed is no longer in force.
func (r Result) Lost() bool {
	for _, h := range r.Hooks {
		switch h.State {
		case Replaced, Ignored, Broken:
			return true
		}
	}
	return false
}

// ours reports whether any hook is memsync's.
func (r Result) ours() bool {
	return slices.ContainsFunc(r.Hooks, func(h Hook) bool { return h.State != Absent })
}

// Look says what stands where. A hook of ours that another program has moved
// aside, or put itself in place of, is found by what it left behind, and where
// other hooks of ours are in force.
func Look(p Place) (Result, error) {
	r := Result{Dir: p.Dir, Manager: p.manager()}
	for _, name := range Names {
		h, err := p.look(name)
		if err != nil {
			return r, err
		}
		r.Hooks = append(r.Hooks, h)
	}
	if p.off() {
		r.Notes = append(r.Notes, "hooks are turned off here: core.hooksPath is "+p.Value)
	}
	ours := r.ours()
	if !ours && p.Dir != p.Default { // installed before core.hooksPath was set
		old := Place{Top: p.Top, Dir: p.Default, Default: p.Default}
		for i, name := range Names {
			if h, err := old.look(name); err == nil && h.State.InForce() {
				h.State, h.Note = Ignored, "git looks in "+p.Dir+" since core.hooksPath is set: run `memsync hooks install` again"
				r.Hooks[i] = h
			}
		}
	}
	if ours {
		for i := range r.Hooks {
			if h := &r.Hooks[i]; h.State == Absent {
				h.State, h.Note = Replaced, "other hooks are installed, this one is not: run `memsync hooks install`"
			}
		}
	}
	return r, nil
}

func (p Place) look(name string) (Hook, error) {
	if dir := p.husky(); dir != "" {
		h, err := lookBlock(name, filepath.Join(dir, name), dir == filepath.Clean(p.Dir))
		if err == nil && h.State == Installed && !exists(p.file(name)) {
			h.State, h.Note = Ignored, "husky has not set itself up in this clone: run its install step (`npm install`, or `npx husky`)"
		}
		return h, err
	}
	h := Hook{Name: name, State: Absent, File: p.file(name)}
	if p.off() {
		return h, nil
	}
	if exists(h.File + Before) {
		h.Chained = h.File + Before
	}
	data, err := os.ReadFile(h.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return h, failed("the hook "+name+" can't be read", err)
	}
	text := string(data)
	switch {
	case !marked(text):
		p.moved(&h, err == nil)
		return h, nil
	default:
		s, ok := known(name, text)
		h.State, h.Binary, h.Fix = Installed, s.binary, s.fixStaged
		if !ok {
			h.State, h.Binary, h.Note = Changed, "", "somebody has changed it: `memsync hooks install --force` keeps that file aside"
		}
	}
	if info, err := os.Stat(h.File); err == nil && info.Mode().Perm()&0o111 == 0 && executableBits {
		h.State, h.Note = Ignored, "it is not executable, so git passes it by: run `memsync hooks install`"
	}
	if h.State == Installed && !runnable(h.Binary) {
		if _, err := exec.LookPath("memsync"); err != nil {
			h.State, h.Note = Broken, h.Binary+" is gone and memsync is not on the PATH: run `memsync hooks install` of the memsync that is to be used"
		}
	}
	return h, nil
}

// moved looks for a script of ours that is no longer in its place. others says
// that another program's hook is.
func (p Place) moved(h *Hook, others bool) {
	for _, ext := range []string{legacy, ".old"} {
		data, err := os.ReadFile(h.File + ext)
		if err != nil || !marked(string(data)) {
			continue
		}
		h.State, h.Note = Replaced, "another program has moved it to "+h.Name+ext+": run `memsync hooks install`"
		if ext == legacy && shimOf(h.File) == PreCommit { // which runs what it moved
			h.State, h.Note = Installed, "pre-commit runs it, as "+h.Name+ext
		}
		return
	}
	switch {
	case h.Chained == "" || alike(h.File, h.Chained): // an install that was cut off
		return
	case others:
		h.State, h.Note = Replaced, "another program's hook is in its place: run `memsync hooks install`"
	default:
		h.State, h.Note = Replaced, "the script is gone: `memsync hooks install` brings it back, `memsync hooks uninstall` what was before it"
	}
}

// legacy is what pre-commit puts behind the name of a hook that it found.
const legacy = ".legacy"

func runnable(file string) bool {
	info, err := os.Stat(filepath.FromSlash(file))
	return err == nil && info.Mode().IsRegular() && (info.Mode().Perm()&0o111 != 0 || !executableBits)
}

// firstLine is how a script says what runs it.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
