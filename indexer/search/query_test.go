package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseQuery(t *testing.T) {
	words := func(w ...string) Query { return Query{Words: w} }
	is := func(k Key, v string) Filter { return Filter{Key: k, Value: v} }
	for _, tc := range []struct {
		text string
		want Query
	}{
		{"", Query{}},
		{" \t\n\x00 ", Query{}},
		{"deploy checklist", words("deploy", "checklist")},
		{"AND OR NOT (a) [b] c*", words("AND", "OR", "NOT", "(a)", "[b]", "c*")},
		// operators
		{"type:feedback", Query{Filters: []Filter{is(ByType, "feedback")}}},
		{"Type:Feedback x", Query{Words: []string{"x"}, Filters: []Filter{is(ByType, "feedback")}}},
		{"tag:ci tag:Linux", Query{Filters: []Filter{is(ByTag, "ci"), is(ByTag, "Linux")}}},
		{"scope:agent:reviewer agent:reviewer project:web key:a.b", Query{Filters: []Filter{is(ByScope, "agent:reviewer"), is(ByAgent, "reviewer"), is(ByProject, "web"), is(ByKey, "a.b")}}},
		{`project:"web shop" x`, Query{Words: []string{"x"}, Filters: []Filter{is(ByProject, "web shop")}}},
		{"before:2026 after:2026-05 before:2026-05-03", Query{Filters: []Filter{is(Before, "2026"), is(After, "2026-05"), is(Before, "2026-05-03")}}},
		{"x -tag:ci", Query{Words: []string{"x"}, Filters: []Filter{{Key: ByTag, Value: "ci", Not: true}}}},
		// operators that do not parse are words
		{"foo:bar", words("foo:bar")},
		{"type:banana", words("type:banana")},
		{"before:nonsense after:2026-13 before:2026-05-3", words("before:nonsense", "after:2026-13", "before:2026-05-3")},
		{"tag: x", words("tag:", "x")},
		{`tag:"" x`, words(`tag:""`, "x")},
		{`tag:"half x`, words(`tag:"half`, "x")},
		{"workspace:abc", words("workspace:abc")},
		{"http://a.b/c", words("http://a.b/c")},
		// phrases
		{`"rolling restart" now`, Query{Words: []string{"now"}, Phrases: []string{"rolling restart"}}},
		{`“rolling restart”`, Query{Phrases: []string{"rolling restart"}}},
		{`"half typed`, words(`"half`, "typed")},
		{`"`, Query{}},
		{`""`, Query{}},
		{`"!!" x`, words("x")},
		{`say"hi"`, words(`say"hi"`)},
		{`"a b"c`, Query{Words: []string{"c"}, Phrases: []string{"a b"}}},
		// negatives
		{"deploy -friday", Query{Words: []string{"deploy"}, Not: []Term{{"friday", false}}}},
		{`deploy -"on friday"`, Query{Words: []string{"deploy"}, Not: []Term{{"on friday", true}}}},
		{"tag:ci -friday", Query{Filters: []Filter{is(ByTag, "ci")}, Not: []Term{{"friday", false}}}},
		{"-foo", words("foo")},
		{`-foo -"bar baz" -tag:ci`, words("foo", " bar baz ", "tag:ci")},
		{"git commit -m --force -- -", words("git", "commit", "-m", "--force")},
		{`deploy -"half`, Query{Words: []string{"deploy"}, Not: []Term{{`"half`, false}}}},
		// nothing to find anything by
		{"?!... + ~ \\ : * /[/ ^", Query{}},
		{"-!! -??", Query{}},
		{"don't C++ 🚀 雾凇", words("don't", "C++", "🚀", "雾凇")},
	} {
		if diff := cmp.Diff(tc.want, ParseQuery(tc.text)); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", tc.text, diff)
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := ParseQuery(s)
		if q.Empty() && len(q.Not) > 0 {
			t.Fatalf("%q: only negatives: %+v", s, q)
		}
		positive := len(q.Words) + len(q.Phrases)
		for _, fl := range q.Filters {
			if !fl.Not {
				positive++
			}
			if strings.TrimSpace(fl.Value) == "" {
				t.Fatalf("%q: an empty filter: %+v", s, q)
			}
		}
		if positive == 0 && len(q.Filters) > 0 {
			t.Fatalf("%q: everything but: %+v", s, q)
		}
		if positive == 0 && len(s) <= mostQuery && sayable(strings.ReplaceAll(s, "\x00", " ")) && len(q.Words) == 0 {
			for _, op := range operators { // "tag:"x y"" and the like take their words away
				if strings.Contains(strings.ToLower(s), string(op)+":") {
					return
				}
			}
			t.Fatalf("%q has words and asks for nothing", s)
		}
		p := newPlan(q)
		if len(p.terms) > mostTerms+mostParts+1 || len(p.not) > mostTerms {
			t.Fatalf("%.60q: %d terms", s, len(p.terms))
		}
		for _, w := range p.terms {
			if w.weight <= 0 || w.weight > 1 || w.hasTerm == (len(w.chars) > 0) {
				t.Fatalf("%q: %+v", s, w)
			}
		}
	})
}

// Filters that come beside a text narrow it: they are no alternatives to its
// own, and a text of negatives alone means them.
func TestParseQueryBesideFilters(t *testing.T) {
	x := small(t)
	feedback := Filter{Key: ByType, Value: "feedback"}
	for text, want := range map[string]string{
		"":                       "deploy friday",
		"type:project":           "",
		"restart type:reference": "",
		"-friday":                "deploy",
		"restart -friday":        "deploy",
		"-tag:ops":               "friday",
	} {
		page, err := x.Search(t.Context(), Request{Query: ParseQuery(text, feedback)})
		if got := strings.Join(slices.Sorted(slices.Values(paths(page))), " "); err != nil || got != want {
			t.Errorf("%q: %q, want %q (%v)", text, got, want, err)
		}
	}
}
