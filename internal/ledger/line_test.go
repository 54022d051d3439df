package ledger

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"memsync"
)

// id is a readable event or memory id: one letter and a number.
func id(s string) memsync.ID {
	const zeros = "01HZZZZZZZ0000000000000000"
	return memsync.ID(zeros[:26-len(s)] + s)
}

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t
}

var (
	person  = memsync.Actor{Class: memsync.ClassPerson}
	agent   = memsync.Actor{Class: memsync.ClassAgent, Name: "reviewer"}
	program = memsync.Actor{Class: memsync.ClassProgram, Name: "memsync"}
)

func TestLineIsTheDesignsExample(t *testing.T) {
	no := false
	e := memsync.LedgerEvent{
		ID: id("E1"), Op: memsync.LedgerCorroborate, Memory: id("M1"), At: at("2026-03-07T11:20:09.001Z"),
		Actor: agent, Conversation: "c-90", Exposed: &no,
	}
	want := `{"id":"` + string(id("E1")) + `","op":"corroborate","memory":"` + string(id("M1")) +
		`","at":"2026-03-07T11:20:09.001Z","actor":{"class":"agent","name":"reviewer"},"conversation":"c-90","exposed":false}` + "\n"
	if got := string(Append(nil, e)); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

func TestLineTimeHasThreeDecimalsInUTC(t *testing.T) {
	for in, want := range map[string]string{
		"2026-03-07T11:20:09Z":              `"at":"2026-03-07T11:20:09.000Z"`,
		"2026-03-07T13:20:09.5+02:00":       `"at":"2026-03-07T11:20:09.500Z"`,
		"2026-03-07T11:20:09.001999999Z":    `"at":"2026-03-07T11:20:09.001Z"`,
		"2026-01-01T00:30:00.250000+01:00":  `"at":"2025-12-31T23:30:00.250Z"`,
		"2026-03-07T11:20:09.100000000000Z": `"at":"2026-03-07T11:20:09.100Z"`,
	} {
		got := string(Append(nil, memsync.LedgerEvent{ID: id("E1"), Op: "x", At: at(in)}))
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %s", in, got)
		}
	}
}

// TestLineHasEveryFieldOfTheEvent fails when LedgerEvent grows a field that
// the file would lose, or the two orders of keys part.
func TestLineHasEveryFieldOfTheEvent(t *testing.T) {
	event, own := reflect.TypeFor[memsync.LedgerEvent](), reflect.TypeFor[line]()
	if event.NumField() != own.NumField() {
		t.Fatalf("LedgerEvent has %d fields, line %d", event.NumField(), own.NumField())
	}
	for i := range event.NumField() {
		e, l := event.Field(i), own.Field(i)
		if e.Name != l.Name || e.Tag != l.Tag || e.Type != l.Type && e.Name != "At" {
			t.Errorf("field %d: %s %s %s in the event, %s %s %s in the line", i, e.Name, e.Type, e.Tag, l.Name, l.Type, l.Tag)
		}
	}
	// And every one of them survives: fill each and read it back.
	e := memsync.LedgerEvent{}
	fill(reflect.ValueOf(&e).Elem())
	e.At = at("2026-03-07T11:20:09.001Z")
	got, findings := Parse("l.jsonl", Append(nil, e))
	if len(findings) > 0 || len(got) != 1 {
		t.Fatalf("read %d events, findings %v", len(got), findings)
	}
	if d := cmp.Diff(e, got[0]); d != "" {
		t.Error(d)
	}
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[memsync.ID]() {
			v.SetString(string(id("E7")))
			return
		}
		v.SetString("x")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	}
}

