//go:build !linux

package watcher

import (
	"errors"
	"runtime"
	"syscall"
)

// backend is what gives the events here.
var backend = map[bool]string{true: "windows", false: "kqueue"}[runtime.GOOS == "windows"]

// allowed is how many directories may be watched; nobody says.
func allowed() int { return 0 }

// full reports whether a watch was refused because there are too many: kqueue
// holds a file open for each.
func full(err error) bool { return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) }

func (w *Watch) tooMany() string {
	return "there are more directories than this process may hold open: raise `ulimit -n`"
}

func hasEvents(string) bool { return true }
