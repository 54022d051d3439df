package gitlog

import (
	"strings"
)

// identity is the answer of Identity, kept while the configuration is.
type identity struct {
	id       Ident
	fallback bool
}

// WorkFor has Identity answer as it would to a process with that environment,
// until undo: an owner does the commands of others, who may be other people.
func (r *Repo) WorkFor(env []string) (undo func()) {
	caller := &Repo{root: r.root, top: r.top, prefix: r.prefix, gitDir: r.gitDir, common: r.common, kind: r.kind, env: env, binary: r.binary}
	set := func(c *Repo) (before *Repo) {
		r.mu.Lock()
		defer r.mu.Unlock()
		before, r.caller = r.caller, c
		return before
	}
	before := set(caller)
	return func() { set(before) }
}

// fallbackIdent signs commits where git knows no name: tool writes on a
// machine where nobody has configured one.
var fallbackIdent = Ident{Name: "memsync", Email: "memsync@localhost"}

// Identity is the person as git knows them: GIT_AUTHOR_NAME and
// GIT_AUTHOR_EMAIL, author.*, user.*, EMAIL, and what git makes of the system's
// accounts, in git's order. fallback says that git has none, and memsync
// <memsync@localhost> stands in.
func (r *Repo) Identity() (id Ident, fallback bool) {
	r.mu.Lock()
	caller := r.caller
	r.mu.Unlock()
	if caller != nil {
		return caller.Identity()
	}
	set := r.config()
	r.mu.Lock()
	known := r.ident
	r.mu.Unlock()
	if known != nil {
		return known.id, known.fallback
	}
	first := func(values ...string) string {
		for _, v := range values {
			if v = cleanIdent(v); v != "" {
				return v
			}
		}
		return ""
	}
	id = Ident{
		Name:  first(r.env.get("GIT_AUTHOR_NAME"), set.get("author.name"), set.get("user.name")),
		Email: first(r.env.get("GIT_AUTHOR_EMAIL"), set.get("author.email"), set.get("user.email"), r.env.get("EMAIL")),
	}
	if (id.Name == "" || id.Email == "") && r.binary != "" {
		// git may still know: from the system's accounts.
		ctx, cancel := background()
		defer cancel()
		var env []string
		for _, name := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"} {
			if v := r.env.get(name); v != "" {
				env = append(env, name+"="+v)
			}
		}
		if out, err := r.run(ctx, gitCall{args: []string{"var", "GIT_AUTHOR_IDENT"}, env: env}); err == nil {
			id, _ = parseSignature(strings.TrimSpace(string(out)))
		}
	}
	if id.Name == "" || id.Email == "" {
		id, fallback = fallbackIdent, true
	}
	r.mu.Lock()
	r.ident = &identity{id, fallback}
	r.mu.Unlock()
	return id, fallback
}
