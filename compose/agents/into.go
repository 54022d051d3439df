package agents

import (
	"strings"

	"memsync"
)

// A compiled prompt can stand in a marked region of a file that people load
// already. Everything outside the region is theirs.

// intoMarks are the lines around an agent's region.
func intoMarks(agent string) (begin, end string) {
	return "<!-- memsync:compose " + agent + ": begin -->", "<!-- memsync:compose " + agent + ": end -->"
}

// Into puts an agent's prompt into its region of a file; a file without one gets
// it at its end. A file that ends in the middle of a region, has two, or would
// have its end in the prompt itself is refused.
func Into(p memsync.Path, file []byte, agent, prompt string) ([]byte, error) {
	begin, end := intoMarks(agent)
	fail := func(message, hint string) ([]byte, error) {
		return nil, &memsync.Error{Code: memsync.CodeFrontmatter, Path: p, Message: message, Hint: hint}
	}
	if markAt(prompt, begin, 0) >= 0 || markAt(prompt, end, 0) >= 0 {
		return fail("the prompt of "+agent+" holds the mark of its own region", "take the mark out of AGENT.md")
	}
	s := string(file)
	eol := "\n"
	if strings.Contains(s, "\r\n") {
		eol = "\r\n"
		prompt = strings.ReplaceAll(prompt, "\n", "\r\n")
	}
	region := begin + eol + prompt + end
	from, to := markAt(s, begin, 0), markAt(s, end, 0)
	switch {
	case from < 0 && to < 0:
		if s != "" && !strings.HasSuffix(s, "\n") {
			s += eol
		}
		if s != "" {
			s += eol
		}
		return []byte(s + region + eol), nil
	case from < 0 || to < from:
		return fail("the region of "+agent+" has lost one of its marks", "put back `"+begin+"` and `"+end+"`, or remove both")
	case markAt(s, begin, from+len(begin)) >= 0 || markAt(s, end, to+len(end)) >= 0:
		return fail("the region of "+agent+" is there twice", "remove one of them")
	}
	return []byte(s[:from] + region + s[to+len(end):]), nil
}
