package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/internal/checkout"
	"memsync/internal/pages"
	"memsync/internal/store"
	"memsync/lint"
	"memsync/lint/report"
)

func init() {
	verbs = append(verbs, verb{"lint [PATH...]", "Say what is wrong with the files, and mend what is safe to mend", (*app).lintVerb})
}

// lintFlags are what the person asked lint for.
type lintFlags struct {
	staged, stdin, fix               bool
	stdinName, since, format, output string
	failOn, baseline                 string
	maxWarnings                      int
}

func (a *app) lintVerb() *cobra.Command {
	var f lintFlags
	cmd := &cobra.Command{
		Long: "lint reads the files of a store as they are in a checkout and says what is wrong with them. It needs no index, no network and\n" +
			"no running memsync, and writes nothing without --fix. It exits 0 when nothing is as bad as --fail-on, and 1 otherwise, in\n" +
			"every format. A PATH narrows what is told; a directory that belongs to no store is judged as `bind` would take it.\n" +
			"`memsync rules` explains the codes.",
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return a.lint(f, args) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.staged, "staged", false, "judge what is staged for the next commit, not the working tree")
	fl.BoolVar(&f.stdin, "stdin", false, "judge standard input in place of the file that --stdin-filename names")
	fl.StringVar(&f.stdinName, "stdin-filename", "", "the `PATH` of what stands on standard input")
	fl.StringVar(&f.since, "changed-since", "", "tell only of files that changed since the branch left `REV`")
	fl.BoolVar(&f.fix, "fix", false, "make the changes that are safe to make")
	fl.StringVar(&f.format, "format", "", "how to tell it: "+strings.Join(report.Formats, ", ")+" (default text)")
	fl.StringVarP(&f.output, "output", "o", "", "write the report to `FILE` instead of standard output")
	fl.StringVar(&f.failOn, "fail-on", "error", "the least `SEVERITY` that makes the exit code 1: error, warning or info")
	fl.IntVar(&f.maxWarnings, "max-warnings", -1, "exit with 1 when there are more than `N` warnings")
	fl.StringVar(&f.baseline, "baseline", "", "leave out the findings of an earlier JSON report, `FILE`")
	a.dryRunFlag(cmd)
	return cmd
}

// shortLived is how much garbage, in percent of what it uses, a process may keep
// that ends in a moment. More saves no time: fresh memory costs as much as
// collecting.
const shortLived = 200

// A lint of fewer than collected files keeps more: up to 32 MB it collects nothing,
// for one collection looks at all of the program's own data as well. That bounds
// what a lint takes: 32 MB at 1,000 files, 85 MB at 10,000.
const (
	uncollected = 800 // percent
	collected   = 3000
)

// From manyFiles on it pays to have memory for so many bytes a file at once:
// measured at 1,000 files of 750 bytes.
const (
	manyFiles  = 300
	bytesAFile = 14 << 10
)

// check refuses flags that don't go together.
func (f *lintFlags) check(a *app, args []string) error {
	severity := memsync.Severity(f.failOn)
	switch {
	case severity != memsync.Severe && severity != memsync.Warning && severity != memsync.Info:
		return usage("--fail-on is error, warning or info, not %q", f.failOn)
	case f.stdin != (f.stdinName != ""):
		return usage("--stdin and --stdin-filename go together: the name says which file it is")
	case f.stdin && (f.staged || f.since != "" || len(args) > 0):
		return usage("--stdin judges one file: leave --staged, --changed-since and PATH out")
	case f.staged && f.since != "":
		return usage("--staged and --changed-since exclude each other")
	case f.fix && (f.staged || f.stdin):
		return usage("--fix changes files of the working tree: leave --staged and --stdin out")
	case a.flags.dryRun && (f.format != "" && f.format != "text" || f.output != "" || a.flags.json || a.flags.jsonl):
		return usage("--dry-run shows the changes as a diff: leave --format, --output, --json and --jsonl out")
	case f.output != "" && f.output == f.baseline:
		return usage("--output would replace the baseline by what it does not know: name another file")
	case a.flags.dryRun && !f.fix:
		return usage("--dry-run goes with --fix: without it lint writes nothing")
	case a.flags.json && a.flags.jsonl:
		return usage("--json and --jsonl exclude each other")
	case f.format != "" && (a.flags.json && f.format != "json" || a.flags.jsonl && f.format != "jsonl"):
		return usage("--format %s contradicts --json or --jsonl", f.format)
	case f.maxWarnings < -1:
		return usage("--max-warnings is a number from 0 on")
	}
	switch {
	case a.flags.json:
		f.format = "json"
	case a.flags.jsonl:
		f.format = "jsonl"
	case f.format == "":
		f.format = "text"
	}
	if !slices.Contains(report.Formats, f.format) {
		return usage("there is no format %q: it is one of %s", f.format, strings.Join(report.Formats, ", "))
	}
	return nil
}

