//go:build unix

package gitlog

import (
	"os/exec"
	"syscall"
)

// alone starts a command in a session of its own: it has no terminal to ask at,
// and what it started ends with it.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
