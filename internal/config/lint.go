package config

import (
	"slices"

	"memsync"
)

// lintTable is [lint]: how bad what one rule finds is held to be, a key a rule.
// Which rules there are, and which of them nothing may weaken, is lint's to say.
const lintTable = "lint"

// lintCode reports whether a key of [lint] has the form of a rule's code.
func lintCode(s string) bool {
	if len(s) != 5 || s[:2] != "MS" {
		return false
	}
	return !slices.ContainsFunc([]byte(s[2:]), func(c byte) bool { return c < '0' || c > '9' })
}

func lintKey(code string) key {
	at := func(p *memsync.Policy) int {
		return slices.IndexFunc(p.Lint, func(l memsync.LintLevel) bool { return l.Code == code })
	}
	return key{name: lintTable + "." + code, kind: aString,
		get: func(p *memsync.Policy) any {
			if i := at(p); i >= 0 {
				return string(p.Lint[i].Level)
			}
			return ""
		},
		set: func(p *memsync.Policy, v any) {
			level := memsync.LintLevel{Code: code, Level: memsync.Severity(v.(string))}
			p.Lint = slices.Clone(p.Lint)
			if i := at(p); i >= 0 {
				p.Lint[i] = level
				return
			}
			p.Lint = append(p.Lint, level)
		},
		check: oneOf(string(memsync.Off), string(memsync.Info), string(memsync.Warning), string(memsync.Severe))}
}

// KeysOf are the keys of a policy: Keys, and the rules of lint that it names.
func KeysOf(p memsync.Policy) []string {
	names := Keys()
	for _, l := range p.Lint {
		names = append(names, lintTable+"."+l.Code)
	}
	return names
}
