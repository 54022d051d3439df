package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"memsync"
)

// small is a store in which everyday and odd texts must be told apart.
func small(t testing.TB) *Index {
	return with(t,
		mem{path: "m/deploy.md", name: "Deploy checklist", desc: "what to look at before a release", body: "# Before\n\nDrain the queue, then deploy.\n\n## Rolling restart\n\nRestart the web servers one by one.\n", tags: []string{"ci", "ops"}, typ: memsync.Feedback, created: "2026-04-30", project: "Web Shop"},
		mem{path: "m/friday.md", name: "No releases on friday", body: "We never deploy on friday.\nA restart that is rolling is fine.\n", tags: []string{"ci"}, typ: memsync.Feedback, created: "2026-05-01"},
		mem{path: "m/hamlet.md", name: "Hamlet", body: "The question:\nto be or not to be, that is it.\n", typ: memsync.Reference, created: "2026-05-31"},
		mem{path: "m/code.md", name: "Conventions", body: "In C++ we write snake_case, in Go getUserName.\nThe link has 10 GB/s; see path/to/file.go and don't touch it.\n", typ: memsync.Project, key: "code.style", created: "2025-12-31"},
		mem{path: "m/rime.md", name: "雾凇", desc: "输入法", body: "第一行\n雾凇词库部署时实测\n最后\n", typ: memsync.User},
		mem{path: "m/bbdown.md", name: "BBDown", body: "用 BBDown 下载视频\n"},
		mem{path: "m/cafe.md", name: "Café", body: "Le café est dans la Hauptstraße.\n", scope: memsync.Scope{Kind: memsync.Agent, Agent: "reviewer"}},
		mem{path: "m/rocket.md", name: "🚀", body: "launch 👩‍💻\n"},
	)
}

// Whatever is typed is answered, with what it says and never with everything.
func TestQ66QueryTextThatIsSyntax(t *testing.T) {
	x := small(t)
	for query, want := range map[string]string{
		`"unterminated`:      "",
		`/[/`:                "",
		`+`:                  "",
		`a^b`:                "friday deploy", // both have the word "a"
		`~`:                  "",
		`foo~9`:              "",
		`\`:                  "",
		`:`:                  "",
		``:                   "",
		" \t ":               "",
		`-foo`:               "",
		`-friday`:            "friday", // only negatives are words
		`*`:                  "",
		`?`:                  "",
		`foo:bar`:            "",
		`friday:hamlet`:      "friday hamlet",
		`don't`:              "code",
		`dont`:               "code",
		`C++`:                "code",
		`GB/s`:               "code",
		`path/to/file.go`:    "code hamlet deploy", // the others have "to"
		`file.go`:            "code",
		`AND`:                "code", // the word "and"
		`🚀`:                  "rocket",
		"\x00":               "",
		"fri\x00day":         "friday", // "fri" and "day", inside friday
		"\xff\xfe friday":    "friday",
		`!!! ... ()`:         "",
		`to be or not to be`: "hamlet",
		`type:banana`:        "",
		`before:nonsense`:    "deploy", // the word "before"
		`"friday`:            "friday",
		`username`:           "code", // inside getUserName
		`serNam`:             "code",
		`zqxv`:               "",
		`שלום عربى`:          "",
		"\u202efriday\u202c": "friday",
	} {
		page := search(t, x, query)
		got := paths(page)
		if query == "AND" || query == "to be or not to be" || query == "before:nonsense" || query == "friday:hamlet" {
			if len(got) == 0 || len(got) == 8 || !slices.Contains(got, strings.Fields(want)[0]) {
				t.Errorf("%q finds %q, want %q among them", query, got, want)
			}
			continue
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q finds %q, want %q", query, s, want)
		}
	}
	if got := paths(search(t, x, "to be or not to be")); got[0] != "hamlet" {
		t.Errorf("only stop words: %q", got)
	}
}

