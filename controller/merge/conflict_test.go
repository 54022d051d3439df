package merge

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"memsync"
)

func drawValue(t *rapid.T, label string) *memsync.Value {
	texts := rapid.OneOf(
		rapid.SampledFrom([]string{"", "\n", "```", "````\na\n````", "### lost\n\n```text\nx\n```", "nothing", "## Place 2", "a\r\nb", "\n\n", "---\n"}),
		rapid.String(),
	)
	switch rapid.IntRange(0, 3).Draw(t, label+" kind") {
	case 0:
		return nil
	case 1:
		v := memsync.Value{IsList: true, List: []string{}}
		v.List = append(v.List, rapid.SliceOfN(texts, 0, 3).Draw(t, label)...)
		return &v
	}
	return &memsync.Value{Text: texts.Draw(t, label)}
}

func drawRecord(t *rapid.T) Record {
	moment := rapid.Custom(func(t *rapid.T) time.Time {
		s := rapid.Int64Range(0, 4e9).Draw(t, "second")
		if s%5 == 0 {
			return time.Time{}
		}
		return time.Unix(s, rapid.Int64Range(0, 999).Draw(t, "ms")*1e6).UTC()
	})
	r := Record{
		Kind:   rapid.SampledFrom([]string{Scalar, Body, DeleteEdit, Unparsed}).Draw(t, "kind"),
		Key:    rapid.SampledFrom([]string{"", "name", "metadata.type", "a: \"b\"\nc", "a | b"}).Draw(t, "key"),
		Memory: rapid.SampledFrom([]memsync.ID{"", "01JNB2Q0T7ZC4X9V8M5H3K2RDF"}).Draw(t, "id"),
		Kept:   moment.Draw(t, "kept"),
		Lost:   moment.Draw(t, "lost"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "places") {
		r.Places = append(r.Places, Place{Base: drawValue(t, "base"), Kept: drawValue(t, "kept"), Lost: drawValue(t, "lost")})
	}
	return r
}

// Whatever the losing text is, it is wholly there and can't pass for
// something else.
func TestRecordRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecord(t)
		for _, p := range r.Places { // JSON holds text, and these are bytes
			for _, v := range []*memsync.Value{p.Base, p.Kept, p.Lost} {
				if v != nil {
					for i, s := range v.List {
						v.List[i] = string(bytes.ToValidUTF8([]byte(s), []byte("?")))
					}
				}
			}
		}
		got, err := ParseRecord(r.Markdown())
		if err != nil {
			t.Fatalf("%v\n%s", err, r.Markdown())
		}
		if d := cmp.Diff(r, got); d != "" {
			t.Fatalf("-want +got\n%s\n%s", d, r.Markdown())
		}
	})
}

func TestRecordReads(t *testing.T) {
	r := Record{Kind: Body, Memory: "01JNB2Q0T7ZC4X9V8M5H3K2RDF",
		Kept:   time.Date(2026, 4, 12, 14, 32, 11, 0, time.UTC),
		Lost:   time.Date(2026, 4, 12, 9, 0, 0, 0, time.UTC),
		Places: []Place{{Base: lineValue([]string{"Deploy on Monday."}), Kept: lineValue([]string{"Deploy on Friday."}), Lost: lineValue([]string{"Deploy on Tuesday."})}}}
	want := "---\nconflict: body\nmemory: 01JNB2Q0T7ZC4X9V8M5H3K2RDF\nkept: 2026-04-12T14:32:11Z\nlost: 2026-04-12T09:00:00Z\n---\n\n" +
		"# Two versions of the same lines\n\n" +
		"Two versions changed the same lines. The file has the lines kept, these were the others.\n\n" +
		"## Place 1\n\n### lost\n\n```text\nDeploy on Tuesday.\n```\n\n### kept\n\n```text\nDeploy on Friday.\n```\n\n### before\n\n```text\nDeploy on Monday.\n```\n"
	if d := cmp.Diff(want, string(r.Markdown())); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add([]byte("---\nconflict: body\n---\n\n## Place 1\n\n### lost\n\n```text\na\n```\n"))
	f.Add([]byte("---\nconflict: scalar\nkey: \"name\"\nkept: 2026-04-12T14:32:11Z\n---\n## Place 1\n### kept\nnothing\n### lost\n```json\n[\"a\"]\n```\n"))
	f.Add([]byte("---\nconflict: unparsed\n---\n### lost\n````\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseRecord(data)
		if err != nil {
			return
		}
		again, err := ParseRecord(r.Markdown())
		if err != nil {
			t.Fatalf("what was read does not read again: %v", err)
		}
		if d := cmp.Diff(r, again); d != "" {
			t.Fatalf("-first +second\n%s", d)
		}
	})
}
