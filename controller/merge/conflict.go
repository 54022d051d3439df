package merge

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"memsync"
)

// The kinds of conflict.
const (
	Scalar     = "scalar"      // both sides changed one key
	Body       = "body"        // both sides changed the same lines
	DeleteEdit = "delete-edit" // one side took the file away, the other changed it
	Unparsed   = "unparsed"    // what could not be joined by meaning
	ForgetEdit = "forget-edit" // one side forgot the memory, the other changed it
	Rename     = "rename"      // both sides moved the file
	SameKey    = "same-key"    // both sides added a memory with one key
)

// Conflict is a losing text that must be kept: its bytes go to
// _system/conflicts/<id>-<hash>.md.
type Conflict struct {
	Kind   string // Scalar, Body, DeleteEdit, …
	Key    string // for Scalar
	Bytes  []byte // a readable Markdown file: Record.Markdown
	Record Record // what Bytes says
}

// CopyName is the file name of a conflict copy: what the memory or file is
// called, and the first 12 digits of the copy's hash.
func CopyName(of string, b []byte) string { return of + "-" + string(memsync.HashOf(b))[:12] + ".md" }

// In is the conflict of a file that has no id to be known by.
func (c Conflict) In(file memsync.Path) Conflict {
	c.Record.File = file
	return c.Record.Conflict()
}

// Record is what a conflict copy says. It holds no path of a memory: the file
// may move before anybody looks.
type Record struct {
	Kind   string
	Key    string       // for Scalar and SameKey
	Memory memsync.ID   // "" where the file has none
	File   memsync.Path // of a file without an id; of a forgotten one, where the edit is in Commit
	Commit string       // for ForgetEdit
	Kept   time.Time    // of the version whose text stands in the file; zero: unknown
	Lost   time.Time    // of the other one
	Places []Place      // none for DeleteEdit and ForgetEdit; of a Rename the paths, of SameKey the ids
}

// Place is one place where the versions differ. A nil text is one that was not
// there: no such key, no such lines. Lines are joined by LF, without the last
// line end; a whole version (Unparsed) is verbatim.
type Place struct{ Base, Kept, Lost *memsync.Value }

var titles = map[string][2]string{
	Scalar:     {"Two values of one key", "Two versions changed this key. The file has the value kept, this was the other."},
	Body:       {"Two versions of the same lines", "Two versions changed the same lines. The file has the lines kept, these were the others."},
	DeleteEdit: {"Deleted here, changed there", "One version took this file away, another one changed it. The change stays; this is the wish to delete it."},
	Unparsed:   {"A version that could not be joined", "The versions could not be joined by meaning. The file has the text kept, this was the other."},
	ForgetEdit: {"Forgotten here, changed there", "One version forgot this memory, another one changed it. It is forgotten; the change is only in the commit that made it."},
	Rename:     {"Two new names", "Two versions moved this file. It has the path kept, this was the other."},
	SameKey:    {"Two memories with one key", "Two versions added a memory with this key. Both stay, so one of them has to be given up or another key."},
}

// Markdown renders the record: a short frontmatter, then each text in a fence
// that it can't close.
func (r Record) Markdown() []byte {
	var b strings.Builder
	b.WriteString("---\nconflict: " + r.Kind + "\n")
	if r.Memory != "" {
		b.WriteString("memory: " + string(r.Memory) + "\n")
	}
	if r.File != "" {
		b.WriteString("file: " + strconv.Quote(string(r.File)) + "\n")
	}
	if r.Commit != "" {
		b.WriteString("commit: " + r.Commit + "\n")
	}
	if r.Key != "" {
		b.WriteString("key: " + strconv.Quote(r.Key) + "\n")
	}
	if !r.Kept.IsZero() {
		b.WriteString("kept: " + r.Kept.UTC().Format(time.RFC3339Nano) + "\n")
	}
	if !r.Lost.IsZero() {
		b.WriteString("lost: " + r.Lost.UTC().Format(time.RFC3339Nano) + "\n")
	}
	t := titles[r.Kind]
	b.WriteString("---\n\n# " + t[0] + "\n\n" + t[1] + "\n")
	for i, p := range r.Places {
		b.WriteString("\n## Place " + strconv.Itoa(i+1) + "\n")
		fenced(&b, "lost", p.Lost)
		fenced(&b, "kept", p.Kept)
		fenced(&b, "before", p.Base)
	}
	return []byte(b.String())
}

func fenced(b *strings.Builder, label string, v *memsync.Value) {
	b.WriteString("\n### " + label + "\n\n")
	if v == nil {
		b.WriteString("nothing\n")
		return
	}
	text, info := v.Text, "text"
	if v.IsList {
		raw, err := json.Marshal(v.List)
		if err != nil {
			panic("bug: a list of strings that is not JSON: " + err.Error())
		}
		text, info = string(raw), "json"
	}
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	b.WriteString(fence + info + "\n" + text + "\n" + fence + "\n")
}

