package config

import (
	"cmp"
	"fmt"
	"time"

	"memsync"
)

// WorkspaceFile is workspace.toml.
type WorkspaceFile struct {
	WorkspaceID memsync.ID
	CreatedAt   time.Time // UTC, whole seconds; zero when the file does not say
	// RealpathAtCreation is where the workspace was made. It is written only
	// where git does not track the file.
	RealpathAtCreation string
}

// ParseWorkspace reads workspace.toml. Errors are CodeConfig with line and
// column; Path is left to the caller.
func ParseWorkspace(data []byte) (WorkspaceFile, error) {
	var w WorkspaceFile
	d, err := scan(data)
	if err != nil {
		return w, err
	}
	for _, it := range d.items {
		at := cmp.Or(it.val, it.key)
		switch s, _ := it.value.(string); it.name {
		case "workspace_id":
			if w.WorkspaceID, err = memsync.ParseID(s); err != nil {
				return WorkspaceFile{}, d.fail(at, "workspace_id must be a ULID: 26 letters and digits in quotes")
			}
		case "created_at":
			when, ok := it.value.(time.Time)
			if !ok {
				when, err = time.Parse(time.RFC3339, s)
			}
			if err != nil {
				return WorkspaceFile{}, d.fail(at, "created_at must be a time such as 2026-04-12T14:32:11Z")
			}
			w.CreatedAt = when.UTC()
		case "realpath_at_creation":
			if s == "" {
				return WorkspaceFile{}, d.fail(at, "realpath_at_creation must be a string")
			}
			w.RealpathAtCreation = s
		default:
			e, u := d.fail(it.key, ""), unknownKey(it.name, []string{"workspace_id", "created_at", "realpath_at_creation"})
			e.Message = u.Message
			return WorkspaceFile{}, e
		}
	}
	if w.WorkspaceID == "" {
		return w, &memsync.Error{Code: memsync.CodeConfig, Line: 1, Column: 1, Message: "workspace_id is missing",
			Hint: "restore the file from git; a new id would make this another workspace"}
	}
	return w, nil
}

// Bytes is the file.
func (w WorkspaceFile) Bytes() []byte {
	text := fmt.Sprintf("workspace_id = %s\n", literal(string(w.WorkspaceID)))
	if !w.CreatedAt.IsZero() {
		text += "created_at = " + w.CreatedAt.UTC().Format(time.RFC3339) + "\n"
	}
	if w.RealpathAtCreation != "" {
		text += "realpath_at_creation = " + literal(w.RealpathAtCreation) + "\n"
	}
	return []byte(text)
}
