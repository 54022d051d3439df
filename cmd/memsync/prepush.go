package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"memsync"
	"memsync/controller"
	"memsync/gitlog"
	"memsync/internal/config"
	"memsync/internal/ledger"
	"memsync/internal/scan"
	"memsync/internal/store"
)

// hookFinding is a finding with the commit that has it.
type hookFinding struct {
	memsync.Finding
	Commit      string `json:"commit,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
}

// printHookFindings ends a hook: nothing found, or a line each on stderr, and exit
// 1 where one is an error. git shows what a hook says and nothing of what it means.
func (a *app) printHookFindings(hook string, findings []hookFinding) error {
	for i := range findings { // whatever hook it is, and whoever found it
		f := &findings[i]
		f.Message, f.Path = scan.MaskText(string(f.Path), f.Message, nil), memsync.Path(scan.MaskPath(string(f.Path), nil))
	}
	switch {
	case a.flags.jsonl:
		for _, f := range findings {
			a.emit(f)
		}
	case a.flags.json:
		if findings == nil {
			findings = []hookFinding{}
		}
		a.emit(map[string]any{"hook": hook, "findings": findings})
	}
	if len(findings) == 0 {
		return nil
	}
	last := ""
	for i, f := range findings {
		place := oneLine(string(f.Path))
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", place, f.Line, f.Column)
		}
		commit := ""
		if f.Commit != "" {
			commit = " (commit " + f.Commit[:min(7, len(f.Commit))] + ")"
		}
		if f.Fingerprint != "" {
			commit = ", fingerprint " + f.Fingerprint + commit
		}
		fmt.Fprintf(a.stderr, "%s: %s: [%s] %s%s\n", place, f.Severity, f.Code, oneLine(f.Message), commit)
		if last = f.Hint; last != "" && (i+1 == len(findings) || findings[i+1].Hint != last) { // once for all
			fmt.Fprintf(a.stderr, "  %s\n", oneLine(last))
		}
	}
	if !slices.ContainsFunc(findings, func(f hookFinding) bool { return f.Severity == memsync.Severe }) {
		return nil
	}
	return exitError(exitFindings)
}

// prePush looks for secrets in what a push would bring, in every version: what a
// later commit took out again is pushed as well.
func (a *app) prePush(repo *gitlog.Repo, args []string) error {
	remote := ""
	if len(args) > 0 {
		remote = args[0]
	}
	here, err := store.Find(repo.Top())
	if err != nil || !sameDir(here.Root, repo.Top()) {
		here = nil
	}
	if here != nil && here.Kind == store.Local {
		return &memsync.Error{Code: memsync.CodeStoreRefused, Message: "this store never leaves the machine, so nothing of it is pushed",
			Hint: "write what may be shared without --local"}
	}
	refs, err := a.pushedRefs(repo)
	if err != nil {
		return err
	}
	p := &pushed{repo: repo, home: here != nil && here.Kind == store.Dedicated, states: map[string]*ledger.State{}}
	for _, ref := range refs {
		blobs, err := repo.Pushed(ref.local, ref.remote, remote)
		if err != nil {
			return err
		}
		if err := p.look(ref, blobs); err != nil {
			return err
		}
	}
	return a.printHookFindings("pre-push", p.found)
}

// pushedRef is one line of what git tells pre-push.
type pushedRef struct{ local, remote string }

// pushedRefs reads standard input. A hook manager whose earlier script has read
// it leaves nothing: then the branch that is checked out is what is judged.
func (a *app) pushedRefs(repo *gitlog.Repo) ([]pushedRef, error) {
	var data []byte
	if !isTerminal(a.stdin) {
		var err error
		if data, err = io.ReadAll(a.stdin); err != nil {
			return nil, &memsync.Error{Code: memsync.CodeIORead, Message: "standard input can't be read", Err: err}
		}
	}
	var refs []pushedRef
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		switch len(f) {
		case 0:
		case 4:
			refs = append(refs, pushedRef{f[1], f[3]})
		default:
			return nil, usage("pre-push reads lines of LOCAL-REF LOCAL-ID REMOTE-REF REMOTE-ID, not %q", oneLine(strings.TrimSpace(line)))
		}
	}
	if len(refs) > 0 {
		return refs, nil
	}
	st, err := repo.State()
	if err != nil || st.Head == "" {
		return nil, err
	}
	return []pushedRef{{st.Head, strings.Repeat("0", len(st.Head))}}, nil
}

// pushed gathers what is wrong with what several refs bring.
type pushed struct {
	repo   *gitlog.Repo
	home   bool // a dedicated store is checked out
	seen   map[gitlog.PushedBlob]bool
	states map[string]*ledger.State // by commit and store's root
	found  []hookFinding
}

// storesIn finds the stores that the pushed files are of, as any of the commits
// has them: one that a later commit took away was there all the same.
func (p *pushed) storesIn(ref pushedRef, blobs []gitlog.PushedBlob) (func(memsync.Path) ([]*storeAt, error), error) {
	revs := []*storesAt{{repo: p.repo, rev: ref.local, known: map[memsync.Path]*storeAt{}}}
	if _, err := p.repo.Tree(ref.remote, "memsync.toml"); err == nil {
		revs = append(revs, &storesAt{repo: p.repo, rev: ref.remote, known: map[memsync.Path]*storeAt{}})
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

// holds reports whether a path (relative to the repository's top) is one of the
// store's own: everything in a dedicated one; of a project's repository what lies
// in .memsync and in the directories that it has bound.
func (st *storeAt) holds(p memsync.Path) bool {
	rel := p.Rel(st.root)
	if !st.embedded || rel.In(store.Dir) {
		return true
	}
	for _, s := range st.policy.Scopes {
		if rel.In(s.Dir) {
			return true
		}
	}
	return false
}

const modeSubmodule = 0o160000

func (p *pushed) look(ref pushedRef, blobs []gitlog.PushedBlob) error {
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
func (p *pushed) lookAt(ref pushedRef, st *storeAt, b gitlog.PushedBlob) error {
	rel := b.Path.Rel(st.root)
	if !st.embedded && (rel == "local" || rel.In("local")) {
		p.found = append(p.found, hookFinding{Commit: b.Commit, Finding: memsync.Finding{Code: string(memsync.CodeProtected), Severity: memsync.Severe,
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
			f := hookFinding{Commit: b.Commit, Fingerprint: h.Fingerprint, Finding: memsync.Finding{Code: memsync.FindSecret, Severity: memsync.Severe,
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
func (p *pushed) state(ref pushedRef, st *storeAt) (*ledger.State, error) {
	key := ref.local + "\x00" + string(st.root)
	if s := p.states[key]; s != nil {
		return s, nil
	}
	commit, err := p.repo.Resolve(ref.local)
	if err != nil {
		return nil, err
	}
	at := &storesAt{repo: p.repo, rev: commit, known: map[memsync.Path]*storeAt{}}
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
