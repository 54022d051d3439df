package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"memsync"
)

// Where an embedded store keeps its own files, and those about directories
// beside them.
const (
	embeddedDir memsync.Path = ".memsync"
	boundDir    memsync.Path = ".memsync/bound"
)

// Layout is what is on disk: the kind of store and which of the standard
// places are there.
type Layout struct {
	Embedded  bool
	Workspace memsync.ID // embedded: from workspace.toml
	// Dirs are the directories that exist among memory/, agents/<a>/memory/ and
	// workspaces/<ulid>/memory/, of an embedded store below .memsync/. Relative
	// to the store's root; others are ignored.
	Dirs []memsync.Path
}

// StandardScope is the scope that a standard place is, whether it exists yet
// or not; ok is false for any other directory.
func StandardScope(l Layout, dir memsync.Path) (s memsync.Scope, ok bool) {
	rel := dir
	if l.Embedded {
		if rel = dir.Rel(embeddedDir); rel == dir {
			return s, false
		}
	}
	s = withDefaults(memsync.Scope{Dir: dir, System: dir})
	parts := strings.Split(string(rel), "/")
	switch {
	case rel == "memory" && l.Embedded:
		s.Kind, s.Workspace = memsync.Workspace, l.Workspace
	case rel == "memory":
		s.Kind = memsync.Global
	case len(parts) != 3 || parts[2] != "memory":
		return memsync.Scope{}, false
	case parts[0] == "agents" && agentName(parts[1]) == nil:
		s.Kind, s.Agent, s.Tier = memsync.Agent, parts[1], memsync.TierGlobal
		if l.Embedded {
			s.Tier, s.Workspace = memsync.TierWorkspace, l.Workspace
		}
	case parts[0] == "workspaces" && !l.Embedded:
		id, err := memsync.ParseID(parts[1])
		if err != nil || string(id) != parts[1] {
			return memsync.Scope{}, false
		}
		s.Kind, s.Workspace, s.Label = memsync.Workspace, id, "workspace:"+string(id)
	default:
		return memsync.Scope{}, false
	}
	return s, true
}

// Scopes are a store's scopes in precedence order, most specific kind first;
// within a kind the standard places come before the [[scope]] entries, unless
// an entry names them, and entries in their order. Names are unique: the first
// of several scopes of one kind keeps the plain name, the others carry their
// directory, as in "workspace/docs/memory".
//
// The place that a write falls back to (global in a dedicated store, workspace
// in an embedded one) is among them before its directory is.
func Scopes(p memsync.Policy, l Layout) ([]memsync.Scope, error) {
	var entries, standard []memsync.Scope
	named := make(map[memsync.Path]bool)
	for _, e := range p.Scopes {
		s, err := resolve(e, l)
		if err != nil {
			return nil, err
		}
		if named[s.Dir] {
			return nil, &memsync.Error{Code: memsync.CodeConfig, Message: fmt.Sprintf("two scopes have the directory %q", s.Dir)}
		}
		named[s.Dir] = true
		entries = append(entries, s)
	}
	for _, dir := range l.Dirs {
		if s, ok := StandardScope(l, dir); ok && !named[dir] {
			named[dir] = true
			standard = append(standard, s)
		}
	}
	slices.SortFunc(standard, func(a, b memsync.Scope) int { return cmp.Compare(a.Dir, b.Dir) })
	scopes := append(standard, entries...)
	main, kind := memsync.Path("memory"), memsync.Global
	if l.Embedded {
		main, kind = embeddedDir.Join("memory"), memsync.Workspace
	}
	if !named[main] && !slices.ContainsFunc(scopes, func(s memsync.Scope) bool { return s.Kind == kind }) {
		s, _ := StandardScope(l, main)
		scopes = append(scopes, s)
	}
	slices.SortStableFunc(scopes, func(a, b memsync.Scope) int { return cmp.Compare(a.Rank(), b.Rank()) })
	label(scopes)
	return scopes, nil
}

// resolve fills in what an entry leaves to its place.
func resolve(e memsync.Scope, l Layout) (memsync.Scope, error) {
	s := withDefaults(e)
	place, isStandard := StandardScope(l, s.Dir)
	s.System = s.Dir
	if l.Embedded && !isStandard {
		s.System = boundDir.Join(boundName(s.Dir))
	}
	if s.Kind == "" {
		switch {
		case isStandard:
			s.Kind, s.Agent = place.Kind, place.Agent
		case l.Embedded:
			s.Kind = memsync.Workspace
		default:
			s.Kind = memsync.Global
		}
	}
	switch s.Kind {
	case memsync.Workspace:
		s.Workspace, s.Label = place.Workspace, place.Label
		if s.Workspace == "" {
			s.Workspace = l.Workspace
		}
	case memsync.Agent:
		if s.Agent == "" {
			return s, &memsync.Error{Code: memsync.CodeConfig, Message: fmt.Sprintf("the scope %q is an agent's and names none", s.Dir)}
		}
		s.Tier = memsync.TierGlobal
		if l.Embedded {
			s.Tier, s.Workspace = memsync.TierWorkspace, l.Workspace
		}
	}
	return s, nil
}

// label tells scopes of one name apart.
func label(scopes []memsync.Scope) {
	taken := make(map[string]bool)
	for i := range scopes {
		s := &scopes[i]
		if taken[s.Name()] {
			s.Label = s.Name() + "/" + cmp.Or(string(s.Dir), ".")
		}
		taken[s.Name()] = true
	}
}

// boundName is a directory's place in .memsync/bound/: slashes become two
// dashes. It is a function of the directory alone, because a ledger lives
// there and must not change hands when entries come and go; a directory whose
// name could be mistaken for another's carries a piece of its hash.
func boundName(dir memsync.Path) string {
	d := string(dir)
	if d == "" {
		return "root--"
	}
	name := strings.ReplaceAll(d, "/", "--")
	if strings.Contains(d, "--") || strings.Contains(d, "-/") || strings.Contains(d, "/-") {
		sum := sha256.Sum256([]byte(d))
		name += "-" + hex.EncodeToString(sum[:4])
	}
	return name
}
