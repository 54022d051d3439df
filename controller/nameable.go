package controller

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"memsync"
	"memsync/internal/ledger"
	"memsync/internal/scan"
)

// ShownPath is a path of the store as it may be shown and kept: what holds a
// secret that nobody allowed there is masked, folders as well as the file, and
// bytes that are not UTF-8 stand as escapes, so that two such names differ.
func ShownPath(p memsync.Path, state *ledger.State) memsync.Path {
	shown := scan.MaskPath(string(p), func(fingerprint string) bool { return state.Allowed(p, fingerprint) })
	if utf8.ValidString(shown) {
		return memsync.Path(shown)
	}
	var b strings.Builder
	for i, r := range shown {
		if r == utf8.RuneError && !strings.HasPrefix(shown[i:], "\uFFFD") {
			fmt.Fprintf(&b, `\x%02x`, shown[i])
			continue
		}
		b.WriteRune(r)
	}
	return memsync.Path(b.String())
}

// CheckName says why a file that is on disk can't be known by its name: it
// holds a secret, or it is not UTF-8, which a ledger line and a JSON document
// would turn into another name. Such a file is held, and nothing keeps its
// path; the error has the one to show.
func CheckName(p memsync.Path, state *ledger.State) *memsync.Error {
	shown := ShownPath(p, state)
	switch {
	case shown == p:
		return nil
	case !utf8.ValidString(string(p)):
		return &memsync.Error{Code: memsync.CodePathInvalid, Path: shown, Message: "the name is not UTF-8: it can't exist on every system, and can't be recorded",
			Hint: "rename the file; it stays as it is until then"}
	default:
		return &memsync.Error{Code: memsync.CodeSecret, Path: shown, Message: "a secret, in the file name", Hint: "rename the file or its folder"}
	}
}
