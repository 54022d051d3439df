package merge

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"memsync"
	"memsync/internal/config"
)

// Policy joins two versions of memsync.toml, key by key: the larger format;
// of every other key that both changed the later version's value, with a
// conflict. A [[scope]] is known by its directory and joined by its keys in
// the same way. Comments of both survive, in the file or in a conflict. Where
// all three read, so does the result; what does not read is joined by lines.
func Policy(base, ours, theirs Version) Result {
	if r, done := oneSided(base, ours, theirs); done {
		return r
	}
	early, late := inOrder(ours, theirs)
	b, berr := config.Parse(base.Bytes)
	e, eerr := config.Parse(early.Bytes)
	l, lerr := config.Parse(late.Bytes)
	if berr != nil || eerr != nil || lerr != nil {
		return Lines(base, ours, theirs)
	}
	j := policyJoin{early: early, late: late}
	want := j.keys(b, e, l)
	want.Scopes = j.scopes(b.Scopes, e.Scopes, l.Scopes)
	out := carryPolicy(base, early, late, want)
	if out == nil {
		return whole(early, late, "")
	}
	var r Result
	r.Bytes = out
	for _, rec := range j.records {
		r.Conflicts = append(r.Conflicts, rec.Conflict())
	}
	if lost := remarks(out, base.Bytes, late.Bytes, early.Bytes); len(lost) > 0 {
		rec := Record{Kind: Unparsed, Kept: late.Time, Lost: early.Time, Places: []Place{{Lost: lineValue(lost)}}}
		r.Conflicts = append(r.Conflicts, rec.Conflict())
	}
	return r
}

// toml is the grammar of memsync.toml: every line stands for itself.
var toml = grammar{item: func(line string) bool { return !blank(line) }}

// remarks are the lines with a comment that a side wrote and whose comment the
// result does not have.
func remarks(result, base []byte, sides ...[]byte) (lost []string) {
	for _, s := range sides {
		for _, l := range AddedLines(base, s) {
			if i := strings.IndexByte(l, '#'); i >= 0 && !bytes.Contains(result, []byte(strings.TrimSpace(l[i:]))) && !slices.Contains(lost, l) {
				lost = append(lost, l)
			}
		}
	}
	return lost
}

type policyJoin struct {
	early, late Version
	records     []Record
}

// pick is the value of a key that neither, one or both sides changed.
func (j *policyJoin) pick(key, b, e, l string) string {
	switch {
	case e == l || e == b:
		return l
	case l == b:
		return e
	}
	j.records = append(j.records, Record{Kind: Scalar, Key: key, Kept: j.late.Time, Lost: j.early.Time,
		Places: []Place{{Base: scalarValue(b), Kept: scalarValue(l), Lost: scalarValue(e)}}})
	return l
}

func scalarValue(s string) *memsync.Value {
	if s == "" {
		return nil
	}
	return &memsync.Value{Text: s}
}

