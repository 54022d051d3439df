package lint

import (
	"encoding/json"

	"memsync"
)

// Baseline is the debt that a store has already: findings that are not told
// again. A JSON report is one.
type Baseline struct{ known map[string]bool }

// ParseBaseline reads a JSON report. Anything else is CodeConfig.
func ParseBaseline(data []byte) (*Baseline, error) {
	var report struct {
		Version  *int
		Findings *[]struct{ Fingerprint string }
	}
	fail := func(why string, err error) (*Baseline, error) {
		return nil, &memsync.Error{Code: memsync.CodeConfig, Message: "the baseline is no JSON report of lint: " + why, Err: err,
			Hint: "make one with `memsync lint --format json --output FILE`"}
	}
	if err := json.Unmarshal(data, &report); err != nil {
		return fail("it does not parse", err)
	}
	if report.Version == nil || *report.Version != 1 {
		return fail("it is of another version", nil)
	}
	if report.Findings == nil {
		return fail("it has no findings, not even an empty list", nil)
	}
	b := &Baseline{map[string]bool{}}
	for _, f := range *report.Findings {
		if len(f.Fingerprint) != 32 {
			return fail("a finding has no fingerprint", nil)
		}
		b.known[f.Fingerprint] = true
	}
	return b, nil
}

// New are the findings that the baseline does not know, and how many it does.
// A secret is never old.
func (b *Baseline) New(findings []Finding) (fresh []Finding, known int) {
	fresh = []Finding{}
	for i, name := range Fingerprints(findings) {
		if b.known[name] && findings[i].Code != memsync.FindSecret {
			known++
			continue
		}
		fresh = append(fresh, findings[i])
	}
	return fresh, known
}
