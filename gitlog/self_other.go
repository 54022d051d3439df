//go:build !linux

package gitlog

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// selfMark names this process. Without a boot id a lock from before a restart
// is told by its process id alone.
var selfMark = sync.OnceValue(func() Mark {
	return Mark{Machine: machineName(""), PID: os.Getpid()}
})

// processStart is unknown here; a reused process id keeps a lock held until
// that process ends, which is the safe side.
func processStart(int) string { return "" }

// gitRunning reports whether any git command runs on this machine; where it
// works cannot be asked cheaply here.
func gitRunning(string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ps", "-axo", "command=").Output()
	if err != nil {
		return false
	}
	for _, line := range strings.Split(string(out), "\n") {
		f := strings.Fields(line)
		if len(f) > 1 && (f[0] == "git" || strings.HasSuffix(f[0], "/git")) {
			return true
		}
	}
	return false
}
