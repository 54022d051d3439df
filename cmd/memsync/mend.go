package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/gitlog"
	"memsync/internal/checkout"
	"memsync/internal/scan"
	"memsync/keeper"
	"memsync/lint"
)

func init() {
	verbs = append(verbs, verb{"fmt [PATH...]", "Write what has one right form in it: quotes, line ends, the end of the file", (*app).fmtVerb})
}

// layout are the rules whose fixes fmt makes: how a file is written, nothing of
// what it says or who it is.
var layout = []string{memsync.FindFrontmatterRecovered, memsync.FindMixedLineEnds, lint.NoFinalNewline}

func (a *app) fmtVerb() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Long: "fmt makes those fixes of lint that concern how a file is written and nothing that it says: values that YAML would not read as\n" +
			"they stand are quoted, every line ends alike, the last one, too. Done twice it changes nothing the second time.",
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if check && a.flags.dryRun {
				return usage("--check and --dry-run exclude each other: one names the files, the other shows the changes")
			}
			at, err := a.lintPlace(args, "")
			if err != nil {
				return err
			}
			judged, err := a.judge(at.store, checkout.Options{Paths: at.paths, NoGit: at.loose, Notice: a.say, Progress: a.progress()})
			if err != nil {
				return err
			}
			defer judged.Close()
			wanted := func(f lint.Finding) bool { return slices.Contains(layout, f.Code) }
			paths := []memsync.Path{}
			if check {
				files, err := fixes(judged, wanted)
				if err != nil {
					return err
				}
				for _, m := range files {
					paths = append(paths, m.path)
				}
			} else if paths, err = a.mend(at, judged, wanted); err != nil {
				return err
			}
			a.printMended(at, judged, paths, check)
			if check && len(paths) > 0 {
				return exitError(exitFindings)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "change nothing: name the files that are written otherwise, and exit with 1 if there are any")
	a.dryRunFlag(cmd)
	return cmd
}

// printMended names files: those that were mended for programs, those that are to
// be for people, too.
func (a *app) printMended(at *lintPlace, judged *checkout.Judged, paths []memsync.Path, check bool) {
	show := at.shows("text", judged)
	names := make([]string, len(paths))
	for i, p := range paths {
		p = memsync.Path(scan.MaskPath(string(p), nil))
		if names[i] = string(p); show != nil {
			names[i] = show(p)
		}
	}
	switch {
	case a.flags.jsonl:
		for _, name := range names {
			a.emit(map[string]string{"path": name})
		}
	case a.flags.json:
		a.emit(map[string]any{"paths": names})
	case check:
		for _, name := range names {
			fmt.Fprintln(a.stdout, oneLine(name))
		}
	}
}

// mended is one file with its fixes made.
type mended struct {
	path     memsync.Path
	old, new []byte
	findings int
}

// mend makes the fixes of those findings that are wanted, and names the files
// that it changed. Where the store has an owner, that takes them; else the files
// are replaced, each only if it still is what was judged, and the next look at
// the store finds them saved. A dry run shows them as a diff and exits with 1.
func (a *app) mend(at *lintPlace, judged *checkout.Judged, wanted func(lint.Finding) bool) ([]memsync.Path, error) {
	files, err := fixes(judged, wanted)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		a.say("there is nothing to mend")
		return []memsync.Path{}, nil
	}
	if a.flags.dryRun {
		for _, m := range files {
			if err := a.printText(unified(keeper.FileDiff{Path: memsync.Path(scan.MaskPath(string(m.path), nil)), Old: m.old, New: m.new})); err != nil {
				return nil, err
			}
		}
		return nil, exitError(exitFindings)
	}
	if a.owned(judged) {
		return a.submitMended(at, files)
	}
	n := 0
	done := []memsync.Path{}
	for _, m := range files {
		err := gitlog.Replace(at.store.Root, m.path, memsync.HashOf(m.old), m.new, nameBeside())
		switch {
		case errors.Is(err, memsync.CodeIORaced):
			a.say("%s was saved meanwhile and is left as it is: run it again", oneLine(scan.MaskPath(string(m.path), nil)))
		case err != nil:
			if len(done) > 0 {
				a.say("%s", mendedSummary(n, len(done)))
			}
			return done, err
		default:
			n += m.findings
			done = append(done, m.path)
		}
	}
	a.say("%s", mendedSummary(n, len(done)))
	return done, nil
}

// nameBeside names what lies beside a file while it is replaced. It begins, behind
// the time, with bytes that a plan's id nearly never has: gitlog.Replace takes
// away what such a process left that was killed.
func nameBeside() memsync.ID {
	var entropy [10]byte
	rand.Read(entropy[2:])
	return memsync.MakeID(time.Now(), entropy)
}

// fixes makes the fixes in memory.
func fixes(judged *checkout.Judged, wanted func(lint.Finding) bool) ([]mended, error) {
	by := map[memsync.Path][]lint.Finding{}
	for _, f := range judged.Findings {
		if f.Fix != nil && wanted(f) {
			by[f.Path] = append(by[f.Path], f)
		}
	}
	read := judged.Tree.Reader()
	defer read.Close()
	var out []mended
	for _, p := range slices.Sorted(maps.Keys(by)) {
		f, err := read.Read(p, 0)
		if err != nil {
			return nil, err
		}
		if fixed, applied := lint.Apply(f.Data, by[p]); len(applied) > 0 {
			out = append(out, mended{p, f.Data, fixed, len(applied)})
		}
	}
	return out, nil
}

// owned reports whether a process owns the store for others, this one or
// another.
func (a *app) owned(judged *checkout.Judged) bool {
	if a.far != nil {
		return true
	}
	if judged.Repo == nil || a.env("MEMSYNC_NO_DAEMON") == "1" {
		return false
	}
	line := callOwner(judged.Repo.StateDir())
	if line == nil {
		return false
	}
	line.conn.Close()
	return true
}

// submitMended hands the fixes to the owner of the store. In a process that is
// not it, opening the store hands over the whole command.
func (a *app) submitMended(at *lintPlace, files []mended) ([]memsync.Path, error) {
	k, err := a.open(at.store)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	view, err := k.View()
	if err != nil {
		return nil, err
	}
	var cs []memsync.Candidate
	n := 0
	for _, m := range files {
		c := memsync.Candidate{Origin: memsync.OriginLint, Actor: a.actor(), Op: memsync.OpUpsert, Path: m.path, Raw: m.new,
			Base: memsync.HashOf(m.old), Conversation: a.env("MEMSYNC_SESSION")}
		if scope, ok := memsync.ScopeOf(k.Store.Scopes, m.path); ok {
			c.Scope = scope.Name()
		}
		if view.ByPath(m.path) == nil {
			c.Op = memsync.OpAuthored
		}
		cs = append(cs, c)
		n += m.findings
	}
	out, err := k.Submit(a.ctx, cs...)
	if err != nil {
		return nil, err
	}
	// What the rules refuse is told of by the report as well: the rest is done.
	paths := []memsync.Path{}
	for i, m := range files {
		if i < len(out.Decisions) && out.Decisions[i].Error != nil {
			n -= m.findings
			a.say("%s is left as it is: %s", oneLine(string(out.Decisions[i].Path)), oneLine(out.Decisions[i].Error.Message))
			continue
		}
		paths = append(paths, m.path)
	}
	a.say("%s", mendedSummary(n, len(paths)))
	return paths, nil
}

func mendedSummary(n, files int) string {
	return fmt.Sprintf("mended %d finding%s in %d file%s", n, plural(n), files, plural(files))
}