func (a *app) lint(f lintFlags, args []string) error {
	if a.far == nil {
		debug.SetGCPercent(uncollected)
	}
	if err := f.check(a, args); err != nil {
		return err
	}
	var baseline *lint.Baseline
	if f.baseline != "" {
		data, err := a.read(f.baseline)
		if err != nil {
			return &memsync.Error{Code: memsync.CodeConfig, Message: "the baseline can't be read", Err: err, Hint: "make one with `memsync lint --format json --output FILE`"}
		}
		if baseline, err = lint.ParseBaseline(data); err != nil {
			return err
		}
	}
	at, err := a.lintPlace(args, f.stdinName)
	if err != nil {
		return err
	}
	opt := checkout.Options{Staged: f.staged, IndexFile: a.indexFile(), Since: f.since, Paths: at.paths, NoGit: at.loose, Notice: a.say, Progress: a.progress()}
	if f.stdin {
		data, err := a.read("-")
		if err != nil {
			return unread(err, "standard input can't be read", "")
		}
		opt.Overlay, opt.Paths = map[memsync.Path][]byte{at.paths[0]: data}, nil
	}
	judged, err := a.judge(at.store, opt)
	if err != nil {
		return err
	}
	defer judged.Close()
	if named := append(slices.Clone(args), f.stdinName); judged.Files == 0 && named[0] != "" {
		a.say("there is nothing that lint judges at %s", oneLine(named[0]))
		if at.loose {
			return usage("%s belongs to no store and holds no Markdown", oneLine(named[0]))
		}
	}
	if err := f.outputElsewhere(a, judged); err != nil {
		return err
	}
	if f.fix {
		changed, err := a.mend(at, judged, func(lint.Finding) bool { return true })
		if err != nil || a.flags.dryRun {
			return err
		}
		if len(changed) > 0 {
			judged.Close()
			if judged, err = a.judge(at.store, opt); err != nil {
				return err
			}
		}
	}
	found, known := judged.Shown(judged.Findings), 0
	if baseline != nil {
		found, known = baseline.New(found)
	}
	run := report.Run{Version: version, Files: judged.Files, Findings: found, Sizes: judged.Sizes, Suppressed: judged.Suppressed, Known: known,
		Verbose: a.flags.verbose, Show: at.shows(f.format, judged)}
	if err := a.writeReport(f, run); err != nil {
		return err
	}
	warnings := 0
	for _, one := range found {
		if lint.AtLeast(one.Severity, memsync.Severity(f.failOn)) {
			return exitError(exitFindings)
		}
		if one.Severity == memsync.Warning {
			warnings++
		}
	}
	if f.maxWarnings >= 0 && warnings > f.maxWarnings {
		return exitError(exitFindings)
	}
	return nil
}

// judge is checkout.Judge for a store whose policy decodes; the index has a
// policy of its own.
func (a *app) judge(s *store.Store, opt checkout.Options) (*checkout.Judged, error) {
	if s.PolicyErr != nil && !opt.Staged {
		return nil, s.PolicyErr
	}
	if a.far == nil {
		opt.Before = func(files int) {
			if files >= collected {
				debug.SetGCPercent(shortLived)
			}
			if files >= manyFiles {
				pages.Heap(min(files*bytesAFile, 64<<20))
			}
		}
	}
	return checkout.Judge(a.ctx, s, opt)
}

// indexFile is another index than the repository's own, as git names it to its
// hooks.
func (a *app) indexFile() string {
	if a.flags.dir != "" {
		return "" // that of another repository, then
	}
	return a.env("GIT_INDEX_FILE")
}

func (a *app) writeReport(f lintFlags, run report.Run) error {
	if f.output == "" || f.output == "-" {
		return report.Write(a.stdout, f.format, run)
	}
	full, err := a.abs(f.output)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := report.Write(&b, f.format, run); err != nil {
		return err
	}
	return named(replaceFile(full, b.Bytes()), full, f.output)
}

