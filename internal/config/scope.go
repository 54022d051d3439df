package config

import (
	"cmp"
	"fmt"
	"slices"

	"memsync"
)

// entry is one [[scope]] while it is read.
type entry struct {
	memsync.Scope
	at    item            // its header
	given map[string]item // by key
}

// scopeKey is one key of [[scope]].
type scopeKey struct {
	name, comment, initial string // initial: what the comment of an absent entry shows
	set                    func(*memsync.Scope, string) error
	get                    func(*memsync.Scope) string
}

var scopeTable = []scopeKey{
	{"path", "relative to the store", "memory",
		func(s *memsync.Scope, v string) (err error) { s.Dir, err = scopeDir(v); return err },
		func(s *memsync.Scope) string {
			if s.Dir == "" {
				return "."
			}
			return string(s.Dir)
		}},
	{"kind", "global | workspace | agent", "global",
		func(s *memsync.Scope, v string) error {
			s.Kind = memsync.ScopeKind(v)
			return oneOf(string(memsync.Global), string(memsync.Workspace), string(memsync.Agent))(v)
		},
		func(s *memsync.Scope) string { return string(s.Kind) }},
	{"agent", "with kind = agent", "",
		func(s *memsync.Scope, v string) error {
			s.Agent = v
			if v == "" {
				return nil
			}
			return agentName(v)
		},
		func(s *memsync.Scope) string { return s.Agent }},
	{"writers", "people | mixed | agent:<name>", "people",
		func(s *memsync.Scope, v string) error { s.Writers = memsync.Writers(v); return writers(v) },
		func(s *memsync.Scope) string { return string(s.Writers) }},
	{"identity", "inline | ledger", "inline",
		func(s *memsync.Scope, v string) error {
			s.Identity = memsync.IdentityMode(v)
			return oneOf(string(memsync.Inline), string(memsync.Ledger))(v)
		},
		func(s *memsync.Scope) string { return string(s.Identity) }},
	{"memory_md", "region | lint", "region",
		func(s *memsync.Scope, v string) error {
			s.MemoryMD = memsync.MemoryMDMode(v)
			return oneOf(string(memsync.Region), string(memsync.LintOnly))(v)
		},
		func(s *memsync.Scope) string { return string(s.MemoryMD) }},
}

const ignoreComment = "glob patterns"

func scopeKeys() []string {
	var names []string
	for _, k := range scopeTable {
		names = append(names, "scope."+k.name)
	}
	return append(names, "scope.ignore")
}

// withDefaults fills in what a scope does not say. Kind is left: the place
// decides.
func withDefaults(s memsync.Scope) memsync.Scope {
	if s.Writers == "" {
		s.Writers = memsync.People
	}
	if s.Identity == "" {
		s.Identity = memsync.Inline
	}
	if s.MemoryMD == "" {
		s.MemoryMD = memsync.Region
	}
	return s
}

func (r *reader) scopeItem(it item) error {
	list, isList := it.value.([]any)
	switch {
	case it.name == "scope" && it.entry >= 0 && it.header && it.array:
		r.entries = append(r.entries, &entry{at: it, given: map[string]item{}})
		return nil
	case it.name == "scope" && isList && len(list) == 0 && !it.inline:
		return nil // scope = []
	case it.name == "scope" || it.entry < 0:
		return r.fail(it.key, "scopes are a list of tables: write [[scope]] above each")
	}
	e := r.entries[it.entry]
	if it.name == "scope.ignore" {
		if !isList {
			return r.fail(cmp.Or(it.val, it.key), "ignore must be a list of strings")
		}
		for _, v := range list {
			s, ok := v.(string)
			if !ok {
				return r.fail(it.key, "ignore must be a list of strings")
			}
			if err := glob(s); err != nil {
				return r.fail(it.key, "ignore "+err.Error())
			}
			e.Ignore = append(e.Ignore, s)
		}
		return nil
	}
	i := slices.IndexFunc(scopeTable, func(k scopeKey) bool { return "scope."+k.name == it.name })
	if i < 0 {
		return r.unknown(it)
	}
	k := scopeTable[i]
	v, ok := it.value.(string)
	if !ok {
		return r.fail(cmp.Or(it.val, it.key), k.name+" must be a string")
	}
	if err := k.set(&e.Scope, v); err != nil {
		return r.fail(it.val, k.name+" "+err.Error())
	}
	e.given[k.name] = it
	return nil
}

// finish checks what only a whole entry and all of them together can show.
func (r *reader) finish() ([]memsync.Scope, error) {
	var out []memsync.Scope
	for _, e := range r.entries {
		if _, ok := e.given["path"]; !ok {
			return nil, r.fail(e.at.key, "path is missing: say which directory, relative to the store")
		}
		switch agent := e.given["agent"]; {
		case e.Kind == memsync.Agent && e.Agent == "":
			return nil, r.fail(cmp.Or(agent.val, e.given["kind"].val), "agent is missing: a scope of kind agent names its agent")
		case e.Kind != memsync.Agent && e.Agent != "":
			return nil, r.fail(agent.val, `agent goes with kind = "agent" only`)
		}
		if i := slices.IndexFunc(out, func(s memsync.Scope) bool { return s.Dir == e.Dir }); i >= 0 {
			return nil, r.fail(e.given["path"].val, fmt.Sprintf("path %q has an entry already", (&scopeTable[0]).get(&e.Scope)))
		}
		out = append(out, withDefaults(e.Scope))
	}
	return out, nil
}
