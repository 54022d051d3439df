package gitlog

import "strings"

// wildmatch is git's pattern language (wildmatch.c, after Rich Salz): * and ?
// stop at slashes when path is set, ** as a whole element does not, [classes]
// with !, ^, ranges and POSIX names, backslash quotes. fold ignores ASCII case.
func wildmatch(pattern, text string, path, fold bool) bool {
	return wild(pattern, text, path, fold) == wmMatch
}

// matchPath matches a pattern with a slash against a path, as git does for
// .gitignore and .gitattributes: what stands before the first magic character
// is compared by itself, and the rest as a pattern of its own. So "a**/**"
// matches "ab" there.
func matchPath(pattern, name string, fold bool) bool {
	n := strings.IndexAny(pattern, `*?[\`)
	if n < 0 {
		n = len(pattern)
	}
	if n > len(name) {
		return false
	}
	for i := 0; i < n; i++ {
		if lower(pattern[i], fold) != lower(name[i], fold) {
			return false
		}
	}
	return wildmatch(pattern[n:], name[n:], true, fold)
}

type wmResult int

const (
	wmMatch wmResult = iota
	wmNoMatch
	wmAbortAll        // no longer text can match
	wmAbortToStarStar // only an enclosing ** may go on
)

func wild(p, text string, path, fold bool) wmResult {
	whole := p
	for len(p) > 0 {
		pc := p[0]
		if len(text) == 0 && pc != '*' {
			return wmAbortAll
		}
		var tc byte
		if len(text) > 0 {
			tc = lower(text[0], fold)
		}
		switch pc {
		case '?':
			if path && tc == '/' {
				return wmNoMatch
			}
		case '*':
			return wildStar(whole, p, text, path, fold)
		case '[':
			if path && tc == '/' {
				return wmNoMatch
			}
			rest, ok, valid := wildClass(p[1:], text[0], fold)
			if !valid {
				return wmAbortAll
			}
			if !ok {
				return wmNoMatch
			}
			p, text = rest, text[1:]
			continue
		case '\\':
			if len(p) < 2 {
				return wmNoMatch
			}
			p = p[1:]
			pc = p[0]
			fallthrough
		default:
			if tc != lower(pc, fold) {
				return wmNoMatch
			}
		}
		p, text = p[1:], text[1:]
	}
	if len(text) > 0 {
		return wmNoMatch
	}
	return wmMatch
}

// wildStar matches a pattern that starts with a star; whole is the pattern it
// stands in, so that "**" can be told from "a**".
func wildStar(whole, p, text string, path, fold bool) wmResult {
	before := byte('/')
	if i := len(whole) - len(p); i > 0 {
		before = whole[i-1]
	}
	n := 1
	for n < len(p) && p[n] == '*' {
		n++
	}
	rest := p[n:]
	slashes := !path // may this star cross a slash
	if path && n > 1 && before == '/' && (rest == "" || rest[0] == '/' || len(rest) > 1 && rest[0] == '\\' && rest[1] == '/') {
		// "**/x" matches "x", too.
		if rest != "" && rest[0] == '/' && wild(rest[1:], text, path, fold) == wmMatch {
			return wmMatch
		}
		slashes = true
	}
	if rest == "" {
		if !slashes {
			for i := 0; i < len(text); i++ {
				if text[i] == '/' {
					return wmAbortToStarStar
				}
			}
		}
		return wmMatch
	}
	if !slashes && rest[0] == '/' {
		// a star before a slash takes the rest of its element
		for i := 0; i < len(text); i++ {
			if text[i] == '/' {
				return wild(rest[1:], text[i+1:], path, fold)
			}
		}
		return wmAbortAll
	}
	for i := 0; ; i++ {
		if r := wild(rest, text[i:], path, fold); r != wmNoMatch {
			if !slashes || r != wmAbortToStarStar {
				return r
			}
		} else if !slashes && i < len(text) && text[i] == '/' {
			return wmAbortToStarStar
		}
		if i >= len(text) {
			return wmAbortAll
		}
	}
}

// wildClass matches one byte against a class; p starts behind the bracket.
// valid is false for a class that never ends.
func wildClass(p string, c byte, fold bool) (rest string, matched, valid bool) {
	negated := false
	if len(p) > 0 && (p[0] == '!' || p[0] == '^') {
		negated, p = true, p[1:]
	}
	tc := lower(c, fold)
	for first := true; ; first = false {
		if len(p) == 0 {
			return "", false, false
		}
		if p[0] == ']' && !first {
			return p[1:], matched != negated, true
		}
		if p[0] == '[' && len(p) > 1 && p[1] == ':' {
			end := 2
			for end < len(p) && p[end] != ']' {
				end++
			}
			if end >= len(p) {
				return "", false, false
			}
			if p[end-1] == ':' && end-1 >= 2 {
				in, known := posixClass(p[2:end-1], c, fold)
				if !known {
					return "", false, false
				}
				matched = matched || in
				p = p[end+1:]
				continue
			}
		}
		lo := p[0]
		if lo == '\\' {
			if len(p) < 2 {
				return "", false, false
			}
			lo, p = p[1], p[1:]
		}
		p = p[1:]
		hi := lo
		if len(p) > 1 && p[0] == '-' && p[1] != ']' {
			hi, p = p[1], p[1:]
			if hi == '\\' {
				if len(p) < 2 {
					return "", false, false
				}
				hi, p = p[1], p[1:]
			}
			p = p[1:]
		}
		if tc >= lo && tc <= hi || fold && upper(tc) >= lo && upper(tc) <= hi {
			matched = true
		}
	}
}

func posixClass(name string, c byte, fold bool) (in, known bool) {
	isLower, isUpper := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z'
	isDigit := c >= '0' && c <= '9'
	graph := c > ' ' && c < 0x7f
	switch name {
	case "alnum":
		in = isLower || isUpper || isDigit
	case "alpha":
		in = isLower || isUpper
	case "blank":
		in = c == ' ' || c == '\t'
	case "cntrl":
		in = c < ' ' || c == 0x7f
	case "digit":
		in = isDigit
	case "graph":
		in = graph
	case "lower":
		in = isLower || fold && isUpper
	case "print":
		in = graph || c == ' '
	case "punct":
		in = graph && !isLower && !isUpper && !isDigit
	case "space":
		in = c == ' ' || c >= '\t' && c <= '\r'
	case "upper":
		in = isUpper || fold && isLower
	case "xdigit":
		in = isDigit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
	default:
		return false, false
	}
	return in, true
}

func lower(c byte, fold bool) byte {
	if fold && c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
