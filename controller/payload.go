package controller

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"memsync"
	"memsync/internal/format"
)

// oneLine reports whether the key's value is a single line. In a description line
// ends become spaces, as models break lines without meaning to; in a name or
// another word they are an attempt at something else.
func oneLine(key string) bool {
	switch key {
	case "name", "type", "metadata.type", "key", "project", "scope", "agent", "agent_tier",
		"tags", "aliases", "links", "supersedes", "valid_from", "valid_until", "pinned":
		return true
	}
	return false
}

func folded(key string) bool { return key == "description" || key == "hook" }

// cleanFields judges the fields of a write and takes out what only the write
// path may set; noted says what that was. A claim (who it is from, how sure
// it is) is dropped or lowered and the write goes on. A demand (an id, a pin)
// is refused.
func cleanFields(fields []memsync.Field, actor memsync.Actor, lim memsync.Limits) (kept []memsync.Field, noted []string, err *memsync.Error) {
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		switch {
		case !validKey(f.Key):
			return nil, nil, &memsync.Error{Code: memsync.CodeFrontmatter, Message: "not a frontmatter key: " + shown(f.Key)}
		case seen[f.Key]:
			return nil, nil, &memsync.Error{Code: memsync.CodeFrontmatter, Message: "a key is given twice: " + shown(f.Key)}
		}
		seen[f.Key] = true
		switch {
		case f.Key == "provenance.confidence" && !f.Remove && !f.Value.IsList:
			if c := confidence(actor, f.Value.Text); c != f.Value.Text {
				noted = append(noted, f.Key+" lowered to "+c)
				f.Value = memsync.Text(c)
			}
		case f.Key == "provenance" || strings.HasPrefix(f.Key, "provenance."):
			noted = append(noted, f.Key+" dropped: set by the write path")
			continue
		case f.Key == "pinned" && !actor.Person():
			return nil, nil, &memsync.Error{Code: memsync.CodePersonRequired, Message: "only a person pins a memory",
				Hint: "leave `pinned` out, or edit the file"}
		case f.Key == "type" || f.Key == "metadata.type":
			if _, ok := memsync.ParseType(f.Value.Text); !ok || f.Remove || f.Value.IsList {
				return nil, nil, &memsync.Error{Code: memsync.CodeTypeInvalid, Message: "not a type of memory: " + shown(f.Value.Text),
					Hint: "one of user, feedback, project, reference"}
			}
		case f.Key == "key" && !f.Remove && !validSlot(f.Value):
			return nil, nil, &memsync.Error{Code: memsync.CodeUsage, Message: "the value of key is no slug",
				Hint: "a slug is lower-case letters, digits and single dashes: deploy-day"}
		case f.Key == "tags" && f.Value.IsList:
			f.Value = memsync.List(words(f.Value.List)...)
			f.Remove = f.Remove || len(f.Value.List) == 0
		}
		if f.Remove {
			kept = append(kept, memsync.Field{Key: f.Key, Remove: true})
			continue
		}
		if folded(f.Key) && !f.Value.IsList {
			f.Value = memsync.Text(strings.Join(strings.Fields(f.Value.Text), " "))
			if n := utf8.RuneCountInString(f.Value.Text); lim.DescriptionChars > 0 && n > lim.DescriptionChars {
				return nil, nil, &memsync.Error{Code: memsync.CodeTooLarge,
					Message: "the " + f.Key + " has " + strconv.Itoa(n) + " characters, the limit is " + strconv.Itoa(lim.DescriptionChars),
					Hint:    "say it in one line; details belong in the body",
					Details: map[string]string{"limit": strconv.Itoa(lim.DescriptionChars), "size": strconv.Itoa(n)}}
			}
		}
		for _, t := range valueTexts(f.Value) {
			if !utf8.ValidString(t) || strings.ContainsRune(t, 0) {
				return nil, nil, &memsync.Error{Code: memsync.CodeEncoding, Message: "the value of " + f.Key + " is not valid UTF-8 text"}
			}
			if oneLine(f.Key) && strings.IndexFunc(t, unicode.IsControl) >= 0 {
				return nil, nil, &memsync.Error{Code: memsync.CodeFrontmatter, Message: "the value of " + f.Key + " is one line without control characters"}
			}
			if (f.Key == "valid_from" || f.Key == "valid_until") && !validDate(t) {
				return nil, nil, &memsync.Error{Code: memsync.CodeFrontmatter, Message: "the value of " + f.Key + " is not a date",
					Hint: "write it as 2026-01-31 or 2026-01-31T12:00:00Z"}
			}
		}
		kept = append(kept, f)
	}
	return kept, noted, nil
}

// confidence is what stands in a file about how sure its writer was. A person
// may say anything; an agent or program is at most medium, whatever it claims.
func confidence(a memsync.Actor, claimed string) string {
	switch {
	case a.Person() && claimed != "":
		return claimed
	case a.Person():
		return "high"
	case claimed == "low":
		return "low"
	default:
		return "medium"
	}
}

func validKey(k string) bool {
	if k == "" || len(k) > 200 || k[0] == '.' || k[len(k)-1] == '.' || strings.Contains(k, "..") {
		return false
	}
	for i, r := range k {
		switch {
		case r == '_' || unicode.IsLetter(r):
		case i > 0 && (r == '-' || r == '.' || unicode.IsDigit(r)):
		default:
			return false
		}
	}
	return true
}

// validSlot reports whether the value of key is a slug, or the two of a slot
// (see SlotKey).
func validSlot(v memsync.Value) bool {
	first, second, slot := strings.Cut(v.Text, "--")
	isSlug := func(s string) bool { return s != "" && format.Slug(s) == s }
	return !v.IsList && isSlug(first) && (!slot || isSlug(second))
}

// words are short words as they were meant: without the space around them, and
// without those that say nothing.
func words(list []string) []string {
	var out []string
	for _, w := range list {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}

func validDate(s string) bool {
	s = strings.TrimSpace(s)
	for _, layout := range []string{time.DateOnly, time.RFC3339, time.RFC3339Nano} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// shown is a word of the payload as an error may repeat it. Long words and
// words with digits in them could be secrets.
func shown(s string) string {
	if len(s) > 24 || strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' && r != ' ' && r != '-' }) >= 0 {
		return "(not shown)"
	}
	return strconv.Quote(s)
}

func valueTexts(v memsync.Value) []string {
	if v.IsList {
		return v.List
	}
	return []string{v.Text}
}

func sameValue(a, b memsync.Value) bool {
	return a.IsList == b.IsList && a.Text == b.Text && slices.Equal(a.List, b.List)
}

// fieldText is the text of the last field with that key.
func fieldText(fields []memsync.Field, key string) string {
	for i := len(fields) - 1; i >= 0; i-- {
		if f := fields[i]; f.Key == key && !f.Remove && !f.Value.IsList {
			return f.Value.Text
		}
	}
	return ""
}

// heading is the first heading of a body, "" for none.
func heading(body string) string {
	for line := range strings.Lines(body) {
		if t := strings.TrimLeft(line, "#"); len(t) < len(line) && strings.HasPrefix(t, " ") {
			return strings.TrimSpace(t)
		}
	}
	return ""
}

// slugFrom is the slug of the first text that has one; of long texts the first
// words.
func slugFrom(texts ...string) string {
	for _, t := range texts {
		if w := strings.Fields(t); len(w) > 8 {
			t = strings.Join(w[:8], " ")
		}
		if s := format.Slug(t); s != "" {
			return s
		}
	}
	return ""
}
