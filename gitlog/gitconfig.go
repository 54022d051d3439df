package gitlog

import (
	"path/filepath"
	"strconv"
	"strings"

	"memsync/internal/plainfile"
)

// settings is git's configuration as this repository sees it. Keys are
// "section.key" or "section.sub.key" with section and key in lower case.
type settings struct {
	values map[string][]string
	from   map[string]string // of the last value of a key: system, global, local, worktree
	seen   []fileStamp       // every file that was read or looked for
	asks   bool              // an include condition only git itself can judge
}

func (s *settings) get(key string) string {
	v := s.values[key]
	if len(v) == 0 {
		return ""
	}
	return v[len(v)-1]
}

func (s *settings) has(key string) bool { return len(s.values[key]) > 0 }

// truth reads a boolean as git does; fallback where the key is missing or no
// boolean.
func (s *settings) truth(key string, fallback bool) bool {
	if !s.has(key) {
		return fallback
	}
	v, ok := gitBool(s.get(key))
	if !ok {
		return fallback
	}
	return v
}

func gitBool(v string) (value, ok bool) {
	switch strings.ToLower(v) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off", "":
		return false, true
	}
	n, err := strconv.ParseInt(v, 10, 64)
	return n != 0, err == nil
}

// place is what include conditions look at.
type place struct {
	gitDir string
	branch string
	home   string
	level  string // of the file that is read, as `git config --show-scope` names it
}

// readSettings reads system, global, repository and worktree configuration in
// git's order, includes and all, without a process. The variables by which git
// hands one command's -c options to its hooks are not looked at: they belong
// to another command.
func readSettings(env environ, gitDir, commonDir, branch string) *settings {
	s := &settings{values: map[string][]string{}, from: map[string]string{}}
	at := place{gitDir: gitDir, branch: branch, home: env.get("HOME"), level: "system"}
	if v, _ := gitBool(env.get("GIT_CONFIG_NOSYSTEM")); !v {
		system := env.get("GIT_CONFIG_SYSTEM")
		if system == "" {
			system = systemConfig
		}
		s.read(system, at, 0)
	}
	at.level = "global"
	if global, ok := env.lookup("GIT_CONFIG_GLOBAL"); ok {
		s.read(global, at, 0)
	} else {
		if xdg := env.xdg("XDG_CONFIG_HOME", ".config"); xdg != "" {
			s.read(filepath.Join(xdg, "git", "config"), at, 0)
		}
		if at.home != "" {
			s.read(filepath.Join(at.home, ".gitconfig"), at, 0)
		}
	}
	at.level = "local"
	s.read(filepath.Join(commonDir, "config"), at, 0)
	at.level = "worktree"
	if s.truth("extensions.worktreeconfig", false) {
		s.read(filepath.Join(gitDir, "config.worktree"), at, 0)
	}
	return s
}

// ask takes git's word for the values, where a condition is one that only git
// understands (hasconfig:). What this program itself passes with -c is left
// out.
func (s *settings) ask(r *Repo) {
	ctx, cancel := background()
	defer cancel()
	out, err := r.run(ctx, gitCall{args: []string{"config", "--list", "--includes", "--show-scope", "-z"}})
	if err != nil {
		return
	}
	values, from := map[string][]string{}, map[string]string{}
	f := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(f); i += 2 {
		if f[i] == "command" {
			continue
		}
		key, value, ok := strings.Cut(f[i+1], "\n")
		if !ok {
			value = "true"
		}
		values[key] = append(values[key], value)
		from[key] = f[i]
	}
	s.values, s.from = values, from
}

const systemConfig = "/etc/gitconfig"

// maxInclude is git's own limit for nested includes.
const maxInclude = 10

func (s *settings) read(file string, at place, depth int) {
	if file == "" || depth > maxInclude {
		return
	}
	s.seen = append(s.seen, stampOf(file))
	data, err := plainfile.Read(file)
	if err != nil {
		return // git treats an unreadable optional file as absent, too
	}
	parseConfig(data, func(key, value string) {
		if key == "include.path" {
			s.read(at.include(file, value), at, depth+1)
			return
		}
		if cond, ok := strings.CutPrefix(key, "includeif."); ok {
			if cond, ok = strings.CutSuffix(cond, ".path"); ok {
				yes, known := at.holds(cond, file)
				if !known {
					s.asks = true
				}
				if yes {
					s.read(at.include(file, value), at, depth+1)
				}
				return
			}
		}
		s.values[key] = append(s.values[key], value)
		s.from[key] = at.level
	})
}

// include is the file that an include in file names.
func (at place) include(file, value string) string {
	value = at.expand(value)
	if value == "" || filepath.IsAbs(value) {
		return value
	}
	return filepath.Join(filepath.Dir(file), value)
}

// expand resolves a leading "~/".
func (at place) expand(p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		if at.home == "" {
			return ""
		}
		return filepath.Join(at.home, rest)
	}
	return p
}

