package main

import (
	"context"
	"log"
	"path/filepath"
	"time"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/object"

	"os"

	"memsync"
	"memsync/gitlog"
	"memsync/gitlog/journal"

	"memsync/bench/measure"
)

// writer applies one edit at a time as the keeper does: journal, file, commit,
// journal.
type writer struct {
	log *gitlog.Log
	n   int
}

func newWriter(dir string) *writer {
	repo, err := gitlog.Open(dir, gitlog.Options{})
	measure.Check(err)
	measure.Check(os.MkdirAll(repo.StateDir(), 0o700))
	j, err := journal.Open(filepath.Join(repo.StateDir(), "journal.db"), journal.Options{})
	measure.Check(err)
	return &writer{log: &gitlog.Log{Repo: repo, Journal: j}}
}

func (w *writer) close() { measure.Check(w.log.Journal.Close()) }

func (w *writer) edit(p memsync.Path, old, content []byte) {
	w.n++
	st, err := w.log.Repo.State()
	measure.Check(err)
	now := time.Now().UTC().Truncate(time.Millisecond)
	id := memsync.MakeID(now, [10]byte{byte(w.n >> 8), byte(w.n)})
	plan := &memsync.Plan{ID: id, At: now, Base: memsync.Revision{Commit: st.Head}, Author: memsync.Actor{Class: memsync.ClassPerson},
		Subject:  "memory(global): update " + p.Base(),
		Requests: []string{""},
		Decisions: []memsync.Decision{{Op: memsync.OpUpdate, Origin: memsync.OriginFile, Actor: memsync.Actor{Class: memsync.ClassPerson},
			Scope: "global", Path: p, Memory: id, Base: memsync.HashOf(old), Prior: memsync.HashOf(old), Post: memsync.HashOf(content)}},
		Files: []memsync.FileChange{{Path: p, Base: memsync.HashOf(old), Post: memsync.HashOf(content), Content: content, Prior: w.log.Repo.BlobID(old)}},
	}
	done, err := w.log.Apply(context.Background(), plan, memsync.CommitAuto)
	measure.Check(err)
	if done.Commit == "" {
		log.Fatal("no commit")
	}
}

// goGit is what a Go program does that uses go-git's worktree as it comes.
func goGit(dir string, p memsync.Path, content []byte) {
	measure.Check(os.WriteFile(filepath.Join(dir, string(p)), content, 0o644))
	repo, err := gogit.PlainOpen(dir)
	measure.Check(err)
	tree, err := repo.Worktree()
	measure.Check(err)
	_, err = tree.Add(string(p))
	measure.Check(err)
	_, err = tree.Commit("edit "+string(p), &gogit.CommitOptions{Author: &object.Signature{Name: "Bench", Email: "bench@example.org", When: time.Now()}})
	measure.Check(err)
}
