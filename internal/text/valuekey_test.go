package text

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// tombstone.key_normalization_attack: look-alikes, case, white space, invisible
// characters are refused; a paraphrase passes.
func TestTombstoneKeyNormalizationAttack(t *testing.T) {
	const rejected = "The staging database resets on Sunday at 10:00"
	for name, s := range map[string]string{
		"case":              "the STAGING database ReSets on sunday AT 10:00",
		"white space":       " The staging\u00A0database\n\tresets on\u3000Sunday at10:00  ",
		"zero width":        "The sta\u200Bging data\u200Dbase re\u2060sets on\uFEFF Sunday at 10:00",
		"soft hyphen":       "The stag\u00ADing database resets on Sunday at 10:00",
		"bidi":              "\u202EThe staging database\u202C resets on \u2066Sunday\u2069 at 10:00",
		"tags":              "The staging\U000E0061\U000E0062 database resets on Sunday at 10:00",
		"variation":         "The staging\uFE0F data\U000E0101base resets on Sunday at 10:00",
		"Cyrillic":          "Тhе stаgіng dаtаbаsе rеsеts оn Sundаy аt 10:00",
		"Cyrillic capitals": "ТНЕ SТАGING DАТАВАSЕ RЕSЕТS ОN SUNDАY АТ 10:00",
		"Greek":             "Τhe stαging dαtαbαse resets οn Sundαγ αt 10:00",
		"Greek capitals":    "ΤΗΕ STAGIΝG DATABASE RESETS OΝ SUΝDAΥ AT 10:00",
		"Armenian":          "The staging database resets օn Sսnday at 10:00",
		"full width":        "Ｔｈｅ　ｓｔａｇｉｎｇ　ｄａｔａｂａｓｅ resets on Sunday at １０：００",
		"mathematical":      "𝐓𝐡𝐞 𝓼𝓽𝓪𝓰𝓲𝓷𝓰 𝕕𝕒𝕥𝕒𝕓𝕒𝕤𝕖 𝚛𝚎𝚜𝚎𝚝𝚜 on Sunday at 𝟏𝟎:𝟬𝟘",
		"circled":           "Ⓣⓗⓔ ⓢⓣⓐⓖⓘⓝⓖ database resets on Sunday at 10:00",
		"digits":            "The staging database resets on Sunday at ١٠:००",
		"letters as digits": "The staging database resets on Sunday at lO:OO",
		"dashes and colons": "The staging database resets on Sunday at 10∶00",
		"decomposed":        "The staging database resets on Sunday at 10:00\u034F",
		"small capitals":    "Tʜᴇ staging database resets on Sunday at 10:00",
		"capital i for l":   "The staging database resets on Sunday at I0:00",
		"Cherokee":          "Ꭲhe staging database resets on Sunday at 10:00",
	} {
		if ValueKey(s) != ValueKey(rejected) {
			t.Errorf("%s passes: %q is not %q", name, ValueKey(s), ValueKey(rejected))
		}
	}
	for _, s := range []string{
		"The staging database resets on Monday at 10:00", "The staging database resets on Sunday at 11:00", "Every Sunday at ten, staging is wiped",
		"The staging database does not reset on Sunday at 10:00", "The staging database resets on Sunday at 10:05", "",
	} {
		if ValueKey(s) == ValueKey(rejected) {
			t.Errorf("%q is refused", s)
		}
	}
}

// Texts of other scripts keep different keys, in either case the same.
func TestValueKeyTellsScriptsWordsApart(t *testing.T) {
	words := strings.Fields("вода нога рука мука тело дело сон тон сорт порт пора гора не но на вот тот кот ΝΕΡΟ ΝΗΣΟΣ ΥΔΩΡ νερό νέο ηλιος ulios שלום סלט سلام كلام جمل حمل 雾凇 雾松 東京 东京 りんご リンゴ 사과 사고 กา ขา café cafe naïve nave 10 15 51")
	seen := make(map[string]string)
	for _, w := range words {
		k := ValueKey(w)
		if k == "" {
			t.Errorf("%q has no key", w)
		}
		if other, ok := seen[k]; ok {
			t.Errorf("%q and %q have the key %q", w, other, k)
		}
		seen[k] = w
		if up := ValueKey(strings.ToUpper(w)); up != k {
			t.Errorf("%q has the key %q, in capitals %q", w, k, up)
		}
	}
}

func TestValueKeyIsIdempotent(t *testing.T) {
	table := lookalikes()
	var sources []rune
	for r := range table.folded {
		sources = append(sources, r)
		if k := ValueKey(string(r)); k != ValueKey(table.folded[r]) {
			t.Errorf("%q is %q, its look-alike %q is %q", r, k, table.folded[r], ValueKey(table.folded[r]))
		}
	}
	if len(sources) < 800 {
		t.Errorf("only %d look-alikes", len(sources))
	}
	letter := rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("iIlL1|0oOİıſKß\u0307\u0345ΝΗΥабв \u200D")), rapid.SampledFrom(sources))
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(letter).Draw(t, "s"))
		k := ValueKey(s)
		if ValueKey(k) != k {
			t.Fatalf("%+q has the key %+q, and that %+q", s, k, ValueKey(k))
		}
		if i := strings.IndexFunc(k, func(r rune) bool { return unicode.IsSpace(r) || invisible(r) }); i >= 0 {
			t.Fatalf("%+q has the key %+q", s, k)
		}
	})
}

func TestValueKeyOfNothing(t *testing.T) {
	for _, s := range []string{"", " \n\t", "\u200B\u200D", "\u00AD\uFE0F", "\u2800\u3164"} {
		if k := ValueKey(s); k != "" {
			t.Errorf("%+q has the key %+q", s, k)
		}
	}
}

func BenchmarkValueKey(b *testing.B) {
	for b.Loop() {
		ValueKey(weekdayBefore)
	}
}
