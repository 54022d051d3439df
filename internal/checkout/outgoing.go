package checkout

import (
	"fmt"

	"memsync"
	"memsync/controller"
	"memsync/gitlog"
	"memsync/internal/config"
	"memsync/internal/ledger"
	"memsync/internal/scan"
	"memsync/internal/store"
)

// Range is what one ref would bring to a remote: what Local reaches and neither
// Remote (its value there, all zeros for none) nor what is known of the remote.
// Both are full object ids.
type Range struct{ Local, Remote string }

// Leak is something in a pushed version of a file that must not leave. Its
// message has the value masked.
type Leak struct {
	memsync.Finding
	Commit      string // the oldest one that brings it
	Fingerprint string // what `memsync allow` takes; "" for what no allowance helps
}

// Leaving looks for secrets in every version of the stores' files that a push
// would bring to a remote: what a later commit took out again is pushed as well.
// Allowed is what a ledger line in the pushed commit allows. home: a dedicated
// store is checked out, and all files are its own. The pre-push hook and `sync`
// ask the same.
func Leaving(repo *gitlog.Repo, home bool, remote string, ranges []Range) ([]Leak, error) {
	p := &pushed{repo: repo, home: home, states: map[string]*ledger.State{}}
	defer repo.ManyReads()()
	for _, r := range ranges {
		blobs, err := repo.Pushed(r.Local, r.Remote, remote)
		if err != nil {
			return nil, err
		}
		if err := p.look(r, blobs); err != nil {
			return nil, err
		}
	}
	return p.found, nil
}

// Blocked is the error of a push that must not be made, nil for no leaks: it
// names the first leak's commit and path, and what a person can do.
func Blocked(leaks []Leak) error {
	if len(leaks) == 0 {
		return nil
	}
	l := leaks[0]
	e := &memsync.Error{Code: memsync.CodeSyncSecret, Path: memsync.Path(scan.MaskPath(string(l.Path), nil)), Line: l.Line, Column: l.Column,
		Details: map[string]string{"commit": l.Commit, "fingerprint": l.Fingerprint}}
	e.Message = scan.MaskText(string(l.Path), l.Message, nil) + fmt.Sprintf(", in commit %.7s; nothing was pushed", l.Commit)
	if n := len(leaks) - 1; n > 0 {
		e.Message += fmt.Sprintf(" (and %d more)", n)
	}
	e.Hint = "take it out of the commits with `git rebase -i " + fmt.Sprintf("%.7s", l.Commit) + "^`, and change it if it was ever sent"
	if l.Fingerprint != "" {
		e.Hint += "; if it is none, `memsync allow " + l.Fingerprint + " --path " + string(e.Path) + " --reason …`"
	}
	return e
}

// pushed gathers what is wrong with what several refs bring.
type pushed struct {
	repo   *gitlog.Repo
	home   bool // a dedicated store is checked out
	seen   map[gitlog.PushedBlob]bool
	states map[string]*ledger.State // by commit and store's root
	found  []Leak
}

// storesIn finds the stores that the pushed files are of, as any of the commits
// has them: one that a later commit took away was there all the same.
func (p *pushed) storesIn(ref Range, blobs []gitlog.PushedBlob) (func(memsync.Path) ([]*storeAt, error), error) {
	revs := []*StoresAt{At(p.repo, ref.Local)}
	if _, err := p.repo.Tree(ref.Remote, "memsync.toml"); err == nil {
		revs = append(revs, At(p.repo, ref.Remote))
	}
	var brought []*storeAt
	for _, b := range blobs {
		if b.Path.Base() != "memsync.toml" {
			continue
		}
		data, err := p.repo.Blob(b.Blob)
		if err != nil {
			return nil, err
		}
		policy, err := config.Parse(data)
		if err != nil {
			policy = memsync.DefaultPolicy()
		}
		switch dir := b.Path.Dir(); {
		case dir.Base() == string(store.Dir):
			brought = append(brought, &storeAt{dir.Dir(), true, policy})
		case dir == "":
			brought = append(brought, &storeAt{"", false, policy})
		}
	}
	if p.home {
		brought = append(brought, &storeAt{"", false, memsync.DefaultPolicy()})
	}
	return func(path memsync.Path) ([]*storeAt, error) {
		var out []*storeAt
		for _, s := range revs {
			st, err := s.of(path)
			if err != nil {
				return nil, err
			}
			if st != nil {
				out = append(out, st)
			}
		}
		for _, st := range brought {
			if st.root == "" || path.In(st.root) {
				out = append(out, st)
			}
		}
		for dir := path.Dir(); dir != ""; dir = dir.Dir() {
			if dir.Base() == string(store.Dir) {
				out = append(out, &storeAt{dir.Dir(), true, memsync.DefaultPolicy()})
			}
		}
		return out, nil
	}, nil
}

