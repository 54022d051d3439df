package format

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// encode writes text as a YAML scalar on one line, in the style asked for
// where the text allows it. A plain scalar is written only when every YAML
// reader reads the same text: bare says that the key is typed, so that `true`
// or a date may stand without quotes.
func encode(text string, want style, inFlow, bare bool) string {
	switch {
	case want == double:
	case want == single && printable(text):
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	case want == single:
	case plainSafe(text, inFlow) && (bare || !resolves(text)):
		return text
	}
	return doubleQuoted(text)
}

// plainSafe reports whether text, written plain on one line, is read back as
// it is.
func plainSafe(text string, inFlow bool) bool {
	if text == "" || !printable(text) || text[len(text)-1] == ' ' || text[len(text)-1] == ':' {
		return false
	}
	if c := text[0]; !plainStart[c] && !(c == '-' && !inFlow && len(text) > 1 && text[1] != ' ' && text[1] != '-') {
		return false
	}
	if strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.HasPrefix(text, "...") {
		return false
	}
	return !inFlow || !strings.ContainsAny(text, ",[]{}:?#")
}

// printable reports whether text may stand raw in a one-line scalar: no
// controls, line breaks of any kind, BOM or non-characters.
func printable(text string) bool {
	return fastBytes(text) && strings.IndexByte(text, '\n') < 0
}

// resolves reports whether a YAML reader may take a plain scalar for something
// else than text: null, a bool, a number, a time. It errs towards yes.
func resolves(text string) bool {
	if text == "" {
		return true
	}
	switch strings.ToLower(text) {
	case "~", "null", "y", "yes", "n", "no", "on", "off", "true", "false", ".inf", "-.inf", "+.inf", ".nan", "=", "<<":
		return true
	}
	if c := text[0]; !(c >= '0' && c <= '9') && c != '+' && c != '-' && c != '.' {
		return false
	}
	if body := strings.TrimLeft(text, "+-"); len(body) > 2 && body[0] == '0' && strings.IndexByte("xXoObB", body[1]) >= 0 {
		return strings.Trim(body[2:], "0123456789abcdefABCDEF_") == ""
	}
	return strings.Trim(text, "0123456789_.+-:eEtTzZ ") == ""
}

// doubleQuoted writes text between double quotes, on one line whatever is in
// it.
func doubleQuoted(text string) string {
	var b strings.Builder
	b.Grow(len(text) + 2)
	b.WriteByte('"')
	for i := 0; i < len(text); {
		r, w := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			fmt.Fprintf(&b, `\x%02X`, r)
		case r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteString(text[i : i+w])
		}
		i += w
	}
	b.WriteByte('"')
	return b.String()
}

// bareKey reports whether a key's values are read as a type, so that they are
// written without quotes even where they look like a bool, number or time.
func bareKey(key string) bool {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		key = key[i+1:]
	}
	switch key {
	case "id", "pinned", "valid_from", "valid_until", "created_at", "updated_at", "created", "updated", "modified", "date", "read_only", "limit", "confidence":
		return true
	}
	return false
}

// clip shortens text for a message.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
