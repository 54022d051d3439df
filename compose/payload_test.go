package compose

import (
	"errors"
	"strings"
	"testing"

	"memsync"
)

// One row per line of the design's table: a missing payload is valid and cannot
// be promoted, a wrong one is refused.
func TestPayloads(t *testing.T) {
	const (
		freeze    = `{"key":"freeze","primitive":"background","section":"currentState"}`
		source    = `{"primitive":"awareness"}`
		heuristic = `{"domain":"d","primitive":"judgment","slot":"heuristics"}`
		instance  = `{"judgmentDomain":"d","primitive":"example"}`
		recover   = `{"primitive":"recovery"}`
		flow      = `{"capability":"c","primitive":"manual","section":"workflows"}`
	)
	for name, tc := range map[string]struct{ target, payload, refused, lacks string }{
		"background has its body":         {freeze, "", "", ""},
		"background takes none":           {freeze, `{"name":"a"}`, `payload does not go with "background"`, ""},
		"awareness needs one":             {source, "", "", "a payload"},
		"awareness":                       {source, `{"accessMethod":"c","description":"b","name":"a"}`, "", ""},
		"awareness without a way there":   {source, `{"description":"b","name":"a"}`, "payload.accessMethod is missing", ""},
		"awareness with more":             {source, `{"accesMethod":"c","description":"b","name":"a"}`, `payload.accesMethod is an unknown key (did you mean "accessMethod"?)`, ""},
		"a heuristic has its body":        {heuristic, "", "", ""},
		"a heuristic takes none":          {heuristic, `{}`, `payload does not go with "judgment"`, ""},
		"an example needs one":            {instance, "", "", "a payload"},
		"the shortest example":            {instance, `{"good":"b","scenario":"a"}`, "", ""},
		"the longest":                     {instance, `{"bad":"c","good":"b","reasoning":"d","scenario":"a"}`, "", ""},
		"an example without what is good": {instance, `{"scenario":"a"}`, "payload.good is missing", ""},
		"recovery has its body":           {recover, "", "", ""},
		"a workflow needs one":            {flow, "", "", "a payload"},
		"a workflow's name is enough":     {flow, `{"name":"a"}`, "", ""},
		"a workflow":                      {flow, `{"description":"b","name":"a"}`, "", ""},
		"a name has a limit":              {flow, `{"name":"` + strings.Repeat("n", MaxName+1) + `"}`, "payload.name has 121 characters", ""},
		"no mapping":                      {flow, `["a"]`, "payload is not a mapping", ""},
		"a value that is no text":         {flow, `{"name":{"a":"b"}}`, "payload.name is not text", ""},
		"an empty value":                  {flow, `{"name":" "}`, "payload.name is empty", ""},
		"null is absent":                  {flow, `{"name":"a","description":null}`, "", ""},
		"without a target":                {"", `{"name":"a"}`, "payload belongs to no target", ""},
		"neither":                         {"", "", "", "a target"},
	} {
		s, err := SnapshotOf(&memsync.Memory{Target: tc.target, Payload: tc.payload}, "the body\n")
		var e *memsync.Error
		if errors.As(err, &e) {
			if tc.refused == "" || !strings.HasPrefix(e.Message, tc.refused) || e.Code != memsync.CodeFrontmatter {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if tc.refused != "" || s.Lacks() != tc.lacks {
			t.Errorf("%s: lacks %q, want %q %q", name, s.Lacks(), tc.lacks, tc.refused)
		}
		if (s.Lacks() == "") != (s.Address() != "") {
			t.Errorf("%s: address %s", name, s.Address())
		}
	}
	if s, err := SnapshotOf(&memsync.Memory{Target: recover}, " \n"); err != nil || s.Lacks() != "a text" {
		t.Errorf("an empty body: %q, %v", s.Lacks(), err)
	}
}

func TestSnapshotBytes(t *testing.T) {
	for name, l := range map[string]Learned{
		"text":    judgment(1, "d: #e", "heuristics", "# Not a 'heading': \"quoted\"\n---\na: b\n---"),
		"payload": learned(1, Target{Primitive: ExampleSlot, Domain: "d"}, Payload{Scenario: "a\nb", Good: "'é'\u2028\x01", Reasoning: "<&>"}, ""),
		"name":    awareness(1, "a"),
	} {
		data, err := l.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseSnapshot(data)
		want := l.Snapshot
		want.Text = oneLine(want.Text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v from\n%s", name, got, err, data)
		}
		if again, _ := got.Bytes(); string(again) != string(data) {
			t.Errorf("%s: not a fixed point", name)
		}
	}
	if _, err := ParseSnapshot([]byte("---\ntarget: {primitive: nowhere}\n---\n")); err == nil {
		t.Error("a snapshot of no place is read")
	}
	s, err := ParseSnapshot([]byte("---\ntarget: {primitive: recovery}\n---\n\nby hand\n"))
	if err != nil || s != recovery(1, "by hand").Snapshot {
		t.Errorf("YAML of a person: %+v, %v", s, err)
	}
}

// FuzzParseSnapshot: what is read is written so that it is read alike, and its
// bytes, which a person approves by their hash, do not change again.
func FuzzParseSnapshot(f *testing.F) {
	for _, s := range []string{"", "---\ntarget: {primitive: recovery}\n---\n\n# a\n\n---\nb: c\n---\n",
		"---\ntarget: '{\"primitive\":\"awareness\"}'\npayload: {name: \"a\\nb\", description: c, accessMethod: d}\n---\n",
		"---\ntarget: {primitive: judgment, domain: \"\\x01\", slot: heuristics}\n---\n<<<<<<< x\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseSnapshot(data)
		if err != nil {
			return
		}
		written, err := s.Bytes()
		if err != nil {
			if s.Lacks() == "" && !strings.ContainsAny(s.Text, "<>|") {
				t.Fatalf("%+v: %v", s, err)
			}
			return
		}
		again, err := ParseSnapshot(written)
		if err != nil || again != s {
			t.Fatalf("%+v\n%+v, %v", s, again, err)
		}
		if twice, _ := again.Bytes(); string(twice) != string(written) {
			t.Fatalf("%q\n%q", written, twice)
		}
	})
}
