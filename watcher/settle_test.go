package watcher

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"memsync"
)

// TestSettle: when a touched file is looked at, one row per sentence of the
// design. Times are milliseconds.
func TestSettle(t *testing.T) {
	type disk struct {
		from  int // from then on
		state state
	}
	for _, c := range []struct {
		name   string
		events []int
		disk   []disk
		want   int
	}{
		{"after 75 ms of quiet", []int{0}, nil, 75},
		{"each event begins the quiet anew", []int{0, 50, 100}, nil, 175},
		{"at most 2 s after the first", every(0, 3000, 50), nil, 2000},
		{"an empty file gets 500 ms", []int{0}, []disk{{0, empty}}, 500},
		{"and is looked at when it is filled", []int{0, 300}, []disk{{0, empty}, {300, whole}}, 375},
		{"a vanished file gets 500 ms", []int{0}, []disk{{0, absent}}, 500},
		{"vim: away for a moment only", []int{0, 1, 3}, []disk{{0, absent}, {1, whole}}, 78},
		{"a slow writer's pauses are inside the quiet", []int{0, 32, 64}, []disk{{0, empty}, {32, whole}}, 139},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Unix(1_000_000, 0)
			at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
			d := newDirty(Usual)
			for ms := 0; ms <= 5000; ms++ {
				if slices.Contains(c.events, ms) && ms <= c.want {
					d.touch("a.md", at(ms))
				}
				due := d.due(at(ms), func(memsync.Path) state {
					s := whole
					for _, x := range c.disk {
						if x.from <= ms {
							s = x.state
						}
					}
					return s
				})
				if len(due) > 0 {
					if ms != c.want {
						t.Fatalf("looked at after %d ms, want %d", ms, c.want)
					}
					return
				}
			}
			t.Fatal("never looked at")
		})
	}
}

func every(from, to, step int) (out []int) {
	for ; from <= to; from += step {
		out = append(out, from)
	}
	return out
}

// TestSettleRename: the two names of a renamed file are looked at together.
func TestSettleRename(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	d := newDirty(Usual)
	d.touch("old.md", start)
	d.touch("new.md", start)
	look := func(p memsync.Path) state {
		if p == "old.md" {
			return absent
		}
		return whole
	}
	if got := d.due(start.Add(Usual.Quiet), look); len(got) > 0 {
		t.Errorf("too early: %v", got)
	}
	if got := d.due(start.Add(Usual.Gone), look); !slices.Equal(got, []memsync.Path{"new.md", "old.md"}) {
		t.Errorf("got %v", got)
	}
}

// TestSettleProperty: whatever is touched is looked at, once for its last
// touch, not before it is quiet or the limit is over, and next never sleeps
// past it.
func TestSettleProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := time.Unix(1_000_000, 0)
		d := newDirty(Usual)
		last, first := map[memsync.Path]time.Time{}, map[memsync.Path]time.Time{}
		states := map[memsync.Path]state{}
		now := start
		look := func(p memsync.Path) state { return states[p] }
		check := func(due []memsync.Path) {
			for _, p := range due {
				if _, waits := last[p]; !waits {
					t.Fatalf("%s was not touched since", p)
				}
				if quiet := now.Sub(last[p]); quiet < Usual.Quiet && now.Sub(first[p]) < Usual.Limit {
					t.Fatalf("%s after %v of quiet", p, quiet)
				}
				delete(last, p)
				delete(first, p)
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 300).Draw(t, "ms")) * time.Millisecond)
			if rapid.Bool().Draw(t, "touch") {
				p := memsync.Path(fmt.Sprintf("%d.md", rapid.IntRange(0, 5).Draw(t, "file")))
				states[p] = state(rapid.IntRange(0, 2).Draw(t, "state"))
				d.touch(p, now)
				if last[p] = now; first[p].IsZero() {
					first[p] = now
				}
				continue
			}
			check(d.due(now, look))
		}
		for range 20 {
			at, ok := d.next()
			if !ok {
				break
			}
			if at.After(now) {
				now = at
			}
			check(d.due(now, look))
		}
		if len(last) > 0 {
			t.Fatalf("never looked at: %v", last)
		}
	})
}
