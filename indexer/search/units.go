package search

import "unicode/utf8"

// A unit is what a person would point at as one thing: a word or an identifier
// with everything that holds it together ("path/to/file.go", "GB/s", "don't"),
// a run of a script without spaces, or one picture. It is valid until the next
// one is read.
//
// A word is taken apart on four levels, each finding it:
//
//	whole   path/to/getuser.go       if anything joins it
//	segs    getuser.go               between slashes, where a joint is left
//	words   getuser, path            where capitals or digits divide it further
//	parts   path, to, get, user, go  always
type unit struct {
	kind       class // letter, cjk, thai or symbol
	start, end int
	whole      string
	segs       []piece
	words      []piece
	parts      []piece // of a run: its characters
}

type piece struct {
	term       string
	start, end int
}

// Bounds, so that no text makes unbounded terms. They are guesses: longer than
// any word and than nearly any path.
const (
	longestTerm = 64  // bytes of a part; what is longer is cut, in texts and queries alike
	longestUnit = 256 // bytes of a whole; a longer one is found by its parts
	mostParts   = 128 // of a unit; then another begins
)

// units reads a text.
func units(s string, yield func(*unit)) {
	var t tokenizer
	t.units(s, yield)
}

func (t *tokenizer) units(s string, yield func(*unit)) {
	t.yield = yield
	add := t.add
	for i := 0; i < len(s); {
		if len(t.held) == 0 {
			if end := plainWord(s, i); end > i {
				t.plain(s, i, end)
				i = end
				continue
			}
		}
		i = next(s, i, add)
	}
	t.flush()
}

// plainWord is where a word ends that begins at i and is nothing but one:
// ASCII letters, the first alone perhaps a capital, then white space or a
// sentence's punctuation. It is i for everything else. Most words of most
// texts are, and taking a word apart costs ten times as much.
func plainWord(s string, i int) int {
	lower := func(c byte) bool { return 'a' <= c && c <= 'z' }
	if c := s[i]; !lower(c) && (c < 'A' || c > 'Z') {
		return i
	}
	end := i + 1
	for end < len(s) && lower(s[end]) {
		end++
	}
	space := func(at int) bool { return at == len(s) || s[at] == ' ' || s[at] == '\n' }
	if end-i <= longestTerm && (space(end) || (s[end] == '.' || s[end] == ',') && space(end+1)) {
		return end
	}
	return i
}

// plain yields a word of which plainWord is true.
func (t *tokenizer) plain(s string, start, end int) {
	t.buf = append(t.buf[:0], s[start:end]...)
	t.buf[0] |= 0x20
	t.u.kind, t.u.start, t.u.end = letter, start, end
	t.u.whole, t.u.segs, t.u.words = "", t.u.segs[:0], t.u.words[:0]
	t.u.parts = append(t.u.parts[:0], piece{t.keep(), start, end})
	t.yield(&t.u)
	t.u.kind = breaks
}

// ident reports what looks like a name that a program knows: it is joined, or
// mixes capitals or digits into words.
func (u *unit) ident() bool { return u.kind == letter && (u.whole != "" || len(u.words) > 0) }

// text is the unit in one piece.
func (u *unit) text() string {
	switch {
	case u.whole != "":
		return u.whole
	case len(u.words) > 0:
		return u.words[0].term
	case len(u.parts) > 0:
		return u.parts[0].term
	}
	return ""
}

// tokenizer collects the characters of one unit and takes them apart when it
// is complete.
type tokenizer struct {
	yield func(*unit)
	u     unit
	held  []char // of the unit
	buf   []byte
	known map[string]string // terms read before, so that each is made once; nil: none is kept
}

func (t *tokenizer) add(c char) {
	switch c.class {
	case ignore:
		return
	case cjk, thai:
		if t.u.kind != c.class {
			t.flush()
			t.u.kind = c.class
		}
		t.held = append(t.held, c)
		if len(t.held) >= 4096 { // a long run goes on in another, without the pair between
			t.flush()
		}
	case symbol:
		t.flush()
		t.u.kind = symbol
		t.held = append(t.held, c)
		t.flush()
	case letter, digit, joins, quote:
		if t.u.kind != letter {
			t.flush()
			t.u.kind = letter
		}
		t.held = append(t.held, c)
		if len(t.held) >= 8192 {
			t.flush()
		}
	default:
		t.flush()
	}
}

func (t *tokenizer) flush() {
	if len(t.held) > 0 {
		switch t.u.kind {
		case letter:
			t.word(trim(t.held))
		default:
			t.run(t.held)
		}
	}
	t.held = t.held[:0]
	t.u.kind = breaks
}

func (t *tokenizer) run(cs []char) {
	t.reset(cs)
	for _, c := range cs {
		t.u.parts = append(t.u.parts, piece{string(c.r), c.start, c.end})
	}
	t.yield(&t.u)
}

func (t *tokenizer) reset(cs []char) {
	t.u.whole, t.u.segs, t.u.words, t.u.parts = "", t.u.segs[:0], t.u.words[:0], t.u.parts[:0]
	t.u.start, t.u.end = cs[0].start, cs[len(cs)-1].end
}

