package scan

import (
	"math"
	"strings"
)

// allowlist says what is no secret although a rule matched.
type allowlist struct {
	target  string // what regexes look at: "" the value, "match", "line"
	all     bool   // every criterion must hold, not one
	regexes []pattern
	words   []string // in lower case
}

func (a *allowlist) allows(value, match, line string) bool {
	target := value
	switch a.target {
	case "match":
		target = match
	case "line":
		target = line
	}
	regex := false
	for i := range a.regexes {
		if a.regexes[i].compiled().MatchString(target) {
			regex = true
			break
		}
	}
	word := false
	if len(a.words) > 0 && (a.all || !regex) {
		lower := strings.ToLower(value)
		for _, w := range a.words {
			if strings.Contains(lower, w) {
				word = true
				break
			}
		}
	}
	if a.all {
		return (regex || len(a.regexes) == 0) && (word || len(a.words) == 0)
	}
	return regex || word
}

// allowed reports whether one of the rule's lists, or gitleaks' global one, lets
// the match pass.
func (r *rule) allowed(value, match string, line func() string) bool {
	text := ""
	for _, lists := range [...][]allowlist{r.globalLists(), r.lists} {
		for i := range lists {
			if lists[i].target == "line" && text == "" {
				text = line()
			}
			if lists[i].allows(value, match, text) {
				return true
			}
		}
	}
	return false
}

func (r *rule) globalLists() []allowlist {
	if !r.global {
		return nil
	}
	return globalAllowlists[:]
}

// entropy is Shannon's, in bits per byte over characters, as gitleaks counts it.
func entropy(s string) float64 {
	if s == "" {
		return 0
	}
	var small [128]int
	var large map[rune]int
	for _, r := range s {
		if r < 128 {
			small[r]++
			continue
		}
		if large == nil {
			large = make(map[rune]int)
		}
		large[r]++
	}
	sum, n := 0.0, float64(len(s))
	for _, c := range small {
		if c > 0 {
			p := float64(c) / n
			sum -= p * math.Log2(p)
		}
	}
	for _, c := range large {
		p := float64(c) / n
		sum -= p * math.Log2(p)
	}
	return sum
}
