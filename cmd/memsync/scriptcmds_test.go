package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptCommands are the words of the stories beyond testscript's own.
//
//	git ARG...                      the real git
//	commits N                       HEAD has N commits
//	lasttree FILE...                the last commit changes exactly these files
//	lastauthor REGEXP               who made the last commit
//	numstat FILE ADDED REMOVED      what the last commit did to a file, in lines
//	tracked FILE...                 HEAD holds what is on disk
//	clean                           git has nothing to say, and fsck is silent
//	check [ARG...]                  fsck, a search, and `memsync doctor`
//	same A B                        two files hold the same bytes
//	edit FILE REGEXP REPLACEMENT    what sed -i does, refusing to change nothing
//	bytes FILE STRING               writes a Go string, escapes and all
//	many N PATTERN TEMPLATE [FROM]  N files of a template; @N@ is the number
//	big FILE BYTES LINE             a file of LINE again and again
//	age FILE DURATION               sets a modification time back
//	rested                          until all that is on disk is old enough for its stat to be believed
//	mtime FILE FROM                 gives a file another's modification time
//	capture VAR FILE REGEXP         the first group, as a variable
//	hash VAR FILE                   SHA-256 in hex, as a variable
//	json PATH [=|~|len] VALUE       asks the JSON document on stdout
//	manifest FILE DIR               each file below DIR: mode, hash, name
//	token VAR KIND                  what looks like a vendor's secret
//	nowhere TEXT DIR [FILE...]      no file and no git object holds TEXT
//	within FILE LINES BYTES         a file is no longer than that
//	count N REGEXP FILE             exactly N lines match
//	lineends FILE CRLF LF           how many lines end in which way
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"memsync":    scriptMemsync,
	"git":        scriptGit,
	"commits":    scriptCommits,
	"lasttree":   scriptLastTree,
	"lastauthor": scriptLastAuthor,
	"numstat":    scriptNumstat,
	"tracked":    scriptTracked,
	"clean":      scriptClean,
	"check":      scriptCheck,
	"rested":     scriptRested,
	"same":       scriptSame,
	"edit":       scriptEdit,
	"bytes":      scriptBytes,
	"many":       scriptMany,
	"big":        scriptBig,
	"age":        scriptAge,
	"mtime":      scriptMTime,
	"capture":    scriptCapture,
	"hash":       scriptHash,
	"json":       scriptJSON,
	"manifest":   scriptManifest,
	"token":      scriptToken,
	"nowhere":    scriptNowhere,
	"within":     scriptWithin,
	"count":      scriptCount,
	"lineends":   scriptLineEnds,
	"formats":    scriptFormats,
}

// want stops a story that uses a word wrongly.
func want(ts *testscript.TestScript, ok bool, usage string) {
	if !ok {
		ts.Fatalf("usage: %s", usage)
	}
}

func unescape(ts *testscript.TestScript, s string) string {
	out, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
	ts.Check(err)
	return out
}

func scriptSame(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 2, "same A B")
	if (ts.ReadFile(args[0]) == ts.ReadFile(args[1])) == neg {
		ts.Fatalf("%s and %s: same bytes is not %v", args[0], args[1], !neg)
	}
}

func scriptEdit(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 3 && !neg, "edit FILE REGEXP REPLACEMENT")
	old := ts.ReadFile(args[0])
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	now := re.ReplaceAllString(old, unescape(ts, args[2]))
	if now == old {
		ts.Fatalf("edit %s: %s matches nothing in\n%s", args[0], args[1], old)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(now), 0o644))
}

func scriptBytes(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 2 && !neg, "bytes FILE STRING")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(unescape(ts, args[1])), 0o644))
}

