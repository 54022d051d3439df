package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/internal/store"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs, verb{"restore [MEMORY[@REV]]", "Bring back a deleted memory, an older version, or the files of a held mass delete", (*app).restoreVerb})
}

func (a *app) restoreVerb() *cobra.Command {
	cmd := &cobra.Command{
		Long: "restore MEMORY brings a deleted memory back with its id and events; restore MEMORY@REV makes the version of a commit\n" +
			"the present one. Without an argument it writes back the files of deletes that wait or that nobody has looked at yet, from\n" +
			"their accepted bytes, and never over a file. What was forgotten does not come back. A person's decision.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.person("restore"); err != nil {
				return err
			}
			if len(args) == 0 {
				return a.restoreWaiting()
			}
			if arg, rev := cutRev(args[0]); rev != "" {
				return a.restoreVersion(arg, rev)
			}
			return a.restoreDeleted(args[0])
		},
	}
	cmd.Flags().StringVar(&a.flags.requestID, "request-id", "", "an `ID` of your own: the same one again changes nothing")
	a.dryRunFlag(cmd)
	return cmd
}

// restoreWaiting writes back the files of a mass delete that waits.
func (a *app) restoreWaiting() error {
	k, err := a.openHere()
	if err != nil {
		return err
	}
	defer k.Close()
	st, err := k.Status(a.ctx)
	if err != nil {
		return err
	}
	gone := st.Waiting
	for _, p := range st.Pending { // gone a moment ago, and not decided about
		if missing(k, p) {
			gone = append(gone, p)
		}
	}
	if len(gone) == 0 {
		return a.nothing("no deletes wait here; name the memory to bring back")
	}
	slices.Sort(gone)
	return a.putBack(k, gone)
}

// missing reports whether nothing is on disk at a path.
func missing(k *opened, p memsync.Path) bool {
	_, err := os.Lstat(filepath.Join(k.Store.Root, filepath.FromSlash(string(p))))
	return errors.Is(err, fs.ErrNotExist)
}

// restoreTakenOut writes back a file that a project's working tree lost and no
// commit has dropped yet: the memory is only out of sight. It reports whether
// that is what arg means.
func (a *app) restoreTakenOut(arg string) (bool, error) {
	k, err := a.openHere()
	if err != nil {
		return false, nil // the general search says why
	}
	defer k.Close()
	p, ok := a.pathIn(k.Store, arg)
	if !ok || k.Store.Kind != store.Embedded || !missing(k, p) {
		return false, nil
	}
	state, err := k.State()
	if err != nil {
		return false, err
	}
	_, deleted := state.DeletedAt(p)
	_, forgotten := state.ForgottenAt(p)
	if deleted || forgotten || !k.Accepted(p) {
		return false, nil
	}
	return true, a.putBack(k, []memsync.Path{p})
}

// putBack writes accepted files to disk again and tells which.
func (a *app) putBack(k *opened, paths []memsync.Path) error {
	done := []memsync.Path{}
	for _, p := range paths {
		if err := k.PutBack(p); err != nil {
			if len(done) > 0 {
				a.say("%d file%s put back before that", len(done), plural(len(done)))
			}
			return err
		}
		done = append(done, p)
	}
	if k.Store.Kind == store.Embedded && !a.flags.dryRun {
		// Takes them into the view again. Elsewhere they never left it, and a
		// pass could take the other deletes, now fewer, for ordinary ones.
		if _, err := k.Once(a.ctx, keeper.OnceOptions{}); err != nil {
			return err
		}
	}
	switch {
	case a.flags.jsonl:
		for _, p := range done {
			a.emit(map[string]any{"restored": p})
		}
	case a.flags.json:
		a.emit(map[string]any{"restored": done})
	default:
		for _, p := range done {
			fmt.Fprintf(a.stdout, "restore %s\n", oneLine(string(p)))
		}
	}
	return nil
}

// restoreDeleted brings back what was deleted, with its id.
func (a *app) restoreDeleted(arg string) error {
	if done, err := a.restoreTakenOut(arg); done || err != nil {
		return err
	}
	k, m, g, err := a.presentOrGone(arg)
	if err != nil {
		return err
	}
	defer k.Close()
	switch {
	case m != nil:
		if missing(k, m.Path) { // its delete waits, or nobody has looked yet
			return a.putBack(k, []memsync.Path{m.Path})
		}
		return &memsync.Error{Code: memsync.CodeUsage, Path: m.Path, Message: "this memory is not deleted",
			Hint: "name the version to go back to, as in `memsync restore " + arg + "@HEAD~1`; `memsync log " + arg + "` lists them"}
	case g.Forgotten:
		return forgottenError(g)
	}
	data, err := k.LastBytes(g)
	if err != nil {
		return err
	}
	return a.restoreBytes(k, g.Memory, g.Path, data)
}

// restoreBytes submits bytes as a memory that is not there. Where its path is
// taken by now it comes back beside it.
func (a *app) restoreBytes(k *opened, id memsync.ID, p memsync.Path, data []byte) error {
	v, err := k.View()
	if err != nil {
		return err
	}
	c := a.candidate(memsync.OpRestore)
	c.ID, c.Raw, c.RequestID = id, data, a.flags.requestID
	c.Path = p
	for n := 2; v.ByPath(c.Path) != nil; n++ {
		c.Path = memsync.Path(strings.TrimSuffix(string(p), ".md") + "-" + strconv.Itoa(n) + ".md")
	}
	return a.submit(k, c)
}

// restoreVersion makes an older version of a memory the present one.
func (a *app) restoreVersion(arg, rev string) error {
	k, m, g, err := a.presentOrGone(arg)
	if err != nil {
		return err
	}
	defer k.Close()
	if g != nil && g.Forgotten {
		return forgottenError(g)
	}
	id, now := memsync.ID(""), memsync.Path("")
	if m != nil {
		id, now = m.ID, m.Path
	} else {
		id = g.Memory
	}
	past, err := k.ViewAsOf(rev)
	if err != nil {
		return err
	}
	then := inPast(past, id, now, g)
	if then == nil {
		return &memsync.Error{Code: memsync.CodeNotFound, Message: "that commit does not hold this memory",
			Hint: "`memsync log " + oneLine(arg) + "` lists the commits that do"}
	}
	data, err := k.Read(then)
	if err != nil {
		return err
	}
	if m == nil {
		return a.restoreBytes(k, id, then.Path, data)
	}
	c := a.candidate(memsync.OpRestore)
	c.ID, c.Path, c.Scope, c.Raw, c.RequestID = m.ID, m.Path, m.Scope, data, a.flags.requestID
	return a.submit(k, c)
}

// inPast finds a memory in a past view by its id, or by its path where that
// version carried none.
func inPast(v *memsync.View, id memsync.ID, now memsync.Path, g *keeper.Gone) *memsync.Memory {
	if found := v.ByID(id); len(found) > 0 {
		return found[0]
	}
	if now == "" && g != nil {
		now = g.Path
	}
	if m := v.ByPath(now); m != nil && (m.ID == "" || !m.Inline) {
		return m
	}
	return nil
}
