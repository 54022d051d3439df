package gitlog

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"memsync"
)

// Ident is a name and an address.
type Ident struct{ Name, Email string }

// commitObject is what a commit says.
type commitObject struct {
	tree      oid
	parents   []oid
	author    Ident
	authored  time.Time
	committed time.Time
	message   string
}

// parseCommit reads a commit. Times that make no sense are the zero time:
// history has been written by every kind of program.
func (h hashKind) parseCommit(data []byte) (commitObject, error) {
	var c commitObject
	rest := data
	for len(rest) > 0 {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		if len(line) == 0 {
			break
		}
		key, value, _ := bytes.Cut(line, []byte(" "))
		switch string(key) {
		case "tree":
			id, ok := h.parseOID(string(value))
			if !ok {
				return c, corrupt("a commit names no tree", nil)
			}
			c.tree = id
		case "parent":
			id, ok := h.parseOID(string(value))
			if !ok {
				return c, corrupt("a commit names a parent that is no commit", nil)
			}
			c.parents = append(c.parents, id)
		case "author":
			c.author, c.authored = parseSignature(string(value))
		case "committer":
			_, c.committed = parseSignature(string(value))
		}
	}
	if c.tree == "" {
		return c, corrupt("a commit names no tree", nil)
	}
	c.message = string(rest)
	return c, nil
}

// parseSignature reads "Name <email> seconds zone".
func parseSignature(s string) (Ident, time.Time) {
	open := strings.LastIndexByte(s, '<')
	end := strings.LastIndexByte(s, '>')
	if open < 0 || end < open {
		return Ident{Name: strings.TrimSpace(s)}, time.Time{}
	}
	id := Ident{Name: strings.TrimSpace(s[:open]), Email: s[open+1 : end]}
	f := strings.Fields(s[end+1:])
	if len(f) == 0 {
		return id, time.Time{}
	}
	sec, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return id, time.Time{}
	}
	at := time.Unix(sec, 0).UTC()
	if len(f) > 1 {
		if zone, ok := parseZone(f[1]); ok && zone != 0 {
			at = at.In(time.FixedZone("", zone))
		}
	}
	return id, at
}

func parseZone(s string) (seconds int, ok bool) {
	if len(s) != 5 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	n, err := strconv.Atoi(s[1:])
	if err != nil || n%100 > 59 {
		return 0, false
	}
	seconds = (n/100*60 + n%100) * 60
	if s[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// signature is how git writes who and when. What would break the line is left
// out, and the crud that git strips at either end, too.
func signature(id Ident, when time.Time) string {
	_, offset := when.Zone()
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	minutes := offset / 60
	zone := strconv.Itoa(10000 + minutes/60*100 + minutes%60)[1:]
	return cleanIdent(id.Name) + " <" + cleanIdent(id.Email) + "> " + strconv.FormatInt(when.Unix(), 10) + " " + string(sign) + zone
}

func cleanIdent(s string) string {
	s = strings.Map(func(c rune) rune {
		switch c {
		case '<', '>', '\n', '\r', 0:
			return -1
		}
		return c
	}, s)
	return strings.Trim(s, " .,:;\"\\'\t")
}

// committer is who commits, whoever the author is.
var committer = Ident{Name: "memsync", Email: "memsync@localhost"}

// encodeCommit makes the commit's bytes. A parent "" is none.
func encodeCommit(tree oid, author Ident, when time.Time, message string, parents ...oid) []byte {
	var b bytes.Buffer
	b.WriteString("tree " + tree.hex() + "\n")
	for _, p := range parents {
		if p != "" {
			b.WriteString("parent " + p.hex() + "\n")
		}
	}
	b.WriteString("author " + signature(author, when) + "\n")
	b.WriteString("committer " + signature(committer, when) + "\n\n")
	b.WriteString(cleanMessage(message))
	return b.Bytes()
}

// cleanMessage is a message without NUL, which git does not allow, and with
// one final newline.
func cleanMessage(s string) string {
	return strings.TrimRight(strings.ReplaceAll(s, "\x00", ""), "\n") + "\n"
}

func subjectOf(message string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(message, "\n"), "\n")
	return first
}

// trailersOf reads the last paragraph of a message when it is a block of
// trailers: "Key: value" lines, continued by white space. Values keep their
// order.
func trailersOf(message string) map[string][]string {
	body := strings.TrimRight(message, "\n ")
	i := strings.LastIndex(body, "\n\n")
	if i < 0 {
		return nil
	}
	var out map[string][]string
	last := ""
	for _, line := range strings.Split(body[i+2:], "\n") {
		if last != "" && (strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")) {
			v := out[last]
			v[len(v)-1] += " " + strings.TrimSpace(line)
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok || key == "" || strings.ContainsAny(key, " \t") {
			return nil
		}
		if out == nil {
			out = map[string][]string{}
		}
		out[key] = append(out[key], strings.TrimSpace(value))
		last = key
	}
	return out
}

// commitAt reads one commit.
func (r *Repo) commitAt(id oid) (commitObject, error) {
	data, err := r.object(id, typeCommit)
	if err != nil {
		return commitObject{}, err
	}
	return r.commitIn(id, data)
}

// commitIn is a commit in its bytes.
func (r *Repo) commitIn(id oid, data []byte) (commitObject, error) {
	c, err := r.kind.parseCommit(data)
	if err != nil {
		return c, &memsync.Error{Code: memsync.CodeGitCorrupt, Message: "commit " + id.hex(), Err: err}
	}
	return c, nil
}