func scriptMany(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, (len(args) == 3 || len(args) == 4) && !neg, "many N PATTERN TEMPLATE [FROM]")
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	from := 1
	if len(args) == 4 {
		from, err = strconv.Atoi(args[3])
		ts.Check(err)
	}
	template := ts.ReadFile(args[2])
	for i := from; i < from+n; i++ {
		number := fmt.Sprintf("%03d", i)
		name := strings.ReplaceAll(args[1], "@N@", number)
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(strings.ReplaceAll(template, "@N@", number)), 0o644))
	}
}

func scriptBig(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 3 && !neg, "big FILE BYTES LINE")
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	line := unescape(ts, args[2])
	old, err := os.ReadFile(ts.MkAbs(args[0]))
	if err != nil && !os.IsNotExist(err) {
		ts.Check(err)
	}
	more := strings.Repeat(line, 1+n/len(line))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), append(old, more...), 0o644))
}

func scriptAge(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 2 && !neg, "age FILE DURATION")
	d, err := time.ParseDuration(args[1])
	ts.Check(err)
	at := time.Now().Add(-d)
	ts.Check(os.Chtimes(ts.MkAbs(args[0]), at, at))
}

func scriptMTime(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 2 && !neg, "mtime FILE FROM")
	st, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	ts.Check(os.Chtimes(ts.MkAbs(args[0]), st.ModTime(), st.ModTime()))
}

func scriptCapture(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 3 && !neg, "capture VAR FILE REGEXP")
	re, err := regexp.Compile("(?m)" + args[2])
	ts.Check(err)
	m := re.FindStringSubmatch(ts.ReadFile(args[1]))
	if len(m) < 2 {
		ts.Fatalf("capture: %s matches nothing in %s:\n%s", args[2], args[1], ts.ReadFile(args[1]))
	}
	ts.Setenv(args[0], m[1])
}

func scriptWithin(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 3, "within FILE LINES BYTES")
	lines, err := strconv.Atoi(args[1])
	ts.Check(err)
	size, err := strconv.Atoi(args[2])
	ts.Check(err)
	data := ts.ReadFile(args[0])
	n := strings.Count(data, "\n")
	if ok := n <= lines && len(data) <= size; ok == neg {
		ts.Fatalf("%s has %d lines and %d bytes; within %s and %s is not %v", args[0], n, len(data), args[1], args[2], !neg)
	}
}

func scriptCount(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 3 && !neg, "count N REGEXP FILE")
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	found := 0
	for line := range strings.Lines(ts.ReadFile(args[2])) {
		if re.MatchString(strings.TrimRight(line, "\r\n")) {
			found++
		}
	}
	if found != n {
		ts.Fatalf("%d lines of %s match %s, want %d:\n%s", found, args[2], args[1], n, ts.ReadFile(args[2]))
	}
}

func scriptLineEnds(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 3 && !neg, "lineends FILE CRLF LF")
	data := ts.ReadFile(args[0])
	crlf := strings.Count(data, "\r\n")
	if got := []string{strconv.Itoa(crlf), strconv.Itoa(strings.Count(data, "\n") - crlf)}; got[0] != args[1] || got[1] != args[2] {
		ts.Fatalf("%s has %s CRLF and %s LF:\n%q", args[0], got[0], got[1], data)
	}
}

// memsync ARG... runs the built command.
func scriptMemsync(ts *testscript.TestScript, neg bool, args []string) {
	if err := ts.Exec("memsync", args...); (err != nil) != neg {
		ts.Fatalf("memsync %s: %v", strings.Join(args, " "), err)
	}
}

// scriptRested waits for the file system's clock: a stat that is as young as its
// file is not remembered (keeper.note).
func scriptRested(ts *testscript.TestScript, _ bool, _ []string) {
	probe := ts.MkAbs(".rested")
	ts.Check(os.WriteFile(probe, nil, 0o666))
	info, err := os.Stat(probe)
	ts.Check(err)
	ts.Check(os.Remove(probe))
	for time.Since(info.ModTime()) < 60*time.Millisecond {
		time.Sleep(time.Millisecond)
	}
}
