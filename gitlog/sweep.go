package gitlog

import (
	"errors"
	"io/fs"
	"path"
	"strconv"

	"memsync"
	"memsync/gitlog/journal"
)

// sweep removes leftovers of plans that are closed.
func (l *Log) sweep() error {
	ids, err := l.Journal.Recent(swept)
	if err != nil {
		return err
	}
	seen := map[memsync.Path]bool{}
	for _, id := range ids {
		list, err := l.Journal.Files(id)
		if err != nil {
			return err
		}
		for _, f := range list {
			if dir := f.Path.Dir(); !seen[dir] {
				seen[dir] = true
				if err := l.sweepDir(dir); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (l *Log) sweepDir(dir memsync.Path) error {
	w := newFiles(l.Repo.Root(), "", diskPlain)
	defer w.close()
	d, err := w.folder(dir, false)
	if err != nil {
		return nil // gone, or a link by now: nothing of ours to look for
	}
	names, err := d.names()
	if err != nil {
		return w.fault(&change{path: dir}, err)
	}
	for _, name := range names {
		m := besideName().FindStringSubmatch(name)
		if m == nil {
			continue
		}
		if err := l.sweepFile(w, d, dir, name, m); err != nil {
			return err
		}
	}
	return nil
}

func (l *Log) sweepFile(w *files, d *folder, dir memsync.Path, name string, m []string) error {
	id := memsync.ID(m[1])
	list, err := l.Journal.Files(id)
	if errors.Is(err, memsync.CodeNotFound) {
		return nil // another journal's: a copied directory
	}
	if err != nil {
		return err
	}
	if _, state, _, err := l.Journal.Plan(id); err != nil || state == journal.Planned {
		return err
	}
	index, _ := strconv.Atoi(m[2])
	if m[3] != "tmp" && index < len(list) {
		f := list[index]
		content, _, err := d.read(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNotRegular) {
			return err
		}
		if h := hashOf(content); content != nil && !f.Secret && h != f.Base && h != f.Post {
			h := memsync.Held{Path: dir.Join(path.Base(string(f.Path))), Why: memsync.CodeIORaced, Since: id.Time()}
			if err := l.Journal.KeepCopy(h, content); err != nil {
				return err
			}
		}
	}
	return w.fault(&change{path: dir.Join(name)}, d.remove(name))
}

// swept is how many plans back leftovers are looked for. Only a power failure
// leaves any beside a finished plan: the removal of a name may be undone by it
// for some seconds.
const swept = 16
