package scan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind groups rules by what follows from a hit.
type Kind string

const (
	Secret       Kind = "secret"
	Injection    Kind = "injection"
	Hidden       Kind = "hidden"
	Exfiltration Kind = "exfiltration"
)

// Hit is one match. Masked never holds enough of the value to use it.
type Hit struct {
	Kind         Kind
	Rule         string
	Start, End   int    // byte offsets in the text
	Line, Column int    // 1-based, bytes
	Masked       string // rule, first characters and length; printable, one line
	Fingerprint  string // salted with the path; what `allow` takes
}

// Text scans one text, in order of place; hits of one kind don't overlap. path
// salts the fingerprints. Any bytes are accepted; offsets are always inside s.
// The time is linear in len(s).
func Text(path, s string) []Hit {
	hits := matchRules(s)
	hits = hidden(hits, s)
	if len(hits) == 0 {
		return nil
	}
	hits = withoutOverlaps(hits)

	out := make([]Hit, len(hits))
	line, from := 1, 0 // from: where that line begins
	at := 0
	for i, h := range hits {
		for at < h.start {
			j := strings.IndexByte(s[at:h.start], '\n')
			if j < 0 {
				at = h.start
				break
			}
			at += j + 1
			line, from = line+1, at
		}
		value := s[h.start:h.end]
		out[i] = Hit{
			Kind: h.kind, Rule: h.rule, Start: h.start, End: h.end,
			Line: line, Column: h.start - from + 1,
			Masked:      mask(h.kind, h.rule, value),
			Fingerprint: Fingerprint(h.rule, path, value),
		}
	}
	return out
}

// Fingerprint names a hit without telling its value: whoever lacks the value
// can't test guesses for another path, and `allow` holds for one path only.
func Fingerprint(rule, path, value string) string {
	sum := sha256.Sum256([]byte("memsync-allow\x00" + rule + "\x00" + path + "\x00" + value))
	return hex.EncodeToString(sum[:])[:16]
}

// IsFingerprint reports whether s could be what Fingerprint gives.
func IsFingerprint(s string) bool {
	return len(s) == 16 && strings.Trim(s, "0123456789abcdef") == ""
}

// span is a hit before it is dressed.
type span struct {
	kind       Kind
	rule       string
	rank       int // of the rule: the smaller names the hit
	start, end int
}

// withoutOverlaps sorts hits by place. Of hits of one kind that overlap, the one
// of the better rule stays: a maker's own rule, then ours, then the generic one.
func withoutOverlaps(hits []span) []span {
	slices.SortFunc(hits, func(a, b span) int {
		return cmp.Or(strings.Compare(string(a.kind), string(b.kind)), cmp.Compare(a.start, b.start),
			cmp.Compare(a.rank, b.rank), cmp.Compare(b.end, a.end), strings.Compare(a.rule, b.rule))
	})
	kept := hits[:0]
	for _, h := range hits {
		last := len(kept) - 1
		switch {
		case last < 0 || kept[last].kind != h.kind || kept[last].end <= h.start:
			kept = append(kept, h)
		case h.rank < kept[last].rank:
			kept[last] = h
		}
	}
	slices.SortFunc(kept, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), strings.Compare(a.rule, b.rule))
	})
	return kept
}

// mask shows a value by its first two to four characters, fewer where that would
// be much of it, and its length.
func mask(kind Kind, rule, value string) string {
	n := utf8.RuneCountInString(value)
	if kind == Hidden {
		return rule + ": " + codePoints(value)
	}
	show := min(4, n/4)
	var b strings.Builder
	for _, r := range value {
		if show == 0 {
			break
		}
		if r == utf8.RuneError || !unicode.IsPrint(r) || r == '\u00AD' {
			r = '·'
		}
		b.WriteRune(r)
		show--
	}
	return fmt.Sprintf("%s: %s… (%d characters)", rule, b.String(), n)
}