// outputElsewhere refuses a report in the place of a file that was judged.
func (f *lintFlags) outputElsewhere(a *app, judged *checkout.Judged) error {
	if f.output == "" || f.output == "-" {
		return nil
	}
	full, err := a.abs(f.output)
	if err != nil {
		return err
	}
	if p, ok := store.Within(judged.Store.Root, full); ok && judged.Judges(p) {
		return usage("--output %s is a file of the store: name another one", oneLine(f.output))
	}
	return nil
}

// replaceFile writes a file beside its place and moves it there, so that a full
// disk leaves what was there. What is no regular file (a pipe, a terminal) is
// written to as it is.
func replaceFile(full string, data []byte) error {
	if info, err := os.Stat(full); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(full, data, 0o644)
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real
	}
	tmp, err := os.CreateTemp(filepath.Dir(full), filepath.Base(full)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), full)
}

// lintPlace is what a command line of lint means: a store, and paths in it.
type lintPlace struct {
	store *store.Store
	paths []memsync.Path
	loose bool   // a directory that belongs to no store
	cwd   string // the caller's
}

// lintPlace finds the store of the paths, or of the working directory.
func (a *app) lintPlace(args []string, stdinName string) (*lintPlace, error) {
	dir, err := a.here()
	if err != nil {
		return nil, err
	}
	at := &lintPlace{cwd: dir}
	if stdinName != "" {
		args = []string{stdinName}
	}
	if len(args) == 0 {
		at.store, err = plainStore(dir)
		if errors.Is(err, memsync.CodeStoreNone) {
			at.store, err = a.find()
		}
		return at, err
	}
	whole := false
	for i, arg := range args {
		full := arg
		if !filepath.IsAbs(full) {
			full = filepath.Join(dir, arg)
		}
		info, err := os.Stat(full)
		if err != nil && stdinName == "" {
			return nil, &memsync.Error{Code: memsync.CodeUsage, Message: "there is no " + oneLine(arg), Hint: "name files and directories of a store"}
		}
		if i == 0 {
			if err := at.open(full, info); err != nil {
				return nil, err
			}
		}
		p, ok := store.Within(at.store.Root, full)
		if !ok {
			return nil, usage("%s lies in another store than %s: one run judges one store", oneLine(arg), oneLine(args[0]))
		}
		whole = whole || p == ""
		at.paths = append(at.paths, p)
	}
	if whole {
		at.paths = nil
	}
	return at, nil
}

// open finds the store that a path lies in. A directory outside of any is one
// for the length of this command: what it holds is judged as a scope that
// memsync does not write.
func (at *lintPlace) open(full string, info os.FileInfo) (err error) {
	dir := full
	if info == nil || !info.IsDir() {
		dir = filepath.Dir(full)
	}
	if at.store, err = plainStore(dir); !errors.Is(err, memsync.CodeStoreNone) || info == nil {
		return err
	}
	at.loose = true
	at.store = &store.Store{Root: dir, Kind: store.Embedded, Policy: memsync.DefaultPolicy(), Scopes: []memsync.Scope{{Kind: memsync.Workspace,
		System: store.Dir.Join("bound"), Writers: memsync.People, Identity: memsync.Ledger, MemoryMD: memsync.LintOnly}}}
	return nil
}

// plainStore is the store that dir lies in, be it an export without its git
// directory.
func plainStore(dir string) (*store.Store, error) {
	s, err := store.Find(dir)
	if !errors.Is(err, memsync.CodeStoreNone) {
		return s, err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if info, e := os.Stat(filepath.Join(at, "memsync.toml")); e == nil && info.Mode().IsRegular() {
			return store.Load(at, store.Dedicated)
		}
		if at == filepath.Dir(at) {
			return nil, err
		}
	}
}

// shows says how a report names files: services know them from the top of the
// repository, people from where they are.
func (at *lintPlace) shows(format string, judged *checkout.Judged) func(memsync.Path) string {
	if (format == "github" || format == "sarif" || format == "gitlab") && judged.Repo != nil {
		prefix := judged.Repo.Prefix()
		return func(p memsync.Path) string { return string(prefix.Join(string(p))) }
	}
	rel, err := filepath.Rel(at.cwd, at.store.Root)
	if err != nil || rel == "." {
		return nil
	}
	return func(p memsync.Path) string {
		return filepath.ToSlash(filepath.Join(rel, filepath.FromSlash(string(p))))
	}
}
