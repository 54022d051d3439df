package agents

import (
	"bytes"
	"strings"
	"testing"

	"memsync"
)

// asked is a REVIEW.md with two questions in it.
func asked(t testing.TB) ([]Waiting, []byte) {
	w := newWorld(t, harborFile)
	w.memory(1, constraints, "Never deploy on a Friday.", "c-1")
	w.memory(2, constraints, "Never skip the smoke test.", "c-1")
	w.settle()
	q := w.store().Waiting("")
	return q, Review(global, q, nil, nil)
}

func TestReviewKeepsWhatPeopleWrote(t *testing.T) {
	q, file := asked(t)
	for name, c := range map[string]struct{ saved, want string }{
		"above and below":     {"mine\n\n" + string(file) + "\nand mine\n", "mine\n\n" + string(file) + "\nand mine\n"},
		"without a line end":  {"mine", "mine\n\n" + string(file)},
		"inside":              {strings.Replace(string(file), "## m2", "why not?\n## m2", 1), string(file) + "why not?\n"},
		"CRLF around it":      {"mine\r\n" + string(file), "mine\r\n" + string(file)},
		"two regions":         {string(file) + "between\n" + string(file), string(file) + "between\n"},
		"a begin and no end":  {"mine\n" + reviewBegin + "\nhalf\n", "mine\nhalf\n\n" + string(file)},
		"an end and no begin": {"mine\n" + reviewEnd + "\n", "mine\n\n" + string(file)},
		"all boxes ticked":    {strings.ReplaceAll(string(file), "[ ]", "[x]"), string(file)},
	} {
		t.Run(name, func(t *testing.T) {
			got := Review(global, q, []byte(c.saved), file)
			if string(got) != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if again := Review(global, q, got, got); !bytes.Equal(again, got) {
				t.Errorf("not a fixed point:\n%s", again)
			}
		})
	}
	if got := Review(global, nil, file, file); got != nil {
		t.Errorf("nothing waits, and the file says\n%s", got)
	}
	if got := Review(global, nil, append([]byte("mine\n"), file...), file); string(got) != "mine\n" {
		t.Errorf("people's text: %q", got)
	}
}

func TestTicks(t *testing.T) {
	q, file := asked(t)
	a, b := q[0].Proposal, q[1].Proposal
	tickOff := func(s string, word string, id memsync.ID) string {
		return strings.Replace(s, "- [ ] "+word+" "+string(id), "- [x] "+word+" "+string(id), 1)
	}
	both := tickOff(tickOff(string(file), "approve", a), "deny", a)
	for name, c := range map[string]struct {
		file string
		want []Tick
	}{
		"none":                       {string(file), nil},
		"one":                        {tickOff(string(file), "approve", b), []Tick{{Proposal: b}}},
		"both boxes mean no":         {both, []Tick{{Proposal: a, Deny: true}}},
		"a capital X":                {strings.Replace(string(file), "- [ ] deny "+string(b), "- [X] deny "+string(b), 1), []Tick{{Proposal: b, Deny: true}}},
		"outside of the region":      {string(file) + "- [x] approve " + string(a) + "\n", nil},
		"in code":                    {strings.Replace(string(file), "```diff\n", "```diff\n- [x] approve "+string(a)+"\n", 1), nil},
		"a line of the diff":         {strings.Replace(string(file), "## m1", "+- [x] approve "+string(a)+"\n## m1", 1), nil},
		"indented":                   {strings.Replace(string(file), "## m1", "  - [x] approve "+string(a)+"\n## m1", 1), nil},
		"with more words":            {strings.Replace(string(file), "## m1", "- [x] approve "+string(a)+" please\n## m1", 1), nil},
		"a fence that nobody closed": {strings.Replace(string(file), "## m1", "```\n- [x] approve "+string(a)+"\n## m1", 1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := Ticks([]byte(c.file))
			for i := range got {
				if got[i].Line == 0 {
					t.Errorf("no line: %+v", got[i])
				}
				got[i].Line = 0
			}
			if len(got) != len(c.want) || len(got) > 0 && got[0] != c.want[0] {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

func FuzzReview(f *testing.F) {
	q, file := asked(f)
	f.Add(file, file)
	f.Add(append([]byte("mine\n"), file...), file)
	f.Add([]byte(reviewBegin+"\n"+reviewBegin+"\n"+reviewEnd+"\nx"), []byte(""))
	f.Fuzz(func(t *testing.T, saved, previous []byte) {
		got := Review(global, q, saved, previous)
		if again := Review(global, q, got, got); !bytes.Equal(again, got) {
			t.Errorf("not a fixed point:\n%q\n%q", got, again)
		}
		if ticks := Ticks(got); len(ticks) > 0 {
			t.Errorf("ticked: %+v in %q", ticks, got)
		}
		// Every line of a person's is still there.
		for line := range strings.SplitSeq(string(saved), "\n") {
			line = strings.TrimRight(line, " \t\r")
			_, ticked := tick(line)
			if line == "" || ticked || line == reviewBegin || line == reviewEnd || strings.Contains(string(previous), line) {
				continue
			}
			if !strings.Contains(string(got), line) {
				t.Errorf("%q is lost from %q", line, saved)
			}
		}
	})
}

func TestInto(t *testing.T) {
	begin, end := intoMarks("harbor")
	region := func(s string) string { return begin + "\n" + s + end }
	for name, c := range map[string]struct{ file, want, fails string }{
		"no file":               {"", region("# A\n") + "\n", ""},
		"after people's text":   {"mine", "mine\n\n" + region("# A\n") + "\n", ""},
		"in its place":          {"a\n" + region("old\n") + "\nb", "a\n" + region("# A\n") + "\nb", ""},
		"CRLF":                  {"a\r\n" + begin + "\r\nold\r\n" + end + "\r\nb", "a\r\n" + begin + "\r\n# A\r\n" + end + "\r\nb", ""},
		"another agent's stays": {strings.ReplaceAll(region("x\n"), "harbor", "bay") + "\n", strings.ReplaceAll(region("x\n"), "harbor", "bay") + "\n\n" + region("# A\n") + "\n", ""},
		"a mark in a sentence":  {"say " + begin + "\n", "say " + begin + "\n\n" + region("# A\n") + "\n", ""},
		"no end":                {begin + "\nx\n", "", "lost one of its marks"},
		"no begin":              {"x\n" + end + "\n", "", "lost one of its marks"},
		"the wrong way round":   {end + "\n" + begin + "\n", "", "lost one of its marks"},
		"twice":                 {region("x\n") + "\n" + region("y\n") + "\n", "", "there twice"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Into("AGENTS.md", []byte(c.file), "harbor", "# A\n")
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("%v", err)
				}
				return
			}
			if err != nil || string(got) != c.want {
				t.Fatalf("%v\n%q\n%q", err, got, c.want)
			}
			if again, err := Into("AGENTS.md", got, "harbor", "# A\n"); err != nil || !bytes.Equal(again, got) {
				t.Errorf("not a fixed point: %v %q", err, again)
			}
		})
	}
	if _, err := Into("AGENTS.md", nil, "harbor", "x\n"+end+"\n"); err == nil {
		t.Error("a prompt that would end its own region")
	}
}
