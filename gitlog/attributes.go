package gitlog

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"

	"memsync/internal/plainfile"
)

// Attributes (gitattributes) that change what a commit holds: where one would
// change the bytes of a file of ours, that file's blob is made by git itself.

// attrRule is one line: a pattern and what it sets. Value "" is set, "-" is
// unset, "!" unspecified.
type attrRule struct {
	pattern attrPattern
	macro   string // the name it defines; then there is no pattern
	set     []attrValue
}

type attrValue struct{ name, value string }

const (
	attrSet         = "\x00set"
	attrUnset       = "\x00unset"
	attrUnspecified = "\x00unspecified"
)

// attrPattern is a pattern below a directory.
type attrPattern struct {
	dir      string // of the file it stands in
	text     string
	baseOnly bool // no slash: matches the last element
}

func (p attrPattern) match(name string, fold bool) bool {
	if p.text == "" {
		return false
	}
	if p.baseOnly {
		return wildmatch(p.text, path.Base(name), false, fold)
	}
	if p.dir != "" {
		rest, ok := strings.CutPrefix(name, p.dir+"/")
		if !ok {
			return false
		}
		name = rest
	}
	return matchPath(p.text, name, fold)
}

// attributes answers for one commit: files are read once.
type attributes struct {
	r      *Repo
	set    *settings
	fold   bool
	dirs   map[string][]attrRule
	first  []attrRule // system and global
	info   []attrRule // .git/info/attributes
	macros map[string][]attrValue
	recode bool // some rule that was read names a filter, an encoding or a line end
}

func (r *Repo) attributes() *attributes {
	set := r.config()
	a := &attributes{r: r, set: set, fold: set.truth("core.ignorecase", false), dirs: map[string][]attrRule{}, macros: map[string][]attrValue{
		"binary": {{"diff", attrUnset}, {"merge", attrUnset}, {"text", attrUnset}},
	}}
	if v, _ := gitBool(r.env.get("GIT_ATTR_NOSYSTEM")); !v {
		a.first = append(a.first, a.parse(readSmall(systemAttributes), "", true)...)
	}
	global := ""
	if set.has("core.attributesfile") {
		global = place{home: r.env.get("HOME")}.expand(set.get("core.attributesfile"))
	} else if xdg := r.env.xdg("XDG_CONFIG_HOME", ".config"); xdg != "" {
		global = filepath.Join(xdg, "git", "attributes")
	}
	if global != "" {
		a.first = append(a.first, a.parse(readSmall(global), "", true)...)
	}
	// Macros are looked up with the same precedence as rules, so what may
	// define them is read in that order, before anything is matched.
	a.dir("")
	a.info = a.parse(readSmall(filepath.Join(r.common, "info", "attributes")), "", true)
	return a
}

const systemAttributes = "/etc/gitattributes"

// readSmall reads a file that need not be there.
func readSmall(file string) []byte {
	data, err := plainfile.Read(file)
	if err != nil {
		return nil
	}
	return data
}

// dir gives the rules of one directory's .gitattributes.
func (a *attributes) dir(dir string) []attrRule {
	rules, ok := a.dirs[dir]
	if !ok {
		file := filepath.Join(a.r.top, filepath.FromSlash(dir), ".gitattributes")
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			rules = a.parse(readSmall(file), dir, dir == "")
		}
		a.dirs[dir] = rules
	}
	return rules
}

// parse reads rules in order. Macros count only where git accepts them.
func (a *attributes) parse(data []byte, dir string, macros bool) []attrRule {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var out []attrRule
	for _, line := range strings.Split(string(data), "\n") {
		line = strings.Trim(line, " \t\r")
		if line == "" || line[0] == '#' {
			continue
		}
		pattern, rest, ok := attrName(line)
		if !ok {
			continue
		}
		rule := attrRule{}
		if name, ok := strings.CutPrefix(pattern, "[attr]"); ok {
			if !macros {
				continue
			}
			rule.macro = name
		} else {
			if pattern[0] == '!' || strings.HasSuffix(pattern, "/") {
				continue // git has no negative patterns here, and a file is no directory
			}
			rule.pattern = attrPattern{dir: dir, text: pattern, baseOnly: !strings.Contains(pattern, "/")}
			rule.pattern.text = strings.TrimPrefix(rule.pattern.text, "/")
		}
		for _, word := range strings.Fields(rest) {
			switch {
			case word[0] == '-':
				rule.set = append(rule.set, attrValue{word[1:], attrUnset})
			case word[0] == '!':
				rule.set = append(rule.set, attrValue{word[1:], attrUnspecified})
			default:
				name, value, valued := strings.Cut(word, "=")
				if !valued {
					value = attrSet
				}
				rule.set = append(rule.set, attrValue{name, value})
				switch name {
				case "filter", "working-tree-encoding", "eol":
					a.recode = true
				}
			}
		}
		if rule.macro != "" {
			a.macros[rule.macro] = rule.set
			continue
		}
		out = append(out, rule)
	}
	return out
}

