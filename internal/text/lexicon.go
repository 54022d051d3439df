package text

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed opposition.txt
var oppositionTxt string

// phrase is one entry of opposition.txt.
type phrase struct {
	words []string
	last  func(string) bool // nil: the last word is compared like the others
	mark  string            // "" for a phrase that means nothing
}

// lexicon finds the phrases of one language by their first word. Those whose
// first word is a pattern stand in loose.
type lexicon struct {
	byFirst map[string][]phrase
	prefix  map[string][]phrase // by the first two letters of "x*"
	loose   []phrase
}

var lexicons = sync.OnceValue(func() map[string]*lexicon {
	out := make(map[string]*lexicon)
	for line := range strings.Lines(oppositionTxt) {
		head, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		lang, mark, ok2 := strings.Cut(head, " ")
		if !ok || !ok2 || lang == "#" {
			continue
		}
		x := out[lang]
		if x == nil {
			x = &lexicon{byFirst: make(map[string][]phrase), prefix: make(map[string][]phrase)}
			out[lang] = x
		}
		if mark == "-" {
			mark = ""
		}
		for item := range strings.SplitSeq(list, ",") {
			x.add(strings.TrimSpace(item), mark)
		}
	}
	return out
})

func (x *lexicon) add(item, mark string) {
	p := phrase{mark: mark}
	for i := 0; ; {
		start, end, ok := nextWord(item, i)
		if !ok {
			break
		}
		p.words = append(p.words, Fold(item[start:end]))
		i = end
	}
	if len(p.words) == 0 {
		return
	}
	if mark == "name" {
		p.mark = "name " + strings.Join(p.words, "")
	}
	stem := p.words[len(p.words)-1]
	before, after := strings.HasPrefix(item, "*"), strings.HasSuffix(item, "*")
	switch {
	case before && after:
		p.last = func(w string) bool { return strings.Contains(w, stem) }
	case before:
		p.last = func(w string) bool { return len(w) > len(stem) && strings.HasSuffix(w, stem) }
	case after:
		p.last = func(w string) bool { return strings.HasPrefix(w, stem) }
	}
	switch {
	case p.last == nil || len(p.words) > 1:
		x.byFirst[p.words[0]] = append(x.byFirst[p.words[0]], p)
	case !before:
		k := twoRunes(stem)
		x.prefix[k] = append(x.prefix[k], p)
	default:
		x.loose = append(x.loose, p)
	}
}

// match is the longest phrase at words[i]; n is 0 when there is none. Of equals
// the one listed first wins.
func (x *lexicon) match(words []word, i int) (n int, mark string) {
	try := func(list []phrase) {
		for _, p := range list {
			if len(p.words) > n && p.matches(words[i:]) {
				n, mark = len(p.words), p.mark
			}
		}
	}
	try(x.byFirst[words[i].text])
	try(x.prefix[twoRunes(words[i].text)])
	if n == 0 {
		try(x.loose)
	}
	return n, mark
}

func (p *phrase) matches(words []word) bool {
	if len(words) < len(p.words) {
		return false
	}
	for k, w := range p.words {
		if k == len(p.words)-1 && p.last != nil {
			return p.last(words[k].text)
		}
		if words[k].text != w {
			return false
		}
	}
	return true
}

func twoRunes(s string) string {
	n := 0
	for i := range s {
		if n == 2 {
			return s[:i]
		}
		n++
	}
	return s
}
