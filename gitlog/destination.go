package gitlog

import "strings"

// Destination is where a branch goes to and comes from.
type Destination struct {
	Remote Remote
	Branch string // its short name over there
	Chosen bool   // git's configuration says so of this branch: nothing is sent where nobody chose
}

// Destination is the remote and the branch there that a branch is exchanged with:
// branch.<branch>.remote and .merge, else the branch of the same name at the only
// remote there is. Errors: CodeSyncNoRemote.
func (r *Repo) Destination(branch string) (Destination, error) {
	m, err := r.Upstream(branch)
	if err != nil {
		return Destination{}, err
	}
	d := Destination{Remote: m, Branch: branch}
	set := r.config()
	d.Chosen = set.get("branch."+branch+".remote") == m.Name
	if there, ok := strings.CutPrefix(set.get("branch."+branch+".merge"), "refs/heads/"); d.Chosen && ok && there != "" {
		d.Branch = there
	}
	return d, nil
}

// Known is the commit that a remote's branch had when it was last heard of, ""
// for never.
func (r *Repo) Known(d Destination) (string, error) { return r.tracking(d.Remote.Name, d.Branch) }

// Apart counts the commits that each of two revisions has and the other lacks; ""
// is a branch that has none yet.
func (r *Repo) Apart(ours, theirs string) (ahead, behind int, err error) {
	if ours == theirs {
		return 0, 0, nil
	}
	ids := map[string]oid{}
	for _, rev := range []string{ours, theirs} {
		if rev == "" {
			continue
		}
		if ids[rev], err = r.resolve(rev); err != nil {
			return 0, 0, err
		}
	}
	count := func(tip, known string) (int, error) {
		if tip == "" {
			return 0, nil
		}
		var lacks []oid
		if known != "" {
			lacks = []oid{ids[known]}
		}
		list, _, err := r.commitsSince(ids[tip], lacks)
		return len(list), err
	}
	if ahead, err = count(ours, theirs); err != nil {
		return 0, 0, err
	}
	behind, err = count(theirs, ours)
	return ahead, behind, err
}

// Has reports whether a commit is here.
func (r *Repo) Has(commit string) bool {
	_, err := r.Resolve(commit)
	return err == nil
}