// TestNoFieldHoldsAText keeps the law that texts never stand in events: the
// only free words are a person's reason and names. A new field has to be
// judged here before it can be written.
func TestNoFieldHoldsAText(t *testing.T) {
	kinds := map[string]string{
		"ID": "id", "Op": "word", "Memory": "id", "At": "time", "Actor": "who", "Conversation": "name", "Exposed": "flag",
		"Sees": "ids", "Path": "path", "Hash": "hash", "Blob": "hash", "Value": "hash", "Fingerprint": "hash", "Other": "id",
		"Target": "place in a prompt", "Proposal": "id", "Outcome": "word", "Conflict": "name", "Reason": "why",
	}
	typ := reflect.TypeFor[memsync.LedgerEvent]()
	for i := range typ.NumField() {
		if kinds[typ.Field(i).Name] == "" {
			t.Errorf("LedgerEvent.%s is new: say what it holds; the text of a memory is not allowed", typ.Field(i).Name)
		}
	}
}

func TestParseSkipsCountsAndReportsWhatItCannotRead(t *testing.T) {
	good := string(Append(nil, memsync.LedgerEvent{ID: id("E1"), Op: "delete", Memory: id("M1"), At: at("2026-03-07T11:20:09Z"), Actor: person}))
	for name, tc := range map[string]struct {
		line, says string
		column     int
	}{
		"half a line":           {good[:40], "it is not JSON", 40},
		"git's conflict marker": {"<<<<<<< HEAD", "it is not JSON", 1},
		"not an object":         {`["x"]`, "wrong type", 1},
		"a wrong type":          {strings.Replace(good, `"op":"delete"`, `"op":7`, 1), `"op" has the wrong type`, 41},
		"no op":                 {strings.Replace(good, `"op":"delete",`, ``, 1), `no "op"`, 0},
		"no id":                 {`{"op":"delete","at":"2026-03-07T11:20:09Z"}`, `"id" is not a ULID`, 0},
		"a person's id":         {`{"id":"42","op":"delete","at":"2026-03-07T11:20:09Z"}`, `"id" is not a ULID`, 0},
		"another id":            {strings.Replace(good, string(id("M1")), "m1", 1), `"memory" is not a ULID`, 0},
		"no time":               {`{"id":"` + string(id("E1")) + `","op":"delete"}`, "RFC 3339", 0},
		"a date only":           {strings.Replace(good, "2026-03-07T11:20:09.000Z", "2026-03-07", 1), "RFC 3339", 0},
		"out of the scope":      {strings.Replace(good, `"actor"`, `"path":"../other/a.md","actor"`, 1), "leads out", 0},
		"an absolute path":      {strings.Replace(good, `"actor"`, `"path":"/etc/a.md","actor"`, 1), "leads out", 0},
		"a secret-looking line": {`{"id": "` + "ghp_" + strings.Repeat("x", 36) + `"}`, "RFC 3339", 0},
		"text after the event":  {strings.TrimSuffix(good, "\n") + " and more", "it is not JSON", len(good) + 1},
	} {
		t.Run(name, func(t *testing.T) {
			other := memsync.LedgerEvent{ID: id("E2"), Op: "delete", Memory: id("M2"), At: at("2026-03-07T11:20:10Z"), Actor: person}
			data := append([]byte(strings.TrimSuffix(tc.line, "\n")+"\n"), Append(nil, other)...)
			events, findings := Parse("memory/_system/ledger/2026-03.c.jsonl", data)
			if len(events) != 1 || events[0].ID != other.ID {
				t.Errorf("the line after it was not read: %v", events)
			}
			if len(findings) != 1 {
				t.Fatalf("findings: %v", findings)
			}
			f := findings[0]
			if f.Code != "MS603" || f.Line != 1 || f.Column != tc.column || f.Path != "memory/_system/ledger/2026-03.c.jsonl" {
				t.Errorf("finding %+v, want column %d", f, tc.column)
			}
			if !strings.Contains(f.Message, tc.says) {
				t.Errorf("message %q does not say %q", f.Message, tc.says)
			}
			if strings.Contains(f.Message, "ghp_") {
				t.Error("the finding quotes the line")
			}
		})
	}
}

