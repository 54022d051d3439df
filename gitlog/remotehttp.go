package gitlog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"memsync"
)

// httpProgram speaks http where there is no git binary. It is a program of its
// own, as git-remote-https is git's: nobody else pays for starting what it needs.
// Its package documentation says what both talk.
const httpProgram = "memsync-remote-http"

// lookHTTPProgram finds it: beside this program, symbolic links resolved, else on
// the caller's PATH; "" for none.
func lookHTTPProgram(env environ) string {
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			if p, err := exec.LookPath(filepath.Join(filepath.Dir(self), httpProgram)); err == nil {
				return p
			}
		}
	}
	return lookProgram(env, httpProgram)
}

// conversation is one run of httpProgram. Reading it gives what the program
// prints; at the end comes how the program ended, io.EOF for well.
type conversation struct {
	heads map[string]string // the remote's branches, by short name
	in    io.WriteCloser
	out   *bufio.Reader
	ended func() error
	stop  context.CancelFunc
}

// converse starts a conversation with a remote's upload-pack or receive-pack and
// has it list the branches. The address, which may carry a password, stands
// neither in the arguments nor in the environment.
func (r *Repo) converse(ctx context.Context, m Remote, service string) (*conversation, error) {
	program := lookHTTPProgram(r.env)
	if program == "" {
		return nil, noHelper(m, "there is neither git nor "+httpProgram+" here")
	}
	ctx, stop := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, program, service)
	alone(cmd) // Ctrl-C is for this process, which ends the other
	cmd.Env = r.env
	cmd.WaitDelay = 2 * time.Second
	var errs bytes.Buffer
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		stop()
		return nil, fault(memsync.CodeIO, "starting "+httpProgram, err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		stop()
		return nil, noHelper(m, httpProgram+" can't be started: "+err.Error())
	}
	c := &conversation{heads: map[string]string{}, in: in, out: bufio.NewReader(out), stop: stop}
	c.ended = sync.OnceValue(func() error {
		err := cmd.Wait()
		var exit *exec.ExitError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &exit) && exit.ExitCode() == 1: // what the transport says
			return errors.New(strings.TrimSuffix(errs.String(), "\n"))
		}
		return fmt.Errorf("%s: %w: %s", httpProgram, err, errs.String())
	})
	if err = c.send([]byte(m.URL + "\n")); err == nil {
		err = c.readHeads()
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func noHelper(m Remote, why string) error {
	return &memsync.Error{Code: memsync.CodeSyncNoHelper, Message: "the remote " + m.Name + " (" + m.Shown() + ") can't be asked: " + why,
		Hint: "install git, or put " + httpProgram + " beside memsync; nothing was changed"}
}

// readHeads reads the refs, as far as they are branches.
func (c *conversation) readHeads() error {
	for {
		line, err := c.out.ReadString('\n')
		if err != nil {
			return c.failed(err)
		}
		if line == "\n" {
			return nil
		}
		id, ref, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok {
			return fmt.Errorf("%s lists %q, which is no ref: it is another program", httpProgram, line)
		}
		if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
			c.heads[name] = id
		}
	}
}

// send says something. Where it isn't heard, the error is the other side's.
func (c *conversation) send(said []byte) error {
	if _, err := c.in.Write(said); err != nil {
		return c.failed(err)
	}
	return nil
}

// failed is why the pipe broke: how the program ended, else err.
func (c *conversation) failed(err error) error {
	if ended := c.ended(); ended != nil {
		return ended
	}
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Read reads what the program prints. Its end is an error where the program
// failed, so that half an answer is never taken for one.
func (c *conversation) Read(p []byte) (int, error) {
	n, err := c.out.Read(p)
	if err == io.EOF && n == 0 {
		if ended := c.ended(); ended != nil {
			return 0, ended
		}
	}
	return n, err
}

// close ends the conversation, wherever it stands.
func (c *conversation) close() {
	c.in.Close()
	c.stop()
	c.ended()
}
