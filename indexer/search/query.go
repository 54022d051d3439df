package search

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"memsync"
)

// Query is what a person asks for, taken apart. Its zero value asks for
// nothing and finds nothing.
//
// A document matches when it has any of Words or any of Phrases and, if there
// are phrases, all of them; when it passes Filters; and when it has nothing of
// Not. A Query of filters alone matches what passes them.
type Query struct {
	Words   []string // chunks of plain text, as typed
	Phrases []string // texts of which every word stands in that order, side by side, unstemmed
	Not     []Term   // words and phrases that must not be there
	Filters []Filter
}

// Term is a word or a phrase.
type Term struct {
	Text   string
	Phrase bool
}

// Filter asks for one property. Filters of the same Key are alternatives,
// except tags, of which a memory may have several and must have all; filters of
// different Keys must all hold. A filter that is Not holds for what it does not
// describe.
type Filter struct {
	Key   Key
	Value string // compared folded; a date for Before and After: YYYY, YYYY-MM or YYYY-MM-DD, in UTC
	Not   bool
	Alone bool // no alternative to others of its key
}

// Key is what a filter looks at.
type Key string

// The keys of filters. Before asks for memories created before the first
// instant of its date, After for those created then or later; a memory without
// a time of creation passes neither.
const (
	ByType      Key = "type"
	ByTag       Key = "tag"
	ByScope     Key = "scope" // by name ("agent:reviewer") or kind ("agent")
	ByAgent     Key = "agent"
	ByProject   Key = "project"
	ByKey       Key = "key"
	ByWorkspace Key = "workspace" // a workspace's id; no operator, Request's alone
	Before      Key = "before"
	After       Key = "after"
)

var operators = []Key{ByType, ByTag, ByScope, ByAgent, ByProject, ByKey, Before, After}

// mostQuery is how many bytes of a query are read: far more than a person
// types, and what a program pastes says in its first kilobytes what it is
// about.
const mostQuery = 16 << 10

// ParseQuery reads what a person typed. Every text is a query: an operator that
// does not parse is words.
//
//	deploy checklist         both words, best together
//	"rolling restart"        side by side, in this order, unstemmed
//	-word -"a phrase"        not with this; a text of these alone is plain words
//	type:feedback tag:ci     filters; also scope: agent: project: key:
//	before:2026-05           created before May 2026; also after:
//	-tag:ci                  not with this tag
//
// A value may be quoted: project:"web shop". AND, OR, NOT, parentheses,
// brackets, wildcards and everything else have no meaning here. "-x" of one
// letter and "--long" are the flags of some program, so they are words.
//
// The query has filters beside what the text asks for, each to hold by itself.
func ParseQuery(s string, filters ...Filter) Query {
	if len(s) > mostQuery {
		s = s[:mostQuery]
	}
	s = strings.Map(func(r rune) rune {
		switch r {
		case 0:
			return ' '
		case '“', '”', '„':
			return '"'
		}
		return r
	}, s)
	var q Query
	for _, f := range filters {
		f.Alone = true
		q.Filters = append(q.Filters, f)
	}
	var negated []string // the negatives as plain words, should there be nothing else
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if unicode.IsSpace(r) {
			s = s[size:]
			continue
		}
		var tok string
		tok, s = nextToken(s)
		q.token(tok, &negated)
	}
	if len(q.Words) == 0 && len(q.Phrases) == 0 && !slices.ContainsFunc(q.Filters, func(f Filter) bool { return !f.Not }) && len(negated) > 0 {
		return Query{Words: negated}
	}
	return q
}

// nextToken cuts off the first token: up to white space, where a quoted part
// begins at the token's start or after an operator's colon and is closed later.
func nextToken(s string) (tok, rest string) {
	i := 0
	if s[0] == '-' {
		i = 1
	}
	if c := strings.IndexByte(s[i:], ':'); c > 0 && slices.Contains(operators, Key(strings.ToLower(s[i:i+c]))) {
		i += c + 1
	}
	if i < len(s) && s[i] == '"' {
		if j := strings.IndexByte(s[i+1:], '"'); j >= 0 {
			end := i + 1 + j + 1
			return s[:end], s[end:]
		}
	}
	end := strings.IndexFunc(s, unicode.IsSpace)
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:]
}

func (q *Query) token(tok string, negated *[]string) {
	text, not := strings.CutPrefix(tok, "-")
	if not && (strings.HasPrefix(text, "-") || utf8.RuneCountInString(text) < 2) {
		text, not = tok, false
	}
	plain := func() { *negated = append(*negated, strings.ReplaceAll(text, `"`, " ")) }
	if f, ok := filter(text); ok {
		f.Not = not
		q.Filters = append(q.Filters, f)
		if not {
			plain()
		}
		return
	}
	if inner, ok := quoted(text); ok {
		switch {
		case !sayable(inner):
		case not:
			q.Not = append(q.Not, Term{inner, true})
			plain()
		default:
			q.Phrases = append(q.Phrases, inner)
		}
		return
	}
	switch {
	case !sayable(text):
	case not:
		q.Not = append(q.Not, Term{Text: text})
		plain()
	default:
		q.Words = append(q.Words, text)
	}
}

// sayable reports whether there is anything in s that a memory can be found by.
func sayable(s string) (yes bool) {
	units(s, func(*unit) { yes = true })
	return yes
}

// quoted unwraps "…".
func quoted(s string) (string, bool) {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1], true
	}
	return s, false
}

func filter(s string) (Filter, bool) {
	name, value, ok := strings.Cut(s, ":")
	if value, ok := quoted(value); ok && strings.TrimSpace(value) == "" {
		return Filter{}, false
	}
	value, _ = quoted(value)
	key := Key(strings.ToLower(name))
	if !ok || !slices.Contains(operators, key) || strings.TrimSpace(value) == "" || strings.Contains(value, `"`) {
		return Filter{}, false
	}
	switch key {
	case ByType:
		value = strings.ToLower(value)
		if !ValidType(value) {
			return Filter{}, false
		}
	case Before, After:
		if !ValidDate(value) {
			return Filter{}, false
		}
	}
	return Filter{Key: key, Value: value}, true
}

var dateForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$`)
})

// ValidType reports whether ByType understands a type: one of the four, or
// "untyped".
func ValidType(s string) bool {
	_, ok := memsync.ParseType(s)
	return ok || s == untyped
}

const untyped = "untyped"

// ValidDate reports whether Before and After understand a date.
func ValidDate(s string) bool { return dateForm().MatchString(s) }

// Empty reports a Query that finds nothing whatever is in the index.
func (q Query) Empty() bool { return len(q.Words) == 0 && len(q.Phrases) == 0 && len(q.Filters) == 0 }
