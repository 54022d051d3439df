package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memsync"
)

// fields are the flags that say what a memory should hold.
type fields struct {
	typ, name, description, key, content string
	tags                                 []string
	set                                  []string
	target, payload                      string
	base                                 string
	place
}

func (f *fields) register(cmd *cobra.Command) {
	f.registerKeys(cmd)
	f.place.register(cmd)
}

// registerKeys are the flags about the memory itself, without where it goes.
func (f *fields) registerKeys(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.typ, "type", "", "the `TYPE`: user, feedback, project or reference")
	fs.StringVar(&f.name, "name", "", "the title, `TEXT`")
	fs.StringVar(&f.description, "description", "", "what it says, in one `LINE`")
	fs.Var((*words)(&f.tags), "tags", "short `WORDS`, comma separated")
	fs.StringVar(&f.key, "key", "", "a stable `SLUG`: the same key in the same scope is a correction, not a new memory")
	fs.StringVar(&f.content, "content", "", "the text, `TEXT`, @FILE, or - for standard input")
	fs.StringVar(&f.target, "target", "", "the place that it proposes in an agent's prompt, `JSON`; empty takes it away (docs/composition.md)")
	fs.StringVar(&f.payload, "payload", "", "what stands there where the text alone does not do, `JSON`; empty takes it away")
	fs.StringArrayVar(&f.set, "set", nil, "set any other frontmatter key, `KEY=VALUE`; KEY= takes it away")
}

// candidate puts what was given into c.
func (f *fields) candidate(a *app, fs *pflag.FlagSet, c *memsync.Candidate) error {
	c.Scope = f.scope
	for _, x := range []struct{ key, value string }{{"type", f.typ}, {"name", f.name}, {"description", f.description}, {"key", f.key}} {
		if fs.Changed(x.key) {
			c.Fields = append(c.Fields, memsync.Field{Key: x.key, Value: memsync.Text(x.value), Remove: x.value == ""})
		}
	}
	if fs.Changed("tags") {
		c.Fields = append(c.Fields, memsync.Field{Key: "tags", Value: memsync.List(f.tags...), Remove: len(f.tags) == 0})
	}
	for _, x := range []struct{ key, value string }{{"target", f.target}, {"payload", f.payload}} {
		if !fs.Changed(x.key) {
			continue
		}
		list, err := mapping(x.key, x.value)
		if err != nil {
			return err
		}
		c.Fields = append(c.Fields, list...)
	}
	for _, s := range f.set {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return usage("--set takes KEY=VALUE, not %q", s)
		}
		c.Fields = append(c.Fields, memsync.Field{Key: key, Value: memsync.Text(value), Remove: value == ""})
	}
	if fs.Changed("content") {
		text, err := a.argument(f.content)
		if err != nil {
			return err
		}
		c.Content = &text
	}
	return nil
}

// mapping is a JSON object of texts as the keys below a frontmatter key: that key is
// written anew.
func mapping(key, value string) ([]memsync.Field, error) {
	whole := []memsync.Field{{Key: key, Remove: true}}
	if strings.TrimSpace(value) == "" {
		return whole, nil
	}
	var members map[string]any
	if err := json.Unmarshal([]byte(value), &members); err != nil || members == nil {
		return nil, &memsync.Error{Code: memsync.CodeUsage, Message: "--" + key + " takes a JSON object of texts",
			Hint: `for example --target '{"primitive":"judgment","domain":"release-review","slot":"constraints"}'`}
	}
	names := slices.Sorted(maps.Keys(members))
	if i := slices.Index(names, "primitive"); i > 0 { // what it is comes first
		names = slices.Insert(slices.Delete(names, i, i+1), 0, "primitive")
	}
	for _, name := range names {
		text, ok := members[name].(string)
		if !ok {
			return nil, &memsync.Error{Code: memsync.CodeUsage, Message: "--" + key + ": " + oneLine(name) + " is no text", Hint: "put its value in quotes"}
		}
		whole = append(whole, memsync.Field{Key: key + "." + name, Value: memsync.Text(text)})
	}
	return whole, nil
}

// argument is TEXT, the content of @FILE, or standard input for "-".
func (a *app) argument(s string) (string, error) {
	name, isFile := strings.CutPrefix(s, "@")
	if !isFile && s != "-" {
		return s, nil
	}
	data, err := a.read(name)
	if err != nil {
		return "", unread(err, "the content can't be read", "give a file that exists after @")
	}
	if !utf8.Valid(data) {
		return "", &memsync.Error{Code: memsync.CodeEncoding, Message: "the content is not UTF-8", Hint: "convert it first: iconv -t UTF-8"}
	}
	return string(data), nil
}

// words is a flag's value: words with commas between them, given once or again.
// (pflag's own sets up a reader of CSV at every start of the program.)
type words []string

func (w *words) Set(s string) error {
	if *w == nil {
		*w = words{}
	}
	if s != "" {
		*w = append(*w, strings.Split(s, ",")...)
	}
	return nil
}

func (w *words) String() string { return strings.Join(*w, ",") }
func (w *words) Type() string   { return "words" }
