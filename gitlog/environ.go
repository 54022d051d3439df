package gitlog

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// environ is the environment that the caller handed in.
type environ []string

func (e environ) lookup(name string) (string, bool) {
	for i := len(e) - 1; i >= 0; i-- {
		if k, v, _ := strings.Cut(e[i], "="); k == name {
			return v, true
		}
	}
	return "", false
}

func (e environ) get(name string) string {
	v, _ := e.lookup(name)
	return v
}

// xdg is a base directory of the XDG specification: the variable, or the
// default below the home directory; "" when neither is known.
func (e environ) xdg(name, below string) string {
	if v := e.get(name); filepath.IsAbs(v) {
		return v
	}
	if home := e.get("HOME"); home != "" {
		return filepath.Join(home, below)
	}
	return ""
}

// scrubbed reports whether a variable is one that git exports inside hooks, or
// that would turn a command to another repository or another way of reading its
// arguments. The first block is `git rev-parse --local-env-vars`.
func scrubbed(name string) bool {
	switch name {
	case "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS",
		"GIT_CONFIG_COUNT", "GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE",
		"GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE",
		"GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX",
		"GIT_INTERNAL_SUPER_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR",

		"GIT_NAMESPACE", "GIT_QUARANTINE_PATH", "GIT_LITERAL_PATHSPECS",
		"GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
		"GIT_ATTR_SOURCE", "GIT_DEFAULT_HASH", "GIT_DEFAULT_REF_FORMAT",
		"GIT_REFLOG_ACTION", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS",
		"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE",
		"GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
		"LC_ALL", "LANGUAGE", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS":
		return true
	}
	return false
}

// forGit is the environment of a git process of ours.
func (e environ) forGit(extra ...string) []string {
	out := make([]string, 0, len(e)+4+len(extra))
	for _, kv := range e {
		name, _, _ := strings.Cut(kv, "=")
		if scrubbed(name) || strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_") {
			continue
		}
		out = append(out, kv)
	}
	out = append(out, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
	return append(out, extra...)
}

// fileStamp tells whether a file is still the one that was read.
type fileStamp struct {
	path string
	size int64
	mod  time.Time
	node uint64 // inode, 0 where there is none
	ok   bool   // it exists
}

func stampOf(path string) fileStamp {
	st := fileStamp{path: path}
	if info, err := os.Stat(path); err == nil {
		st.ok, st.size, st.mod, st.node = true, info.Size(), info.ModTime(), inode(info)
	}
	return st
}

func (s fileStamp) current() bool { return stampOf(s.path) == s }
