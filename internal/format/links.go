package format

import (
	"iter"
	"path"
	"strings"

	"memsync"
	"memsync/internal/text"
)

// Links are the targets of `[[…]]` in the body, outside code, in order and
// once each; `|alias`, `#heading`, a path and `.md` are stripped.
func Links(d *Document) []string {
	body := d.Body()
	if !strings.Contains(body, "[[") {
		return nil
	}
	var out []string
	seen := map[string]bool{}
	eachProse(body, func(line string) bool {
		if !strings.Contains(line, "[[") {
			return true
		}
		rest := BlankCode(line)
		for {
			_, after, ok := strings.Cut(rest, "[[")
			if !ok {
				return true
			}
			inner, more, ok := strings.Cut(after, "]]")
			if !ok {
				return true
			}
			if i := strings.LastIndex(inner, "[["); i >= 0 {
				inner = inner[i+2:]
			}
			rest = more
			if t := LinkTarget(inner); t != "" && !seen[t] {
				seen[t] = true
				out = append(out, t)
			}
		}
	})
	return out
}

// LinkTarget is the name that a link's inside asks for.
func LinkTarget(inner string) string {
	inner, _, _ = strings.Cut(inner, "|")
	inner, _, _ = strings.Cut(inner, "#")
	inner = strings.TrimSuffix(strings.TrimSpace(inner), "\\") // `\|` inside a table
	if i := strings.LastIndexByte(inner, '/'); i >= 0 {
		inner = inner[i+1:]
	}
	return strings.TrimSpace(stem(strings.TrimSpace(inner)))
}

// BlankCode is a line with its code spans (CommonMark 6.1, on one line) as
// spaces: what is left stands where it stood.
func BlankCode(line string) string {
	if strings.IndexByte(line, '`') < 0 {
		return line
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		if line[i] != '`' {
			b.WriteByte(line[i])
			i++
			continue
		}
		n := ticks(line, i)
		end := -1
		for j := i + n; j < len(line); {
			if line[j] != '`' {
				j++
				continue
			}
			m := ticks(line, j)
			if m == n {
				end = j + m
				break
			}
			j += m
		}
		if end < 0 {
			b.WriteString(line[i : i+n])
			i += n
			continue
		}
		b.WriteString(strings.Repeat(" ", end-i))
		i = end
	}
	return b.String()
}

func ticks(line string, i int) (n int) {
	for i+n < len(line) && line[i+n] == '`' {
		n++
	}
	return n
}

// Names answers what a link means among some memories. In the wild two links
// in five resolve by name only, one in six by file stem only, and one in
// fourteen only after folding; so all are asked, in that order.
type Names struct {
	name, stem, folded, other map[string][]*memsync.Memory
}

// NewNames indexes memories by what links may call them.
func NewNames(memories iter.Seq[*memsync.Memory]) *Names {
	x := &Names{map[string][]*memsync.Memory{}, map[string][]*memsync.Memory{}, map[string][]*memsync.Memory{}, map[string][]*memsync.Memory{}}
	put := func(in map[string][]*memsync.Memory, key string, m *memsync.Memory) {
		if key == "" {
			return
		}
		if have := in[key]; len(have) > 0 && have[len(have)-1] == m {
			return
		}
		in[key] = append(in[key], m)
	}
	for m := range memories {
		base := stem(m.Path.Base())
		put(x.name, m.Name, m)
		put(x.stem, base, m)
		put(x.folded, foldLink(m.Name), m)
		put(x.folded, foldLink(base), m)
		put(x.other, string(m.ID), m)
		for _, a := range m.Aliases {
			put(x.other, a, m)
			put(x.other, foldLink(a), m)
		}
	}
	return x
}

// Resolve are the memories that a link target, as Links gives it, may mean:
// by name, by file stem, by both folded, by id or alias. The first of these
// that has an answer gives it; more than one memory is for the caller to judge.
func (x *Names) Resolve(target string) []*memsync.Memory {
	if hit := x.name[target]; len(hit) > 0 {
		return hit
	}
	if hit := x.stem[target]; len(hit) > 0 {
		return hit
	}
	folded := foldLink(target)
	if hit := x.folded[folded]; len(hit) > 0 {
		return hit
	}
	if hit := x.other[target]; len(hit) > 0 {
		return hit
	}
	if hit := x.other[strings.ToUpper(target)]; len(hit) > 0 {
		return hit
	}
	return x.other[folded]
}

// foldLink is the form in which names count as the same for a link: folded,
// `_`, `-` and spaces alike, the type prefix off.
func foldLink(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '_' || r == ' ' {
			return '-'
		}
		return r
	}, text.Fold(s))
	for _, t := range memsync.Types {
		if rest, ok := strings.CutPrefix(s, string(t)+"-"); ok && rest != "" {
			return rest
		}
	}
	return s
}

// stem is a base name without `.md`.
func stem(base string) string {
	if ext := path.Ext(base); len(ext) == 3 && strings.EqualFold(ext, ".md") && len(base) > 3 {
		return base[:len(base)-3]
	}
	return base
}
