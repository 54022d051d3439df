package measure

import (
	"flag"
	"log"
	"os"
	"path/filepath"
)

// Run is one run of a bench: the built command, a directory for what it makes, and
// which groups of figures were asked for.
type Run struct {
	Bin, Scratch string
	only         *string
}

// Start reads the command line, flags that the caller defined before included.
// groups is the list that -only may name one of, for its help; "" for a bench that
// has none. End takes the directory away.
func Start(name, groups string) *Run {
	log.SetFlags(0)
	binary := flag.String("memsync", "../bin/memsync", "the built command")
	r := &Run{only: new(string)}
	if groups != "" {
		r.only = flag.String("only", "", "one group: "+groups)
	}
	flag.Parse()
	var err error
	r.Bin, err = filepath.Abs(*binary)
	Check(err)
	r.Scratch, err = os.MkdirTemp("", "memsync-"+name+"-")
	Check(err)
	return r
}

// Want reports whether a group of figures is to be measured.
func (r *Run) Want(group string) bool { return *r.only == "" || *r.only == group }

// End takes away what the run made.
func (r *Run) End() { os.RemoveAll(r.Scratch) }
