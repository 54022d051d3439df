package main

import (
	"errors"
	"fmt"
	"strings"

	"memsync"
)

// Exit codes, the same in every output format (docs/cli.md).
const (
	exitFine     = 0
	exitFindings = 1 // findings, work pending, a check that failed
	exitUsage    = 2 // usage or configuration
	exitNoStore  = 3
	exitPerson   = 4 // a person must decide: held, conflict
	exitBusy     = 5 // busy, paused or timed out
	exitGit      = 6
	exitNetwork  = 7
	exitRefused  = 8  // rejected by a rule or a precondition
	exitBug      = 10 // this program is wrong
)

// exitError carries an exit code without anything to print.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// exitOf is the exit code of an error.
func exitOf(err error) int {
	if err == nil {
		return exitFine
	}
	var x exitError
	if errors.As(err, &x) {
		return int(x)
	}
	code := memsync.CodeOf(err)
	switch code {
	case memsync.CodeUsage, memsync.CodeConfig, memsync.CodeStoreExists, memsync.CodeStoreRefused,
		memsync.CodeStoreFormat, memsync.CodeScopeInvalid, memsync.CodeScopeNoWorkspace, memsync.CodeSyncNoRemote:
		return exitUsage
	case memsync.CodeStoreNone:
		return exitNoStore
	case memsync.CodePersonRequired, memsync.CodeDeletesHeld, memsync.CodeConflictUnresolved,
		memsync.CodeSyncForced, memsync.CodeSyncUnrelated, memsync.CodeSyncSecret:
		return exitPerson
	case memsync.CodeStoreBusy, memsync.CodeStorePaused, memsync.CodeGitLocked:
		return exitBusy
	case memsync.CodeSyncAuth, memsync.CodeSyncUnreachable, memsync.CodeSyncTimeout:
		return exitNetwork
	case memsync.CodeInternal:
		return exitBug
	}
	switch {
	case strings.HasPrefix(string(code), "memory.git."), strings.HasPrefix(string(code), "memory.sync."):
		return exitGit
	case strings.HasPrefix(string(code), "memory.io."), strings.HasPrefix(string(code), "memory.journal."):
		return exitGit
	}
	return exitRefused
}
