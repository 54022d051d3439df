package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/gitlog"
	"memsync/internal/store"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs, verb{"remote", "List, add and remove the places a store is exchanged with", (*app).remoteVerb})
}

// remoteRow is a remote for programs.
type remoteRow struct {
	Name    string `json:"name"`
	Address string `json:"address"` // without what must not be seen
	Chosen  bool   `json:"chosen"`  // the store's branch goes there
}

func (a *app) remoteVerb() *cobra.Command {
	list := &cobra.Command{Use: "list", Short: "List the remotes; the store's branch goes to the one with a star", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.remoteList() }}
	add := &cobra.Command{Use: "add NAME URL", Short: "Add a remote and choose it for the store's branch; nothing is sent yet", Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return a.remoteAdd(args[0], args[1]) }}
	remove := &cobra.Command{Use: "remove NAME", Short: "Take a remote away; commits stay", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.remoteRemove(args[0]) }}
	a.dryRunFlag(add)
	a.dryRunFlag(remove)
	cmd := group(&cobra.Command{
		Long: "A remote is git's own: `git remote` sees the same. Adding one is what lets commits leave this machine. The local store has none.\n" +
			"remote alone lists them."},
		list, add, remove)
	unknown := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return a.remoteList()
		}
		return unknown(cmd, args)
	}
	return cmd
}

// remoteStore is the store whose remotes are meant, and its repository.
func (a *app) remoteStore() (*store.Store, *gitlog.Repo, error) {
	s, err := a.find()
	if err != nil {
		return nil, nil, err
	}
	if err := keeper.MayLeave(s); err != nil {
		return nil, nil, err
	}
	repo, err := gitlog.Open(s.Root, gitlog.Options{})
	return s, repo, err
}

func (a *app) remoteList() error {
	s, repo, err := a.remoteStore()
	if err != nil {
		return err
	}
	defer repo.Close()
	st, err := repo.State()
	if err != nil {
		return err
	}
	branch := s.Policy.Git.Branch
	if branch == "" {
		branch = st.Branch
	}
	to, err := repo.Destination(branch)
	if err != nil && memsync.CodeOf(err) != memsync.CodeSyncNoRemote {
		return err
	}
	rows := []remoteRow{}
	for _, m := range repo.Remotes() {
		rows = append(rows, remoteRow{m.Name, m.Shown(), to.Chosen && to.Remote.Name == m.Name})
	}
	if !emitList(a, "remotes", rows) {
		for _, r := range rows {
			fmt.Fprintf(a.stdout, "%s %s  %s\n", map[bool]string{true: "*", false: " "}[r.Chosen], oneLine(r.Name), oneLine(r.Address))
		}
		if len(rows) == 0 {
			a.say("no remote, so nothing leaves this machine; `memsync remote add NAME URL` adds one")
		}
	}
	return nil
}

func (a *app) remoteAdd(name, address string) error {
	s, repo, err := a.remoteStore()
	if err != nil {
		return err
	}
	defer repo.Close()
	if a.flags.dryRun {
		if s.Kind == store.Embedded {
			return keeper.AddRemote(s, repo, name, address)
		}
		return a.remoteDone("would add", remoteRow{name, gitlog.ShownURL(address), true})
	}
	if err := keeper.AddRemote(s, repo, name, address); err != nil {
		return err
	}
	return a.remoteDone("added", remoteRow{name, gitlog.ShownURL(address), true})
}

func (a *app) remoteRemove(name string) error {
	_, repo, err := a.remoteStore()
	if err != nil {
		return err
	}
	defer repo.Close()
	m, err := repo.Remote(name)
	if err != nil {
		return err
	}
	if a.flags.dryRun {
		return a.remoteDone("would remove", remoteRow{m.Name, m.Shown(), false})
	}
	if err := repo.RemoveRemote(a.ctx, name); err != nil {
		return err
	}
	return a.remoteDone("removed", remoteRow{m.Name, m.Shown(), false})
}

func (a *app) remoteDone(what string, r remoteRow) error {
	if a.flags.json || a.flags.jsonl {
		a.emit(map[string]any{"done": what, "remote": r})
		return nil
	}
	fmt.Fprintf(a.stdout, "%s %s  %s\n", what, oneLine(r.Name), oneLine(r.Address))
	if r.Chosen && what == "added" {
		a.say("`memsync sync` exchanges the store with it; `memsync config set sync.auto true` has `memsync up` do so by itself")
	}
	return nil
}
