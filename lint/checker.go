package lint

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"memsync"
	"memsync/compose/agents"
	"memsync/controller"
	"memsync/internal/format"
	"memsync/internal/ledger"
)

// Checker judges the files of one store. It is immutable: any number of
// goroutines may use it.
type Checker struct {
	scopes []memsync.Scope
	policy memsync.Policy
	state  *ledger.State
}

// New makes a Checker for a store's scopes and policy, and what its ledger says.
// A policy that names a rule there is none of, or would weaken one that nothing
// may weaken, is CodeConfig.
func New(scopes []memsync.Scope, policy memsync.Policy, state *ledger.State) (*Checker, error) {
	for _, level := range policy.Lint {
		r, ok := RuleOf(level.Code)
		fail := func(message, hint string) (*Checker, error) {
			return nil, &memsync.Error{Code: memsync.CodeConfig, Message: "lint." + level.Code + " " + message, Hint: hint}
		}
		switch {
		case !ok:
			return fail("is no rule", "`memsync rules` lists them")
		case r.Locked:
			return fail("can't be changed: what it finds is never right", "take the line out of memsync.toml")
		case r.Write:
			return fail("is told by writes only, lint never finds it", "take the line out of memsync.toml")
		}
	}
	return &Checker{scopes: scopes, policy: policy, state: state}, nil
}

// File is one file of the store as it is judged.
type File struct {
	Path  memsync.Path
	Class format.Class
	Data  []byte
	Size  int64  // of the whole file: more than Data where it is over the limit and was not read
	Blob  string // git's id of Data, "" where nobody knows it
}

// Report is what one file has to say for the whole.
type Report struct {
	File                     // without Data, but for what Store needs again
	Memory   *memsync.Memory // as its bytes say; nil where they don't parse
	Findings []Finding

	scope   memsync.Scope
	held    bool // a save of these bytes would wait: the last accepted version counts
	links   []link
	id      Edit      // the line of its id, taken out; End 0 for none
	at      []keySpot // of keys that the whole may find fault with
	ignores []ignore
	hits    []controller.Hit
	body    string         // of a memory that proposes a place
	author  *agents.Author // of an AGENT.md
}

// keySpot is where a key stands.
type keySpot struct {
	key string
	spot
}

// place is where a key that was noted stands.
func (r *Report) place(key string) (spot, bool) {
	for i := range r.at {
		if r.at[i].key == key {
			return r.at[i].spot, true
		}
	}
	return spot{}, false
}

// spot is a place in a file: a Finding's, without the finding.
type spot struct{ line, column, endLine, endColumn, char, endChar int }

// link is a [[link]] of a body, or an id of links.
type link struct {
	target string
	at     spot
}

// File judges one file by itself, and keeps what the whole needs of it.
func (c *Checker) File(f File) *Report {
	r := &Report{File: f}
	r.scope, _ = memsync.ScopeOf(c.scopes, f.Path)
	text := newSource(f.Data)
	switch f.Class {
	case format.MemoryFile, format.LogFile:
		c.memory(r, text)
	case format.ConflictCopy:
		r.find(memsync.Finding{Code: memsync.FindConflictCopy, Severity: warn, Line: 1, Message: "a file-sync tool's copy, kept out of the store",
			Hint: "`memsync conflicts` shows what differs; move what you need into the original and remove the copy"}, "")
	case format.Unnamable:
		r.find(memsync.Finding{Code: memsync.FindNotPortable, Severity: bad, Message: "the name is not UTF-8: it can't exist on every system, and can't be recorded",
			Hint: "rename the file"}, "")
	default: // what people write beside memories: instructions may instruct, but not unseen
		r.hits = slices.DeleteFunc(controller.FileHits(f.Path, text.text, nil, c.state), func(h controller.Hit) bool { return h.Kind != "secret" && h.Kind != "hidden" })
		r.scanned(true, nil, text)
		r.ignores = append(r.ignores, suppressions(text, 0)...)
		c.author(r, f, text)
	}
	if f.Class != format.IndexFile && f.Class != format.ReviewFile {
		r.Data = nil
	}
	r.finish(text)
	return r
}

// find adds a finding about the file. about may be empty.
func (r *Report) find(f memsync.Finding, about string) *Finding {
	r.Findings = append(r.Findings, Finding{Finding: f, About: about})
	return &r.Findings[len(r.Findings)-1]
}

