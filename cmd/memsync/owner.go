package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"memsync"
	"memsync/keeper"
)

// serveOwner lets other processes use the store that this one owns through its
// keeper: each command of theirs is done here, in turns with the keeper's own
// loop, as if they had done it themselves. done answers what was begun, then
// takes the socket away; after that others open the store themselves, as soon
// as its lock is free. A command that waits for a person is not waited for: its
// client goes on by itself. The keeper must stay open until done has returned.
// Where there are no Unix sockets nothing is served.
func serveOwner(ctx context.Context, a *app, k *keeper.Keeper) (done func(), err error) {
	l, err := listenOwner(k.Repo().StateDir())
	if err != nil || l == nil {
		return func() {}, err
	}
	leaving := make(chan struct{})
	o := &owner{a: a, k: k, ctx: context.WithoutCancel(ctx), leaving: leaving}
	mine := &ownedStore{k.Store.Root, k}
	owned.Lock()
	owned.stores = append(owned.stores, mine)
	owned.Unlock()
	o.calls.Go(func() { o.accept(l) })
	return sync.OnceFunc(func() {
		close(leaving)
		l.Close()
		o.calls.Wait()
		owned.Lock()
		owned.stores = slices.DeleteFunc(owned.stores, func(s *ownedStore) bool { return s == mine })
		owned.Unlock()
	}), nil
}

// owner answers on the socket of one store.
type owner struct {
	a       *app
	k       *keeper.Keeper
	ctx     context.Context
	leaving <-chan struct{} // closed when the owner lets go
	calls   sync.WaitGroup
}