// trim takes punctuation off both ends of a word, but for what belongs to
// names: ".env", "@scope/pkg", "#12", "$HOME", "--force", "C++", "F#".
func trim(cs []char) []char {
	first := 0
	for first < len(cs) && !wordy(cs[first]) {
		first++
	}
	last := len(cs)
	for last > first && !wordy(cs[last-1]) {
		last--
	}
	if first == last {
		return nil
	}
	if n := last + 2; n <= len(cs) && cs[last].r == '+' && cs[last+1].r == '+' && (n == len(cs) || cs[n].r != '+') {
		last = n
	} else if last < len(cs) && cs[last].r == '#' && last-first == 1 {
		last++
	}
	switch {
	case first >= 2 && cs[first-1].r == '-' && cs[first-2].r == '-':
		first -= 2
	case first >= 1 && (cs[first-1].r == '.' || cs[first-1].r == '@' || cs[first-1].r == '#' || cs[first-1].r == '$') && (first == 1 || cs[first-2].r != cs[first-1].r):
		first--
	}
	return cs[first:last]
}

func wordy(c char) bool { return c.class == letter || c.class == digit }

// word takes one joined word apart.
func (t *tokenizer) word(cs []char) {
	if len(cs) == 0 {
		return
	}
	t.reset(cs)
	joined := false
	seg, segJoined := 0, false
	endSeg := func(end int) {
		if segJoined && end > seg && (seg > 0 || end < len(cs)) {
			t.piece(&t.u.segs, cs[seg:end], longestUnit)
		}
		seg, segJoined = end+1, false
	}
	for i := 0; i < len(cs); {
		if cs[i].class == joins || cs[i].class == quote && !between(cs, i) {
			joined = true
			if cs[i].r == '/' || cs[i].r == '\\' {
				endSeg(i)
			} else {
				segJoined = true
			}
			i++
			continue
		}
		j := i
		for j < len(cs) && (wordy(cs[j]) || cs[j].class == quote && between(cs, j)) {
			j++
		}
		if len(t.u.parts) >= mostParts {
			t.u.end = cs[i].start
			t.yield(&t.u)
			t.reset(cs[i:])
			joined, seg, segJoined = false, i, false
		}
		t.split(cs[i:j])
		i = j
	}
	endSeg(len(cs))
	if n := cs[len(cs)-1].end - cs[0].start; joined && n <= longestUnit && len(t.u.parts) > 0 && t.u.start == cs[0].start {
		t.u.whole = t.term(cs, longestUnit)
	}
	if len(t.u.parts) > 0 {
		t.yield(&t.u)
	}
}

// between reports an apostrophe inside a word.
func between(cs []char, i int) bool {
	return i > 0 && i+1 < len(cs) && cs[i-1].class == letter && cs[i+1].class == letter
}

// split appends the word and its parts. "server's" is "server"; "don't" is
// "dont"; "l'avion" is "lavion" with the parts "l" and "avion"; capitals and
// digits divide ("getUserName", "HTTPServer", "python3").
func (t *tokenizer) split(cs []char) {
	if n := len(cs); n >= 3 && cs[n-2].class == quote && cs[n-1].r == 's' {
		cs = cs[:n-2]
	}
	before := len(t.u.parts)
	from, divided := 0, false
	cut := func(at int) {
		t.piece(&t.u.parts, cs[from:at], longestTerm)
		from, divided = at, true
	}
	if len(cs) <= longestTerm { // in a blob of base 64 no capital means anything
		for i := 1; i < len(cs); i++ {
			prev, c := cs[i-1], cs[i]
			switch {
			case c.class == quote:
				if i <= 2 && len(cs)-i > 3 {
					cut(i)
				}
			case prev.class == quote:
			case c.upper && !prev.upper && prev.class == letter,
				c.upper && prev.upper && i+1 < len(cs) && cs[i+1].class == letter && !cs[i+1].upper && i-from >= 1:
				cut(i)
			case c.class == digit && prev.class == letter && i-from >= 3,
				c.class == letter && prev.class == digit && divided:
				cut(i)
			}
		}
	}
	t.piece(&t.u.parts, cs[from:], longestTerm)
	if len(t.u.parts)-before > 1 {
		t.piece(&t.u.words, cs, longestTerm)
	}
}

// piece appends the term of cs, without apostrophes.
func (t *tokenizer) piece(to *[]piece, cs []char, longest int) {
	for len(cs) > 0 && cs[0].class == quote {
		cs = cs[1:]
	}
	if len(cs) == 0 {
		return
	}
	if term := t.term(cs, longest); term != "" {
		*to = append(*to, piece{term, cs[0].start, cs[len(cs)-1].end})
	}
}

func (t *tokenizer) term(cs []char, longest int) string {
	t.buf = t.buf[:0]
	for _, c := range cs {
		if c.class == quote {
			continue
		}
		if len(t.buf)+utf8.RuneLen(c.r) > longest {
			break
		}
		t.buf = utf8.AppendRune(t.buf, c.r)
	}
	return t.keep()
}

// keep is what is in buf as a term.
func (t *tokenizer) keep() string {
	if term, ok := t.known[string(t.buf)]; ok {
		return term
	}
	term := string(t.buf)
	if t.known != nil {
		t.known[term] = term
	}
	return term
}
