package lint

import (
	"embed"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed rules/*.txtar
var pages embed.FS

// Page is what a rule means. Its examples are stores: the files of a bad one,
// in which the rule finds something, and of a good one, in which it finds
// nothing. They are the rule's own tests.
type Page struct {
	Rule
	Summary string // one sentence
	Text    string // Markdown: why it matters, what to do
	Cases   []Case
}

// Case is one example. Its name begins with "bad" or "good".
type Case struct {
	Name  string
	Files []ExampleFile
}

// Bad reports whether the rule is to find something in it.
func (c Case) Bad() bool { return strings.HasPrefix(c.Name, "bad") }

// ExampleFile is one file of a case, as the page writes it: see
// rules/README.md for the notes behind a name.
type ExampleFile struct {
	Path string
	Note string // "", "escaped", "symlink", "repeat N", "staged …"
	Text string
}

// PageOf is the page of a rule.
func PageOf(r Rule) (Page, error) {
	data, err := pages.ReadFile("rules/" + r.Code + ".txtar")
	if err != nil {
		return Page{}, err
	}
	return parsePage(r, data), nil
}

func parsePage(r Rule, data []byte) Page {
	ar := txtar.Parse(data)
	p := Page{Rule: r}
	p.Summary, p.Text, _ = strings.Cut(strings.TrimSpace(string(ar.Comment)), "\n")
	p.Text = strings.TrimSpace(p.Text)
	for _, f := range ar.Files {
		name, file, ok := strings.Cut(f.Name, "/")
		if !ok {
			continue
		}
		path, note, _ := strings.Cut(file, " [")
		e := ExampleFile{Path: path, Note: strings.TrimSuffix(note, "]"), Text: string(f.Data)}
		if n := len(p.Cases); n == 0 || p.Cases[n-1].Name != name {
			p.Cases = append(p.Cases, Case{Name: name})
		}
		c := &p.Cases[len(p.Cases)-1]
		c.Files = append(c.Files, e)
	}
	return p
}
