package format

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"memsync"
)

var home = memsync.Scope{Kind: memsync.Global, Dir: "memory"}

func describe(t *testing.T, in string, path memsync.Path) *memsync.Memory {
	t.Helper()
	return Describe(mustParse(t, in), path, home)
}

// What each shape of the corpus says, in the words that matter.
func TestDescribeDialects(t *testing.T) {
	corpus := shapes(t)
	for _, c := range []struct {
		file  string
		typ   memsync.Type
		word  string
		name  string
		desc  string // prefix
		tags  string
		alias string
		from  string // conversations
	}{
		{"flat-type.md", "project", "", "Harbour Schedule", "Ferries leave", "", "", ""},
		{"flat-quoted-description.md", "feedback", "", "Kite Rules", `Say "ready" before letting go → then`, "", "", ""},
		{"flat-origin-session.md", "feedback", "", "feedback_no_glitter", "No glitter", "", "", "7f1c0e52-8a2b-4d16-9c55-0b6f6f0f1a11"},
		{"metadata-node-type.md", "reference", "", "lantern-colours", "Green lantern", "", "", "2d9a1c7e-aaaa-4bbb-8ccc-123456789abc"},
		{"metadata-extra-keys.md", "feedback", "", "pottery-signals", "Kiln signals", "kiln glaze", "", ""},
		{"lesson-no-type.md", "", "", "Lesson 5 Knots", "A bowline holds.", "", "", ""},
		{"name-description-only.md", "", "", "pigeon-loft", "Which birds", "", "", ""},
		{"type-study.md", "", "study", "sessao_213", "Leitura", "", "", ""},
		{"colon-in-title.md", "", "", "Lesson 5: Splices", "Cut square, whip first.", "", "", ""},
		{"quoted-name-goes-on.md", "feedback", "", `"곧" 이라는 말`, "기한을", "", "", ""},
		{"hash-in-description.md", "reference", "", "Dock Numbers", "Berth #12 is kept free for the pilot", "", "", ""},
		{"basic-memory.md", "", "note", "Carvalho Oak", "[habit] grows slowly", "trees oak", "trees/carvalho-oak", ""},
		{"basic-memory-cyrillic-key.md", "", "note", "Маяк", "Маяк горит с заката до рассвета.", "маяк море", "mayak", ""},
		{"letta-human.md", "", "", "letta-human", "What is known", "", "", ""},
		{"none-prose.md", "", "", "none-prose", "The mill wheel turns left.", "", "", ""},
		{"none-heading.md", "", "", "Mill Wheel", "Turns left, seen from the road.", "", "", ""},
		{"none-bom.md", "", "", "潮見表", "大潮は新月の翌日。", "", "", ""},
		{"bom.md", "project", "", "灯台の時刻", "日没の", "", "", ""},
		{"crlf-metadata.md", "feedback", "", "net-mending", `Mend nets "wet", never dry`, "nets rope work", "", ""},
		{"vault-links.md", "", "", "vault-links", "Title With Space and !path/note.md#head|alias and `", "garden", "Beet Beets, red", ""},
		{"comments-and-styles.md", "reference", "", "It's a style sheet", "folded over two lines", "a b c", "", ""},
		{"own-shape.md", "feedback", "", "Bell Code", "Two strokes", "bells ferry", "", "01J7VR2Q8MZ4FXWZ8WB7M2A4S0"},
		{"tag-like-body.md", "user", "", "tags in text", "Text with", "", "", ""},
		{"anchors.md", "reference", "", "Anchored", "Uses what", "", "", ""},
	} {
		t.Run(c.file, func(t *testing.T) {
			m := describe(t, string(corpus[c.file]), memsync.Path("memory/"+c.file))
			if m.Type != c.typ || m.TypeText != c.word {
				t.Errorf("type %q, word %q", m.Type, m.TypeText)
			}
			if m.Name != c.name || !strings.HasPrefix(m.Description, c.desc) || m.Description == "" {
				t.Errorf("name %q, description %q", m.Name, m.Description)
			}
			if got := strings.Join(m.Tags, " "); got != c.tags {
				t.Errorf("tags %q", got)
			}
			if got := strings.Join(m.Aliases, " "); got != c.alias {
				t.Errorf("aliases %q", got)
			}
			if got := strings.Join(m.Conversations, " "); got != c.from {
				t.Errorf("conversations %q", got)
			}
		})
	}
}

