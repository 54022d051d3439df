package lint

import (
	"embed"
	"path"
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
	Note string // "", or what stands in the brackets: "escaped, repeat 3"
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
		example, file, ok := strings.Cut(f.Name, "/")
		if !ok {
			continue
		}
		name, note, _ := strings.Cut(file, " [")
		e := ExampleFile{Path: name, Note: strings.TrimSuffix(note, "]"), Text: string(f.Data)}
		if n := len(p.Cases); n == 0 || p.Cases[n-1].Name != example {
			p.Cases = append(p.Cases, Case{Name: example})
		}
		c := &p.Cases[len(p.Cases)-1]
		c.Files = append(c.Files, e)
	}
	return p
}

// Markdown is the page as people read it: docs/rules.md has them all.
func (p Page) Markdown() string {
	var b strings.Builder
	b.WriteString("## " + p.Code + " " + p.Name + "\n\n" + p.Summary + "\n\n")
	b.WriteString("Severity: " + string(p.Severity) + ".")
	switch {
	case p.Write:
		b.WriteString(" Told by writes, never by `memsync lint`.")
	case p.Locked:
		b.WriteString(" Neither memsync.toml nor a comment can change that.")
	}
	if p.Fixable {
		b.WriteString(" `memsync lint --fix` can mend it.")
	}
	b.WriteString("\n\n" + p.Text + "\n")
	shown := map[bool]bool{}
	for _, c := range p.Cases {
		if shown[c.Bad()] {
			continue // one of each kind is enough to read
		}
		shown[c.Bad()] = true
		title := "Right"
		if c.Bad() {
			title = "Wrong"
		}
		b.WriteString("\n" + title + ":\n")
		for _, f := range c.Files {
			b.WriteString("\n`" + f.Path + "`")
			if f.Note != "" {
				b.WriteString(" (" + f.Note + ")")
			}
			fence := "```"
			for strings.Contains(f.Text, fence) {
				fence += "`"
			}
			text, language := f.Text, "markdown"
			switch path.Ext(f.Path) {
			case ".toml":
				language = "toml"
			case ".jsonl":
				language = "json"
			case ".md":
			default:
				language = "text"
			}
			if text == "" { // its note says all: a directory, a file that is not there
				b.WriteString("\n")
				continue
			}
			if !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			b.WriteString("\n\n" + fence + language + "\n" + text + fence + "\n")
		}
	}
	return b.String()
}
