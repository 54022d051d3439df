package keeper

import (
	"memsync"
	"memsync/gitlog"
	"memsync/internal/store"
)

// MayLeave is the error of a store that nothing may be sent from, and that can
// have no remote: the local one. nil for every other.
func MayLeave(s *store.Store) error {
	if s.Kind != store.Local {
		return nil
	}
	return &memsync.Error{Code: memsync.CodeStoreRefused, Message: "this store never leaves the machine, so nothing of it is pushed, and it has no remote",
		Hint: "write what may be shared without --local"}
}

// AddRemote gives a dedicated store a remote for its branch. An embedded one goes
// where its project's repository goes; the local one goes nowhere. Nothing is
// sent.
func AddRemote(s *store.Store, repo *gitlog.Repo, name, address string) error {
	if err := MayLeave(s); err != nil {
		return err
	}
	if s.Kind == store.Embedded {
		return &memsync.Error{Code: memsync.CodeStoreRefused, Message: "this store is part of a project's repository and goes where that goes",
			Hint: "add the remote to the project: git remote add " + name + " URL"}
	}
	branch := s.Policy.Git.Branch
	if branch == "" {
		st, err := repo.State()
		if err != nil {
			return err
		}
		branch = st.Branch
	}
	return repo.AddRemote(name, address, branch)
}
