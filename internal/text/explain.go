package text

import "strings"

// explain names the first mark of each side that the other lacks.
func explain(wa, wb []word, a, b []mark) string {
	count := make(map[string]int)
	for _, m := range a {
		count[m.what]++
	}
	for _, m := range b {
		count[m.what]--
	}
	pick := func(words []word, marks []mark, sign int) (text, class string) {
		for _, m := range marks {
			if count[m.what]*sign > 0 {
				class, _, _ = strings.Cut(m.what, " ")
				var raw []string
				for _, w := range words[m.from:m.to] {
					raw = append(raw, w.raw)
				}
				if unspaced(first(raw[0])) {
					return strings.Join(raw, ""), class
				}
				return strings.Join(raw, " "), class
			}
		}
		return "", ""
	}
	x, class := pick(wa, a, 1)
	y, classB := pick(wb, b, -1)
	if class == "" || class == "word" && classB != "" {
		class = classB
	}
	return class + ": " + side([]string{x}) + " / " + side([]string{y})
}

// side is how one side of a difference is shown.
func side(s []string) string {
	t := strings.Join(s, " ")
	if t == "" {
		return "–"
	}
	n := 0
	for i := range t {
		if n == 40 {
			return strings.ToValidUTF8(t[:i], "�") + "…"
		}
		n++
	}
	return strings.ToValidUTF8(t, "�")
}
