package search

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// termsOf are all terms that find a text, in order.
func termsOf(s string) (out []string) {
	units(s, func(u *unit) { u.terms(func(term string, _, _ int) { out = append(out, term) }) })
	return out
}

// partsOf is what the exact field holds.
func partsOf(s string) (out []string) {
	units(s, func(u *unit) {
		for _, p := range u.parts {
			out = append(out, p.term)
		}
	})
	return out
}

func TestTerms(t *testing.T) {
	for _, tc := range []struct{ text, terms string }{
		{"", ""},
		{"Deploying the deployments deployed", "deploy the deploy deploy"},
		{"to be or not to be", "to be or not to be"}, // no word is lost
		{"café CAFÉ cafe\u0301", "cafe cafe cafe"},
		{"straße STRASSE", "strass strass"},
		{"ＡＰＩ ﬁle", "api file"},
		{"Łódź Øresund Đà Nẵng İstanbul", "lodz oresund da nang istanbul"},
		{"Ёлка ёлка елка", "елка елка елка"},
		{"Ὀδυσσεύς ΟΔΥΣΣΕΥΣ", "οδυσσευσ οδυσσευσ"},
		{"قُرْآن قران", "قران قران"},
		{"שָׁלוֹם שלום", "שלום שלום"},
		{"don't don’t dont", "dont dont dont"},
		{"the server's", "the server"},
		{"l'avion d’accord", "lavion l avion daccord d accord"},
		{"snake_case", "snake_case snake case"},
		{"getUserName", "getusername get user name"},
		{"HTTPServer parseURL", "httpserver http server parseurl pars url"},
		{"python3 v2 k8s", "python3 python 3 v2 k8s"},
		{"path/to/file.go", "path/to/file.go file.go path to file go"},
		{`C:\temp\a_b`, `c:\temp\a_b c: a_b c temp a b`},
		{"C++ C# F# c", "c++ c c# c f# f c"},
		{"GB/s", "gb/s gb s"},
		{"--force -v .env @types/node #12 $HOME", "--force forc v .env env @types/node @types type node #12 12 $home home"},
		{"(see foo.bar.)", "see foo.bar foo bar"},
		{"**bold**, _emphasis_!", "bold emphasi"},
		{"v1.2.3", "v1.2.3 v1 2 3"},
		{"std::vector<int>", "std::vector std vector int"},
		{"雾凇词库", "雾凇 凇词 词库"},
		{"雾", "雾"},
		{"BBDown视频下载", "bbdown bb down 视频 频下 下载"},
		{"ｶﾞｲﾄﾞ ガイド", "ガイ イド ガイ イド"},
		{"かな、カナ", "かな カナ"},
		{"서버는 서버", "서버 버는 서버"},
		{"서버", "서버"}, // conjoining letters
		{"ภาษาไทย", "ภาษ าษา ษาไ าไท ไทย"},
		{"हिन्दी", "हिन्दी"},
		{"🚀launch 🚀 👩‍💻", "🚀 launch 🚀 👩 💻"},
		{"👍🏽", "👍"},
		{"de\u00adploy zero\u200dwidth", "deploy zerowidth"},
		{"a\u200bb", "a b"},
		{"\x00\xff\xfeword\xffother", "word other"},
		{"...!!! --- ?? () []", ""},
		{"++", ""},
	} {
		if got := strings.Join(termsOf(tc.text), " "); got != tc.terms {
			t.Errorf("%q:\n got %q\nwant %q", tc.text, got, tc.terms)
		}
	}
}

// Every spelling of a line is found by every other.
func TestSpellingsMeet(t *testing.T) {
	for _, same := range [][]string{
		{"café", "cafe", "CAFÉ", "cafe\u0301"},
		{"straße", "strasse", "STRASSE"},
		{"don't", "don’t", "dont", "donʼt"},
		{"naïve", "naive"},
		{"①", "1"},
		{"서버", "서버"},
		{"ｶﾞｲﾄﾞ", "ガイド"},
		{"Ёж", "еж"},
	} {
		for _, s := range same[1:] {
			if a, b := termsOf(same[0]), termsOf(s); !slices.Equal(a, b) {
				t.Errorf("%q is %q, %q is %q", same[0], a, s, b)
			}
		}
	}
	for _, differ := range [][2]string{{"か", "が"}, {"ไม", "ไม่"}, {"на", "ня"}, {"C", "C++"}} {
		if a, b := termsOf(differ[0]), termsOf(differ[1]); slices.Equal(a, b) {
			t.Errorf("%q and %q are both %q", differ[0], differ[1], a)
		}
	}
}

