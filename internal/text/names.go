package text

import (
	"strings"
	"unicode"
)

// found are the proper names of one side of a hunk: those that are surely such,
// and capitalised words that may owe their capital to the start of a sentence.
type found struct{ sure, start []string }

// names finds the proper names in words[from:to] that no mark covers. Katakana
// runs are taken whole, beyond the hunk too. replaced says that the other side
// is not empty.
func (c *comparison) names(words []word, marks []mark, from, to int, replaced bool) (out found) {
	k := 0
	for i := from; i < to; i++ {
		for k < len(marks) && marks[k].to <= i {
			k++
		}
		if k < len(marks) && marks[k].from <= i && i < marks[k].to {
			continue
		}
		w := words[i]
		if w.sign != "" || w.item || numeric(w.text) != "" {
			continue
		}
		r := first(w.raw)
		switch {
		case katakana(r):
			if run, end := katakanaRun(words, i); len([]rune(run)) > 1 {
				out.sure = append(out.sure, run)
				i = end - 1
			}
		case !unicode.IsLetter(r) || c.function(w.text):
		case w.code || w.inner || c.foreign(r):
			out.sure = append(out.sure, w.raw)
		case !w.cap || c.small[w.text]:
		case w.start:
			if replaced {
				out.start = append(out.start, w.raw)
			}
		default:
			out.sure = append(out.sure, w.raw)
		}
	}
	return out
}

// function reports whether a word is a frequent one of the text's languages: no
// name, however it is written.
func (c *comparison) function(s string) bool {
	for _, l := range frequent().words[s] {
		for _, m := range c.langs {
			if l == m {
				return true
			}
		}
	}
	return false
}

// foreign reports whether r is a Latin letter in a text of another script.
func (c *comparison) foreign(r rune) bool {
	if len(c.langs) == 0 || !unicode.Is(unicode.Latin, r) {
		return false
	}
	switch c.langs[0] {
	case "zh", "ja", "ko", "ru", "uk":
		return true
	}
	return false
}

func katakana(r rune) bool {
	return 0x30A1 <= r && r <= 0x30FF || 0x31F0 <= r && r <= 0x31FF || 0xFF66 <= r && r <= 0xFF9F
}

func katakanaRun(words []word, i int) (run string, end int) {
	start := i
	for start > 0 && words[start-1].sign == "" && katakana(first(words[start-1].raw)) {
		start--
	}
	for end = i; end < len(words) && words[end].sign == "" && katakana(first(words[end].raw)); end++ {
	}
	var b strings.Builder
	for _, w := range words[start:end] {
		b.WriteString(w.raw)
	}
	return b.String(), end
}

// Common family names of one character: about a hundred and fifty of China, three
// dozen of Korea, by general knowledge and not by a census.
const (
	hanFamily    = "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖萧田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鐘谭譚陆陸汪范金石廖贾賈夏韦韋付方白邹鄒孟熊秦邱江尹薛闫段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万钱錢严嚴覃武戴莫孔向汤湯"
	hangulFamily = "김이박최정강조윤장임한오서신권황안송류유홍전고문양손배백허남심노"
)

// familyNames reports two short words of Han or Hangul in each other's place
// that both begin with a common family name.
func (c *comparison) familyNames(wa, wb []word, h hunk) string {
	if len(c.langs) == 0 || h.a0 == h.a1 || h.b0 == h.b1 {
		return ""
	}
	a, b := wa[h.a0:h.a1], wb[h.b0:h.b1]
	switch c.langs[0] {
	case "zh", "ja":
		if len(a) > 4 || len(b) > 4 {
			return ""
		}
		before := h.a0 > 0 && strings.Contains(hanFamily, wa[h.a0-1].text) && len(a) <= 2 && len(b) <= 2
		if before && allHan(a) && allHan(b) || strings.Contains(hanFamily, a[0].text) && strings.Contains(hanFamily, b[0].text) {
			return "name: " + side(raws(a, "")) + " / " + side(raws(b, ""))
		}
	case "ko":
		if len(a) > 2 || len(b) > 2 {
			return ""
		}
		if koreanName(a[0].text) && koreanName(b[0].text) {
			return "name: " + side(raws(a, " ")) + " / " + side(raws(b, " "))
		}
	}
	return ""
}

// koreanName: a family name, a given name of two syllables, at most two of a
// particle or title.
func koreanName(s string) bool {
	r := []rune(s)
	return len(r) >= 3 && len(r) <= 5 && unicode.Is(unicode.Hangul, r[0]) && strings.ContainsRune(hangulFamily, r[0])
}

func allHan(words []word) bool {
	for _, w := range words {
		if !unicode.Is(unicode.Han, first(w.text)) {
			return false
		}
	}
	return true
}

func raws(words []word, sep string) []string {
	var out []string
	for _, w := range words {
		out = append(out, w.raw)
	}
	return []string{strings.Join(out, sep)}
}
