package text

import "strings"

// moved finds a word that was taken from one side of a negation or restriction
// to the other ("use tabs, do not use spaces" and "do not use tabs, use
// spaces"): no hunk holds the negation then.
func (c *comparison) moved(wa, wb []word, marks []mark, hunks []hunk) string {
	const reach = 12 // words; further apart it is another sentence
	type place struct{ hunk, at int }
	gone := make(map[string]place)
	for k, h := range hunks {
		for i := h.a0; i < h.a1; i++ {
			if w := wa[i]; w.sign == "" && !c.function(w.text) {
				gone[w.text] = place{k, i}
			}
		}
	}
	for k, h := range hunks {
		for i := h.b0; i < h.b1; i++ {
			p, ok := gone[wb[i].text]
			if !ok || p.hunk == k {
				continue
			}
			from, to := min(p.at, h.a0), max(p.at, h.a0)
			if to-from > reach {
				continue
			}
			for _, m := range touching(marks, from, to) {
				if strings.HasPrefix(m.what, "word ") && !soft[m.what] {
					return "moved: " + side([]string{wb[i].raw}) + " / " + strings.TrimPrefix(m.what, "word ")
				}
			}
		}
	}
	return ""
}

// soft marks say something only against each other.
var soft = map[string]bool{
	"word first": true, "word last": true, "word with": true, "word some": true, "word more": true,
	"word less": true, "word true": true, "word always": true,
}

func onlySoft(marks []mark) bool {
	for _, m := range marks {
		if !soft[m.what] {
			return false
		}
	}
	return true
}
