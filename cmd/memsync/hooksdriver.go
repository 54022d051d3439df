package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"memsync"
	"memsync/gitlog"
	"memsync/internal/store"
	"memsync/keeper"
)

// mergeDriverRow is what `hooks` has to say about how this clone merges.
type mergeDriverRow struct {
	gitlog.MergeDriver
	Attribute bool   `json:"attribute"` // .gitattributes asks for it
	Done      string `json:"done,omitempty"`
	Note      string `json:"note,omitempty"`
}

// lost reports whether git would take another way than it was told, or none.
func (d mergeDriverRow) lost() bool {
	return d.State == gitlog.DriverHollow || d.State == gitlog.DriverGone
}

// storesHere are the stores whose files the repository has at known places: at
// its top, and where the command stands.
func (a *app) storesHere(repo *gitlog.Repo) []*store.Store {
	var out []*store.Store
	dirs := []string{repo.Top()}
	if here, err := a.here(); err == nil {
		dirs = append(dirs, here)
	}
	for _, dir := range dirs {
		if s, err := store.Find(dir); err == nil {
			if _, inside := store.Within(repo.Top(), s.Root); inside && (len(out) == 0 || out[0].Root != s.Root) {
				out = append(out, s)
			}
		}
	}
	return out
}

// driverRow looks at configuration and attributes.
func (a *app) driverRow(repo *gitlog.Repo) mergeDriverRow {
	d := mergeDriverRow{MergeDriver: repo.MergeDriver(), Attribute: true}
	at := repo.TreeAttributes()
	for _, s := range a.storesHere(repo) {
		root, _ := store.Within(repo.Top(), s.Root)
		for _, scope := range s.Scopes {
			if !at.Driven(memsync.Path(root).Join(string(scope.Dir), "user_x.md")) {
				d.Attribute = false
			}
		}
	}
	if d.Note = keeper.DriverTrouble(d.MergeDriver, d.Attribute); d.Note == "" && !d.Attribute && d.State != gitlog.DriverAbsent {
		d.Note = "no .gitattributes asks for it: `memsync hooks install --attributes` writes `" + drivenLine + "`"
	}
	return d
}

func (a *app) printDriver(d mergeDriverRow) {
	word := string(d.State)
	if d.Done != "" && d.Done != "nothing" {
		word = d.Done
		if a.flags.dryRun {
			word = "would be " + word
		}
	}
	fmt.Fprintf(a.stdout, "%-14s %s  %s\n", "merge driver", word, oneLine(d.Binary))
	if d.Note != "" {
		a.say("  merge driver: %s", oneLine(d.Note))
	}
}

// installDriver has this clone merge by binary. A person's own command there is
// theirs, unless force.
func (a *app) installDriver(repo *gitlog.Repo, binary string, force, attributes bool) (mergeDriverRow, error) {
	was := repo.MergeDriver()
	done := "installed"
	switch {
	case was.Command == gitlog.DriverCommand(binary):
		done = "nothing"
	case was.State == gitlog.DriverForeign && !force:
		done = "kept"
	case was.State != gitlog.DriverAbsent:
		done = "updated"
	}
	if done != "nothing" && done != "kept" && !a.flags.dryRun {
		if err := repo.InstallMergeDriver(binary); err != nil {
			return mergeDriverRow{}, err
		}
	}
	if attributes && !a.flags.dryRun {
		for _, s := range a.storesHere(repo) {
			if err := a.addAttributes(repo, s); err != nil {
				return mergeDriverRow{}, err
			}
		}
	}
	d := a.driverRow(repo)
	d.Done = done
	if done == "kept" {
		d.Note = "merge.memsync.driver is a command of yours and stays; --force replaces it"
	}
	return d, nil
}

func (a *app) removeDriver(repo *gitlog.Repo, force bool) (mergeDriverRow, error) {
	was := repo.MergeDriver()
	done := "nothing"
	switch {
	case was.State == gitlog.DriverAbsent:
	case was.State == gitlog.DriverForeign && !force:
		done = "kept"
	default:
		done = "removed"
		if !a.flags.dryRun {
			if err := repo.RemoveMergeDriver(); err != nil {
				return mergeDriverRow{}, err
			}
		}
	}
	d := a.driverRow(repo)
	d.Done, d.Note = done, ""
	if done == "kept" {
		d.Note = "merge.memsync.driver is a command of yours and stays; --force removes it"
	}
	return d, nil
}

// drivenLine is what .gitattributes has to say.
const drivenLine = "*.md -text merge=memsync"

// addAttributes adds to a store's .gitattributes what it lacks.
func (a *app) addAttributes(repo *gitlog.Repo, s *store.Store) error {
	root, _ := store.Within(repo.Top(), s.Root)
	at := repo.TreeAttributes()
	lacks := false
	for _, scope := range s.Scopes {
		lacks = lacks || !at.Driven(memsync.Path(root).Join(string(scope.Dir), "user_x.md"))
	}
	if !lacks {
		return nil
	}
	p := s.Base().Join(".gitattributes")
	old, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(string(p))))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	now, replaced := bytes.Clone(old), false
	var lines []string
	for line := range strings.Lines(string(old)) {
		if strings.TrimSpace(line) == "*.md -text" { // as an earlier memsync wrote it
			line, replaced = strings.Replace(line, "*.md -text", drivenLine, 1), true
		}
		lines = append(lines, line)
	}
	if replaced {
		now = []byte(strings.Join(lines, ""))
	} else {
		if len(now) > 0 && !bytes.HasSuffix(now, []byte("\n")) {
			now = append(now, '\n')
		}
		now = append(now, drivenLine+"\n"...)
	}
	var hash memsync.Hash
	if old != nil {
		hash = memsync.HashOf(old)
	}
	if err := gitlog.Replace(s.Root, p, hash, now, nameBeside()); err != nil {
		return err
	}
	a.say("wrote %s", oneLine(string(memsync.Path(root).Join(string(p)))))
	return nil
}
