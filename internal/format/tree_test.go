package format

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"memsync"
)

// draw writes a tree on one line: key@line:column=value@line:column.
func draw(t Tree) string {
	var b strings.Builder
	if t.Key != "" {
		fmt.Fprintf(&b, "%s@%d:%d=", t.Key, t.KeyAt.Line, t.KeyAt.Column)
	}
	marks := [...]string{ListShape: "[]", MappingShape: "{}"}
	switch {
	case t.Null:
		b.WriteString("null")
	case t.Shape == ScalarShape:
		fmt.Fprintf(&b, "%s@%d:%d", t.Text, t.At.Line, t.At.Column)
	default:
		var items []string
		for _, i := range t.Items {
			items = append(items, draw(i))
		}
		b.WriteString(marks[t.Shape][:1] + strings.Join(items, " ") + marks[t.Shape][1:])
	}
	return b.String()
}

func TestTree(t *testing.T) {
	for file, want := range map[string]string{
		"":                                     "{}",
		"text only\n":                          "{}",
		"---\n---\n":                           "{}",
		"---\na: b\n---\n":                     "{a@2:1=b@2:4}",
		"\ufeff---\r\na: 1.10\r\n---":          "{a@2:1=1.10@2:4}",
		"---\na:\nb: ~\nc: null\nd: ''\n---\n": "{a@2:1=null b@3:1=null c@4:1=null d@5:1=@5:4}",
		"---\nl: [x, 'y']\n---\n":              "{l@2:1=[x@2:5 y@2:8]}",
		"---\nl:\n  - x\n  - k: v\n    w: z\n---\n":       "{l@2:1=[x@3:5 {k@4:5=v@4:8 w@5:5=z@5:8}]}",
		"---\nm: {é: ü, n: {o: p}}\n---\n":                "{m@2:1={é@2:5=ü@2:9 n@2:13={o@2:17=p@2:20}}}",
		"---\nt: |\n  one\n  two\n---\nbody: not a key\n": "{t@2:1=one\ntwo\n@2:4}",
	} {
		doc, err := Parse([]byte(file), memsync.DefaultLimits())
		if err != nil {
			t.Fatalf("%q: %v", file, err)
		}
		tree, err := doc.Tree()
		if got := draw(tree); err != nil || got != want {
			t.Errorf("%q:\n got %s, %v\nwant %s", file, got, err, want)
		}
	}
}

// What Parse takes for text only by a rule for memories is no tree.
func TestTreeGuessesNothing(t *testing.T) {
	for file, want := range map[string]string{
		"---\na: &x b\nc: *x\n---\n":               "3:4: an alias",
		"---\na: Re: booking\n---\n":               "2:4: the value can only be guessed at",
		"---\nname: harbor # the service\n---\n":   "2:7: the value can only be guessed at",
		"---\nm:\n  d: \"X\" means Y\n---\n":       "3:6: the value can only be guessed at",
		"---\nl:\n  - {k: *x, j: &x y}\n---\n":     "2:4",
		"---\nm: {a: &x 1, l: [b, *x]}\n---\n":     "2:21: an alias",
		"---\n# a\nk: v\nother: see: there\n---\n": "4:8: the value can only be guessed at",
	} {
		doc, err := Parse([]byte(file), memsync.DefaultLimits())
		if err != nil { // an alias before its anchor is not YAML
			continue
		}
		_, err = doc.Tree()
		var e *memsync.Error
		if !errors.As(err, &e) || e.Code != memsync.CodeFrontmatter || e.Hint == "" {
			t.Errorf("%q: %v", file, err)
			continue
		}
		if got := fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message); !strings.HasPrefix(got, want) {
			t.Errorf("%q: got %s, want %s", file, got, want)
		}
	}
}

// FuzzTree: a tree holds what Keys lists, at the same places.
func FuzzTree(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Parse(data, memsync.DefaultLimits())
		if err != nil {
			return
		}
		tree, err := doc.Tree()
		if err != nil {
			if memsync.CodeOf(err) != memsync.CodeFrontmatter {
				t.Fatalf("%v", err)
			}
			return
		}
		var walk func(prefix string, items []Tree) []string
		walk = func(prefix string, items []Tree) (out []string) {
			for _, i := range items {
				if i.Shape == MappingShape && len(i.Items) > 0 {
					out = append(out, walk(prefix+i.Key+".", i.Items)...)
					continue
				}
				out = append(out, fmt.Sprintf("%q %d:%d", prefix+i.Key, i.KeyAt.Line, i.KeyAt.Column))
			}
			return out
		}
		var keys []string
		for _, k := range doc.Keys() {
			keys = append(keys, fmt.Sprintf("%q %d:%d", k.Name, k.Line, k.Column))
		}
		if got := walk("", tree.Items); strings.Join(got, "\n") != strings.Join(keys, "\n") {
			t.Fatalf("the tree has\n%v\nthe keys are\n%v", got, keys)
		}
	})
}
