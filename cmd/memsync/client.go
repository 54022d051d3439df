package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"memsync"
)

// ownerLine is an open connection to the process that owns a store.
type ownerLine struct {
	conn   *net.UnixConn
	r      *bufio.Reader
	theirs greeting
}

// answerWait is how long an owner has to say who it is. It does so at once,
// whatever it is at: one that does not was stopped.
const answerWait = 2 * time.Second

// errLost is an owner that died before it answered.
var errLost = errors.New("the owner of the store is gone")

// callOwner asks on the socket of a store whether its owner serves others; nil
// when nobody answers there, and when that somebody is another user.
func callOwner(stateDir string) *ownerLine {
	conn := dialOwner(stateDir)
	if conn == nil {
		return nil
	}
	l := &ownerLine{conn: conn, r: bufio.NewReader(conn)}
	conn.SetDeadline(time.Now().Add(answerWait))
	m, _, err := receive(l.r)
	conn.SetDeadline(time.Time{})
	if err != nil || m.Greeting == nil {
		conn.Close()
		return nil
	}
	l.theirs = *m.Greeting
	return l
}

// tellWait bounds a hook's word to an owner: git waits for its hooks.
const tellWait = 40 * time.Millisecond

// tellOwner has the owner of a store, if one serves others, look at its files
// soon. Nobody waits for that, and nothing comes of it where it fails: the owner
// looks by itself, or the next command does.
func tellOwner(stateDir string) {
	conn := dialOwner(stateDir)
	if conn == nil {
		return
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(tellWait))
	m, _, err := receive(bufio.NewReader(conn))
	if err == nil && m.Greeting != nil && *m.Greeting == ownGreeting() {
		_ = send(conn, message{Look: true})
	}
}

// borrowWait is how long an owner waits for another one to lend its store. Two
// that want each other's at once would wait for ever.
const borrowWait = 30 * time.Second

// borrow asks the owner for the store itself. It is lent until the line is
// closed.
func (l *ownerLine) borrow(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { l.conn.Close() })
	defer stop()
	mine := ownGreeting()
	if l.theirs != mine {
		return busyWith(l.theirs)
	}
	if send(l.conn, message{Borrow: &mine}) != nil {
		return errLost
	}
	l.conn.SetReadDeadline(time.Now().Add(borrowWait))
	m, _, err := receive(l.r)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &memsync.Error{Code: memsync.CodeStoreBusy, Message: "the owner of the store does not lend it", Hint: "try again"}
	case err != nil:
		return errLost
	case !m.Lent:
		return busyWith(l.theirs)
	}
	return nil
}

// handOver has the owner do this whole command and gives its exit code. What
// the command prints comes with the answer, so nothing is printed twice when
// the owner dies and somebody else has to do it (errLost).
func (a *app) handOver(l *ownerLine) (code int, err error) {
	defer l.conn.Close()
	if l.theirs != ownGreeting() {
		return 0, busyWith(l.theirs)
	}
	if a.delivery == "" {
		a.delivery = rand.Text()
	}
	if err := a.readAhead(); err != nil {
		return 0, err
	}
	o := &order{greeting: ownGreeting(), Args: a.args, Env: os.Environ(), Delivery: a.delivery,
		Terminal: [3]bool{isTerminal(a.stdin), isTerminal(a.stdout), isTerminal(a.stderr)}}
	o.Cwd, _ = os.Getwd()
	var parts [][]byte
	for name, data := range a.given {
		o.Given = append(o.Given, name)
		parts = append(parts, data)
	}
	if send(l.conn, message{Order: o}, parts...) != nil {
		return 0, errLost
	}
	// Ctrl-C ends the talk from this side; the owner then ends the verb and
	// still says how.
	stop := context.AfterFunc(a.ctx, func() { l.conn.CloseWrite() })
	defer stop()
	for {
		m, parts, err := receive(l.r)
		if err != nil && a.ctx.Err() != nil {
			return 0, a.ctx.Err()
		}
		if err != nil {
			return 0, errLost
		}
		a.printParts(m, parts)
		var back answer
		switch {
		case m.Done != nil:
			return *m.Done, nil
		case m.Refused:
			return 0, busyWith(l.theirs)
		case m.Ask != nil:
			back.Yes = a.put(*m.Ask)
		case m.Editor != nil:
			back.Error = a.editHere(m.Editor)
		default:
			continue
		}
		if a.ctx.Err() != nil {
			continue // it knows, and still says how the verb ends
		}
		if send(l.conn, message{Answer: &back}) != nil && a.ctx.Err() == nil {
			return 0, errLost
		}
	}
}

// readAhead reads what the command line names as content: an owner can't read
// this process's standard input, and a pipe can't be read a second time. What
// can't be read is left to the verb to complain about; what never ends, never
// reaches it.
func (a *app) readAhead() (err error) {
	if a.verb == nil {
		return nil
	}
	look := func(name string) {
		if _, e := a.read(name); endless(e) {
			err = e
		}
	}
	a.verb.Flags().Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		switch f.Name {
		case "content", "operations", "value":
			if name, isFile := strings.CutPrefix(value, "@"); isFile || value == "-" {
				look(name)
			}
		case "file":
			look(value)
		}
	})
	return err
}

// printParts prints what the owner's verb printed, in its order.
func (a *app) printParts(m message, parts [][]byte) {
	for i, p := range parts {
		if i < len(m.Streams) && m.Streams[i] == 1 {
			a.stdout.Write(p)
		} else {
			a.stderr.Write(p)
		}
	}
}

// editHere runs the editor that an owner asks for, at this process's terminal,
// and keeps what was typed in case the owner dies meanwhile. It says how it
// failed, "" when it did not.
func (a *app) editHere(args []string) (failure string) {
	file := ""
	if len(args) > 3 {
		file = args[3]
	}
	before, _ := os.ReadFile(file)
	if err := a.runEditor(args); err != nil {
		failure = err.Error()
	}
	if after, err := os.ReadFile(file); err == nil && failure == "" {
		a.typed = &retyped{filepath.Base(file), before, after}
	}
	return failure
}
