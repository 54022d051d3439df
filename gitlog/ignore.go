package gitlog

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"

	"memsync"
)

// ignoreRule is one line of a .gitignore.
type ignoreRule struct {
	dir      string // of the file it stands in, relative to the top
	text     string
	negative bool
	dirOnly  bool
	baseOnly bool // no slash but at the end: matches the last element
	literal  bool // no magic: plain comparison
	suffix   bool // "*" and then no magic: text[1:] is a suffix
}

func (rule ignoreRule) match(name string, isDir, fold bool) bool {
	if rule.dirOnly && !isDir {
		return false
	}
	if rule.baseOnly {
		base := path.Base(name)
		switch {
		case rule.literal && !fold:
			return base == rule.text
		case rule.suffix && !fold:
			return strings.HasSuffix(base, rule.text[1:])
		}
		return wildmatch(rule.text, base, false, fold)
	}
	if rule.dir != "" {
		rest, ok := strings.CutPrefix(name, rule.dir+"/")
		if !ok {
			return false
		}
		name = rest
	}
	if rule.literal && !fold {
		return name == rule.text
	}
	return matchPath(rule.text, name, fold)
}

// ignores answers what git ignores. Every file of patterns is read once, every
// directory judged once.
type ignores struct {
	r       *Repo
	fold    bool
	info    []ignoreRule
	global  []ignoreRule
	dirs    map[string][]ignoreRule
	verdict map[string]bool
}

func (r *Repo) ignores() *ignores {
	set := r.config()
	g := &ignores{r: r, fold: set.truth("core.ignorecase", false),
		dirs: map[string][]ignoreRule{}, verdict: map[string]bool{"": false}}
	g.info = parseIgnore(readSmall(filepath.Join(r.common, "info", "exclude")), "")
	file := ""
	if set.has("core.excludesfile") {
		file = place{home: r.env.get("HOME")}.expand(set.get("core.excludesfile"))
		if file != "" && !filepath.IsAbs(file) {
			file = filepath.Join(r.top, file)
		}
	} else if xdg := r.env.xdg("XDG_CONFIG_HOME", ".config"); xdg != "" {
		file = filepath.Join(xdg, "git", "ignore")
	}
	if file != "" {
		g.global = parseIgnore(readSmall(file), "")
	}
	return g
}

func parseIgnore(data []byte, dir string) []ignoreRule {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var out []ignoreRule
	for _, line := range strings.Split(string(data), "\n") {
		line = trimIgnore(strings.TrimSuffix(line, "\r"))
		if line == "" || line[0] == '#' {
			continue
		}
		rule := ignoreRule{dir: dir}
		if line[0] == '!' {
			rule.negative, line = true, line[1:]
		}
		if strings.HasSuffix(line, "/") {
			rule.dirOnly, line = true, line[:len(line)-1]
		}
		if line == "" {
			continue
		}
		rule.baseOnly = !strings.Contains(line, "/")
		rule.text = strings.TrimPrefix(line, "/")
		rule.literal = !strings.ContainsAny(rule.text, `*?[\`)
		rule.suffix = rule.baseOnly && rule.text != "" && rule.text[0] == '*' && !strings.ContainsAny(rule.text[1:], `*?[\`)
		out = append(out, rule)
	}
	return out
}

// trimIgnore takes spaces off the end of a line, save those that a backslash
// quotes.
func trimIgnore(line string) string {
	end := len(line)
	for end > 0 && line[end-1] == ' ' {
		end--
	}
	if end == len(line) {
		return line
	}
	slashes := 0
	for slashes < end && line[end-1-slashes] == '\\' {
		slashes++
	}
	if slashes%2 == 1 {
		end++
	}
	return line[:end]
}

func (g *ignores) rules(dir string) []ignoreRule {
	rules, ok := g.dirs[dir]
	if !ok {
		file := filepath.Join(g.r.top, filepath.FromSlash(dir), ".gitignore")
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			rules = parseIgnore(readSmall(file), dir)
		}
		g.dirs[dir] = rules
	}
	return rules
}

func parentDir(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return ""
}

// last is the verdict of the last rule that matches name itself.
func (g *ignores) last(name string, isDir bool) bool {
	for dir := parentDir(name); ; dir = parentDir(dir) {
		if v, hit := lastMatch(g.rules(dir), name, isDir, g.fold); hit {
			return v
		}
		if dir == "" {
			break
		}
	}
	if v, hit := lastMatch(g.info, name, isDir, g.fold); hit {
		return v
	}
	v, _ := lastMatch(g.global, name, isDir, g.fold)
	return v
}

func lastMatch(rules []ignoreRule, name string, isDir, fold bool) (ignored, hit bool) {
	for i := len(rules) - 1; i >= 0; i-- {
		if rules[i].match(name, isDir, fold) {
			return !rules[i].negative, true
		}
	}
	return false, false
}

// dir: nothing below an ignored directory can be taken back in.
func (g *ignores) dir(dir string) bool {
	v, ok := g.verdict[dir]
	if !ok {
		v = g.dir(parentDir(dir)) || g.last(dir, true)
		g.verdict[dir] = v
	}
	return v
}

func (g *ignores) file(name string) bool {
	return g.dir(parentDir(name)) || g.last(name, false)
}

// Ignored reports which of the paths git ignores: by .gitignore files,
// info/exclude or core.excludesFile. What git tracks is not ignored, whatever
// the patterns say. Only ignored paths are in the map.
func (r *Repo) Ignored(paths []memsync.Path) (map[memsync.Path]bool, error) {
	g := r.ignores()
	out := map[memsync.Path]bool{}
	for _, p := range paths {
		if g.file(r.full(p)) {
			out[p] = true
		}
	}
	if len(out) == 0 {
		return out, nil
	}
	tracked, err := r.tracked()
	if err != nil {
		return nil, err
	}
	for p := range out {
		if tracked(r.full(p)) {
			delete(out, p)
		}
	}
	return out, nil
}