// attrName cuts the pattern off a line; it may be quoted as in C.
func attrName(line string) (pattern, rest string, ok bool) {
	if line[0] == '"' {
		if pattern, rest, ok = unquoteC(line); ok && pattern != "" {
			return pattern, rest, true
		}
	}
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return line, "", true
	}
	return line[:i], line[i:], true
}

// unquoteC reads a string quoted as git quotes paths.
func unquoteC(s string) (text, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			if i++; i >= len(s) {
				return "", "", false
			}
			if j := strings.IndexByte(`abfnrtv"\`, s[i]); j >= 0 {
				b.WriteByte("\a\b\f\n\r\t\v\"\\"[j])
				continue
			}
			if i+2 >= len(s) {
				return "", "", false
			}
			v := 0
			for _, d := range []byte(s[i : i+3]) {
				if d < '0' || d > '7' {
					return "", "", false
				}
				v = v<<3 | int(d-'0')
			}
			b.WriteByte(byte(v))
			i += 2
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// of gives the attributes of a path relative to the top, the last word first.
func (a *attributes) of(name string) map[string]string {
	got := map[string]string{}
	apply := func(rules []attrRule) {
		for i := len(rules) - 1; i >= 0; i-- {
			if rules[i].pattern.match(name, a.fold) {
				a.fill(got, rules[i].set, 0)
			}
		}
	}
	apply(a.info)
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if dir == "." {
			dir = ""
		}
		apply(a.dir(dir))
		if dir == "" {
			break
		}
	}
	apply(a.first)
	return got
}

// fill sets what is not set yet, from the last word of a rule to its first,
// macros at their place.
func (a *attributes) fill(got map[string]string, set []attrValue, depth int) {
	for i := len(set) - 1; i >= 0; i-- {
		v := set[i]
		if _, done := got[v.name]; done {
			continue
		}
		got[v.name] = v.value
		if m, ok := a.macros[v.name]; ok && v.value == attrSet && depth < 8 {
			a.fill(got, m, depth+1)
		}
	}
}

// converts says which attribute or setting would change content on its way
// into the repository; "" for none. Line ends are converted only where there
// is a CRLF to convert.
func (a *attributes) converts(name string, content []byte) string {
	at := a.of(name)
	set := a.set
	value := func(name string) string {
		v := at[name]
		if v == attrUnspecified {
			return ""
		}
		return v
	}
	if f := value("filter"); f != "" && f != attrUnset && f != attrSet {
		if set.get("filter."+f+".clean") != "" || set.get("filter."+f+".process") != "" || set.truth("filter."+f+".required", false) {
			return "filter=" + f
		}
	}
	if value("ident") == attrSet && bytes.Contains(content, []byte("$Id")) {
		return "ident"
	}
	if enc := value("working-tree-encoding"); enc != "" && enc != attrUnset && enc != attrSet && !strings.EqualFold(enc, "UTF-8") {
		return "working-tree-encoding=" + enc
	}
	if !bytes.Contains(content, []byte("\r\n")) {
		return ""
	}
	text := value("text")
	if text == "" {
		text = value("crlf")
	}
	switch {
	case text == attrUnset:
		return ""
	case text != "":
		return "text"
	}
	if eol := value("eol"); eol == "lf" || eol == "crlf" {
		return "eol=" + eol
	}
	if auto := strings.ToLower(set.get("core.autocrlf")); auto == "input" {
		return "core.autocrlf"
	} else if v, _ := gitBool(auto); v {
		return "core.autocrlf"
	}
	return ""
}
