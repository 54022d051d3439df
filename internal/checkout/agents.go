package checkout

import (
	"errors"
	"strings"

	"memsync"
	"memsync/compose"
	"memsync/compose/agents"
	"memsync/gitlog"
	"memsync/lint"
)

// approved reads the snapshots of a scope; where a few files are judged, those
// among them.
func (j *judge) approved(read Reader, s memsync.Scope) error {
	for _, p := range j.tree.Under(agents.ApprovedDir(s)) {
		if strings.HasPrefix(p.Base(), ".") || j.opt.Partial && !j.touched[p] {
			continue
		}
		f, err := read.Read(p, 0)
		if err != nil {
			return err
		}
		if j.whole.Approved == nil {
			j.whole.Approved = map[memsync.Path][]byte{}
		}
		j.whole.Approved[p] = f.Data
	}
	return nil
}

// into reads the files that hold an agent's prompt.
func (j *judge) into(read Reader) error {
	j.whole.Into = map[memsync.Path][]byte{}
	for _, x := range j.store.Policy.Into {
		f, err := read.Read(x.File, 0)
		switch {
		case err == nil:
			j.whole.Into[x.File] = f.Data
		case !errors.Is(err, memsync.CodeNotFound):
			j.whole.Skipped = append(j.whole.Skipped, lint.Skip{Path: x.File, Reason: reasonOf(err)})
		}
	}
	return nil
}

// lastGood looks up the newest version of an agent's file that parses.
func (j *judge) lastGood(p memsync.Path) error {
	versions, err := j.repo.Log(gitlog.LogQuery{Paths: []memsync.Path{p}})
	if err != nil {
		return err
	}
	for _, v := range versions {
		for _, c := range v.Changes {
			if c.Path != p || c.To == "" {
				continue
			}
			data, err := j.repo.Blob(c.To)
			if err != nil {
				return err
			}
			if a := agents.ReadAuthor(p, data); a.Agent != nil {
				if j.whole.Good == nil {
					j.whole.Good = map[memsync.Path]*compose.Agent{}
				}
				j.whole.Good[p] = a.Agent
				return nil
			}
		}
	}
	return nil
}
