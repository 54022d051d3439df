package hooks

import (
	"path/filepath"
	"strings"
)

// Names are the hooks that memsync has something to do in.
var Names = []string{"pre-commit", "pre-push", "post-merge", "post-checkout", "post-rewrite"}

// version counts the scripts. Older ones are recognised by rendering them again.
const version = "1"

// marker begins the line by which a script of ours is known.
const marker = "# memsync hook "

// Before is what is behind the name of a hook that was there before ours.
const Before = ".before-memsync"

// script is what a hook of ours is made from.
type script struct {
	hook      string
	binary    string // absolute; "" is memsync on PATH
	fixStaged bool
}

// listens: git tells these on standard input what they are about.
func listens(hook string) bool { return hook == "pre-push" || hook == "post-rewrite" }

// after: git has done the work already, so that failing would only mislead what
// called git (post-checkout's exit code is that of `git checkout`).
func after(hook string) bool { return strings.HasPrefix(hook, "post-") }

// text is the script, for POSIX sh.
func (s script) text() string {
	var b strings.Builder
	line := func(lines ...string) {
		for _, l := range lines {
			b.WriteString(strings.ReplaceAll(l, "@@", s.hook))
			b.WriteByte('\n')
		}
	}
	line("#!/bin/sh",
		marker+version+": @@",
		"# `memsync hooks uninstall` puts back what was here before. MEMSYNC_HOOK=off skips",
		"# memsync, MEMSYNC_HOOK=optional lets it be missing.")
	b.WriteString("memsync=" + quote(s.binary) + "\n")
	line("case $0 in",
		"*/*) before=${0%/*}/@@"+Before+" ;;",
		"*) before=./@@"+Before+" ;;",
		"esac")
	from := ""
	if listens(s.hook) {
		line("said=$(cat; echo .)", "said=${said%.}")
		from = `printf '%s' "$said" | `
	}
	// pre-commit (the program) keeps what it finds as <hook>.legacy and runs it from
	// its own script. A copy of that script behind us would call it once more.
	line(`if [ -x "$before" ] && ! { [ -n "${PRE_COMMIT_RUNNING_LEGACY-}" ] && grep -q 'pre-commit\.com' "$before"; }; then`,
		"\t"+from+`"$before" "$@" || exit $?`,
		"fi",
		`[ "${MEMSYNC_HOOK-}" = off ] && exit 0`,
		`if [ ! -f "$memsync" ] || [ ! -x "$memsync" ]; then`,
		"\tif command -v memsync >/dev/null 2>&1; then",
		"\t\tmemsync=memsync")
	missing(line, s.hook, "\t", "exit 0")
	line("fi")
	run := `"$memsync" hooks run @@` + s.flags() + ` -- "$@"`
	if from == "" {
		line("exec " + run)
	} else {
		line(from + run)
	}
	return b.String()
}

// missing are the branches for a memsync that is not there.
func missing(line func(...string), hook, indent, skip string) {
	fail := "exit 1"
	if after(hook) {
		fail = skip
	}
	line(indent+`elif [ "${MEMSYNC_HOOK-}" = optional ]; then`,
		indent+"\t"+`echo 'memsync: not found, so its @@ hook was skipped (MEMSYNC_HOOK=optional)' >&2`,
		indent+"\t"+skip,
		indent+"else",
		indent+"\t"+`echo 'memsync: the @@ hook of this repository needs memsync, which is not on the PATH' >&2`,
		indent+"\t"+`echo '  install it, or pass it by: MEMSYNC_HOOK=off for one command, MEMSYNC_HOOK=optional for good' >&2`,
		indent+"\t"+fail,
		indent+"fi")
}

func (s script) flags() string {
	if s.fixStaged && s.hook == "pre-commit" {
		return " --fix-staged"
	}
	return ""
}

// block is what a file of husky's gets: the file is shared, so memsync is the one
// on the PATH, and what stands behind it still runs.
func (s script) block() string {
	var b strings.Builder
	line := func(lines ...string) {
		for _, l := range lines {
			b.WriteString(strings.ReplaceAll(l, "@@", s.hook))
			b.WriteByte('\n')
		}
	}
	line(`if [ "${MEMSYNC_HOOK-}" != off ]; then`,
		"\tif command -v memsync >/dev/null 2>&1; then",
		"\t\tmemsync hooks run @@"+s.flags()+` -- "$@" || exit $?`)
	missing(line, s.hook, "\t", ":")
	line("fi")
	return b.String()
}

// marked reports whether a script says that it is ours.
func marked(text string) bool {
	for i := range 5 {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if i > 0 && strings.HasPrefix(line, marker) {
			return true
		}
	}
	return false
}

// known takes a script of ours apart; ok is false for one that differs in any
// byte from what this program, or an earlier one, writes.
func known(hook, text string) (s script, ok bool) {
	s.hook = hook
	_, value, _ := strings.Cut(text, "\nmemsync=")
	value, _, _ = strings.Cut(value, "\ncase $0 in\n")
	if s.binary, ok = unquote(value); !ok {
		return s, false
	}
	for _, s.fixStaged = range []bool{false, true} {
		if s.text() == text {
			return s, true
		}
	}
	return s, false
}

// quote is a word of the shell, whatever its bytes.
func quote(s string) string {
	return "'" + strings.ReplaceAll(filepath.ToSlash(s), "'", `'\''`) + "'"
}

func unquote(s string) (string, bool) {
	body, ok := strings.CutPrefix(s, "'")
	if ok {
		body, ok = strings.CutSuffix(body, "'")
	}
	body = strings.ReplaceAll(body, `'\''`, "\x00")
	if strings.Contains(body, "'") {
		return "", false
	}
	return strings.ReplaceAll(body, "\x00", "'"), ok
}
