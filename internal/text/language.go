package text

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
)

//go:embed languages.txt
var languagesTxt string

// frequent maps a frequent word to the languages that have it; listed are the
// languages with lists in opposition.txt.
var frequent = sync.OnceValue(func() (t struct {
	words  map[string][]string
	listed map[string]bool
}) {
	t.words = make(map[string][]string, 1024)
	t.listed = map[string]bool{"zh": true, "ja": true, "ko": true}
	other := false
	for line := range strings.Lines(languagesTxt) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || f[0] == "#":
		case len(f) == 1:
			other = true
		default:
			if !other {
				t.listed[f[0]] = true
			}
			for _, w := range f[1:] {
				t.words[w] = append(t.words[w], f[0])
			}
		}
	}
	return t
})

// guess says which languages words are in, likeliest first: the script decides
// where it can, frequent words otherwise. Every language that comes close to the
// best is named, because a memory often mixes two. It is nil when nothing speaks
// for a language, or a language without lists fits best.
func guess(words []word) []string {
	var han, kana, hangul, cyrillic, latin, other int
	for _, w := range words {
		switch {
		case w.sign != "" || w.code:
		case w.text[0] < 0x80:
			if w.text[0] > '9' {
				latin++
			}
		default:
			switch r := first(w.text); {
			case unicode.Is(unicode.Han, r):
				han++
			case unspaced(r) && (r >= 0x3041 && r <= 0x30FF || r >= 0xFF66 && r <= 0xFF9F):
				kana++
			case unicode.Is(unicode.Hangul, r):
				hangul += 2 // a word, where others count characters
			case unicode.Is(unicode.Cyrillic, r):
				cyrillic++
			case unicode.Is(unicode.Latin, r):
				latin++
			case unicode.IsLetter(r):
				other++
			}
		}
	}
	switch {
	case other > han+kana+hangul+cyrillic+latin:
		return nil
	case kana*8 > han && kana+han >= cyrillic+hangul && (kana+han) >= latin:
		return []string{"ja"}
	case hangul > 0 && hangul >= han && hangul*2 >= latin:
		return []string{"ko"}
	case han > 0 && han >= latin && han >= cyrillic:
		return []string{"zh"}
	}
	return guessByWords(words, cyrillic > latin)
}

func guessByWords(words []word, cyrillic bool) []string {
	t := frequent()
	score := make(map[string]float64)
	for _, w := range words {
		if w.code || w.sign != "" {
			continue
		}
		langs := t.words[w.text]
		for _, l := range langs {
			score[l] += 1 / float64(1+len(langs))
		}
		if cyrillic {
			switch { // letters that one alphabet has and the other lacks
			case strings.ContainsAny(w.text, "ыэёъ"):
				score["ru"] += 0.5
			case strings.ContainsAny(w.text, "іїєґ"):
				score["uk"] += 0.5
			case strings.ContainsAny(w.text, "јљњђћџќѓѕўәғқңөұүһ"):
				score["other"]++
			}
		}
	}
	best, top := "", 0.0
	for l, s := range score {
		if s > top || s == top && (best == "" || better(l, best, t.listed)) {
			best, top = l, s
		}
	}
	if top < 0.3 || !t.listed[best] {
		return nil
	}
	out := []string{best}
	for _, l := range listedOrder {
		if l != best && score[l] >= 0.6*top {
			out = append(out, l)
		}
	}
	return out
}

// listedOrder settles ties.
var listedOrder = []string{"en", "de", "fr", "es", "it", "pt", "nl", "ru", "uk", "zh", "ja", "ko"}

// better reports whether a tie goes to a: to listed languages, then by order.
func better(a, b string, listed map[string]bool) bool {
	if listed[a] != listed[b] {
		return listed[a]
	}
	if !listed[a] {
		return a < b
	}
	return strings.Index(strings.Join(listedOrder, " "), a) < strings.Index(strings.Join(listedOrder, " "), b)
}

func first(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}