func TestDescribeEverything(t *testing.T) {
	data := shapes(t)["own-everything.md"]
	m := Describe(mustParse(t, string(data)), "memory/project_every-key.md", home)
	want := &memsync.Memory{
		ID: "01JNB2Q0T7ZC4X9V8M5H3K2RDG", Path: "memory/project_every-key.md", Scope: "global", Kind: memsync.KindMemory,
		Type: memsync.Project, Slug: "every-key", Name: "Every Key", Description: "One file with every key there is", Hook: "All the keys",
		Tags: []string{"all"}, Aliases: []string{"01JNB2Q0T7ZC4X9V8M5H3K2RDH", "old name"}, Key: "every-key", Project: "harbour",
		ValidFrom:  time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		ValidUntil: time.Date(2026, 12, 31, 23, 59, 59, 999999999, time.UTC),
		Pinned:     true, Links: []string{"01JNB2Q0T7ZC4X9V8M5H3K2RDJ"}, Supersedes: "01JNB2Q0T7ZC4X9V8M5H3K2RDK",
		Target: `{"key":"tone","primitive":"background","section":"Style"}`, Payload: `{"good":"right","scenario":"A boat asks: left or right?"}`,
		Inline: true, Hash: memsync.HashOf(data), Size: int64(len(data)), SortKey: "every key",
		BodyKey: memsync.HashOf([]byte("Text.")), MetaKey: m.MetaKey,
	}
	if d := cmp.Diff(want, m); d != "" {
		t.Error(d)
	}
	if m.MetaKey == "" {
		t.Error("no MetaKey")
	}
}

// P14: expired in all three, and a date holds through its end.
func TestP14NaturalDates(t *testing.T) {
	end := time.Date(2001, 1, 1, 23, 59, 59, 999999999, time.UTC)
	noon := time.Date(2001, 1, 1, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]time.Time{
		"2001-01-01": end, `"2001-01-01"`: end, "'2001-01-01'": end, "2001-1-1": end, "2001-01-01 # over": end,
		"2001-01-01T00:00:00Z": time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC),
		"2001-01-01T12:00:00Z": noon, "2001-01-01t12:00:00z": noon, "2001-01-01 12:00:00": noon, "2001-01-01 12:00": noon,
		"2001-01-01T14:00:00+02:00": noon, "2001-01-01 7:00:00 -5": noon, "2001-01-01T12:00:00.000Z": noon, `"2001-01-01 12:00:00 Z"`: noon,
	} {
		m := describe(t, "---\nvalid_until: "+in+"\n---\n", "memory/x.md")
		if !m.ValidUntil.Equal(want) || m.ValidUntil.Location() != time.UTC {
			t.Errorf("%s is %v, want %v", in, m.ValidUntil, want)
		}
	}
	for _, in := range []string{"26-07-26", "soon", "2001", "2001-13-01", "2001-02-30", "[2001-01-01]", "01/02/2001", "2001-01-01T"} {
		d := mustParse(t, "---\nvalid_until: "+in+"\n---\n")
		if m := Describe(d, "memory/x.md", home); !m.ValidUntil.IsZero() {
			t.Errorf("%s was taken for %v", in, m.ValidUntil)
		}
		if !hasFinding(d, memsync.FindValueInvalid, 2) {
			t.Errorf("%s: no finding", in)
		}
	}
}

