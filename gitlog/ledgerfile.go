package gitlog

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"memsync"
	"memsync/internal/ledger"
)

// ledgerFiles bounds how many files of one month are tried.
const ledgerFiles = 1000

// LedgerFile chooses the file that events of a scope are appended to, and is
// what stands in it now (nil for a new one). It is this clone's file of the
// month as long as that is exactly what was written last; when anything else
// changed it (a restore, a checkout, an editor) the next number begins, so that
// no two versions of one file ever grow apart.
//
// dir is the scope's ledger directory, <scope>/_system/ledger.
func (l *Log) LedgerFile(dir memsync.Path, clone memsync.ID, at time.Time) (memsync.Path, []byte, error) {
	tail, known, err := l.Journal.LedgerTail(dir)
	if err != nil {
		return "", nil, err
	}
	w := newFiles(l.Repo.Root(), "", diskPlain)
	defer w.close()
	for n := range ledgerFiles {
		name := ledger.FileName(at, string(clone), n)
		content, _, err := w.read(dir.Join(name))
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", nil, w.fault(&change{path: dir.Join(name)}, err)
		case content == nil && known && tail.Name == name:
			continue // it is gone, but its lines may be in HEAD
		case content == nil:
			held, err := l.inHead(dir.Join(name))
			if err != nil {
				return "", nil, err
			}
			if held {
				continue
			}
			return dir.Join(name), nil, nil
		case known && tail.Name == name && tail.Len == len(content) && tail.Hash == memsync.HashOf(content):
			return dir.Join(name), content, nil
		}
	}
	return "", nil, &memsync.Error{Code: memsync.CodeIO, Path: dir, Message: fmt.Sprintf("%d ledger files in one month", ledgerFiles),
		Hint: "something rewrites them after every write; find it, then move the empty ones away"}
}

// inHead reports whether HEAD has a file.
func (l *Log) inHead(p memsync.Path) (bool, error) {
	st, err := l.Repo.State()
	if err != nil || st.Head == "" {
		return false, err
	}
	entries, err := l.Repo.Tree(st.Head, p)
	if err != nil && !errors.Is(err, memsync.CodeNotFound) {
		return false, err
	}
	return len(entries) > 0, nil
}
