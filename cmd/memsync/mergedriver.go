package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/controller/merge"
	"memsync/internal/spool"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs, verb{"merge-driver BASE OURS THEIRS SIZE PATH", "Merge one file for git", (*app).mergeDriverVerb})
}

func (a *app) mergeDriverVerb() *cobra.Command {
	return &cobra.Command{
		Long: "git runs merge-driver for files with the attribute merge=memsync (%O %A %B %L %P), once `memsync hooks install` has told\n" +
			"this clone. It writes the joined version over OURS and exits 0; where both sides changed the same words it writes a valid\n" +
			"file without markers, keeps what lost for `memsync conflicts`, and exits 1, so that git stops there. Where the store is\n" +
			"of a format that this program does not know, it does what `git merge-file` does.",
		Args: cobra.ExactArgs(5),
		RunE: func(_ *cobra.Command, args []string) error {
			d, ok := asDriver(append([]string{"merge-driver"}, args...))
			if !ok {
				return usage("SIZE is the length of git's conflict markers, not %q", oneLine(args[3]))
			}
			return a.mergeDriver(d)
		},
	}
}

// asDriver reads the command line that git runs, in which a path may look like a
// flag.
func asDriver(args []string) (d driven, ok bool) {
	if len(args) != 6 || args[0] != "merge-driver" {
		return d, false
	}
	size, err := strconv.Atoi(args[4])
	return driven{base: args[1], ours: args[2], theirs: args[3], size: size, path: memsync.Path(args[5])}, err == nil && size > 0
}

// driven is what git asks its driver: names of temporary files, how long markers
// would be, and the path in the work tree.
type driven struct {
	base, ours, theirs string
	size               int
	path               memsync.Path
}

// nested: git merges two bases of a merge first, of which nobody sees the
// result; its markers would be longer by two for each level.
func (d driven) nested() bool { return d.size > 7 && d.size%2 == 1 && d.size < 7+2*20 }

// mergeDriver never leaves OURS half written, and never ends as if it had merged
// where it has not: what it can't do, git's own merge does.
func (a *app) mergeDriver(d driven) error {
	debug.SetGCPercent(shortLived)
	result, entry, state, err := a.driveMerge(d)
	if err != nil {
		if code := memsync.CodeOf(err); code != memsync.CodeStoreNone {
			a.say("memsync merge-driver: %s: %s; git's own merge is used", oneLine(string(d.path)), oneLine(err.Error()))
		}
		return a.mergeByGit(d)
	}
	if len(entry.Copies) > 0 && !d.nested() {
		if err := spool.Put(state, entry); err != nil { // then what lost stands between markers, in the file
			a.say("memsync merge-driver: %s: %s; git's own merge is used", oneLine(string(d.path)), oneLine(err.Error()))
			return a.mergeByGit(d)
		}
	}
	if err := os.WriteFile(d.ours, result, 0o600); err != nil {
		fmt.Fprintf(a.stderr, "memsync merge-driver: %v\n", err)
		return exitError(exitFailedDriver)
	}
	if len(entry.Copies) == 0 {
		return nil
	}
	if !d.nested() {
		a.say("memsync: %s: both sides changed the same words. The file is whole, what lost is kept:\n"+
			"  look at it, `git add` it and go on; `memsync conflicts` shows what lost afterwards", oneLine(string(d.path)))
	}
	return exitError(exitFindings)
}

// exitFailedDriver is what git takes for a driver that broke: above 128 it stops
// the whole merge.
const exitFailedDriver = 129

// driveMerge joins the versions, and says what lost and where that is kept.
func (a *app) driveMerge(d driven) (result []byte, e spool.Entry, state string, err error) {
	var v [3]merge.Version
	for i, name := range []string{d.base, d.ours, d.theirs} {
		if v[i], err = readVersion(name); err != nil {
			return nil, e, "", err
		}
	}
	dir, err := os.Getwd() // the top of the work tree: git sees to that
	if err != nil {
		return nil, e, "", err
	}
	repo, err := openTop(dir)
	if err != nil {
		return nil, e, "", err
	}
	defer repo.Close()
	j := &joining{repo: repo}
	s, rel, err := j.storeOfFile(d.path)
	if err != nil {
		return nil, e, "", err
	}
	if head, err := repo.Resolve("HEAD"); err == nil {
		j.head = head
	}
	theirs := mergedHead(os.Environ(), j.head)
	if theirs != "" && !j.knows(s, theirs) {
		return nil, e, "", &memsync.Error{Code: memsync.CodeStoreFormat, Message: "the other side's store has a newer format"}
	}
	if !d.nested() && theirs != "" && j.head != "" {
		// Without either time neither counts: the rule for ties then decides.
		if v[1].Time, err = repo.CommitTime(j.head); err == nil {
			v[2].Time, err = repo.CommitTime(theirs)
		}
		if err != nil {
			v[1].Time, v[2].Time = time.Time{}, time.Time{}
		}
	}
	r := keeper.JoinFile(s, rel, v[0], v[1], v[2])
	e = spool.Entry{Path: rel, Memory: idOfFile(r.Bytes, s.Policy.Limits), Head: j.head, At: time.Now().UTC(),
		Sides: []memsync.Hash{memsync.HashOf(v[1].Bytes), memsync.HashOf(v[2].Bytes)}, Result: memsync.HashOf(r.Bytes)}
	if st, err := repo.State(); err == nil {
		e.Rebase = st.Paused == "rebase"
	}
	for _, c := range r.Conflicts {
		e.Copies = append(e.Copies, c.Bytes)
	}
	return r.Bytes, e, repo.StateDir(), nil
}

// mergedHead is the commit that `git merge` joins, from GITHEAD_<id> in a driver's
// environment; "" where there is none (a rebase, a cherry-pick), or several.
func mergedHead(env []string, head string) string {
	found := ""
	for _, kv := range env {
		rest, ok := strings.CutPrefix(kv, "GITHEAD_")
		id, _, _ := strings.Cut(rest, "=")
		if !ok || id == head || len(id) < 40 || strings.Trim(id, "0123456789abcdef") != "" {
			continue
		}
		if found != "" && found != id {
			return ""
		}
		found = id
	}
	return found
}

// mergeByGit does what git does without a driver, markers and all, and ends with
// its exit code.
func (a *app) mergeByGit(d driven) error {
	cmd := exec.Command("git", "merge-file", "--marker-size="+strconv.Itoa(d.size), "-L", "ours", "-L", "base", "-L", "theirs", d.ours, d.base, d.theirs)
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		if exit.ExitCode() > 127 {
			fmt.Fprint(a.stderr, said.String())
		}
		return exitError(exit.ExitCode())
	}
	fmt.Fprintf(a.stderr, "memsync merge-driver: git merge-file: %v\n", err)
	return exitError(exitFailedDriver)
}
