//go:build !unix

package gitlog

import "os/exec"

// alone is for systems with terminals that a child can ask at.
func alone(*exec.Cmd) {}