// A text of any size is answered in bounded time.
func TestQ66LongQueries(t *testing.T) {
	x := small(t)
	for name, q := range map[string]string{
		"words":      strings.Repeat("deploy friday restart ", 5000),
		"different":  long(func(i int) string { return fmt.Sprintf("w%dx ", i) }),
		"one word":   "friday " + strings.Repeat("x", 100_000),
		"joined":     "friday " + strings.Repeat("a/b_", 25_000),
		"quotes":     `friday ` + strings.Repeat(`"`, 100_000),
		"a phrase":   `friday "` + strings.Repeat("to be ", 10_000) + `"`,
		"negatives":  "friday " + strings.Repeat("-zq ", 25_000),
		"operators":  "friday " + strings.Repeat("tag:x:y ", 12_000),
		"characters": "friday" + strings.Repeat("雾凇", 16_000),
		"NUL":        "friday" + strings.Repeat("\x00", 100_000),
		"marks":      "friday " + strings.Repeat("a\u0301\u0302", 20_000),
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second) // far above what is right, for machines under load
		_, err := x.Search(ctx, Request{Query: ParseQuery(q)})
		cancel()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func long(f func(int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < 100_000; i++ {
		b.WriteString(f(i))
	}
	return b.String()
}

func TestQ67ChineseAndAccents(t *testing.T) {
	x := small(t)
	for query, want := range map[string]string{
		"雾凇":           "rime",
		"词库":           "rime",
		"雾凇拼音":         "rime", // a part of it
		"雾凇 拼音":        "rime",
		"雾":            "rime", // one character
		"BBDown 视频下载":  "bbdown",
		"bbdown":       "bbdown",
		"cafe":         "cafe",
		"CAFÉ":         "cafe",
		"cafe\u0301":   "cafe",
		"hauptstrasse": "cafe",
		"Hauptstraße":  "cafe",
		`"雾凇词库"`:       "rime",
		`"词库雾凇"`:       "",
	} {
		finds(t, x, query, strings.Fields(want)...)
	}
	whole, part := search(t, x, "雾凇词库").Hits[0], search(t, x, "雾凇拼音").Hits[0]
	if part.Score >= whole.Score {
		t.Errorf("a partial match scores %v, a whole one %v", part.Score, whole.Score)
	}
	if whole.Line != 7 || whole.Text != "雾凇词库部署时实测" || marked(whole) != "雾凇词库" {
		t.Errorf("points at line %d %q, marks %q", whole.Line, whole.Text, marked(whole))
	}
	if h := search(t, x, "strasse cafe hauptstrasse").Hits[0]; h.Line != 6 || marked(h) != "café|Hauptstraße" {
		t.Errorf("points at line %d, marks %q", h.Line, marked(h))
	}
}

// marked are the marked parts of a snippet.
func marked(h Hit) string {
	var out []string
	for _, m := range h.Marks {
		out = append(out, h.Snippet[m.Start:m.End])
	}
	return strings.Join(out, "|")
}

func TestP17Scripts(t *testing.T) {
	texts := map[string]string{
		"cyrillic":   "Развёртывание базы данных",
		"greek":      "Ανάπτυξη της βάσης",
		"arabic":     "نَشْر قاعدة البيانات",
		"hebrew":     "פריסת מסד הנתונים",
		"thai":       "การปรับใช้ฐานข้อมูล",
		"kana":       "データベースのデプロイ",
		"hangul":     "데이터베이스 배포",
		"vietnamese": "Triển khai cơ sở dữ liệu",
		"hindi":      "डेटाबेस परिनियोजन",
		"khmer":      "ការដាក់ពង្រាយ",
		"emoji":      "🦀🔥",
	}
	var mems []mem
	for name, text := range texts {
		mems = append(mems, mem{path: "m/" + name + ".md", name: text, body: "x\n\n" + text + "。\n"})
	}
	x := with(t, mems...)
	for name, query := range map[string]string{
		"cyrillic":   "РАЗВЕРТЫВАНИЕ",
		"greek":      "βασης",
		"arabic":     "نشر",
		"hebrew":     "הנתונים",
		"thai":       "ฐานข้อมูล",
		"kana":       "デプロイ",
		"hangul":     "배포",
		"vietnamese": "trien khai",
		"hindi":      "डेटाबेस",
		"khmer":      "ពង្រាយ",
		"emoji":      "🔥",
	} {
		page := search(t, x, query)
		if got := paths(page); !slices.Equal(got, []string{name}) {
			t.Errorf("%s: %q finds %q", name, query, got)
			continue
		}
		if h := page.Hits[0]; h.Line != 8 || len(h.Marks) == 0 {
			t.Errorf("%s: line %d %q, %d marks", name, h.Line, h.Text, len(h.Marks))
		}
		for _, q := range []string{texts[name], strings.ToUpper(texts[name])} {
			if got := paths(search(t, x, q)); len(got) == 0 || got[0] != name {
				t.Errorf("%s: its own words find %q", name, got)
			}
		}
	}
}

// P19: what does not parse is left out and harms nobody.
func TestP19ADamagedNeighbour(t *testing.T) {
	bad := mem{path: "m/bad.md", name: "friday", body: "friday"}.doc()
	bad.Memory.Kind = memsync.KindUnreadable
	x := small(t)
	if err := x.Apply(Batch{Put: []Doc{bad}, Stamp: "r2"}); err != nil {
		t.Fatal(err)
	}
	finds(t, x, "friday", "friday")
	good := mem{path: "m/friday.md", name: "friday"}.doc()
	good.Memory.Kind = memsync.KindUnreadable // and what no longer parses goes
	if err := x.Apply(Batch{Put: []Doc{good}, Stamp: "r3"}); err != nil {
		t.Fatal(err)
	}
	finds(t, x, "friday")
}

// Q71: what was deleted is gone when Apply returns, what is excluded is in no
// page and no count.
func TestQ71DeletedAndExcluded(t *testing.T) {
	x := small(t)
	finds(t, x, "restart", "deploy", "friday")
	page, err := x.Search(context.Background(), Request{Query: ParseQuery("restart"), Exclude: []memsync.Path{"m/deploy.md", "m/nowhere.md"}})
	if err != nil || page.Total != 1 || !slices.Equal(paths(page), []string{"friday"}) {
		t.Errorf("excluded: %v, %d %q", err, page.Total, paths(page))
	}
	if err := x.Apply(Batch{Gone: []memsync.Path{"m/deploy.md", "m/never-was.md"}, Stamp: "r2"}); err != nil {
		t.Fatal(err)
	}
	finds(t, x, "restart", "friday")
	finds(t, x, "checklist")
	if p := search(t, x, "tag:ci"); p.Total != 1 || p.Stamp != "r2" {
		t.Errorf("%d have the tag at %q", p.Total, p.Stamp)
	}
}

func TestOperators(t *testing.T) {
	x := small(t)
	for query, want := range map[string]string{
		"type:feedback":                      "deploy friday",
		"type:feedback type:project":         "code deploy friday", // alternatives
		"tag:ci tag:ops":                     "deploy",             // both
		"TAG:CI -tag:ops":                    "friday",
		"restart tag:ci -friday":             "deploy",
		`restart -"rolling restart"`:         "friday",
		`"rolling restart"`:                  "deploy",
		`"restart rolling"`:                  "",
		`"Restarts the web"`:                 "", // as it is written
		`"checklist what"`:                   "", // not over two parts
		`project:"web shop"`:                 "deploy",
		"key:code.style":                     "code",
		"agent:reviewer":                     "cafe",
		"scope:agent:reviewer":               "cafe",
		"scope:agent":                        "cafe",
		"before:2026":                        "bbdown cafe code rime rocket", // whose ids are of 1970, where the memory says nothing
		"after:2026-05":                      "friday hamlet",
		"before:2026-05":                     "bbdown cafe code deploy rime rocket",
		"after:2026-04-30 before:2026-05-31": "deploy friday",
		"after:2026-05-31":                   "hamlet",
		"tag:none restart":                   "",
	} {
		finds(t, x, query, strings.Fields(want)...)
	}
	if h := search(t, x, "type:reference").Hits[0]; h.Score != 0 || h.Text != "Hamlet" {
		t.Errorf("filters alone show %+v", h)
	}
}

func TestRanking(t *testing.T) {
	x := with(t,
		mem{path: "m/all.md", name: "x", body: "alpha and beta and gamma"},
		mem{path: "m/name.md", name: "alpha", body: "nothing else"},
		mem{path: "m/two.md", name: "y", body: "alpha beta"},
		mem{path: "m/one.md", name: "z", body: "alpha"},
		mem{path: "m/often.md", name: "w", body: "alpha of alpha"},
		mem{path: "m/plural.md", name: "v", body: "a widget gadgets"},
		mem{path: "m/singular.md", name: "u", body: "a widgets gadget"},
		mem{path: "t/b.md", name: "same", body: "omega"},
		mem{path: "t/a.md", name: "same", body: "omega"},
		mem{path: "i/whole.md", name: "q", body: "uses path/to/thing.go here"},
		mem{path: "i/parts.md", name: "q", body: "a path to a thing which will go"},
	)
	for _, tc := range []struct{ query, first string }{
		{"alpha beta gamma", "all two"},
		{"alpha", "name"},             // the name counts most
		{"widget", "plural singular"}, // as it is written, then by its stem
		{"widgets", "singular plural"},
		{"omega", "a b"}, // ties by path
		{"path/to/thing.go", "whole parts"},
	} {
		want := strings.Fields(tc.first)
		if got := paths(search(t, x, tc.query)); len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("%q finds %q, want first %q", tc.query, got, want)
		}
	}
}

// A text inside words is found where it is, not where its pieces happen to be.
func TestSubstrings(t *testing.T) {
	x := with(t,
		mem{path: "m/there.md", body: "the redeployment of naïveté and getUserName"},
		mem{path: "m/pieces.md", body: "ploy loyal oyster ymer meridian enter naive"},
	)
	for query, want := range map[string]string{
		"ploymen": "there",
		"aivete":  "there", // folded
		"serNam":  "there",
		"ploymer": "",
		"ploy":    "pieces", // a word of one; only what is no word is looked for inside others
		"m/there": "there",
	} {
		finds(t, x, query, strings.Fields(want)...)
	}
}

func TestHitsPointAtTheLine(t *testing.T) {
	long := strings.Repeat("padding words that say nothing ", 40) + "here is the needle, é needle " + strings.Repeat("and more padding after it ", 40)
	x := with(t,
		mem{path: "m/a.md", name: "Deploys", desc: "about haystacks", tags: []string{"sewing"}, body: "one deploy\n\ntwo: deploying web servers\nthree: deployed web\n" + long + "\n"},
	)
	for _, tc := range []struct {
		query, text, marks string
		line               int
	}{
		{"deploy", "one deploy", "deploy", 6},
		{"deployed", "three: deployed web", "deployed", 9},
		{"web server deploy", "two: deploying web servers", "deploying|web|servers", 8},
		{"haystack", "about haystacks", "haystacks", 3},
		{"sewing", "sewing", "sewing", 4},
		{"addin", long, "", 10},
		{"needle", long, "needle|needle", 10},
	} {
		page := search(t, x, tc.query)
		if len(page.Hits) != 1 {
			t.Errorf("%q: %d hits", tc.query, len(page.Hits))
			continue
		}
		h := page.Hits[0]
		if h.Line != tc.line || h.Text != tc.text || tc.marks != "" && marked(h) != tc.marks {
			t.Errorf("%q: line %d %.40q marks %q, want %d %.40q %q", tc.query, h.Line, h.Text, marked(h), tc.line, tc.text, tc.marks)
		}
		if len(h.Snippet) > widest+2*len("…")+8 || !utf8.ValidString(h.Snippet) {
			t.Errorf("%q: a snippet of %d bytes", tc.query, len(h.Snippet))
		}
	}
}

func TestPages(t *testing.T) {
	var mems []mem
	for i := range 25 {
		mems = append(mems, mem{path: fmt.Sprintf("m/%02d.md", i), name: "n", body: strings.Repeat("word ", i%7+1)})
	}
	x := with(t, mems...)
	all := search(t, x, "word")
	if all.Total != 25 || len(all.Hits) != 25 {
		t.Fatalf("%d of %d", len(all.Hits), all.Total)
	}
	ctx := context.Background()
	var got []Hit
	req := Request{Query: ParseQuery("word"), Limit: 7}
	for {
		page, err := x.Search(ctx, req)
		if err != nil || page.Total != 25 {
			t.Fatal(err, page.Total)
		}
		got = append(got, page.Hits...)
		if req.Skip += len(page.Hits); len(page.Hits) < req.Limit {
			break
		}
	}
	if diff := cmp.Diff(all.Hits, got); diff != "" {
		t.Error(diff)
	}
	for _, skip := range []int{25, 26, 1 << 40} {
		if page, err := x.Search(ctx, Request{Query: ParseQuery("word"), Skip: skip}); err != nil || page.Total != 25 || len(page.Hits) > 0 {
			t.Errorf("behind the end: %+v %v", page, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := x.Search(cancelled, Request{Query: ParseQuery("word")}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if x.Stamp() != "r1" {
		t.Errorf("after errors the stamp is %q", x.Stamp())
	}
}
