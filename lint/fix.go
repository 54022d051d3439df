package lint

import (
	"bytes"
	"slices"
)

// Apply makes the edits of findings about one file. Edits that would overlap an
// earlier one are left for the next run; what was applied is counted.
func Apply(data []byte, findings []Finding) (out []byte, applied []Finding) {
	type job struct {
		edit Edit
		of   int
	}
	var jobs []job
	for i, f := range findings {
		if f.Fix == nil {
			continue
		}
		for _, e := range f.Fix.Edits {
			jobs = append(jobs, job{e, i})
		}
	}
	slices.SortStableFunc(jobs, func(a, b job) int { return a.edit.Start - b.edit.Start })
	skip := map[int]bool{}
	end := -1
	for _, j := range jobs {
		if j.edit.Start < 0 || j.edit.End > len(data) || j.edit.Start > j.edit.End || j.edit.Start < end {
			skip[j.of] = true
			continue
		}
		end = max(end, j.edit.End)
	}
	var b bytes.Buffer
	last := 0
	for _, j := range jobs {
		if skip[j.of] {
			continue
		}
		b.Write(data[last:j.edit.Start])
		b.WriteString(j.edit.Text)
		last = j.edit.End
	}
	b.Write(data[last:])
	for i, f := range findings {
		if f.Fix != nil && !skip[i] {
			applied = append(applied, f)
		}
	}
	return b.Bytes(), applied
}
