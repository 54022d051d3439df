package gitlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// catFile reads objects through one `git cat-file --batch`, which is started
// with the first question and ends with close, or with this process.
type catFile struct {
	r *Repo

	mu     sync.Mutex
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *bytes.Buffer
}

func (c *catFile) start() error {
	if c.r.binary == "" {
		return missing("repositories with object format " + c.r.kind.name + " are read through the git binary")
	}
	cmd := exec.Command(c.r.binary, append(gitFlags(), "cat-file", "--batch")...)
	cmd.Dir = c.r.top
	cmd.Env = c.r.env.forGit()
	c.stderr = &bytes.Buffer{}
	cmd.Stderr = c.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.cmd, c.in, c.out = cmd, in, bufio.NewReaderSize(out, 64<<10)
	return nil
}

// git itself looks for packs that are new.
func (c *catFile) many() (done func()) { return func() {} }
func (c *catFile) changed()            {}

func (c *catFile) read(id oid) (string, []byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cmd == nil {
		if err := c.start(); err != nil {
			return "", nil, err
		}
	}
	typ, data, err := c.ask(id.hex())
	if err != nil && !errors.Is(err, errNoObject) {
		said := strings.TrimSpace(c.stderr.String())
		c.stop()
		if said != "" {
			err = gitSaid([]string{"cat-file"}, said, err)
		}
	}
	return typ, data, err
}

func (c *catFile) ask(name string) (string, []byte, error) {
	if _, err := io.WriteString(c.in, name+"\n"); err != nil {
		return "", nil, err
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return "", nil, err
	}
	f := strings.Fields(line)
	if len(f) == 2 && f[1] == "missing" {
		return "", nil, errNoObject
	}
	if len(f) != 3 {
		return "", nil, fmt.Errorf("git cat-file answered %q", line)
	}
	size, err := strconv.Atoi(f[2])
	if err != nil {
		return "", nil, err
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(c.out, data); err != nil {
		return "", nil, err
	}
	return f[1], data[:size], nil
}

func (c *catFile) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cmd == nil {
		return nil
	}
	return c.stop()
}

func (c *catFile) stop() error {
	c.in.Close()
	err := c.cmd.Wait()
	c.cmd = nil
	return err
}
