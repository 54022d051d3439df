package lint

import (
	"strings"

	"memsync"
	"memsync/internal/ledger"
	"memsync/internal/scan"
)

// Shown are the findings as they may be told. Names of files and what messages
// quote may hold a secret, wherever a rule found it: what does is masked, but
// for what a person allowed at that path.
func (r Result) Shown(findings []Finding) []Finding {
	out := make([]Finding, len(findings))
	for i, f := range findings {
		out[i] = r.hide.finding(f)
	}
	return out
}

// hiding masks secrets.
type hiding struct {
	state *ledger.State
	names *strings.Replacer // of files whose name holds one; nil: none
}

// hiding knows the names that may not be shown.
func (j *join) hiding() hiding {
	h := hiding{state: j.state}
	var pairs []string
	for _, r := range j.Reports {
		for _, hit := range r.hits {
			if hit.Kind == scan.Secret && hit.At == "the file name" {
				shown := h.path(r.Path)
				pairs = append(pairs, nameOf(r.Path), nameOf(shown), string(r.Path), string(shown))
				break
			}
		}
	}
	if len(pairs) > 0 {
		h.names = strings.NewReplacer(pairs...)
	}
	return h
}

func (h hiding) allowed(p memsync.Path) func(string) bool {
	return func(fingerprint string) bool { return h.state.Allowed(p, fingerprint) }
}

func (h hiding) path(p memsync.Path) memsync.Path {
	return memsync.Path(scan.MaskPath(string(p), h.allowed(p)))
}

func (h hiding) finding(f Finding) Finding {
	p := f.Path
	f.Path = h.path(p)
	for _, s := range []*string{&f.Message, &f.Hint, &f.About} {
		if h.names != nil {
			*s = h.names.Replace(*s)
		}
		*s = scan.MaskText(string(p), *s, h.allowed(p))
	}
	return f
}
