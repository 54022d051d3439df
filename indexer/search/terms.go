package search

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stem takes English endings off a folded word; other words are as they were.
// Digits and letters beyond a to z mean that it is no English word.
func stem(term string) string {
	if len(term) < 3 {
		return term
	}
	for i := range len(term) {
		if c := term[i]; c < 'a' || c > 'z' {
			return term
		}
	}
	env := snowballstem.NewEnv(term)
	english.Stem(env)
	if s := env.Current(); s != "" {
		return s
	}
	return term
}

// gram is how many characters of a script without spaces make a term: most
// words of Chinese and Japanese are two characters, and a Korean word is found
// by its syllables whatever particle follows; a pair of Thai letters would be
// in every text.
func (u *unit) gram() int {
	switch u.kind {
	case cjk:
		return 2
	case thai:
		return 3
	}
	return 1
}

// grams yields the terms of a run: overlapping sequences of its characters, or
// the whole run when it is shorter.
func (u *unit) grams(yield func(term string, start, end int)) {
	n := min(u.gram(), len(u.parts))
	var buf [12]byte
	for i := 0; i+n <= len(u.parts); i++ {
		b := buf[:0]
		for _, p := range u.parts[i : i+n] {
			b = append(b, p.term...)
		}
		yield(string(b), u.parts[i].start, u.parts[i+n-1].end)
	}
}

// terms yields every term that finds the unit, as the fields of a memory hold
// them.
func (u *unit) terms(yield func(term string, start, end int)) { u.stemmed(stem, yield) }

func (u *unit) stemmed(stem func(string) string, yield func(term string, start, end int)) {
	if u.kind != letter {
		u.grams(yield)
		return
	}
	if u.whole != "" {
		yield(u.whole, u.start, u.end)
	}
	for _, p := range u.segs {
		yield(p.term, p.start, p.end)
	}
	for _, p := range u.words {
		yield(p.term, p.start, p.end)
	}
	for _, p := range u.parts {
		yield(stem(p.term), p.start, p.end)
	}
}

// length is how much of a field the unit is.
func (u *unit) length() int {
	if u.kind == letter {
		return len(u.parts)
	}
	return max(1, len(u.parts)-u.gram()+1)
}
