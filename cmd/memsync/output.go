package main

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"memsync"
)

// output is stdout. It remembers the first write that failed, so that no verb
// has to look: finish does.
type output struct {
	w    io.Writer
	tty  bool
	lost error
}

func newOutput(w io.Writer) *output { return &output{w: w, tty: isTerminal(w)} }

func (o *output) terminal() bool { return o.tty }

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil && o.lost == nil && !o.unread(err) {
		o.lost = err
	}
	return n, err
}

// unread reports whether nobody reads any more: a pipe whose other end is
// closed, a terminal that is gone. They have seen what they wanted.
func (o *output) unread(err error) bool {
	return errors.Is(err, syscall.EPIPE) || o.tty && errors.Is(err, syscall.EIO)
}

// outputLost ends a command that has ended with code and whose output could not
// be written.
func (a *app) outputLost(err error, code int) int {
	e := &memsync.Error{Code: memsync.CodeIOWrite, Message: "the output can't be written", Err: err}
	fmt.Fprintf(a.stderr, "memsync: %s [%s]\n  only the output is lost; what the command did is done\n", oneLine(e.Error()), e.Code)
	if code != exitFine {
		return code
	}
	return exitOf(e)
}
