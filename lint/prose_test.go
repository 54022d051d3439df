package lint

import (
	"strings"
	"testing"
	"unicode"
)

func TestEveryRelativeWordIsFound(t *testing.T) {
	for _, w := range relative {
		title := []rune(w)
		title[0] = unicode.ToUpper(title[0])
		for _, v := range []string{w, strings.ToUpper(w), string(title)} {
			for _, s := range []string{"We did it " + v + ", and so on.", v, "(" + v + ")"} {
				if at := relativeDate(s); at == nil || !strings.EqualFold(s[at[0]:at[1]], w) {
					t.Errorf("%q: %v", s, at)
				}
			}
		}
	}
	for _, s := range []string{"", "todays", "Todayish", "the holiday", "agora", "player", "days age", "lasting weeks", "Gesternhausen", "today's", "yesterday-like"} {
		if at := relativeDate(s); at != nil {
			t.Errorf("%q: %q", s, s[at[0]:at[1]])
		}
	}
}