func longestRun(s string, c byte) int {
	best, n := 0, 0
	for i := 0; i < len(s); i++ {
		if s[i] != c {
			n = 0
			continue
		}
		n++
		best = max(best, n)
	}
	return best
}

// ParseRecord reads what Markdown wrote. A file that a person has edited out
// of shape is refused; its text is still there to read.
func ParseRecord(data []byte) (Record, error) {
	s := strings.ReplaceAll(string(data), "\r\n---\r\n", "\n---\n")
	var r Record
	head, rest, ok := strings.Cut(strings.TrimPrefix(s, "---\n"), "\n---\n")
	if !ok || !strings.HasPrefix(s, "---\n") {
		return Record{}, badRecord("no frontmatter")
	}
	for _, line := range strings.Split(head, "\n") {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\r"), ": ")
		var err error
		switch key {
		case "conflict":
			r.Kind = value
		case "memory":
			r.Memory, err = memsync.ParseID(value)
		case "key":
			r.Key, err = strconv.Unquote(value)
		case "file":
			var file string
			file, err = strconv.Unquote(value)
			r.File = memsync.Path(file)
		case "commit":
			r.Commit = value
		case "kept":
			r.Kept, err = time.Parse(time.RFC3339Nano, value)
		case "lost":
			r.Lost, err = time.Parse(time.RFC3339Nano, value)
		}
		if err != nil {
			return Record{}, badRecord(key + " does not read")
		}
	}
	if _, known := titles[r.Kind]; !known {
		return Record{}, badRecord("unknown kind of conflict")
	}
	places, err := parsePlaces(rest)
	r.Places = places
	return r, err
}

func parsePlaces(s string) ([]Place, error) {
	var places []Place
	for s != "" {
		line, rest, _ := strings.Cut(s, "\n")
		line, s = strings.TrimSuffix(line, "\r"), rest
		if strings.HasPrefix(line, "## Place ") {
			places = append(places, Place{})
			continue
		}
		label, ok := strings.CutPrefix(line, "### ")
		if !ok || len(places) == 0 {
			continue
		}
		v, rest, err := parseFence(s)
		if err != nil {
			return nil, err
		}
		s = rest
		p := &places[len(places)-1]
		switch label {
		case "lost":
			p.Lost = v
		case "kept":
			p.Kept = v
		case "before":
			p.Base = v
		}
	}
	return places, nil
}

func parseFence(s string) (*memsync.Value, string, error) {
	s = strings.TrimLeft(s, "\r\n")
	open, rest, _ := strings.Cut(s, "\n")
	open = strings.TrimSuffix(open, "\r")
	if open == "nothing" {
		return nil, rest, nil
	}
	ticks := len(open) - len(strings.TrimLeft(open, "`"))
	if ticks < 3 {
		return nil, "", badRecord("a text without its fence")
	}
	text, rest, ok := strings.Cut("\n"+rest, "\n"+open[:ticks]+"\n")
	if !ok {
		return nil, "", badRecord("a fence that is not closed")
	}
	text = strings.TrimPrefix(text, "\n")
	if open[ticks:] != "json" {
		return &memsync.Value{Text: text}, rest, nil
	}
	v := memsync.Value{IsList: true}
	if err := json.Unmarshal([]byte(text), &v.List); err != nil {
		return nil, "", badRecord("a list that does not read")
	}
	return &v, rest, nil
}

func badRecord(why string) error {
	return &memsync.Error{Code: memsync.CodeConflictUnresolved, Message: "not a conflict copy: " + why,
		Hint: "the text in it is still good: edit the memory by hand, then `memsync resolve`"}
}

// lineValue is lines as a place holds them.
func lineValue(lines []string) *memsync.Value {
	if len(lines) == 0 {
		return nil
	}
	return &memsync.Value{Text: strings.Join(lines, "\n")}
}

func places(clashes []clash) []Place {
	out := make([]Place, len(clashes))
	for i, c := range clashes {
		out[i] = Place{Base: lineValue(c.base), Kept: lineValue(c.kept), Lost: lineValue(c.lost)}
	}
	return out
}

// Conflict is the record with its bytes.
func (r Record) Conflict() Conflict {
	return Conflict{Kind: r.Kind, Key: r.Key, Bytes: r.Markdown(), Record: r}
}

func equalValue(a, b memsync.Value) bool {
	return a.IsList == b.IsList && a.Text == b.Text && slices.Equal(a.List, b.List)
}
