package scan

import "strings"

// masked stands where a secret stood.
const masked = "(masked)"

// MaskPath is a path as it may be shown and kept: each element that holds a
// secret, or a part of one, is masked, folders as well as the file. allowed
// says which fingerprints are no secret at that path; nil is none.
func MaskPath(path string, allowed func(fingerprint string) bool) string {
	hits := secrets(path, path, allowed)
	if len(hits) == 0 {
		return path
	}
	elements := strings.Split(path, "/")
	at := 0
	for i, e := range elements {
		for _, h := range hits {
			if h.Start < at+len(e) && at < h.End {
				elements[i] = masked
			}
		}
		at += len(e) + 1
	}
	return strings.Join(elements, "/")
}

// MaskText is a text as it may be shown: without the secrets in it. path and
// allowed are those of the file that it is about.
func MaskText(path, s string, allowed func(fingerprint string) bool) string {
	hits := secrets(path, s, allowed)
	if len(hits) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, h := range hits {
		b.WriteString(s[at:h.Start])
		b.WriteString(masked)
		at = h.End
	}
	b.WriteString(s[at:])
	return b.String()
}

func secrets(path, s string, allowed func(fingerprint string) bool) []Hit {
	var out []Hit
	for _, h := range Text(path, s) {
		if h.Kind == Secret && (allowed == nil || !allowed(h.Fingerprint)) {
			out = append(out, h)
		}
	}
	return out
}
