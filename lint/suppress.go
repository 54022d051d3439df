package lint

import (
	"fmt"
	"slices"
	"strings"

	"memsync"
	"memsync/internal/format"
)

// ignore is a comment that takes findings of one rule out of its file:
// `<!-- memsync-ignore CODE reason -->` on a line of its own, outside fenced
// code. It holds for the whole file: a memory is short, and what is found in
// frontmatter has no line for a comment.
type ignore struct {
	code, reason string
	at           spot
	used         bool
}

const ignoreWord = "memsync-ignore"

// suppressions are the comments of a text from an offset on.
func suppressions(s *source, from int) (out []ignore) {
	if !strings.Contains(s.text, ignoreWord) {
		return nil
	}
	lines, _ := format.Lines([]byte(s.text), min(from, len(s.text)))
	for _, l := range lines {
		t := strings.TrimSpace(l.Text)
		inner, ok := strings.CutPrefix(t, "<!--")
		if !ok || l.Code {
			continue
		}
		inner, ok = strings.CutSuffix(inner, "-->")
		words := strings.Fields(inner)
		if !ok || len(words) == 0 || words[0] != ignoreWord {
			continue
		}
		start := l.At + strings.Index(l.Text, "<!--")
		i := ignore{at: s.span(start, start+len(t))}
		if len(words) > 1 {
			i.code, i.reason = words[1], strings.Join(words[2:], " ")
		}
		out = append(out, i)
	}
	return out
}

// suppress takes out of a file's findings what its comments name, and judges
// the comments: one without a reason, or for a rule that nothing may silence,
// does nothing. trusted says whether people write the file; only they may
// silence what instructs a reader.
func suppress(findings []Finding, ignores []ignore, path memsync.Path, trusted bool) (kept []Finding, suppressed int) {
	if len(ignores) == 0 {
		return findings, 0
	}
	var faults []Finding
	fault := func(i *ignore, code string, sev memsync.Severity, message, hint string) {
		f := Finding{Finding: memsync.Finding{Code: code, Severity: sev, Path: path, Message: message, Hint: hint}, About: i.code}
		f.put(i.at)
		faults = append(faults, f)
	}
	const form = "write `<!-- memsync-ignore CODE reason -->`"
	valid := map[string]*ignore{}
	for k := range ignores {
		i := &ignores[k]
		rule, ok := RuleOf(i.code)
		switch {
		case i.code == "":
			fault(i, BadSuppression, warn, "the comment names no rule", form)
		case !ok || rule.Write:
			fault(i, BadSuppression, warn, fmt.Sprintf("there is no rule %q to silence", i.code), "`memsync rules` lists them")
		case rule.Locked:
			fault(i, BadSuppression, warn, rule.Code+" can't be silenced: what it finds is never right", "take the comment out")
		case !trusted && (rule.Code == memsync.FindInjection || rule.Code == memsync.FindHidden):
			fault(i, BadSuppression, warn, rule.Code+" can't be silenced by a file that agents write", "a person may `memsync accept` the file")
		case i.reason == "":
			fault(i, BadSuppression, warn, "the comment gives no reason, and silences nothing", form)
		default:
			if first := valid[rule.Code]; first == nil {
				valid[rule.Code] = i
			}
		}
	}
	kept = slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool {
		i := valid[f.Code]
		if i == nil {
			return false
		}
		i.used = true
		suppressed++
		return true
	})
	for _, r := range Rules() {
		if i := valid[r.Code]; i != nil && !i.used {
			fault(i, UnusedSuppression, info, r.Code+" finds nothing here any more", "take the comment out")
		}
	}
	return append(kept, faults...), suppressed
}
