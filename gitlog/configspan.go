package gitlog

import "strings"

// configSpan is where one thing of a configuration file stands: a section's
// header (key "") or a setting. Offsets count bytes behind a BOM.
type configSpan struct {
	section  string // "section" or "section.sub"
	key      string // "" for a header
	from, to int
}

// configSpans are the headers and settings of a file in order.
func configSpans(text string) []configSpan {
	var out []configSpan
	eachConfig(text, func(section, key, _ string, from, to int) {
		out = append(out, configSpan{section, key, from, min(to, len(text))})
	})
	return out
}

// lines widens a span to whole lines where nothing else stands on them.
func (s configSpan) lines(text string) (from, to int) {
	from, to = s.from, s.to
	start := strings.LastIndexByte(text[:from], '\n') + 1
	if strings.TrimSpace(text[start:from]) != "" {
		return from, to
	}
	if i := strings.IndexByte(text[to:], '\n'); i < 0 {
		return start, len(text)
	} else if strings.TrimSpace(text[to:to+i]) == "" {
		return start, to + i + 1
	}
	return start, to
}

// withSettings is a configuration file in which a section has these settings
// (key, value, key, value, …) and no others of the same keys. Everything else
// stays byte for byte.
func withSettings(text, section string, settings ...string) string {
	drop := map[string]bool{}
	var lines strings.Builder
	for i := 0; i+1 < len(settings); i += 2 {
		drop[strings.ToLower(settings[i])] = true
		lines.WriteString("\t" + settings[i] + " = " + configValue(settings[i+1]) + "\n")
	}
	spans := configSpans(text)
	header := -1
	for i, s := range spans {
		if s.section == section && s.key == "" {
			header = i
		}
	}
	if header < 0 {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return text + configHeader(section) + "\n" + lines.String()
	}
	var b strings.Builder
	at := 0
	for i, s := range spans {
		if s.section == section && s.key != "" && drop[s.key] {
			from, to := s.lines(text)
			if from < at {
				from = at
			}
			b.WriteString(text[at:from])
			at = to
		}
		if i == header {
			b.WriteString(text[at:s.to])
			at = s.to
			if end := strings.IndexByte(text[at:], '\n'); end >= 0 && strings.TrimSpace(text[at:at+end]) == "" {
				at += end + 1
			} else if strings.TrimSpace(text[at:]) == "" {
				at = len(text)
			}
			b.WriteString("\n" + lines.String())
		}
	}
	b.WriteString(text[at:])
	return b.String()
}

// withoutSection is a configuration file without a section, wherever it stands,
// as `git config --remove-section` leaves it.
func withoutSection(text, section string) string {
	var b strings.Builder
	at := 0
	gone := -1 // where a section begins that goes
	for _, s := range configSpans(text) {
		if s.key != "" {
			continue
		}
		from, _ := s.lines(text)
		if gone >= 0 {
			b.WriteString(text[at:gone])
			at, gone = from, -1
		}
		if s.section == section {
			gone = max(from, at)
		}
	}
	if gone >= 0 {
		return b.String() + text[at:gone]
	}
	return b.String() + text[at:]
}

// configHeader is the header of "section" or "section.sub".
func configHeader(section string) string {
	name, sub, ok := strings.Cut(section, ".")
	if !ok {
		return "[" + name + "]"
	}
	return "[" + name + ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(sub) + `"]`
}

// configValue is a value as it has to be written.
func configValue(v string) string {
	if v != "" && strings.TrimSpace(v) == v && !strings.ContainsAny(v, "#;\"\\\n\t\r\b") {
		return v
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`).Replace(v) + `"`
}
