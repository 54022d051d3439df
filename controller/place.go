package controller

import (
	"memsync"
	"memsync/internal/format"
)

// DefaultScope is where a write that names no scope goes: user and feedback
// to global, project and reference to the workspace; in a dedicated store that
// was found by walking up all of them to global. Never a silent reroute.
func DefaultScope(t memsync.Type, scopes []memsync.Scope, allGlobal bool) (memsync.Scope, *memsync.Error) {
	kind := memsync.Global
	if !allGlobal && (t == memsync.Project || t == memsync.Reference) {
		kind = memsync.Workspace
	}
	for _, s := range scopes {
		if s.Kind == kind {
			return s, nil
		}
	}
	if kind == memsync.Workspace {
		return memsync.Scope{}, &memsync.Error{Code: memsync.CodeScopeNoWorkspace,
			Message: "a " + string(t) + " memory belongs to a workspace and there is none here",
			Hint:    "run `memsync init` in the project, or name a scope"}
	}
	return memsync.Scope{}, &memsync.Error{Code: memsync.CodeScopeInvalid, Message: "this store has no global scope", Hint: "name a scope"}
}

// SlotKey is the key under which the memory of a slot is found and kept: one
// attribute of one entity is one fact. "" where either says nothing.
func SlotKey(entity, attribute string) string {
	e, a := format.Slug(entity), format.Slug(attribute)
	if e == "" || a == "" {
		return ""
	}
	return e + "--" + a // a slug has single dashes only, so no two slots share a key
}

func noScope(name string) *memsync.Error {
	if name == string(memsync.Workspace) {
		return &memsync.Error{Code: memsync.CodeScopeNoWorkspace, Message: "there is no workspace here",
			Hint: "run `memsync init` in the project, or name another scope"}
	}
	return &memsync.Error{Code: memsync.CodeScopeInvalid, Message: "there is no scope of that name in this store",
		Hint: "`memsync status` lists the scopes"}
}

// checkTarget is the door for a path that a write names.
func checkTarget(p memsync.Path, scopes []memsync.Scope) (memsync.Scope, *memsync.Error) {
	if err := format.CheckPath(p); err != nil {
		return memsync.Scope{}, asError(err, memsync.CodePathInvalid)
	}
	scope, ok := memsync.ScopeOf(scopes, p)
	if !ok {
		return scope, &memsync.Error{Code: memsync.CodePathEscape, Path: p, Message: "the path lies in no scope of this store"}
	}
	switch format.Classify(p.Rel(scope.Dir)) {
	case format.MemoryFile, format.LogFile:
		return scope, nil
	case format.ConflictCopy:
		return scope, &memsync.Error{Code: memsync.CodePathInvalid, Path: p, Message: "that is the name of a file-sync tool's conflict copy"}
	default:
		return scope, &memsync.Error{Code: memsync.CodePathReserved, Path: p, Message: "that name is reserved, no memory can have it"}
	}
}
