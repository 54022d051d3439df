package journal

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"memsync"
)

// fill journals n plans whose decisions vary in everything a query asks for.
func fill(t testing.TB, j *Journal, n int) (all []string) {
	origins := []memsync.Origin{memsync.OriginFile, memsync.OriginCLI, memsync.OriginTool}
	for i := range n {
		p := write(i, memsync.Path(fmt.Sprintf("m/%d.md", i%4)), memoryID(i%3), "", fmt.Sprint("text ", i))
		d := &p.Decisions[0]
		d.Origin = origins[i%3]
		if i%5 == 0 {
			d.Op, d.From = memsync.OpRename, "m/old.md"
		}
		if i%2 == 0 {
			d.Actor = memsync.Actor{Class: memsync.ClassAgent, Name: "reviewer"}
		}
		begin(t, j, p)
		applied(t, j, p, "c")
		all = append(all, RecordID(p.ID, 0))
	}
	slices.Reverse(all)
	return all
}

func ids(page []Record) (out []string) {
	for _, r := range page {
		out = append(out, r.ID)
	}
	return out
}

func TestQuery(t *testing.T) {
	j := open(t)
	const n = 60
	all := fill(t, j, n)
	at := func(i int) time.Time { return planID(i).Time() }
	for _, c := range []struct {
		name string
		q    Query
		want func(i int) bool
	}{
		{"everything", Query{}, func(int) bool { return true }},
		{"by file", Query{Path: "m/1.md"}, func(i int) bool { return i%4 == 1 }},
		{"by the file it was", Query{Path: "m/old.md"}, func(i int) bool { return i%5 == 0 }},
		{"by a file that begins like another", Query{Path: "m/1"}, func(int) bool { return false }},
		{"by memory", Query{Memory: memoryID(2)}, func(i int) bool { return i%3 == 2 }},
		{"by op", Query{Op: memsync.OpRename}, func(i int) bool { return i%5 == 0 }},
		{"by origin", Query{Origin: memsync.OriginTool}, func(i int) bool { return i%3 == 2 }},
		{"by class of actor", Query{Class: memsync.ClassAgent}, func(i int) bool { return i%2 == 0 }},
		{"by name of actor", Query{Name: "ann"}, func(i int) bool { return i%2 == 1 }},
		{"since", Query{Since: at(40)}, func(i int) bool { return i >= 40 }},
		{"until", Query{Until: at(40)}, func(i int) bool { return i <= 40 }},
		{"all of it together", Query{Path: "m/1.md", Memory: memoryID(0), Class: memsync.ClassPerson, Since: at(5)},
			func(i int) bool { return i%4 == 1 && i%3 == 0 && i%2 == 1 && i >= 5 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var want []string
			for i := n - 1; i >= 0; i-- {
				if c.want(i) {
					want = append(want, all[n-1-i])
				}
			}
			for _, limit := range []int{1, 7, n, 1000} {
				q := c.q
				q.Limit = limit
				var have []string
				for {
					page, next, total, err := j.Decisions(q)
					if err != nil {
						t.Fatal(err)
					}
					if total != len(want) {
						t.Fatalf("limit %d: counts %d, want %d", limit, total, len(want))
					}
					if next != "" && len(page) != limit {
						t.Fatalf("a page of %d that is not the last, limit %d", len(page), limit)
					}
					have = append(have, ids(page)...)
					if q.Cursor = next; next == "" {
						break
					}
				}
				if !slices.Equal(have, want) {
					t.Fatalf("limit %d:\n%v\nwant\n%v", limit, have, want)
				}
			}
		})
	}
}

func TestPagesDoNotMove(t *testing.T) {
	j := open(t)
	all := fill(t, j, 20)
	page, next, _, err := j.Decisions(Query{Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	p := write(500, "m/1.md", memoryID(1), "", "later")
	begin(t, j, p)
	second, _, total, err := j.Decisions(Query{Limit: 5, Cursor: next})
	if err != nil {
		t.Fatal(err)
	}
	if have := append(ids(page), ids(second)...); !slices.Equal(have, all[:10]) || total != 20 {
		t.Errorf("%v of %d", have, total)
	}
}

func TestCursorBelongsToItsQuery(t *testing.T) {
	j := open(t)
	fill(t, j, 20)
	_, next, _, _ := j.Decisions(Query{Limit: 5, Op: memsync.OpAdd})
	for _, q := range []Query{{Cursor: next}, {Cursor: next, Op: memsync.OpRename}, {Cursor: "x"}, {Cursor: "%%%"}, {Cursor: next[:10]}} {
		if _, _, _, err := j.Decisions(q); !errors.Is(err, memsync.CodeUsage) {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if _, _, _, err := j.Decisions(Query{Cursor: next, Op: memsync.OpAdd, Limit: 3}); err != nil {
		t.Errorf("another page size is no other query: %v", err)
	}
}

func TestDecisionByName(t *testing.T) {
	j := open(t)
	p := write(1, "a.md", memoryID(1), "", "x")
	p.Decisions = append(p.Decisions, p.Decisions[0])
	p.Decisions[1].Path = "b.md"
	p.Requests = nil
	begin(t, j, p)
	for name, want := range map[string]memsync.Path{RecordID(p.ID, 0): "a.md", RecordID(p.ID, 1): "b.md", string(p.ID): "a.md"} {
		if rec, err := j.Decision(name); err != nil || rec.Decision.Path != want || rec.State != Planned {
			t.Errorf("%s: %+v %v", name, rec, err)
		}
	}
	for _, name := range []string{"", "x", RecordID(p.ID, 2), string(p.ID) + ".", string(p.ID) + ".-1", RecordID(planID(9), 0)} {
		if _, err := j.Decision(name); !errors.Is(err, memsync.CodeNotFound) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestRecordRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		str := rapid.StringMatching(`[a-zé\n"<]{0,12}`)
		d := memsync.Decision{
			Op: memsync.Op(str.Draw(t, "op")), Origin: memsync.Origin(str.Draw(t, "origin")),
			Actor: memsync.Actor{Class: memsync.ActorClass(str.Draw(t, "class")), Name: str.Draw(t, "name")},
			Path:  memsync.Path(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "path")), From: memsync.Path(str.Draw(t, "from")),
			Memory: memsync.ID(str.Draw(t, "memory")), Confidence: 0.5,
		}
		v, err := encodeDecision("01J00000000000000000000001", t0, &d, "req")
		if err != nil {
			t.Fatal(err)
		}
		h, body, err := splitDecision(v)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := decodeDecision(body)
		if err != nil {
			t.Fatal(err)
		}
		if rec.Decision.Path != d.Path || string(h.path) != string(d.Path) || string(h.id) != string(d.Memory) ||
			rec.Decision.Actor != d.Actor || rec.Request != "req" || h.at != t0.UnixMilli() {
			t.Fatalf("%+v became %+v", d, rec.Decision)
		}
	})
}

func FuzzSplitDecision(f *testing.F) {
	d := memsync.Decision{Op: memsync.OpAdd, Path: "a.md", Memory: memoryID(1)}
	v, err := encodeDecision(planID(1), t0, &d, "r")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(v)
	f.Add(v[:9])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, v []byte) {
		if _, body, err := splitDecision(v); err == nil && len(body) > len(v) {
			t.Fatal("more than there was")
		}
	})
}