// scanned tells what the scan found. doc is nil where the bytes don't parse.
func (r *Report) scanned(trusted bool, doc *format.Document, s *source) {
	for _, h := range r.hits {
		f := r.find(h.Finding(trusted), h.Rule+" "+h.Fingerprint)
		switch {
		case f.Severity != bad:
			f.Hint = "take it out, or say why it stands there: `<!-- memsync-ignore " + f.Code + " reason -->`"
		default:
			r.held = true
			f.Hint = "take it out"
			if h.Kind == "secret" {
				f.Hint = "take it out, and change it: it has been in a file; if it is none, `memsync allow " + h.Fingerprint + " --reason …`"
			}
		}
		if h.At == "" {
			f.EndLine, f.EndColumn = -1, h.End // settled by finish
		} else if doc != nil { // a value that reads otherwise than it is spelled
			if from, to, ok := doc.Span(h.At); ok {
				f.put(s.span(from, to))
			}
		}
	}
}

// finish gives the findings their path, their spans and characters, and takes
// out of them what would repeat a secret.
func (r *Report) finish(s *source) {
	secrets := slices.DeleteFunc(slices.Clone(r.hits), func(h controller.Hit) bool { return h.Kind != "secret" })
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Path = r.Path
		if f.EndLine == -1 {
			f.EndLine, f.EndColumn = s.place(f.EndColumn)
		}
		s.settle(f)
		controller.Redact(&f.Finding, secrets)
	}
}

// source is a file's text with its lines.
type source struct {
	text  string
	lines []int // where each begins; made when first asked for

	// The last answer of chars: a line may be the whole file, and what is found
	// in it comes in order.
	last struct{ line, at, chars int }
}

// newSource reads a file's bytes as text; nobody writes to them any more.
func newSource(data []byte) *source {
	return &source{text: unsafe.String(unsafe.SliceData(data), len(data))}
}

func (s *source) index() []int {
	if s.lines == nil {
		s.lines = append(s.lines, 0)
		for i := range len(s.text) {
			if s.text[i] == '\n' {
				s.lines = append(s.lines, i+1)
			}
		}
	}
	return s.lines
}

// place is the 1-based line and byte column of an offset.
func (s *source) place(at int) (line, column int) {
	lines := s.index()
	i, found := slices.BinarySearch(lines, at)
	if !found {
		i--
	}
	return i + 1, at - lines[i] + 1
}

// line is the text of a 1-based line, without its line end.
func (s *source) line(n int) string {
	lines := s.index()
	if n < 1 || n > len(lines) {
		return ""
	}
	end := len(s.text)
	if n < len(lines) {
		end = lines[n] - 1
	}
	return strings.TrimSuffix(s.text[lines[n-1]:end], "\r")
}

// span is the place of the bytes [from, to).
func (s *source) span(from, to int) spot {
	var p spot
	p.line, p.column = s.place(from)
	p.endLine, p.endColumn = s.place(to)
	p.char, p.endChar = s.chars(p.line, p.column), s.chars(p.endLine, p.endColumn)
	return p
}

// chars is a byte column of a line in characters.
func (s *source) chars(line, column int) int {
	text := s.line(line)
	at, n := 0, 1
	if s.last.line == line && s.last.at < column {
		at, n = s.last.at, s.last.chars
	}
	for at < len(text) && at < column-1 {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
		n++
	}
	s.last.line, s.last.at, s.last.chars = line, at, n
	return n + max(0, column-1-len(text))
}

// settle completes a finding's place: a column, an end, both in characters. A
// finding of no line stays without.
func (s *source) settle(f *Finding) {
	if f.Line <= 0 {
		f.Line, f.Column, f.EndLine, f.EndColumn = 0, 0, 0, 0
		return
	}
	f.Line = min(f.Line, len(s.index())) // a parser may point behind the end
	f.Column = min(max(f.Column, 1), len(s.line(f.Line))+1)
	if f.EndLine < f.Line || f.EndLine == f.Line && f.EndColumn <= f.Column {
		f.EndLine, f.EndColumn = f.Line, max(f.Column+1, len(s.line(f.Line))+1)
	}
	f.CharColumn, f.EndCharColumn = s.chars(f.Line, f.Column), s.chars(f.EndLine, f.EndColumn)
}

// put gives a finding a place that was found before.
func (f *Finding) put(p spot) {
	f.Line, f.Column, f.EndLine, f.EndColumn, f.CharColumn, f.EndCharColumn = p.line, p.column, p.endLine, p.endColumn, p.char, p.endChar
}

// some lists the first few of many.
func some(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:n], ", ") + fmt.Sprintf(" and %d more", len(names)-n)
}
