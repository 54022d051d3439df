package lint

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"memsync"
	"memsync/internal/format"
)

// severalSections is how many headings of the first two levels one fact may
// have. A guess: of the memories in the wild that have more, most are lists of
// facts.
const severalSections = 5

// prose judges the text: what stands outside fenced code, line by line.
func (c *Checker) prose(r *Report, doc *format.Document, s *source) {
	body := s.text[doc.BodyStart():]
	r.ignores = suppressions(s, doc.BodyStart())
	interesting := strings.Contains(body, "[[") || strings.Contains(body, "```") || strings.Contains(body, "~~~") ||
		strings.Count(body, "#") > severalSections || r.Class != format.LogFile && relativeDate(body) != nil
	if at := machinePath(body); at != nil {
		p := s.span(doc.BodyStart()+at[0], doc.BodyStart()+at[1])
		r.find(memsync.Finding{Code: MachinePath, Severity: info, Message: "a path of one machine: elsewhere it leads nowhere, and it names its owner",
			Hint: "say where in the project, or with ~"}, "").put(p)
	}
	if !interesting {
		return
	}
	lines, open := doc.Lines()
	if open >= 0 {
		line, col := s.place(open)
		r.find(memsync.Finding{Code: OpenFence, Severity: warn, Line: line, Column: col, Message: "nothing closes this code fence: all the rest counts as code",
			Hint: "close it"}, "")
	}
	sections, dated := 0, false
	for _, l := range lines {
		if l.Code {
			continue
		}
		t := strings.TrimLeft(l.Text, " ")
		if strings.HasPrefix(t, "# ") || strings.HasPrefix(t, "## ") {
			sections++
		}
		if strings.Contains(l.Text, "[[") {
			r.wikiLinks(l, s)
		}
		if dated || r.Class == format.LogFile { // a log's words are of its day
			continue
		}
		if len(l.Text) > longLine {
			continue
		}
		if at := relativeDate(format.BlankCode(l.Text)); at != nil && !isoDate().MatchString(l.Text) { // "yesterday (2026-03-01)" says it
			dated = true
			word := l.Text[at[0]:at[1]]
			r.find(memsync.Finding{Code: RelativeDate, Severity: info, Message: fmt.Sprintf("%q means another day to every reader", word),
				Hint: "write the date"}, strings.ToLower(word)).put(s.span(l.At+at[0], l.At+at[1]))
		}
	}
	if sections > severalSections && r.Class == format.MemoryFile {
		line, _ := s.place(doc.BodyStart())
		r.find(memsync.Finding{Code: SeveralFacts, Severity: info, Line: line, Column: 1,
			Message: fmt.Sprintf("%d sections: a memory that says one thing is found and corrected more easily", sections), Hint: "split it"}, "")
	}
}

// wikiLinks notes the [[links]] of a line.
func (r *Report) wikiLinks(l format.Line, s *source) {
	text := format.BlankCode(l.Text)
	for at := 0; ; {
		open := strings.Index(text[at:], "[[")
		if open < 0 {
			return
		}
		open += at
		end := strings.Index(text[open:], "]]")
		if end < 0 {
			return
		}
		end += open
		if i := strings.LastIndex(text[open+2:end], "[["); i >= 0 {
			open += 2 + i
		}
		if t := format.LinkTarget(text[open+2 : end]); t != "" {
			r.links = append(r.links, link{strings.Clone(t), s.span(l.At+open, l.At+end+2)})
		}
		at = end + 2
	}
}

// relative are the words for days that move with the reader. One language's
// everyday word that is another's (German "hier", "morgen") is left out.
var relative = []string{"yesterday", "today", "tomorrow", "tonight", "last week", "last month", "last year", "last quarter", "next week", "next month",
	"next year", "next quarter", "this week", "this month", "last monday", "last tuesday", "last wednesday", "last thursday", "last friday",
	"next monday", "next tuesday", "next wednesday", "next thursday", "next friday", "days ago", "weeks ago", "months ago", "years ago", "day ago", "week ago",
	"month ago", "year ago",
	"gestern", "heute", "vorgestern", "übermorgen", "letzte woche", "letzten monat", "nächste woche", "nächsten monat",
	"aujourd'hui", "aujourd’hui", "semaine dernière", "semaine prochaine", "ayer", "la semana pasada", "próxima semana",
	"вчера", "сегодня", "завтра",
	"昨天", "今天", "明天", "上周", "下周", "上个月", "下个月", "昨日", "明日", "先週", "来週", "先月", "来月"}

