package compose

import "strings"

// How one entry is written. Authored and learned entries go through the same
// functions, so that nobody can tell them apart by their looks and no value of
// either begins a line.

// bullet is an entry of one text. One that begins with `#` would be a heading
// inside its entry.
func bullet(text string) string {
	text = oneLine(text)
	if strings.HasPrefix(text, "#") {
		text = `\` + text
	}
	return "- " + text + "\n"
}

// pair is an entry with a name; a value that is empty leaves the name alone.
func pair(name, value string) string {
	line := "- **" + oneLine(name) + "**"
	if value = oneLine(value); value != "" {
		line += ": " + value
	}
	return line + "\n"
}

func (s Source) lines() string { return pair(s.Name, s.Description) + under("access", s.AccessMethod) }

func (w Workflow) lines() string { return pair(w.Name, w.Description) }

func (e Example) lines() string {
	return pair("scenario", e.Scenario) + under("good", e.Good) + under("bad", e.Bad) + under("reasoning", e.Reasoning)
}

// under is a line that belongs to the entry above it.
func under(name, value string) string {
	if oneLine(value) == "" {
		return ""
	}
	return "  " + pair(name, value)
}