// holds judges a condition of includeIf; known is false for one that this
// program does not understand.
func (at place) holds(cond, file string) (yes, known bool) {
	kind, pattern, _ := strings.Cut(cond, ":")
	fold := false
	switch kind {
	case "gitdir/i":
		fold = true
		fallthrough
	case "gitdir":
		switch {
		case strings.HasPrefix(pattern, "~/"):
			pattern = filepath.ToSlash(at.home) + pattern[1:]
		case strings.HasPrefix(pattern, "./"):
			pattern = filepath.ToSlash(filepath.Dir(file)) + pattern[1:]
		case !strings.HasPrefix(pattern, "/"):
			pattern = "**/" + pattern
		}
		if strings.HasSuffix(pattern, "/") {
			pattern += "**"
		}
		return wildmatch(pattern, filepath.ToSlash(at.gitDir), true, fold), true
	case "onbranch":
		if strings.HasSuffix(pattern, "/") {
			pattern += "**"
		}
		return at.branch != "" && wildmatch(pattern, at.branch, true, false), true
	}
	return false, false
}

// parseConfig yields every setting of one file in order. A setting without
// "=" is true. What does not parse ends the reading, as git stops with an
// error there; git itself will say so.
func parseConfig(data []byte, yield func(key, value string)) {
	eachConfig(strings.TrimPrefix(string(data), "\ufeff"), func(section, key, value string, _, _ int) {
		switch {
		case key == "":
		case section != "":
			yield(section+"."+key, value)
		default:
			yield(key, value)
		}
	})
}

// eachConfig yields every section's header (key "") and every setting, with the
// bytes that each takes: of a setting, its comment and the continued lines too.
func eachConfig(text string, yield func(section, key, value string, from, to int)) {
	text += "\n" // to git the end ends a line, too
	section := ""
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n' || c == '\r' || c == ' ' || c == '\t':
			i++
		case c == '#' || c == ';':
			i = lineEnd(text, i)
		case c == '[':
			name, next, ok := parseSection(text, i+1)
			if !ok {
				return
			}
			yield(name, "", "", i, next)
			section, i = name, next
		default:
			start := i
			for i < len(text) && isKeyByte(text[i]) {
				i++
			}
			if i == start {
				return
			}
			key := strings.ToLower(text[start:i])
			end := i
			for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
				i++
			}
			if i < len(text) && text[i] == '=' {
				value, next, ok := parseValue(text, i+1)
				if !ok {
					return
				}
				yield(section, key, value, start, next)
				i = next
				continue
			}
			yield(section, key, "true", start, end)
			if i < len(text) && text[i] != '\n' && text[i] != '\r' && text[i] != '#' && text[i] != ';' {
				return
			}
		}
	}
}

func lineEnd(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}

func isKeyByte(c byte) bool {
	return c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// parseSection reads a section's name from behind its bracket.
func parseSection(text string, i int) (name string, next int, ok bool) {
	start := i
	for i < len(text) && (isKeyByte(text[i]) || text[i] == '.') {
		i++
	}
	name = strings.ToLower(text[start:i])
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	if i < len(text) && text[i] == '"' {
		var sub strings.Builder
		for i++; ; i++ {
			if i >= len(text) || text[i] == '\n' {
				return "", 0, false
			}
			if text[i] == '"' {
				break
			}
			if text[i] == '\\' {
				if i++; i >= len(text) || text[i] == '\n' {
					return "", 0, false
				}
			}
			sub.WriteByte(text[i])
		}
		i++
		name += "." + sub.String()
	}
	if i >= len(text) || text[i] != ']' || name == "" {
		return "", 0, false
	}
	return name, i + 1, true
}

// parseValue reads a value from behind its "=" to the end of its line, with
// quotes, escapes, comments and continued lines. White space inside is kept as
// it is, as git does from 2.45 on; before, each became a blank.
func parseValue(text string, i int) (value string, next int, ok bool) {
	var b strings.Builder
	quoted, spaces := false, ""
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n':
			return b.String(), i, !quoted
		case c == '\r' && i+1 < len(text) && text[i+1] == '\n':
			continue
		case !quoted && (c == '#' || c == ';'):
			return b.String(), lineEnd(text, i), true
		case !quoted && (c == ' ' || c == '\t' || c == '\r'):
			if b.Len() > 0 {
				spaces += string(c)
			}
			continue
		}
		b.WriteString(spaces)
		spaces = ""
		switch c {
		case '"':
			quoted = !quoted
		case '\\':
			i++
			if i < len(text) && text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			if i >= len(text) {
				return "", 0, false
			}
			switch text[i] {
			case '\n':
			case 't':
				b.WriteByte('\t')
			case 'n':
				b.WriteByte('\n')
			case 'b':
				b.WriteByte('\b')
			case '\\', '"':
				b.WriteByte(text[i])
			default:
				return "", 0, false
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), i, !quoted
}
