package filemerge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"memsync"
	"memsync/controller/merge"
	"memsync/gitlog"
	"memsync/internal/plainfile"
	"memsync/internal/spool"
	"memsync/internal/text"
)

// Driven is what git asks its driver: names of temporary files, how long markers
// would be, and the path in the work tree.
type Driven struct {
	base, ours, theirs string
	size               int
	path               memsync.Path
}

// ParseDriven reads what git tells its driver (%O %A %B %L %P), in which a path may
// look like a flag.
func ParseDriven(args []string) (d Driven, ok bool) {
	if len(args) != 5 {
		return d, false
	}
	size, err := strconv.Atoi(args[3])
	return Driven{base: args[0], ours: args[1], theirs: args[2], size: size, path: memsync.Path(args[4])}, err == nil && size > 0
}

// nested: git merges two bases of a merge first, of which nobody sees the
// result; its markers would be longer by two for each level.
func (d Driven) nested() bool { return d.size > 7 && d.size%2 == 1 && d.size < 7+2*20 }

// Drive merges one file, as git asked, and returns the exit code for git. It never
// leaves OURS half written, and never ends as if it had merged where it has not:
// what it can't do, git's own merge does. Quiet, it says only why it failed.
func (d Driven) Drive(stderr io.Writer, quiet bool) int {
	say := func(format string, args ...any) {
		if !quiet {
			fmt.Fprintf(stderr, format+"\n", args...)
		}
	}
	result, entry, state, err := d.join()
	if err != nil {
		if code := memsync.CodeOf(err); code != memsync.CodeStoreNone {
			say("memsync merge-driver: %s: %s; git's own merge is used", text.OneLine(string(d.path)), text.OneLine(err.Error()))
		}
		return d.mergeByGit(stderr)
	}
	if len(entry.Copies) > 0 && !d.nested() {
		if err := spool.Put(state, entry); err != nil { // then what lost stands between markers, in the file
			say("memsync merge-driver: %s: %s; git's own merge is used", text.OneLine(string(d.path)), text.OneLine(err.Error()))
			return d.mergeByGit(stderr)
		}
	}
	if err := plainfile.Overwrite(d.ours, result); err != nil {
		fmt.Fprintf(stderr, "memsync merge-driver: %v\n", err)
		return exitFailed
	}
	if len(entry.Copies) == 0 {
		return 0
	}
	if !d.nested() {
		say("memsync: %s: both sides changed the same words. The file is whole, what lost is kept:\n"+
			"  look at it, `git add` it and go on; `memsync conflicts` shows what lost afterwards", text.OneLine(string(d.path)))
	}
	return exitConflict
}

// What git understands.
const (
	exitConflict = 1
	exitFailed   = 129 // above 128: the driver broke, and the whole merge stops
)

// join joins the versions, and says what lost and where that is kept.
func (d Driven) join() (result []byte, e spool.Entry, state string, err error) {
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
	top, err := gitlog.OpenTop(dir)
	if err != nil {
		return nil, e, "", err
	}
	defer top.Close()
	repo := Repo{Repo: top}
	s, rel, err := repo.StoreOf(d.path)
	if err != nil {
		return nil, e, "", err
	}
	if head, err := repo.Resolve("HEAD"); err == nil {
		repo.Head = head
	}
	theirs := mergedHead(os.Environ(), repo.Head)
	if theirs != "" && !repo.knows(s, theirs) {
		return nil, e, "", &memsync.Error{Code: memsync.CodeStoreFormat, Message: "the other side's store has a newer format"}
	}
	if !d.nested() && theirs != "" && repo.Head != "" {
		// Without either time neither counts: the rule for ties then decides.
		if v[1].Time, err = repo.CommitTime(repo.Head); err == nil {
			v[2].Time, err = repo.CommitTime(theirs)
		}
		if err != nil {
			v[1].Time, v[2].Time = time.Time{}, time.Time{}
		}
	}
	joined := Join(s, rel, v[0], v[1], v[2])
	if len(joined.Conflicts) > 0 {
		e, _ = repo.Lost(s, rel, v[1], v[2], joined) // where git stands can't be told: in no rebase
	}
	return joined.Bytes, e, repo.StateDir(), nil
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
func (d Driven) mergeByGit(stderr io.Writer) int {
	cmd := exec.Command("git", "merge-file", "--marker-size="+strconv.Itoa(d.size), "-L", "ours", "-L", "base", "-L", "theirs", d.ours, d.base, d.theirs)
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		if exit.ExitCode() > 127 {
			fmt.Fprint(stderr, said.String())
		}
		return exit.ExitCode()
	}
	fmt.Fprintf(stderr, "memsync merge-driver: git merge-file: %v\n", err)
	return exitFailed
}

// readVersion is a version in a file of git's; an empty one stands for none.
func readVersion(name string) (merge.Version, error) {
	data, err := plainfile.Read(name)
	if len(data) == 0 {
		data = nil
	}
	return merge.Version{Bytes: data}, err
}
