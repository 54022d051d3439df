package format

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"memsync"
	"memsync/internal/text"
)

// elementBytes is the longest name that ext4, APFS and NTFS all take.
const elementBytes = 255

// CheckPath is the door for paths that a write names: portable, inside the
// store, not reserved. Errors carry CodePathEscape, CodePathReserved or
// CodePathInvalid, and Details "reason" tells the refusals of one code apart.
// Hidden directories are allowed (`.memsync/memory/`), all of git's are not.
func CheckPath(p memsync.Path) error {
	s := string(p)
	refuse := func(code memsync.Code, reason, msg, hint string) error {
		return &memsync.Error{Code: code, Path: p, Message: msg, Hint: hint, Details: map[string]string{"reason": reason}}
	}
	invalid := func(reason, msg, hint string) error { return refuse(memsync.CodePathInvalid, reason, msg, hint) }
	const rename = "choose another file name, such as user_review-style.md"
	switch {
	case s == "":
		return invalid("empty", "the path is empty", rename)
	case !utf8.ValidString(s):
		return refuse(memsync.CodePathInvalid, "encoding", "the path is not UTF-8", rename)
	case s[0] == '/' || s[0] == '\\' || len(s) > 1 && s[1] == ':':
		return refuse(memsync.CodePathEscape, "absolute", "the path is absolute", "name it relative to the store")
	}
	elements := strings.Split(s, "/")
	for _, e := range strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '\\' }) {
		if e == ".." {
			return refuse(memsync.CodePathEscape, "parent", "the path leaves its directory", "name a file inside the scope")
		}
	}
	for i, e := range elements {
		last := i == len(elements)-1
		if reason, msg := badElement(e); reason != "" {
			return invalid(reason, msg, rename)
		}
		if gitName(e) {
			return refuse(memsync.CodePathReserved, "git", fmt.Sprintf("%q is git's", clip(e)), rename)
		}
		if reservedDir(e) && !last {
			return refuse(memsync.CodePathReserved, "directory", fmt.Sprintf("%s/ is memsync's own", clip(e)), rename)
		}
	}
	base := elements[len(elements)-1]
	switch {
	case base[0] == '.':
		return invalid("hidden", "the file name begins with a dot, so that most tools hide it", rename)
	case base[0] == '-':
		return invalid("dash", "the file name begins with a dash, which commands read as an option", rename)
	case strings.EqualFold(base, "MEMORY.md") || strings.EqualFold(base, "REVIEW.md"):
		return refuse(memsync.CodePathReserved, "index", base+" is written by memsync", rename)
	case base[0] == '_' || reservedDir(base):
		return refuse(memsync.CodePathReserved, "underscore", "file names that begin with _ are memsync's own", rename)
	case !strings.HasSuffix(base, ".md") || base == ".md":
		return invalid("extension", "a memory is a .md file", rename)
	case ignoredName(base):
		return refuse(memsync.CodePathReserved, "ignored", base+" is not a memory by its name", rename)
	case conflictCopy(base):
		return refuse(memsync.CodePathReserved, "conflict", "the name is one of a file-sync tool's conflict copies", rename)
	}
	return nil
}

// badElement says why one element of a path is not portable.
func badElement(e string) (reason, msg string) {
	switch {
	case e == "" || e == ".":
		return "element", "the path has an empty element, or `.`"
	case len(e) > elementBytes:
		return "long", fmt.Sprintf("a name of %d bytes; file systems take %d", len(e), elementBytes)
	case e[len(e)-1] == '.' || e[len(e)-1] == ' ':
		return "trailing", "a name that ends in a dot or space, which Windows drops"
	case device(e):
		return "device", fmt.Sprintf("%q is a device on Windows", clip(e))
	}
	for _, r := range e {
		switch {
		case strings.ContainsRune(`<>:"|?*\`, r):
			return "character", fmt.Sprintf("the name holds %q, which Windows does not allow", r)
		case unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || unicode.Is(unicode.Bidi_Control, r) || r == 0x200b || r == 0xfeff || r == 0x2060:
			return "control", fmt.Sprintf("the name holds the invisible character %U", r)
		}
	}
	return "", ""
}

// device reports whether Windows takes a name, with any extension, for a
// device (learn.microsoft.com, "Naming Files, Paths, and Namespaces").
func device(e string) bool {
	name, _, _ := strings.Cut(e, ".")
	name = strings.ToUpper(strings.TrimRight(name, " "))
	switch name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	for _, p := range []string{"COM", "LPT"} {
		if rest, ok := strings.CutPrefix(name, p); ok {
			switch rest {
			case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
				return true
			}
		}
	}
	return false
}

// gitName reports whether an element names git's own directory on some file
// system: .git in any case, its short name on NTFS, or with characters that
// HFS+ ignores.
func gitName(e string) bool {
	e = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, e)
	return strings.EqualFold(e, ".git") || strings.EqualFold(e, "git~1")
}

// reservedDir reports whether a directory is memsync's own. Case counts on no
// file system that matters here.
func reservedDir(e string) bool {
	return strings.EqualFold(e, "_system") || strings.EqualFold(e, "_index") || strings.EqualFold(e, "_inbox")
}

// CollisionKey is the same for two paths that some file system takes for one
// file: those that differ by case or Unicode form only. Two paths with one key
// cannot both be checked out on macOS or Windows.
func CollisionKey(p memsync.Path) string { return text.Fold(string(p)) }