const modeSubmodule = 0o160000

func (p *pushed) look(ref Range, blobs []gitlog.PushedBlob) error {
	of, err := p.storesIn(ref, blobs)
	if err != nil {
		return err
	}
	if p.seen == nil {
		p.seen = map[gitlog.PushedBlob]bool{}
	}
	for _, b := range blobs {
		if p.seen[b] {
			continue
		}
		p.seen[b] = true
		stores, err := of(b.Path)
		if err != nil {
			return err
		}
		for _, st := range stores {
			if !st.holds(b.Path) {
				continue
			}
			if err := p.lookAt(ref, st, b); err != nil {
				return err
			}
			break
		}
	}
	return nil
}

// lookAt judges one version of one file.
func (p *pushed) lookAt(ref Range, st *storeAt, b gitlog.PushedBlob) error {
	rel := b.Path.Rel(st.root)
	if !st.embedded && (rel == "local" || rel.In("local")) {
		p.found = append(p.found, Leak{Commit: b.Commit, Finding: memsync.Finding{Code: string(memsync.CodeProtected), Severity: memsync.Severe,
			Path: b.Path, Message: "it is of the local store, which never leaves the machine",
			Hint: "take it out of the history: git rm -r --cached local, then `git rebase -i` over the commits named"}})
		return nil
	}
	text := ""
	if b.Mode != modeSubmodule {
		data, err := p.repo.Blob(b.Blob)
		if err != nil {
			return err
		}
		text = string(data)
	}
	for _, where := range []struct {
		text, message string
		inside        bool
	}{{string(rel), "a secret, in the file name", false}, {text, "a secret", true}} {
		for _, h := range scan.Text(string(rel), where.text) {
			if h.Kind != scan.Secret {
				continue
			}
			state, err := p.state(ref, st)
			if err != nil {
				return err
			}
			if state.Allowed(rel, h.Fingerprint) {
				continue
			}
			f := Leak{Commit: b.Commit, Fingerprint: h.Fingerprint, Finding: memsync.Finding{Code: memsync.FindSecret, Severity: memsync.Severe,
				Path: st.root.Join(string(controller.ShownPath(rel, state))), Message: where.message + ", " + h.Masked,
				Hint: "nothing was pushed; take it out of the commits named (`git rebase -i`), and change it if it was ever sent; if it is none, `memsync allow FINGERPRINT --path PATH --reason …`"}}
			if where.inside {
				f.Line, f.Column = h.Line, h.Column
			}
			p.found = append(p.found, f)
		}
	}
	return nil
}

// state is what the ledgers of the pushed commit add up to: an allowance that is
// not pushed as well does not count.
func (p *pushed) state(ref Range, st *storeAt) (*ledger.State, error) {
	key := ref.Local + "\x00" + string(st.root)
	if s := p.states[key]; s != nil {
		return s, nil
	}
	commit, err := p.repo.Resolve(ref.Local)
	if err != nil {
		return nil, err
	}
	at := At(p.repo, commit)
	if now, err := at.at(st.root); err == nil && now != nil {
		st = now
	}
	entries, err := p.repo.Tree(commit, st.root)
	if err != nil {
		return nil, err
	}
	var files []gitlog.TreeEntry
	var paths []memsync.Path
	for _, e := range entries {
		dir := e.Path.Dir()
		if _, _, _, ok := ledger.ParseFileName(e.Path.Base()); ok && dir.Base() == "ledger" && dir.Dir().Base() == "_system" {
			files = append(files, e)
			paths = append(paths, e.Path.Rel(st.root))
		}
	}
	scopes, err := st.scopes(paths...)
	if err != nil {
		return nil, err
	}
	var events []ledger.Located
	for i, e := range files {
		for _, s := range scopes {
			if paths[i].Dir() != s.System.Join("_system", "ledger") {
				continue
			}
			data, err := p.repo.Blob(e.Blob)
			if err != nil {
				return nil, err
			}
			lines, _ := ledger.Parse(paths[i], data)
			events = append(events, ledger.Locate(s.Dir, paths[i], lines)...)
		}
	}
	s := ledger.Fold(events)
	p.states[key] = s
	return s, nil
}