// Q21: a bool is read in any spelling, and never flipped.
func TestQ21Pinned(t *testing.T) {
	for in, want := range map[string]bool{"true": true, "True": true, "yes": true, "on": true, "Y": true, `"true"`: true, "'yes'": true,
		"false": false, "no": false, "OFF": false, "n": false, `"no"`: false, "~": false, "": false} {
		d := mustParse(t, "---\npinned: "+in+"\n---\n")
		if m := Describe(d, "memory/x.md", home); m.Pinned != want {
			t.Errorf("pinned: %s is %v", in, m.Pinned)
		}
		if hasFinding(d, memsync.FindValueInvalid, 2) {
			t.Errorf("pinned: %s is found invalid", in)
		}
	}
	for _, in := range []string{"1", "0", "tRUE", "maybe", "[true]", "nope"} {
		d := mustParse(t, "---\npinned: "+in+"\n---\n")
		if Describe(d, "memory/x.md", home).Pinned || !hasFinding(d, memsync.FindValueInvalid, 2) {
			t.Errorf("pinned: %s was read, or not found", in)
		}
	}
}

func TestLists(t *testing.T) {
	for in, want := range map[string]string{"[a, 'b c']": "a|b c", "\n  - a\n  - \"b\"": "a|b", "\n- a": "a", "a": "a", "a, b ,": "a|b", "": "", "[]": "", "[00123, no]": "00123|no"} {
		if m := describe(t, "---\ntags: "+in+"\n---\n", "memory/x.md"); strings.Join(m.Tags, "|") != want {
			t.Errorf("%q is %q", in, m.Tags)
		}
	}
	for _, in := range []string{"{a: b}", "[[a]]", "\n  - a: b"} {
		if d := mustParse(t, "---\ntags: "+in+"\n---\n"); !hasFinding(d, memsync.FindValueInvalid, 2) {
			t.Errorf("%q: no finding", in)
		}
	}
}

func hasFinding(d *Document, code string, line int) bool {
	return slices.ContainsFunc(d.Findings(), func(f memsync.Finding) bool { return f.Code == code && f.Line == line })
}

func TestForeignID(t *testing.T) {
	d := mustParse(t, "---\nname: a\nid: 42\n---\n")
	m := Describe(d, "memory/x.md", home)
	if m.ID != "" || m.Inline || !slices.Equal(m.Aliases, []string{"42"}) || !hasFinding(d, memsync.FindForeignID, 3) {
		t.Errorf("%+v", m)
	}
	m = describe(t, "---\nid: \"01jnb2q0t7zc4x9v8m5h3k2rdf\"\n---\n", "memory/x.md")
	if m.ID != someID || !m.Inline {
		t.Errorf("%+v", m)
	}
}

