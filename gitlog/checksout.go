package gitlog

import (
	"context"
	"slices"
	"strings"
)

// checkedOut are the bytes that a checkout of a blob leaves on disk; nil for
// none. Conversions are the git binary's.
func (r *Repo) checkedOut(ctx context.Context, attrs *attributes, name string, blob oid) ([]byte, error) {
	if blob == "" {
		return nil, nil
	}
	data, err := r.object(blob, typeBlob)
	if err != nil {
		return nil, err
	}
	if data == nil {
		data = []byte{}
	}
	what := attrs.checksOut(name, data)
	if what == "" {
		return data, nil
	}
	if r.binary == "" {
		return nil, missing(name + ": " + what + " changes this file on its way out of git, which needs the git binary, and there is none")
	}
	out, err := r.run(ctx, gitCall{args: []string{"cat-file", "--filters", "--path=" + name, blob.hex()}})
	if out == nil {
		out = []byte{}
	}
	return out, err
}

// checksOut says which attribute or setting would change content on its way
// out of the repository; "" for none.
func (a *attributes) checksOut(name string, content []byte) string {
	if what := a.converts(name, append(slices.Clip(content), "\r\n"...)); what == "" || !strings.Contains(string(content), "\n") && isLineEnds(what) {
		return ""
	} else if !isLineEnds(what) {
		return what
	}
	at := a.of(name)
	crlf, _ := gitBool(strings.ToLower(a.set.get("core.autocrlf")))
	switch {
	case at["eol"] == "lf":
		return ""
	case at["eol"] == "crlf", crlf, strings.EqualFold(a.set.get("core.eol"), "crlf"):
		return "the line ends that are asked for"
	}
	return ""
}

// isLineEnds reports whether a conversion is one of line ends.
func isLineEnds(what string) bool {
	return what == "text" || strings.HasPrefix(what, "eol=") || what == "core.autocrlf"
}
