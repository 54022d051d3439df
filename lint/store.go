package lint

import (
	"bytes"
	"strings"

	"memsync"
	"memsync/indexer/recall"
)

// The lines of .gitattributes that keep git from changing a byte of a memory, have it
// merge memories by meaning where a clone has the driver, and let any tool join two
// ledgers: as init writes them.
const (
	verbatimLine = "*.md -text merge=memsync"
	unionLine    = "**/_system/ledger/*.jsonl -text merge=union"
)

// store judges what holds the files: git, and the store's own settings.
func (j *join) store() {
	for _, s := range j.Skipped {
		if s.Path.Base() == "MEMORY.md" && j.scopeFile(s.Path) {
			continue // index tells of it
		}
		sev := memsync.Severity(warn)
		if s.Unseen {
			sev = bad
		}
		j.find(Finding{Finding: memsync.Finding{Code: memsync.FindSkipped, Severity: sev, Path: s.Path, Message: s.Reason, Hint: "memories are regular, readable files; move the file itself here"}})
	}
	for _, p := range j.Nested {
		j.find(Finding{Finding: memsync.Finding{Code: memsync.FindOwnMemoryMD, Severity: warn, Path: p, Line: 1, Column: 1, Message: "this folder has a MEMORY.md of its own and is no scope of its own",
			Hint: "name it in a [[scope]] of memsync.toml, or remove this file"}})
	}
	for _, p := range j.Unmerged {
		j.find(Finding{Finding: memsync.Finding{Code: Unmerged, Severity: bad, Path: p, Message: "a merge left it undecided in the index", Hint: "decide, then `git add` it"}})
	}
	for _, c := range j.Converted {
		j.find(Finding{Finding: memsync.Finding{Code: NotVerbatim, Severity: warn, Path: c.Path, Message: "git does not keep its bytes: " + c.How,
			Hint: "take it out of this attribute: memories are kept as they are"}})
	}
	for _, p := range j.Repositories {
		j.find(Finding{Finding: memsync.Finding{Code: NestedRepository, Severity: warn, Path: p, Message: "a git repository of its own: nothing in it is committed here",
			Hint: "move the memories out of it, or make it a store of its own"}})
	}
	for _, p := range j.Missing {
		j.find(Finding{Finding: memsync.Finding{Code: MissingScope, Severity: warn, Path: p, Message: "memsync.toml names this scope, and the directory is not there",
			Hint: "make it, or take the entry out"}})
	}
	j.ignored()
	j.attributes()
}

// scopeFile reports whether p is the MEMORY.md of a scope.
func (j *join) scopeFile(p memsync.Path) bool {
	for _, s := range j.scopes {
		if p == recall.FilePath(s) {
			return true
		}
	}
	return false
}

// ignored makes one finding a scope of what git ignores there.
func (j *join) ignored() {
	by := map[memsync.Path][]memsync.Path{}
	for _, p := range j.Ignored {
		if s, ok := memsync.ScopeOf(j.scopes, p); ok {
			by[s.Dir] = append(by[s.Dir], p)
		}
	}
	for _, list := range by {
		message := "git ignores it: it is in no commit, and on no other machine"
		if n := len(list) - 1; n > 0 {
			message += "; so with " + joinPaths(list[1:], 3)
		}
		j.find(Finding{Finding: memsync.Finding{Code: Ignored, Severity: warn, Path: list[0], Message: message,
			Hint: "change .gitignore, or keep what must not be shared in the local store (`--local`)"}})
	}
}

// attributes finds a .gitattributes that does not say what a store needs.
func (j *join) attributes() {
	a := j.Attributes
	if a == nil || a.Union && a.Verbatim {
		return
	}
	var missing []string
	if !a.Verbatim {
		missing = append(missing, verbatimLine)
	}
	if !a.Union {
		missing = append(missing, unionLine)
	}
	f := Finding{Finding: memsync.Finding{Code: NoAttributes, Severity: warn, Path: a.Path,
		Message: "git may change line ends of memories, or end a merge of ledgers with a conflict", Hint: "add `" + strings.Join(missing, "` and `") + "`"}}
	if a.Exists {
		f.Line, f.Column = 1, 1
		s := newSource(a.Data)
		s.settle(&f)
		text := strings.Join(missing, "\n") + "\n"
		if n := len(a.Data); n > 0 && !bytes.HasSuffix(a.Data, []byte("\n")) {
			text = "\n" + text
		}
		f.Fix = &Fix{"add the lines", []Edit{{len(a.Data), len(a.Data), text}}}
	}
	j.find(f)
}