// relativeBy are the words by their first two bytes, as small letters; those
// that begin outside of ASCII are all under 0.
var relativeBy = sync.OnceValue(func() map[uint16][]string {
	by := map[uint16][]string{}
	for _, w := range relative {
		by[pair(w[0], w[1])] = append(by[pair(w[0], w[1])], w)
	}
	return by
})

// relativeStart says for which pairs there are words.
var relativeStart = sync.OnceValue(func() *[1 << 13]uint8 {
	starts := new([1 << 13]uint8)
	for p := range relativeBy() {
		starts[p>>3] |= 1 << (p & 7)
	}
	return starts
})

// What relativeDate wants to know of a byte.
const (
	asciiWord  = 1 << iota // a letter or digit of ASCII
	startsWord             // one of relative begins with it
	startsRune             // outside of ASCII
)

var relativeBytes = sync.OnceValue(func() *[256]uint8 {
	kinds := new([256]uint8)
	for i := range kinds {
		c := byte(i)
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' {
			kinds[i] |= asciiWord
		}
		if c >= 0x80 && utf8.RuneStart(c) {
			kinds[i] |= startsRune
		}
	}
	for _, w := range relative {
		kinds[w[0]] |= startsWord
		kinds[strings.ToUpper(w)[0]] |= startsWord
	}
	return kinds
})

func pair(a, b byte) uint16 {
	if a >= 0x80 {
		return 0
	}
	return uint16(a|0x20)<<8 | uint16(b|0x20)
}

var isoDate = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b`) })

// longLine is how long a line may be to be looked at for dates: what is longer is
// no prose.
const longLine = 1 << 16

// relativeDate is the place of the first such word in a text; nil for none.
func relativeDate(s string) []int {
	kinds, starts := relativeBytes(), relativeStart()
	var before uint8
	for i := 0; i+1 < len(s); i++ {
		kind := kinds[s[i]]
		if kind&startsWord != 0 && (kind&startsRune != 0 || before&asciiWord == 0) {
			if p := pair(s[i], s[i+1]); starts[p>>3]&(1<<(p&7)) != 0 {
				for _, w := range relativeBy()[p] {
					if len(s)-i >= len(w) && strings.EqualFold(s[i:i+len(w)], w) && wordEnds(s, i, i+len(w)) {
						return []int{i, i + len(w)}
					}
				}
			}
		}
		before = kind
	}
	return nil
}

// wordEnds reports whether [from, to) is not the middle of a longer word. In
// scripts without spaces it always is a word.
func wordEnds(s string, from, to int) bool {
	letter := func(r rune) bool {
		return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
	}
	first, _ := utf8.DecodeRuneInString(s[from:])
	if unicode.In(first, unicode.Han) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:from])
	after, _ := utf8.DecodeRuneInString(s[to:])
	return (from == 0 || !letter(before)) && (to == len(s) || !letter(after) && after != '-' && after != '\'')
}

// machinePath is the place of the first path into somebody's home directory.
func machinePath(body string) []int {
	for _, root := range [...]string{"/home/", "/Users/", `C:\Users\`} {
		for at := 0; ; {
			i := strings.Index(body[at:], root)
			if i < 0 {
				break
			}
			from := at + i
			at = from + len(root)
			if from > 0 && (isPathByte(body[from-1]) || body[from-1] == '/' || body[from-1] == '\\') {
				continue // the middle of a longer path, or of an address
			}
			to := at
			for to < len(body) && isPathByte(body[to]) {
				to++
			}
			owner := body[at:to]
			if to == at || owner == "Shared" || owner == "Public" || owner == "user" || owner == "username" || owner == "you" || owner == "USER" {
				continue // nobody's, or an example's
			}
			for to < len(body) && (isPathByte(body[to]) || body[to] == '/' || body[to] == '\\') {
				to++
			}
			return []int{from, to}
		}
	}
	return nil
}

func isPathByte(b byte) bool {
	return b >= 0x80 || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '.' || b == '_' || b == '-' || b == '~'
}
