package format

import (
	"strings"
	"unicode/utf8"

	"memsync"
)

// Class says what a file in a scope directory is.
type Class int

const (
	NotMemory    Class = iota // README, CLAUDE, …, not Markdown, editors' temporary files, hidden files
	MemoryFile                // a memory
	LogFile                   // a memory of kind log
	IndexFile                 // MEMORY.md, at the top of the scope or in a folder
	ReviewFile                // REVIEW.md
	SystemFile                // below _system/, _index/, _inbox/, or any _*.md
	ConflictCopy              // a file-sync tool's copy, kept out
	Unnamable                 // Markdown whose name is not UTF-8: neither JSON nor a ledger can say it, so it is no memory
)

// String names the class for messages and tests.
func (c Class) String() string {
	return [...]string{"not a memory", "memory", "log", "index", "review", "system", "conflict copy", "unnamable"}[c]
}

// Classify says what the file at rel, a path relative to its scope, is.
// Whether `name 2.md` is a copy needs the ids: see NumberedCopy. What a scope's
// own ignore patterns and git say is not asked here.
func Classify(rel memsync.Path) Class {
	dir, base := "", string(rel)
	if i := strings.LastIndexByte(base, '/'); i >= 0 {
		dir, base = base[:i], base[i+1:]
	}
	log := false
	if dir != "" {
		for e := range strings.SplitSeq(dir, "/") {
			switch {
			case reservedDir(e):
				return SystemFile
			case e == "" || e[0] == '.':
				return NotMemory
			case e == "logs" || e == "daily" || e == "briefs":
				log = true
			}
		}
	}
	switch {
	case base == "" || base[0] == '.' || Temporary(base) || !markdown(base):
		return NotMemory
	case !utf8.ValidString(string(rel)):
		return Unnamable
	case conflictCopy(base):
		return ConflictCopy
	case base[0] == '_':
		return SystemFile
	case base == "MEMORY.md":
		return IndexFile
	case base == "REVIEW.md":
		return ReviewFile
	case ignoredName(base):
		return NotMemory
	case log || dated(base):
		return LogFile
	}
	return MemoryFile
}

func markdown(base string) bool {
	return len(base) > 3 && strings.EqualFold(base[len(base)-3:], ".md")
}

// Temporary reports whether a base name is one that editors and tools use
// while they save: vim's 4913, backups and swap files, emacs' locks and
// autosaves, sed's copies.
func Temporary(base string) bool {
	switch {
	case base == "":
		return false
	case strings.HasSuffix(base, "~") || base == "4913":
		return true
	case strings.HasSuffix(base, ".swp") || strings.HasSuffix(base, ".swx") || strings.HasSuffix(base, ".swo") || strings.HasSuffix(base, ".tmp"):
		return true
	case strings.HasPrefix(base, ".#"):
		return true
	case len(base) > 2 && base[0] == '#' && base[len(base)-1] == '#':
		return true
	case len(base) == 9 && strings.HasPrefix(base, "sed"):
		return alnum(base[3:])
	}
	return false
}

func alnum(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			return false
		}
	}
	return true
}

// ignoredName reports whether a file is none of ours by its name: what tools
// and people keep beside memories. In the wild these are upper case; a memory
// may well be called user.md.
func ignoredName(base string) bool {
	if !markdown(base) {
		return false
	}
	switch stem(base) {
	case "README", "CLAUDE", "AGENTS", "SOUL", "USER", "IDENTITY", "TOOLS", "HEARTBEAT", "LICENSE", "SKILL", "readme", "Readme", "license":
		return true
	}
	return false
}

// dated reports whether a base name begins with YYYY-MM-DD.
func dated(base string) bool {
	if len(base) < 10 || base[4] != '-' || base[7] != '-' {
		return false
	}
	for i, c := range []byte(base[:10]) {
		if i != 4 && i != 7 && (c < '0' || c > '9') {
			return false
		}
	}
	m, d := base[5:7], base[8:10]
	return m >= "01" && m <= "12" && d >= "01" && d <= "31"
}

// conflictCopy reports whether a base name is one that Syncthing
// (`x.sync-conflict-20260101-120000-ABCDEFG.md`), Dropbox or Nextcloud
// (`x (… conflicted copy …).md`) gives to the loser of a conflict.
func conflictCopy(base string) bool {
	if strings.Contains(base, ".sync-conflict-") {
		return true
	}
	_, rest, ok := strings.Cut(base, " (")
	if !ok {
		return false
	}
	i := strings.Index(rest, "conflicted copy")
	return i >= 0 && strings.IndexByte(rest[i:], ')') > 0
}

// NumberedCopy reports whether a base name is a copy by its number, as cloud
// drives make them (`name 2.md`), and of which file. It is one only when its
// id is known elsewhere, which is the caller's to see.
func NumberedCopy(base string) (orig string, ok bool) {
	if !markdown(base) {
		return "", false
	}
	s := stem(base)
	i := strings.LastIndexByte(s, ' ')
	if i <= 0 {
		return "", false
	}
	n := s[i+1:]
	if len(n) == 1 && n[0] >= '2' && n[0] <= '9' || len(n) == 2 && n[0] >= '1' && n[0] <= '9' && n[1] >= '0' && n[1] <= '9' {
		return s[:i] + base[len(s):], true
	}
	return "", false
}
