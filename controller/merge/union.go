package merge

import (
	"slices"
	"strings"
)

// markdown is the grammar of bodies and of people's files: list items, headings, table rows, quotes
// and rules need nothing before them.
var markdown = grammar{item: markdownItem, glue: true}

func markdownItem(line string) bool {
	s := strings.TrimLeft(line, " \t")
	if s == "" {
		return false
	}
	switch s[0] {
	case '#', '|', '>':
		return true
	case '-', '*', '+':
		return len(s) == 1 || s[1] == ' ' || s[1] == '\t' || strings.Trim(s, s[:1]+" ") == ""
	}
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n > 0 && n < len(s)-1 && (s[n] == '.' || s[n] == ')') && s[n+1] == ' '
}

// header is the grammar of frontmatter: each line that holds a key, a list
// entry or a comment stands for itself, and no blank line is ever added.
var header = grammar{item: func(line string) bool {
	s := strings.TrimLeft(line, " ")
	return s != "" && (s[0] == '#' || s[0] == '-' || strings.Contains(s, ":"))
}}

// union keeps both insertions, the earlier's first; blocks that both wrote
// stand once.
func (j *joiner) union(es, ee, ls, le int) {
	for _, a := range j.anchors(es, ee, ls, le) {
		j.gap(es, a.b, ls, a.s)
		j.emit(j.late, a.s, a.s+a.n)
		es, ls = a.b+a.n, a.s+a.n
	}
	j.gap(es, ee, ls, le)
}

func (j *joiner) gap(es, ee, ls, le int) {
	if slices.Equal(j.early[es:ee], j.late[ls:le]) {
		j.emit(j.late, ls, le)
		return
	}
	if es < ee && ls < le && !j.both(es, ee, ls, le) {
		j.clash(0, 0, es, ee, ls, le) // two endings of one sentence
		return
	}
	j.emit(j.early, es, ee)
	j.emit(j.late, ls, le)
}

// anchors are lines with words in them that stand once in each insertion, in
// the same order; none where the stretches between them would tear a code
// fence.
func (j *joiner) anchors(es, ee, ls, le int) []match {
	at := map[string]match{}
	for i := es; i < ee; i++ {
		m := at[j.early[i]]
		m.b, m.n = i, m.n+1
		at[j.early[i]] = m
	}
	seen := map[string]int{}
	for i := ls; i < le; i++ {
		seen[j.late[i]]++
	}
	var pairs []match
	for i := ls; i < le; i++ {
		l := j.late[i]
		if m, ok := at[l]; ok && m.n == 1 && seen[l] == 1 && wordy(l) {
			pairs = append(pairs, match{m.b, i, 1})
		}
	}
	pairs = rising(pairs)
	e, l := es, ls
	for _, a := range append(slices.Clip(pairs), match{ee, le, 0}) {
		if fences(j.early[e:a.b])%2 != 0 || fences(j.late[l:a.s])%2 != 0 {
			return nil
		}
		e, l = a.b+a.n, a.s+a.n
	}
	return pairs
}

func wordy(line string) bool {
	return !fence(line) && strings.ContainsFunc(line, func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= 0x80
	})
}

func fence(line string) bool {
	s := strings.TrimLeft(line, " ")
	return strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~")
}

func fences(lines []string) int {
	n := 0
	for _, l := range lines {
		if fence(l) {
			n++
		}
	}
	return n
}