func TestParts(t *testing.T) {
	for text, want := range map[string]string{
		"Deploying servers":  "deploying servers",
		"getUserName failed": "get user name failed",
		"path/to/file.go":    "path to file go",
		"雾凇ab":               "雾 凇 ab",
	} {
		if got := strings.Join(partsOf(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// What is looked for inside words: the shortest come first, each once, however
// often it was noted.
func TestWithin(t *testing.T) {
	terms := []byte("\nneedle\nneedles\nthread\npath/to/needle.go\nneedle\nneed\n")
	for text, want := range map[string]string{"eedle": "needle needles path/to/needle.go", "need": "need needle needles path/to/needle.go", "xyz": "", "e.g": "path/to/needle.go"} {
		if got := strings.Join(within(terms, text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestHeadings(t *testing.T) {
	body := "# One\ntext\n## Two words \n####### seven\n#no\n```\n# comment\n```\n~~~\n# x\n~~~\n### Three"
	if got := slices.Collect(headings(body)); !slices.Equal(got, []string{"One", "Two words", "Three"}) {
		t.Errorf("got %q", got)
	}
}

// Nothing that a text holds makes terms without bound.
func TestUnitsAreBounded(t *testing.T) {
	for name, text := range map[string]string{
		"base 64":     strings.Repeat("aGVsbG8gd29ybGQK", 8<<10),
		"joined":      strings.Repeat("a_b/", 32<<10),
		"capitals":    strings.Repeat("aB", 64<<10),
		"slashes":     strings.Repeat("/", 128<<10),
		"marks":       "a" + strings.Repeat("\u0301", 64<<10),
		"one run":     strings.Repeat("雾凇", 16<<10),
		"apostrophes": strings.Repeat("a'b'", 32<<10),
		"NUL":         strings.Repeat("\x00", 128<<10),
	} {
		checkUnits(t, text)
		if n := len(termsOf(text)); n > len(text) {
			t.Errorf("%s: %d terms of %d bytes", name, n, len(text))
		}
	}
}

// checkUnits is what holds for the terms of every text.
func checkUnits(t *testing.T, text string) {
	t.Helper()
	count, last := 0, 0
	check := func(term string, start, end int) {
		count++
		if start < 0 || start >= end || end > len(text) {
			t.Fatalf("%.60q: %q stands at %d to %d", text, term, start, end)
		}
		if term == "" || len(term) > longestUnit || !utf8.ValidString(term) {
			t.Fatalf("%.60q: the term %q of %d bytes", text, term, len(term))
		}
	}
	units(text, func(u *unit) {
		if u.start < last || u.end > len(text) {
			t.Fatalf("%.60q: a unit at %d to %d after %d", text, u.start, u.end, last)
		}
		last = u.start
		if len(u.parts) == 0 || u.text() == "" || u.length() < 1 {
			t.Fatalf("%.60q: an empty unit %+v", text, *u)
		}
		u.terms(check)
		for _, p := range u.parts {
			check(p.term, p.start, p.end)
		}
	})
	if count > 8*len(text) {
		t.Fatalf("%.60q: %d terms of %d bytes", text, count, len(text))
	}
}

var seeds = []string{
	"", "a", "Deploy the database", "café straße ﬁ ㎏ ½", "path/to/file.go C++ GB/s don't l'avion --force", "雾凇词库部署时实测 BBDown视频下载", "ｶﾞ ภาษาไทย 서버 서버",
	"👩‍💻👍🏽🇩🇪", "\x00\xff\xfe", "קֶשֶׁת العَرَبِيَّة", "a\u0301\u0301\u0301", "getHTTPServerURL2x_y/z.tar.gz", "'''", "''a''", "..a..b..", "+++c+++", "###", "ﷺ", "\u200d\u00ad", "İI", "ʼn", "a'b'c'd",
	`"half`, `type:feedback tag:ci "a b" -x -word before:2026-05 foo:bar -"p q"`, `-a -b`, `tag:"`, `tag:""`, `-`, `--`, `-"`, `“x y”`,
}

func FuzzUnits(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkUnits(t, s)
		a := termsOf(s)
		var slow []string // every word taken apart, plain ones too
		u := tokenizer{yield: func(u *unit) { u.terms(func(term string, _, _ int) { slow = append(slow, term) }) }}
		chars(s, u.add)
		u.flush()
		if !slices.Equal(a, slow) {
			t.Fatalf("%q: %q, taken apart %q", s, a, slow)
		}
		w := newWorkshop()
		for range 2 { // what a workshop remembers changes nothing
			var b []string
			w.tokens.units(s, func(u *unit) { u.stemmed(w.stem, func(term string, _, _ int) { b = append(b, term) }) })
			if !slices.Equal(a, b) {
				t.Fatalf("%q: %q, from the workshop %q", s, a, b)
			}
		}
	})
}