// keys joins all but the scopes.
func (j *policyJoin) keys(b, e, l memsync.Policy) memsync.Policy {
	want := l
	want.Lint = nil
	names := config.KeysOf(l)
	for _, p := range []memsync.Policy{e, b} {
		for _, n := range config.KeysOf(p) {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	get := func(p memsync.Policy, name string) string {
		v, err := config.Get(p, name)
		if err != nil {
			panic("bug: a key that a policy has is unknown: " + name)
		}
		return v
	}
	for _, name := range names {
		if name == "format" {
			want.Format = max(e.Format, l.Format)
			continue
		}
		v := j.pick(name, get(b, name), get(e, name), get(l, name))
		config.Assign(&want, name, v)
	}
	return want
}

// scopes joins the entries: the later side's in their order, then those that
// only the earlier one has.
func (j *policyJoin) scopes(b, e, l []memsync.Scope) []memsync.Scope {
	find := func(list []memsync.Scope, dir memsync.Path) *memsync.Scope {
		if i := slices.IndexFunc(list, func(s memsync.Scope) bool { return s.Dir == dir }); i >= 0 {
			return &list[i]
		}
		return nil
	}
	var out []memsync.Scope
	for _, s := range append(slices.Clone(l), e...) {
		if find(out, s.Dir) != nil {
			continue
		}
		sb, se, sl := find(b, s.Dir), find(e, s.Dir), find(l, s.Dir)
		switch {
		case se != nil && sl != nil:
			if sb == nil {
				sb = &memsync.Scope{Dir: s.Dir}
			}
			out = append(out, j.scope(*sb, *se, *sl))
		case sb == nil || !sameScope(*sb, s): // added, or taken away there and changed here
			out = append(out, s)
		}
	}
	return out
}

func sameScope(a, b memsync.Scope) bool {
	return a.Kind == b.Kind && a.Agent == b.Agent && a.Writers == b.Writers && a.Identity == b.Identity && a.MemoryMD == b.MemoryMD &&
		slices.Equal(a.Ignore, b.Ignore)
}

func (j *policyJoin) scope(b, e, l memsync.Scope) memsync.Scope {
	at := string(l.Dir)
	pick := func(key, b, e, l string) string { return j.pick("scope "+strconv.Quote(at)+" "+key, b, e, l) }
	out := l
	// Kind and agent go together: half of each would not read.
	if bk, ek, lk := string(b.Kind)+" "+b.Agent, string(e.Kind)+" "+e.Agent, string(l.Kind)+" "+l.Agent; pick("kind", bk, ek, lk) == ek {
		out.Kind, out.Agent = e.Kind, e.Agent
	}
	out.Writers = memsync.Writers(pick("writers", string(b.Writers), string(e.Writers), string(l.Writers)))
	out.Identity = memsync.IdentityMode(pick("identity", string(b.Identity), string(e.Identity), string(l.Identity)))
	out.MemoryMD = memsync.MemoryMDMode(pick("memory_md", string(b.MemoryMD), string(e.MemoryMD), string(l.MemoryMD)))
	out.Ignore = nil
	for _, g := range append(slices.Clone(l.Ignore), e.Ignore...) {
		inE, inL, was := slices.Contains(e.Ignore, g), slices.Contains(l.Ignore, g), slices.Contains(b.Ignore, g)
		if (inE && inL || !was) && !slices.Contains(out.Ignore, g) {
			out.Ignore = append(out.Ignore, g)
		}
	}
	return out
}

// carryPolicy finds a file that says what is wanted with the least loss of
// what people wrote: the one joined by lines, else the later's, else the
// earlier's, each corrected key by key. Nil: none can.
func carryPolicy(base, early, late Version, want memsync.Policy) []byte {
	lines, _ := join3(toml, split(base.Bytes).lines, split(early.Bytes).lines, split(late.Bytes).lines, base.Bytes != nil)
	joined := split(late.Bytes)
	joined.lines = lines
	for _, carrier := range [][]byte{joined.bytes(), late.Bytes, early.Bytes} {
		if out := correctPolicy(carrier, want); out != nil {
			return out
		}
	}
	return nil
}

func correctPolicy(data []byte, want memsync.Policy) []byte {
	now, err := config.Parse(data)
	if err != nil {
		return nil
	}
	if now.Format != want.Format {
		if data, err = config.SetFormat(data, want.Format); err != nil {
			return nil
		}
	}
	names := config.KeysOf(want)
	for _, n := range config.KeysOf(now) {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	for _, name := range names[1:] { // format is done
		have, _ := config.Get(now, name)
		wanted, _ := config.Get(want, name)
		switch {
		case have == wanted:
			continue
		case wanted == "":
			data, err = config.Unset(data, name)
		default:
			data, err = config.Set(data, name, wanted)
		}
		if err != nil {
			return nil
		}
	}
	for _, s := range now.Scopes {
		if !slices.ContainsFunc(want.Scopes, func(w memsync.Scope) bool { return w.Dir == s.Dir }) {
			if data, err = config.DropScope(data, s.Dir); err != nil {
				return nil
			}
		}
	}
	for _, s := range want.Scopes {
		if data, err = config.PutScope(data, s); err != nil {
			return nil
		}
	}
	if now, err = config.Parse(data); err != nil || !samePolicy(now, want) {
		return nil
	}
	return data
}

// samePolicy leaves the order of scopes and of lint's rules aside: the carrier
// has one, and it is the same on every machine.
func samePolicy(a, b memsync.Policy) bool {
	sorted := func(p memsync.Policy) []byte {
		p.Scopes, p.Lint = slices.Clone(p.Scopes), slices.Clone(p.Lint)
		slices.SortFunc(p.Scopes, func(a, b memsync.Scope) int { return cmp.Compare(a.Dir, b.Dir) })
		slices.SortFunc(p.Lint, func(a, b memsync.LintLevel) int { return cmp.Compare(a.Code, b.Code) })
		return config.Default(p)
	}
	return bytes.Equal(sorted(a), sorted(b))
}