func (o *owner) accept(l *net.UnixListener) {
	for {
		conn, err := l.AcceptUnix()
		switch {
		case err == nil:
			o.calls.Go(func() { o.serve(conn) })
			continue
		case errors.Is(err, net.ErrClosed):
			return
		}
		select { // no descriptors left, or the like: others wait, too
		case <-o.leaving:
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// serve talks with one client.
func (o *owner) serve(conn *net.UnixConn) {
	defer conn.Close()
	if !peerIsUs(conn) {
		return
	}
	conn.SetDeadline(time.Now().Add(answerWait))
	mine := ownGreeting()
	if send(conn, message{Greeting: &mine}) != nil {
		return
	}
	r := bufio.NewReader(conn)
	m, parts, err := receive(r)
	if err == nil && m.Look {
		o.k.Look()
		return
	}
	if err == nil && m.Borrow != nil {
		conn.SetDeadline(time.Time{})
		o.lend(*m.Borrow == mine, conn, r)
		return
	}
	if err != nil || m.Order == nil || len(parts) != len(m.Order.Given) {
		return
	}
	conn.SetDeadline(time.Time{})
	if m.Order.greeting != mine {
		send(conn, message{Refused: true})
		return
	}
	ctx, cancel := context.WithCancel(o.ctx)
	defer cancel()
	c := &call{order: m.Order, ctx: ctx, cancel: cancel, conn: conn, answers: make(chan answer, 1), leaving: o.leaving}
	go c.listen(r)
	given := map[string][]byte{}
	for i, name := range m.Order.Given {
		given[name] = parts[i]
	}
	code := c.run(o.a, given)
	if !c.cut {
		c.say(message{Done: &code})
	}
}

// lend gives the store to another owner, which does a command that needs both,
// until it hangs up or dies.
func (o *owner) lend(same bool, conn *net.UnixConn, r *bufio.Reader) {
	if !same {
		send(conn, message{Refused: true})
		return
	}
	ctx, cancel := context.WithCancel(o.ctx)
	defer cancel()
	go func() {
		defer cancel()
		receive(r) // it says nothing more
	}()
	release, err := o.k.Turn(ctx)
	if err != nil {
		return
	}
	defer release()
	err = o.k.Lend(func() {
		if send(conn, message{Lent: true}) == nil {
			<-ctx.Done()
		}
	})
	if err != nil {
		o.a.say("%s can't be lent: %v", o.k.Store.Root, err)
	}
}

// call is one command that another process handed over.
type call struct {
	order   *order
	ctx     context.Context // ends when the client does
	cancel  func()
	conn    *net.UnixConn
	answers chan answer
	leaving <-chan struct{}
	cut     bool // the owner let go while the client's person was asked

	streams []int // what was printed and not sent yet
	parts   [][]byte
	hands   []*opened // every store that the command opened
}

// listen hears the client's answers, and when it is gone or interrupted.
func (c *call) listen(r *bufio.Reader) {
	defer c.cancel()
	for {
		m, _, err := receive(r)
		if err != nil {
			return
		}
		if m.Answer != nil {
			select {
			case c.answers <- *m.Answer:
			case <-c.ctx.Done():
			}
		}
	}
}

// run does the command as its client would have. A defect ends the command,
// never the owner.
func (c *call) run(host *app, given map[string][]byte) (code int) {
	o := c.order
	a := &app{ctx: c.ctx, args: o.Args, cwd: o.Cwd, env: o.env, given: given, far: c, delivery: o.Delivery,
		stdin: callerStream{c, 0}, stdout: callerStream{c, 1}, stderr: callerStream{c, 2}}
	defer func() {
		for _, k := range c.hands {
			k.Close()
		}
	}()
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(host.stderr, "memsync: a client's command failed: %v\n%s", r, debug.Stack())
			code = a.finish(&memsync.Error{Code: memsync.CodeInternal, Message: fmt.Sprintf("bug: %v", r)})
		}
	}()
	return a.finish(a.execute(c.ctx, a.command(), o.Args))
}

// env is the client's environment. Its home store is where the client means.
func (o *order) env(name string) string {
	value := ""
	for i := len(o.Env) - 1; i >= 0; i-- {
		if k, v, _ := strings.Cut(o.Env[i], "="); k == name {
			value = v
			break
		}
	}
	if name == "MEMSYNC_HOME" && value != "" && !filepath.IsAbs(value) {
		return filepath.Join(o.Cwd, value)
	}
	return value
}

// say sends a message with all that was printed before it.
func (c *call) say(m message) error {
	m.Streams = c.streams
	parts := c.parts
	c.streams, c.parts = nil, nil
	return send(c.conn, m, parts...)
}

// hear sends what needs a person, and waits for the answer.
func (c *call) hear(m message) (answer, error) {
	if err := c.say(m); err != nil {
		return answer{}, err
	}
	select {
	case ans := <-c.answers:
		return ans, nil
	case <-c.ctx.Done():
		return answer{}, c.ctx.Err()
	case <-c.leaving:
		c.cut = true
		c.cancel()
		return answer{}, errLost
	}
}

// ask has the client put a question.
func (c *call) ask(question string) bool {
	ans, err := c.hear(message{Ask: &question})
	return err == nil && ans.Yes
}

// editor has the client run an editor.
func (c *call) editor(args []string) error {
	ans, err := c.hear(message{Editor: args})
	if err == nil && ans.Error != "" {
		err = errors.New(ans.Error)
	}
	return err
}

// live is for what the client should show at once.
func (c *call) live() io.Writer { return liveStream{c} }

type liveStream struct{ c *call }

func (s liveStream) Write(p []byte) (int, error) {
	return len(p), send(s.c.conn, message{Live: true, Streams: []int{2}}, p)
}

// callerStream is stdin (0), stdout (1) or stderr (2) of a client. What is
// printed waits for the next message, so that a client whose own output is
// blocked never keeps the store from anybody.
type callerStream struct {
	c *call
	n int
}

func (s callerStream) terminal() bool { return s.c.order.Terminal[s.n] }

func (s callerStream) Read([]byte) (int, error) { return 0, errors.New("standard input can't be read") }

func (s callerStream) Write(p []byte) (int, error) {
	c := s.c
	if last := len(c.streams) - 1; last >= 0 && c.streams[last] == s.n {
		c.parts[last] = append(c.parts[last], p...)
		return len(p), nil
	}
	c.streams = append(c.streams, s.n)
	c.parts = append(c.parts, append([]byte(nil), p...))
	return len(p), nil
}
