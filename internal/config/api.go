// Package config turns memsync.toml and workspace.toml into values, strictly,
// with places in errors.
package config

import (
	"time"

	"memsync"
)

// Parse reads memsync.toml. A nil or empty file is every default. Errors are
// *memsync.Error with CodeConfig (or CodeStoreFormat for an unknown format),
// line, column and, for an unknown key, a suggestion.
func Parse(data []byte) (memsync.Policy, error) { panic("stub") }

// Default is the text that init writes.
func Default(p memsync.Policy) []byte { panic("stub") }

// AddScope is the file with one [[scope]] entry appended, other bytes as they
// were.
func AddScope(data []byte, s memsync.Scope) ([]byte, error) { panic("stub") }

// WorkspaceFile is workspace.toml.
type WorkspaceFile struct {
	WorkspaceID memsync.ID
	CreatedAt   time.Time
}

func ParseWorkspace(data []byte) (WorkspaceFile, error) { panic("stub") }
func (w WorkspaceFile) Bytes() []byte                   { panic("stub") }
