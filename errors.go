package memsync

import (
	"errors"
	"fmt"
	"strings"
)

// Code is a stable, documented name of what went wrong. A Code is itself an
// error, so errors.Is(err, memsync.CodeVersionConflict) asks for it through
// any wrapping.
type Code string

// Error makes a Code usable as the target of errors.Is.
func (c Code) Error() string { return string(c) }

// The codes of the write path. They are part of the interface: never renamed,
// never reused.
const (
	CodeScopeInvalid       Code = "memory.scope.invalid"
	CodeScopeNoWorkspace   Code = "memory.scope.no_workspace"
	CodeTypeInvalid        Code = "memory.type.invalid"
	CodePathReserved       Code = "memory.path.reserved"
	CodePathEscape         Code = "memory.path.escape"
	CodePathInvalid        Code = "memory.path.invalid" // not portable: control characters, trailing dots, device names, too long, not .md
	CodeNotFound           Code = "memory.not_found"
	CodeAmbiguous          Code = "memory.name.ambiguous" // a name that several memories answer to
	CodeVersionConflict    Code = "memory.version.conflict"
	CodeSecret             Code = "memory.content.secret"
	CodeInjection          Code = "memory.content.injection"
	CodeHidden             Code = "memory.content.hidden" // hidden or bidirectional control characters
	CodeTooLarge           Code = "memory.content.too_large"
	CodeEncoding           Code = "memory.content.encoding" // invalid UTF-8, UTF-16, NUL
	CodeMarkers            Code = "memory.content.markers"  // git conflict markers
	CodeFrontmatter        Code = "memory.frontmatter.invalid"
	CodeUneditable         Code = "memory.frontmatter.uneditable"
	CodeDuplicateAmbiguous Code = "memory.duplicate.ambiguous"
	CodeDuplicateID        Code = "memory.id.duplicate"
	CodeIdentityMismatch   Code = "memory.identity.mismatch"
	CodeDeleted            Code = "memory.deleted"
	CodeForgotten          Code = "memory.forgotten"
	CodeValueRejected      Code = "memory.value.rejected"
	CodeProtected          Code = "memory.protected"
	CodePersonRequired     Code = "memory.person_required"
	CodeBatchShape         Code = "memory.batch.shape"
	CodeBatchMissing       Code = "memory.batch.missing"   // old_text is not there
	CodeBatchAmbiguous     Code = "memory.batch.ambiguous" // old_text is there more than once
	CodeDeletesHeld        Code = "memory.deletes.held"    // a mass delete waits for a person
	CodeStoreNone          Code = "memory.store.none"
	CodeStoreExists        Code = "memory.store.exists"
	CodeStoreRefused       Code = "memory.store.refused" // $HOME, /, a place that can't be a store
	CodeStoreBusy          Code = "memory.store.busy"
	CodeStorePaused        Code = "memory.store.paused"
	CodeStoreFormat        Code = "memory.store.format"
	CodeConfig             Code = "memory.config.invalid"
	CodeUsage              Code = "memory.usage"
	CodeIO                 Code = "memory.io.failed"
	CodeIORead             Code = "memory.io.read"
	CodeIOWrite            Code = "memory.io.write"
	CodeIOFull             Code = "memory.io.full"
	CodeIODenied           Code = "memory.io.denied"
	CodeIORaced            Code = "memory.io.raced" // the bytes changed under a write; decided again
	CodeGit                Code = "memory.git.failed"
	CodeGitMissing         Code = "memory.git.missing"     // this repository needs the git binary and there is none
	CodeGitLocked          Code = "memory.git.locked"      // index.lock or a ref lock is held
	CodeGitUnsupported     Code = "memory.git.unsupported" // a kind of repository nobody here can write
	CodeGitMoved           Code = "memory.git.moved"       // the branch moved between deciding and committing
	CodeGitCorrupt         Code = "memory.git.corrupt"
	CodeJournal            Code = "memory.journal.failed"
	CodeConflictUnresolved Code = "memory.conflict.unresolved"
	CodeSyncNoRemote       Code = "memory.sync.no_remote"
	CodeSyncNoHelper       Code = "memory.sync.no_helper"      // neither git nor the program that speaks http without it
	CodeSyncRejected       Code = "memory.sync.rejected"       // the remote has moved on: fetch, join, push again
	CodeSyncRefused        Code = "memory.sync.refused"        // a hook or rule of the remote said no
	CodeSyncAuth           Code = "memory.sync.auth"           // never tried again by itself
	CodeSyncUnreachable    Code = "memory.sync.unreachable"    // the network, or the server
	CodeSyncTimeout        Code = "memory.sync.timeout"        // the remote did not answer in time
	CodeSyncNotRepository  Code = "memory.sync.not_repository" // there is no repository at that address, or none for this person
	CodeSyncForced         Code = "memory.sync.forced"         // the remote's history was rewritten
	CodeSyncUnrelated      Code = "memory.sync.unrelated"      // two histories with nothing in common
	CodeSyncShallow        Code = "memory.sync.shallow"        // a shallow clone ends before the histories meet
	CodeSyncSecret         Code = "memory.sync.secret"         // what would leave looks like a secret
	CodeInternal           Code = "memory.internal"
)

// Error is what every surface shows of a failure. Where Line is set the place
// is Path:Line:Column, 1-based; columns count bytes.
type Error struct {
	Code    Code              `json:"code"`
	Message string            `json:"message"` // what happened, one sentence, no trailing stop; never a secret
	Path    Path              `json:"path,omitempty"`
	Line    int               `json:"line,omitempty"`
	Column  int               `json:"column,omitempty"`
	Hint    string            `json:"hint,omitempty"`    // what is safe now, and the next command to type
	Details map[string]string `json:"details,omitempty"` // facts for programs: hashes, ids, limits
	Err     error             `json:"-"`
}

// Error says place, message and cause, in that order. The hint is left to the
// surface, which knows how to set it apart.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(string(e.Path))
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
			if e.Column > 0 {
				fmt.Fprintf(&b, ":%d", e.Column)
			}
		}
		b.WriteString(": ")
	}
	switch {
	case e.Message != "":
		b.WriteString(e.Message)
	default:
		b.WriteString(string(e.Code))
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is matches a Code.
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == e.Code
}

// CodeOf is the code of the outermost *Error in err's chain; CodeInternal for
// an error without one, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}
