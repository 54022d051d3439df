// Package diskfull knows an error that says that no room is left. It is one
// place, so that a full disk is told as one wherever it is met; it never looks
// at the disk itself.
package diskfull

import (
	"errors"
	"strings"
)

// Is reports whether err says that no room is left: on the disk, in the quota,
// or in the size that a process may give a file. bbolt and scorch pass some
// errors on as text only ("file resize error: …"), so the end of the text is
// looked at, too.
func Is(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	for _, full := range numbers {
		if errors.Is(err, full) || strings.HasSuffix(text, full.Error()) {
			return true
		}
	}
	return false
}
