package keeper

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"memsync"
	"memsync/gitlog"
	"memsync/internal/store"
)

// lastSyncName is the file of the clone's own state that says how the last
// exchange ended. It can be thrown away.
const lastSyncName = "sync.json"

func putLastSync(repo *gitlog.Repo, s Synced) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	name := filepath.Join(repo.StateDir(), lastSyncName)
	if err := os.WriteFile(name+".new", data, 0o600); err != nil {
		return ioError(err, "")
	}
	return ioError(os.Rename(name+".new", name), "")
}

// lastSync is how the last exchange ended; nil for none that is known of.
func lastSync(repo *gitlog.Repo) (*Synced, error) {
	data, err := os.ReadFile(filepath.Join(repo.StateDir(), lastSyncName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var s Synced
	if err != nil || json.Unmarshal(data, &s) != nil {
		return nil, ioError(err, "") // torn: as good as none
	}
	return &s, nil
}

// Standing is how a store stands to its remote, as far as is known without asking
// it.
type Standing struct {
	Remote  string  `json:"remote"`
	Address string  `json:"address"`
	Branch  string  `json:"branch"`
	Chosen  bool    `json:"chosen"` // commits may be sent there
	Auto    bool    `json:"auto"`   // a running keeper exchanges by itself
	Known   bool    `json:"known"`  // it was heard of before
	Ahead   int     `json:"ahead"`
	Behind  int     `json:"behind"`
	Last    *Synced `json:"last"` // the last exchange; null for none
}

// Standing is nil for a store that has no remote, or that goes with its project.
func (k *Keeper) Standing() (*Standing, error) {
	if k.Store.Kind != store.Dedicated {
		return nil, nil
	}
	st, err := k.repo.State()
	if err != nil {
		return nil, err
	}
	branch := k.Store.Policy.Git.Branch
	if branch == "" {
		branch = st.Branch
	}
	to, err := k.repo.Destination(branch)
	if errors.Is(err, memsync.CodeSyncNoRemote) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &Standing{Remote: to.Remote.Name, Address: to.Remote.Shown(), Branch: to.Branch, Chosen: to.Chosen, Auto: k.Store.Policy.Sync.Auto}
	known, err := k.repo.Known(to)
	if err != nil {
		return nil, err
	}
	s.Known = known != ""
	if s.Ahead, s.Behind, err = k.repo.Apart(st.Head, known); err != nil {
		return nil, err
	}
	s.Last, err = lastSync(k.repo)
	return s, err
}
