package gitlog

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"memsync"
)

// Remote is a remote as git's configuration names it.
type Remote struct {
	Name    string   `json:"name"`
	URL     string   `json:"url"` // may carry a password: show Shown
	PushURL string   `json:"push_url,omitempty"`
	Fetch   []string `json:"fetch,omitempty"` // refspecs
}

// Shown is the remote's address without what must not be seen: a password, or a
// token in its place.
func (r Remote) Shown() string { return ShownURL(r.URL) }

// ShownURL is an address without the password, and without a user name where
// that may be a token.
func ShownURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.User == nil {
		return raw
	}
	if _, has := u.User.Password(); has || u.Scheme == "http" || u.Scheme == "https" {
		u.User = url.User("***")
	}
	return u.String()
}

// Remotes are the remotes of this repository, by name, as git would use them:
// from all of its configuration.
func (r *Repo) Remotes() []Remote {
	set := r.config()
	var out []Remote
	for key := range set.values {
		rest, ok := strings.CutPrefix(key, "remote.")
		name, ok2 := strings.CutSuffix(rest, ".url")
		if !ok || !ok2 || name == "" || set.get(key) == "" {
			continue
		}
		out = append(out, Remote{Name: name, URL: set.values[key][0], PushURL: set.get("remote." + name + ".pushurl"), Fetch: set.values["remote."+name+".fetch"]})
	}
	slices.SortFunc(out, func(a, b Remote) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Remote is one remote; CodeSyncNoRemote where it is not configured.
func (r *Repo) Remote(name string) (Remote, error) {
	for _, m := range r.Remotes() {
		if m.Name == name {
			return m, nil
		}
	}
	return Remote{}, &memsync.Error{Code: memsync.CodeSyncNoRemote, Message: "there is no remote " + name,
		Hint: "`git remote -v` lists them; add it: git remote add " + name + " URL"}
}

// Upstream is the remote that a branch goes to, as git's configuration says:
// branch.<branch>.remote, else the only remote there is; CodeSyncNoRemote for
// neither.
func (r *Repo) Upstream(branch string) (Remote, error) {
	if name := r.config().get("branch." + branch + ".remote"); name != "" && name != "." {
		return r.Remote(name)
	}
	switch all := r.Remotes(); len(all) {
	case 0:
		return Remote{}, &memsync.Error{Code: memsync.CodeSyncNoRemote, Message: "no remote is configured, so nothing leaves this machine"}
	case 1:
		return all[0], nil
	default:
		return Remote{}, &memsync.Error{Code: memsync.CodeSyncNoRemote, Message: "there are several remotes, and " + branch + " says nothing of any",
			Hint: "choose one: git branch --set-upstream-to=REMOTE/" + branch}
	}
}

// AddRemote writes a remote and that branch goes there (branch "" leaves that
// out), as `git remote add` and `git branch --set-upstream-to` do. Nothing is
// sent or fetched.
func (r *Repo) AddRemote(name, address, branch string) error {
	refuse := func(why string) error { return &memsync.Error{Code: memsync.CodeUsage, Message: why} }
	switch {
	case !validBranch(name) || strings.ContainsAny(name, "\"\\"):
		return refuse("not a name for a remote: " + name)
	case address == "" || address[0] == '-' || strings.ContainsAny(address, "\n\r\x00"):
		return refuse("not an address: " + ShownURL(address))
	case branch != "" && !validBranch(branch):
		return refuse("not a branch name: " + branch)
	case r.config().has("remote." + name + ".url"):
		return &memsync.Error{Code: memsync.CodeUsage, Message: "there is a remote " + name + " already: " + ShownURL(r.config().get("remote."+name+".url")),
			Hint: "change it: git remote set-url " + name + " URL"}
	}
	sections := []string{"remote." + name}
	if branch != "" {
		sections = append(sections, "branch."+branch)
	}
	return r.editConfig(sections, func(text string) string {
		text = withSettings(text, "remote."+name, "url", address, "fetch", "+refs/heads/*:refs/remotes/"+name+"/*")
		if branch != "" {
			text = withSettings(text, "branch."+branch, "remote", name, "merge", "refs/heads/"+branch)
		}
		return text
	})
}

// RemoveRemote takes a remote away with what is known of it
// (refs/remotes/<name>/), as `git remote remove` does, which does it. Commits
// stay.
func (r *Repo) RemoveRemote(ctx context.Context, name string) error {
	if _, err := r.Remote(name); err != nil {
		return err
	}
	if r.binary == "" {
		return missing("removing a remote needs the git binary")
	}
	_, err := r.run(ctx, gitCall{args: []string{"remote", "remove", name}})
	return err
}
