package gitlog

import (
	"bytes"
	"strings"

	"memsync"
)

// TreeAttributes is what the store's own .gitattributes say, and nothing of the
// machine's: the same on every clone. It is for one goroutine.
type TreeAttributes struct{ a *attributes }

// TreeAttributes reads the files as they are needed.
func (r *Repo) TreeAttributes() TreeAttributes {
	a := &attributes{r: r, set: &settings{}, dirs: map[string][]attrRule{}, macros: map[string][]attrValue{
		"binary": {{"diff", attrUnset}, {"merge", attrUnset}, {"text", attrUnset}},
	}}
	a.dir("")
	return TreeAttributes{a}
}

// Verbatim reports whether line ends of the file at p are left alone.
func (t TreeAttributes) Verbatim(p memsync.Path) bool {
	return t.a.of(t.a.r.full(p))["text"] == attrUnset
}

// Union reports whether versions of the file at p are joined by lines.
func (t TreeAttributes) Union(p memsync.Path) bool { return t.a.of(t.a.r.full(p))["merge"] == "union" }

// Converts says which attribute has git keep other bytes than those of the file
// at p; "" for none. Line ends count where there is one to convert: a CRLF, or
// any where a checkout writes CRLF.
func (t TreeAttributes) Converts(p memsync.Path, content []byte) string {
	name := t.a.r.full(p)
	for dir := parentDir(name); ; dir = parentDir(dir) {
		t.a.dir(dir)
		if dir == "" {
			break
		}
	}
	if !t.a.recode && !bytes.Contains(content, []byte("\r\n")) && !bytes.Contains(content, []byte("$Id")) {
		return "" // nearly every file
	}
	at := t.a.of(name)
	named := func(name string) string {
		switch v := at[name]; v {
		case attrSet, attrUnset, attrUnspecified:
			return ""
		default:
			return v
		}
	}
	if f := named("filter"); f != "" {
		return "filter=" + f
	}
	if at["ident"] == attrSet && bytes.Contains(content, []byte("$Id")) {
		return "ident"
	}
	if enc := named("working-tree-encoding"); enc != "" && !strings.EqualFold(enc, "UTF-8") {
		return "working-tree-encoding=" + enc
	}
	switch {
	case at["text"] == attrUnset:
		return ""
	case named("eol") == "crlf" && bytes.Contains(content, []byte("\n")):
		return "eol=crlf"
	case !bytes.Contains(content, []byte("\r\n")):
		return ""
	}
	if at["text"] == attrSet || named("text") == "auto" {
		return "text"
	}
	if eol := named("eol"); eol != "" {
		return "eol=" + eol
	}
	return ""
}
