package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/gitlog"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs, verb{"forget MEMORY", "Take a memory away for good: file, snapshots, conflict copies, journal", (*app).forgetVerb})
}

// forgetting is what a forget will take away, told before it is done.
type forgetting struct {
	Memory   memsync.ID     `json:"memory_id"`
	Path     memsync.Path   `json:"path,omitempty"` // of the file; "" when it was deleted before
	Files    []memsync.Path `json:"files"`          // that go: the memory's own, snapshots, archive, conflict copies
	Paths    []memsync.Path `json:"paths"`          // at which it ever lived
	Versions int            `json:"versions"`       // commits that keep a version of it
	Rewrite  string         `json:"rewrite,omitempty"`

	name string // the file's, for talk
}

func (a *app) forgetVerb() *cobra.Command {
	cmd := &cobra.Command{
		Long: "forget takes the memory's file and every snapshot, archived and conflict copy in one commit, scrubs its text from the\n" +
			"journal and remembers only that it was forgotten: nothing brings it back, no read shows it at any time or revision,\n" +
			"and nobody without a person's privileges can write the same text again. A deleted memory can be forgotten too, by its\n" +
			"id or path. git's history keeps the old blobs; forget says so and prints the command that would rewrite it.\n" +
			"It shows what it will do and asks, unless --yes. A person's decision.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.person("forget"); err != nil {
				return err
			}
			k, m, g, err := a.presentOrGone(args[0])
			if err != nil {
				return a.neverAccepted(args[0], err)
			}
			defer k.Close()
			if g != nil && g.Forgotten {
				return forgottenError(g)
			}
			f, c, err := a.forgetPlan(k, m, g)
			if err != nil {
				return err
			}
			a.tellForgetting(f)
			if !a.flags.dryRun {
				if yes, err := a.askAside(k, "Forget it?"); err != nil {
					return err
				} else if !yes {
					return notConfirmed("forget")
				}
			}
			out, err := k.Submit(a.ctx, c)
			if err != nil {
				return err
			}
			if a.flags.json && !a.flags.jsonl {
				a.emit(map[string]any{"forget": f, "outcome": out})
				return outcomeExit(out)
			}
			if err := a.printSubmitted(out); err != nil {
				return err
			}
			if f.Rewrite != "" {
				a.say("git's history still has it; `git filter-repo` in a fresh clone takes it out:\n  %s", f.Rewrite)
			}
			return nil
		},
	}
	a.yesFlag(cmd)
	a.dryRunFlag(cmd)
	return cmd
}

// neverAccepted says of a file that only waits that there is nothing to forget.
func (a *app) neverAccepted(arg string, err error) error {
	if !errors.Is(err, memsync.CodeNotFound) {
		return err
	}
	k, openErr := a.openHere()
	if openErr != nil {
		return err
	}
	defer k.Close()
	h, heldErr := a.heldFile(k, arg)
	if heldErr != nil {
		return err
	}
	return &memsync.Error{Code: memsync.CodeNotFound, Path: h.Path, Message: "that file is held and was never accepted, so there is nothing to forget",
		Hint: "delete the file; git never had it"}
}

// forgetPlan gathers what a forget of a present or deleted memory takes away.
func (a *app) forgetPlan(k *opened, m *memsync.Memory, g *keeper.Gone) (forgetting, memsync.Candidate, error) {
	c := a.candidate(memsync.OpRecord)
	f := forgetting{Files: []memsync.Path{}}
	if m != nil {
		c.ID, c.Path = m.ID, m.Path
		f.Memory, f.Path, f.Files, f.name = m.ID, m.Path, append(f.Files, m.Path), string(m.Path)
	} else {
		// Its scope, not its path: another memory may live there by now.
		c.ID, c.Scope = g.Memory, g.Scope
		f.Memory, f.name = g.Memory, "the deleted "+string(g.Path)
	}
	c.Events = []memsync.LedgerEvent{{Op: memsync.LedgerForget, Memory: c.ID}}
	f.Files = append(f.Files, k.Belonging(c.ID)...)
	known := f.Path
	if g != nil {
		known = g.Path
	}
	var err error
	if f.Paths, err = k.EverPaths(c.ID, known); err != nil {
		return f, c, err
	}
	f.Paths = orEmpty(f.Paths)
	history := f.Paths
	for _, p := range f.Files {
		if p != f.Path {
			history = append(history[:len(history):len(history)], p)
		}
	}
	versions, err := k.Versions(history)
	if err != nil {
		return f, c, err
	}
	for _, v := range versions {
		if holdsVersion(v) {
			f.Versions++
		}
	}
	if f.Versions > 0 {
		f.Rewrite = rewriteCommand(k, history)
	}
	return f, c, nil
}

// holdsVersion reports whether a commit has bytes of one of the files asked
// for, not only their deletion.
func holdsVersion(v gitlog.Version) bool {
	for _, c := range v.Changes {
		if c.To != "" {
			return true
		}
	}
	return false
}

// rewriteCommand is what would take paths out of git's history.
func rewriteCommand(k *opened, paths []memsync.Path) string {
	var b strings.Builder
	b.WriteString("git filter-repo --invert-paths")
	for _, p := range paths {
		b.WriteString(" --path " + shellQuote(string(k.Repo().Prefix().Join(string(p)))))
	}
	return b.String()
}

func (a *app) tellForgetting(f forgetting) {
	a.say("forget %s (%s)", oneLine(f.name), f.Memory)
	for _, p := range f.Files {
		a.say("  removes %s", oneLine(string(p)))
	}
	a.say("  scrubs its text from the journal of this machine")
	if f.Versions > 0 {
		a.say("  git's history keeps %d version%s of it, and older versions of MEMORY.md its line", f.Versions, plural(f.Versions))
	}
	a.say("  nothing brings it back, `restore` and `revert` included")
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
