package indexer

import (
	"os"
	"strings"
)

// bootID names this boot of the machine; "" when the kernel does not say, and
// then a catalog whose process died is never trusted.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
