package gitlog

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
)

// machineName stands for this machine in lock files. Its id (or, without one,
// its name) is hashed: the id is not to be shown to others.
func machineName(id string) string {
	if id == "" {
		id, _ = os.Hostname()
	}
	sum := sha256.Sum256([]byte("memsync machine\x00" + id))
	return hex.EncodeToString(sum[:8])
}