func TestFindings(t *testing.T) {
	lim := memsync.DefaultLimits()
	long := strings.Repeat("d", lim.DescriptionChars+1)
	for _, c := range []struct {
		in, path string
		want     []string // code@line
	}{
		{"---\nname: a\ndescription: b\ntype: user\n---\n\ntext\n", "x.md", nil},
		{"text\n", "x.md", []string{"MS102@1", "MS103@1", "MS104@1"}},
		{"text\n", "2026-01-02.md", nil},
		{"---\nname: a\ndescription: b\ntype: study\n---\n", "x.md", []string{"MS104@4"}},
		{"---\nname: a\ndescription: b\nmetadata:\n  type: study\n---\n", "x.md", []string{"MS104@5"}},
		{"---\nname: a\ndescription: b\ntype: user\ncssclass: wide\n---\n", "x.md", []string{"MS105@5"}},
		{"---\nname: a\ndescription: b\ntype: user\nscope: workspace\n---\n", "x.md", []string{"MS106@5"}},
		{"---\nname: a\ndescription: b\ntype: user\nscope: global\nagent: reviewer\n---\n", "x.md", []string{"MS106@6"}},
		{"---\nname: a\ndescription: b\ntype: user\n---\n" + strings.Repeat("x\n", lim.BodyLines+1), "x.md", []string{"MS107@6"}},
		{"---\nname: a\ndescription: b\ntype: user\n---\n```\n<<<<<<< a\n```\n", "x.md", []string{"MS108@7"}},
		{"---\nname: a\ndescription: " + long + "\ntype: user\n---\n", "x.md", []string{"MS110@3"}},
		{"---\r\nname: a\ndescription: b\ntype: user\n---\n", "x.md", []string{"MS111@1"}},
		{"---\nname: a\ndescription: b\ntype: !x user\n---\n", "x.md", []string{"MS112@4"}},
		{"---\nname: a\ndescription: b\ntype: user\n---\n", "project_x.md", []string{"MS206@2"}},
		{"---\nname: a: c\ndescription: b\ntype: user\n---\n", "x.md", []string{"MS101@2"}},
		{"---\nname: a\ndescription: b\ntype: user\nsupersedes: x\n---\n", "x.md", []string{"MS109@5"}},
	} {
		d, err := Parse([]byte(c.in), lim)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range Check(d, memsync.Path("memory/"+c.path), home) {
			got = append(got, f.Code+"@"+strconv.Itoa(f.Line))
			if f.Path != memsync.Path("memory/"+c.path) || f.Column < 1 || f.Message == "" {
				t.Errorf("%+v", f)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%.60q: %v, want %v", c.in, got, c.want)
		}
	}
}

func TestMetaKeySeesWhatMatters(t *testing.T) {
	base := "---\nname: a\ntype: user\ntags: [x]\n---\n"
	key := func(s string) memsync.Hash { return describe(t, s, "memory/x.md").MetaKey }
	for _, same := range []string{
		"---\ntags:\n- x\ntype: 'user'\nname: \"a\"\n---\nother body",
		"---\nid: " + someID + "\nname: a\ntype: user\ntags: [x]\nprovenance:\n  updated_at: 2026-01-01\n---\n",
		"---\nname: a\ntype: user\ntags: [x]\noriginSessionId: q\nmodified: z\nmetadata:\n  modified: y\n  originSessionId: p\n---\n",
		"---\r\nname: a\r\ntype: user\r\ntags: [x]\r\n---\r\n",
	} {
		if key(same) != key(base) {
			t.Errorf("differs: %q", same)
		}
	}
	for _, other := range []string{
		"---\nname: b\ntype: user\ntags: [x]\n---\n", "---\nname: a\ntype: project\ntags: [x]\n---\n", "---\nname: a\ntype: user\n---\n",
		"---\nname: a\ntype: user\ntags: x\n---\n", "---\nname: a\ntype: user\ntags: [x]\npinned: true\n---\n", "",
	} {
		if key(other) == key(base) {
			t.Errorf("is the same: %q", other)
		}
	}
}

func TestBodyKey(t *testing.T) {
	a := describe(t, "---\nname: a\n---\n\ntext  \n\n", "memory/a.md")
	b := describe(t, "\ufefftext\r\n", "memory/b.md")
	if a.BodyKey != b.BodyKey || a.BodyKey == "" {
		t.Error("the same text has two keys")
	}
	if describe(t, "---\nname: a\n---\n", "memory/a.md").BodyKey != "" {
		t.Error("an empty body has a key, so that all of them count as the same text")
	}
}

func TestKindAndSlug(t *testing.T) {
	for path, want := range map[memsync.Path]string{
		"memory/feedback_no_push.md": "memory no-push", "memory/feedback-no-push.md": "memory no-push", "memory/no_push.md": "memory no-push",
		"memory/user.md": "memory user", "memory/2026-02-06.md": "log 2026-02-06", "memory/daily/x.md": "log x", "memory/a/briefs/b/x.md": "log x",
		"memory/2026-13-06.md": "memory 2026-13-06", "memory/Zażółć Gęślą.md": "memory zażółć-gęślą", "memory/project/2026-01/project_x.md": "memory x",
	} {
		m := describe(t, "text\n", path)
		if got := string(m.Kind) + " " + m.Slug; got != want || m.Type != memsync.Untyped {
			t.Errorf("%s: %s, %q", path, got, m.Type)
		}
	}
}

func TestFirstSentence(t *testing.T) {
	for in, want := range map[string]string{
		"One. Two.":                      "One.",
		"Only one":                       "Only one",
		"# Head\n\nText goes\non. More.": "Text goes on.",
		"```\ncode.\n```\nText.":         "Text.",
		"<!-- x. -->\nText.":             "Text.",
		"<!-- x\ny -->\nText.":           "Text.",
		"- first item\n- second":         "first item",
		"- [ ] to do. Later.":            "to do.",
		"> quoted\n> on.":                "quoted on.",
		"**Why:** because. So.":          "Why: because.",
		"| a | b |\n|---|---|\n\nText.":  "Text.",
		"---\n\nText.":                   "Text.",
		"See z. B. the list. Then.":      "See z. B. the list.",
		"Costs 1.50 or 2. 5 each. End.":  "Costs 1.50 or 2. 5 each.",
		"網は濡れたまま直す。乾くと切れる。":          "網は濡れたまま直す。",
		"He said \"go.\" Then left.": "He said \"go.\"",
		"# Only a heading":           "",
		"":                           "",
		"a\u2028b\tc":                "a b c",
		"See [[x]] now.":             "See x now.",
		strings.Repeat("é", 400):     strings.Repeat("é", 299) + "…",
		strings.Repeat("x", 298) + "e\u0301e\u0301e": strings.Repeat("x", 298) + "e\u0301…",
	} {
		if got := firstSentence(in, 300); got != want {
			t.Errorf("%.40q: %q, want %q", in, got, want)
		}
	}
}

func TestNamesAreOneLine(t *testing.T) {
	m := describe(t, "---\nname: \"A\\n- [x](evil.md) - forged\"\ndescription: \"a\\r\\nb\\u2028c\"\nhook: |\n  x\n  y\n---\n", "memory/x.md")
	if m.Name != "A - [x](evil.md) - forged" || m.Description != "a b c" || m.Hook != "x y" {
		t.Errorf("%q %q %q", m.Name, m.Description, m.Hook)
	}
}

func TestLinks(t *testing.T) {
	d := mustParse(t, "---\nname: \"[[no]]\"\n---\n\n[[a]] [[b|x]] [[c#h]] [[d/e.md]] ![[f]] [[a]] `[[g]]` ``[[h]] ` ``[[ i j ]]\n\n```\n[[k]]\n```\n\n| [[l\\|m]] | [[]] [[#only]] [[open\n[[n]] and ` [[o]]\n")
	if got, want := strings.Join(Links(d), ","), "a,b,c,e,f,i j,l,n,o"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	v := mustParse(t, string(shapes(t)["vault-links.md"]))
	if got, want := strings.Join(Links(v), ","), "Title With Space,note,other"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestLinksResolve(t *testing.T) {
	all := map[string]*memsync.Memory{}
	for _, m := range []*memsync.Memory{
		{Path: "m/feedback_no_push.md", Name: "No Push", ID: someID, Aliases: []string{"old-name"}},
		{Path: "m/project_x_y.md", Name: "x-y"},
		{Path: "m/plain.md", Name: "Some Title"},
		{Path: "m/Some Title.md", Name: "other"},
		{Path: "m/twice.md", Name: "same"},
		{Path: "m/sub/two.md", Name: "same"},
		{Path: "m/straße.md", Name: "Straße"},
	} {
		all[string(m.Path)] = m
	}
	names := NewNames(maps.Values(all))
	for target, want := range map[string]string{
		"No Push":          "m/feedback_no_push.md",
		"feedback_no_push": "m/feedback_no_push.md",
		"feedback-no-push": "m/feedback_no_push.md",
		"no-push":          "m/feedback_no_push.md",
		"no push":          "m/feedback_no_push.md",
		"NO_PUSH":          "m/feedback_no_push.md",
		"old-name":         "m/feedback_no_push.md",
		"OLD_NAME":         "m/feedback_no_push.md",
		someID:             "m/feedback_no_push.md",
		"x-y":              "m/project_x_y.md",
		"project_x_y":      "m/project_x_y.md",
		"Some Title":       "m/plain.md", // by name before by stem
		"STRASSE":          "m/straße.md",
		"nothing":          "",
	} {
		got := ""
		if hit := names.Resolve(target); len(hit) == 1 {
			got = string(hit[0].Path)
		}
		if got != want {
			t.Errorf("%s resolves to %q, want %q", target, got, want)
		}
	}
	if hit := names.Resolve("same"); len(hit) != 2 {
		t.Errorf("an ambiguous name has %d answers", len(hit))
	}
}
