package gitlog

import (
	"fmt"
	"os"

	"memsync"
)

// Clone is the id under which this clone writes its ledger files, drawn on
// first use. It is bound to the git directory (its inode) and the machine, so
// that a copied or restored directory, whose journal came along, draws its own
// and never appends to the original's files.
func (l *Log) Clone(draw func() memsync.ID) (memsync.ID, error) {
	info, err := os.Stat(l.Repo.GitDir())
	if err != nil {
		return "", fault(memsync.CodeIORead, "look at the git directory", err)
	}
	return l.Journal.Clone(fmt.Sprintf("%s/%d", selfMark().Machine, inode(info)), draw)
}