func TestParseReadsWhatOtherToolsLeave(t *testing.T) {
	want := memsync.LedgerEvent{ID: id("E1"), Op: "delete", Memory: id("M1"), At: at("2026-03-07T11:20:09.001Z"), Actor: person, Reason: `say "no"`}
	own := string(Append(nil, want))
	for name, data := range map[string]string{
		"as written":            own,
		"unfinished":            strings.TrimSuffix(own, "\n"),
		"CRLF":                  strings.ReplaceAll(own, "\n", "\r\n"),
		"blank lines":           "\n  \n" + own + "\n\n",
		"spaces":                strings.ReplaceAll(own, `":`, `" : `),
		"a lower-case id":       strings.Replace(own, string(want.ID), strings.ToLower(string(want.ID)), 1),
		"another offset":        strings.Replace(own, "2026-03-07T11:20:09.001Z", "2026-03-07T12:20:09.001+01:00", 1),
		"finer time":            strings.Replace(own, "09.001Z", "09.00154Z", 1),
		"an escaped letter":     strings.Replace(own, `"op":"delete"`, `"op":"d\u0065lete"`, 1),
		"a key we do not know":  strings.Replace(own, `"actor"`, `"mood":{"x":[1]},"actor"`, 1),
		"empty keys written":    strings.Replace(own, `"actor"`, `"path":"","sees":[],"exposed":null,"actor"`, 1),
		"twice, as after merge": own + own,
		"twice, once unlike":    own + strings.ReplaceAll(own, `":`, `": `),
	} {
		events, findings := Parse("l", []byte(data))
		if len(findings) > 0 || len(events) != 1 {
			t.Errorf("%s: %d events, findings %v", name, len(events), findings)
			continue
		}
		if d := cmp.Diff(want, events[0]); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestAppendEndsAnUnfinishedLineAndAltersNothing(t *testing.T) {
	e := memsync.LedgerEvent{ID: id("E1"), Op: "delete", At: at("2026-03-07T11:20:09Z"), Actor: person}
	own := string(Append(nil, e))
	for existing, want := range map[string]string{
		"":           own,
		own:          own + own,
		`{"id":"01J`: `{"id":"01J` + "\n" + own,
		"a\r\n":      "a\r\n" + own,
	} {
		before := []byte(existing)
		if got := string(Append(before, e)); got != want {
			t.Errorf("%q: got %q", existing, got)
		}
		if string(before) != existing {
			t.Errorf("%q was altered", existing)
		}
	}
	if got := Append([]byte("half")); string(got) != "half" {
		t.Errorf("with nothing to add: %q", got)
	}
}

// events of every shape that can be written.
func genEvent() *rapid.Generator[memsync.LedgerEvent] {
	ids := rapid.SampledFrom([]memsync.ID{"", id("M1"), id("M2"), id("E1"), id("E2"), id("E3")})
	words := rapid.OneOf(rapid.SampledFrom([]string{"", "c-1", `"`, `\`, "a\nb", "é日\u2028<&>", "\x00\x1f"}), rapid.String())
	return rapid.Custom(func(t *rapid.T) memsync.LedgerEvent {
		e := memsync.LedgerEvent{
			ID: rapid.SampledFrom([]memsync.ID{id("E1"), id("E2"), id("E3"), id("E4")}).Draw(t, "id"),
			Op: rapid.SampledFrom([]memsync.LedgerOp{"delete", "identify", "restore", "from-the-future", `o"d`}).Draw(t, "op"),
			At: time.UnixMilli(rapid.Int64Range(0, 4102444800000).Draw(t, "at")).UTC(), Memory: ids.Draw(t, "memory"), Other: ids.Draw(t, "other"),
			Actor:        memsync.Actor{Class: memsync.ActorClass(words.Draw(t, "class")), Name: words.Draw(t, "name")},
			Conversation: words.Draw(t, "conversation"), Reason: words.Draw(t, "reason"), Fingerprint: words.Draw(t, "fingerprint"),
			Path:   rapid.SampledFrom([]memsync.Path{"", "a.md", "a/b.md", "..md", "é\n.md"}).Draw(t, "path"),
			Target: words.Draw(t, "target"), Outcome: words.Draw(t, "outcome"), Value: memsync.Hash(words.Draw(t, "value")),
		}
		if rapid.Bool().Draw(t, "has exposed") {
			b := rapid.Bool().Draw(t, "exposed")
			e.Exposed = &b
		}
		for range rapid.IntRange(0, 3).Draw(t, "sees") {
			e.Sees = append(e.Sees, rapid.SampledFrom([]memsync.ID{id("E1"), id("E9")}).Draw(t, "seen"))
		}
		return e
	})
}

func TestParseReturnsWhatAppendWrote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		existing := []byte(rapid.SampledFrom([]string{"", "half a line", "\n", `{"id":"x"}` + "\n"}).Draw(t, "existing"))
		before, findingsBefore := Parse("l", existing)
		e := genEvent().Draw(t, "event")
		after, findings := Parse("l", Append(existing, e))
		if d := cmp.Diff(append(before, e), after); d != "" {
			t.Fatal(d)
		}
		if d := cmp.Diff(findingsBefore, findings); d != "" {
			t.Fatal("appending changed the findings: " + d)
		}
	})
}

func FuzzParse(f *testing.F) {
	own := Append(nil, memsync.LedgerEvent{ID: id("E1"), Op: "delete", Memory: id("M1"), At: at("2026-03-07T11:20:09.001Z"), Actor: agent})
	yes := true
	full := memsync.LedgerEvent{Exposed: &yes}
	fill(reflect.ValueOf(&full).Elem())
	full.At = at("2026-03-07T11:20:09.001Z")
	for _, seed := range [][]byte{
		nil, own, own[:30], append(own, own...), Append(own, full), bytes.ReplaceAll(own, []byte(`":`), []byte(`": `)),
		bytes.Replace(own, []byte("09.001Z"), []byte("09,001Z"), 1), bytes.Replace(own, []byte("delete"), []byte("d\xff"), 1),
		[]byte("<<<<<<< HEAD\n" + string(own) + "=======\n>>>>>>> x\n"), []byte(`{"ID":"` + string(id("E1")) + `","Op":"x","AT":"2026-03-07T11:20:09Z"}`),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		events, _ := Parse("l", data)
		// What was read can be written and is read the same.
		again, findings := Parse("l", Append(nil, events...))
		if len(findings) > 0 {
			t.Fatalf("own lines are not read: %v", findings)
		}
		if d := cmp.Diff(events, again); len(events) > 0 && d != "" {
			t.Fatal(d)
		}
		// Append leaves every earlier byte alone.
		if got := Append(data, full); !bytes.HasPrefix(got, data) {
			t.Fatal("Append altered earlier bytes")
		}
		// The fast reader and the patient one agree wherever the fast one answers.
		for l := range bytes.SplitSeq(data, []byte{'\n'}) {
			fast, ok := parseCanonical(l)
			if !ok {
				continue
			}
			slow, _, err := parseAny(l)
			if err != nil {
				t.Fatalf("only the fast reader takes %q: %v", l, err)
			}
			if d := cmp.Diff(slow, fast); d != "" {
				t.Fatalf("%q: %s", l, d)
			}
		}
	})
}

func TestFastReaderTakesWhatAppendWrites(t *testing.T) {
	e := memsync.LedgerEvent{}
	fill(reflect.ValueOf(&e).Elem())
	e.At = at("2026-03-07T11:20:09.001Z")
	if _, ok := parseCanonical(bytes.TrimSuffix(Append(nil, e), []byte{'\n'})); !ok {
		t.Error("a full event takes the slow way")
	}
}

func BenchmarkParse(b *testing.B) {
	var data []byte
	for i := range 10000 {
		e := memsync.LedgerEvent{
			ID: DerivedID(time.UnixMilli(int64(1e12+i)), "e"), Op: memsync.LedgerCorroborate, Memory: DerivedID(time.UnixMilli(int64(i)), "m"),
			At: time.UnixMilli(int64(1e12 + i)), Actor: agent, Conversation: "c-90", Path: "feedback_test-integrity.md",
		}
		data = appendLine(data, &e)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		Parse("l", data)
	}
}
