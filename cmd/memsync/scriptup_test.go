package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// The words of stories in which `memsync up` runs, one in a directory; each acts on
// the one that was started in this directory, or on the only one there is:
//
//	up [ARG...]         starts it, and waits until it says that it is ready
//	settled             until everything on disk is decided about, as `status` says
//	cold                ends it; then a cold `up --once` finds nothing to do
//	killed              ends it with SIGKILL
//	stopped / continued SIGSTOP and SIGCONT
//	said REGEXP         waits until what it has printed matches (stdout and stderr)
//	together DIR DIR    until two stores stand at the same commit
//	typed KEYS CMD ARG… a program on a terminal of its own, with keys typed into it
func init() {
	for name, word := range map[string]func(*testscript.TestScript, bool, []string){
		"up": scriptUp, "settled": scriptSettled, "cold": scriptCold, "killed": scriptKilled, "said": scriptSaid, "typed": scriptTyped,
		"together": scriptTogether,
		"stopped":  signalled(syscall.SIGSTOP), "continued": signalled(syscall.SIGCONT),
	} {
		scriptCommands[name] = word
	}
}

// TestWatch runs the stories of the watcher, outside of the system's directory
// for temporary files: vim and emacs write otherwise there.
func TestWatch(t *testing.T) {
	root, err := os.MkdirTemp("/var/tmp", "memsync-watch-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("..", "..", "testdata", "watch"),
		WorkdirRoot:   root,
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Values[running{}] = map[string]*upProcess{}
			return setupScript(env)
		},
		Cmds:      scriptCommands,
		Condition: scriptCondition,
	})
}

type running struct{}

// upProcess is a `memsync up` of a story.
type upProcess struct {
	cmd  *exec.Cmd
	done chan struct{} // it has ended

	mu   sync.Mutex
	out  bytes.Buffer
	more chan struct{} // there is more in out
}

func (p *upProcess) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.more <- struct{}{}:
	default:
	}
	return p.out.Write(b)
}

func (p *upProcess) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

func ups(ts *testscript.TestScript) map[string]*upProcess {
	return ts.Value(running{}).(map[string]*upProcess)
}

func theUp(ts *testscript.TestScript) *upProcess {
	all := ups(ts)
	if p := all[ts.MkAbs(".")]; p != nil {
		return p
	}
	if len(all) != 1 {
		ts.Fatalf("memsync up does not run here")
	}
	for _, p := range all {
		return p
	}
	return nil
}

func scriptUp(ts *testscript.TestScript, neg bool, args []string) {
	p := &upProcess{done: make(chan struct{}), more: make(chan struct{}, 1)}
	p.cmd = exec.Command(command, append([]string{"up", "--verbose"}, args...)...)
	p.cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATH", "MEMSYNC_HOME", "MEMSYNC_POLL", "GIT_CONFIG_NOSYSTEM", "LC_ALL", "TMPDIR"} {
		p.cmd.Env = append(p.cmd.Env, name+"="+ts.Getenv(name))
	}
	p.cmd.Stdout = p
	stderr, err := p.cmd.StderrPipe()
	ts.Check(err)
	ts.Check(p.cmd.Start())
	ts.Defer(func() {
		p.cmd.Process.Signal(syscall.SIGCONT)
		p.cmd.Process.Kill()
		<-p.done
	})
	ready := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(stderr)
		begun := sync.OnceFunc(func() { close(ready) })
		for lines.Scan() {
			fmt.Fprintln(p, lines.Text())
			if strings.Contains(lines.Text(), ": watching ") {
				begun()
			}
		}
		io.Copy(p, stderr)
		p.cmd.Wait()
		close(p.done)
	}()
	select {
	case <-ready:
	case <-p.done:
		if !neg {
			ts.Fatalf("it ended: %s", p.said())
		}
		fmt.Fprint(ts.Stderr(), p.said())
		return
	}
	if neg {
		ts.Fatalf("it runs")
	}
	ups(ts)[p.cmd.Dir] = p
}

// scriptSettled asks until nothing is pending. The question itself looks at the
// disk, so a save is never missed.
func scriptSettled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: settled")
	}
	patience := time.AfterFunc(patient, func() { panic(ts.Name() + ": never settled; it said:\n" + theUp(ts).said()) })
	defer patience.Stop()
	for {
		cmd := exec.Command(command, "status", "--json")
		cmd.Dir = ts.MkAbs(".")
		cmd.Env = theUp(ts).cmd.Env
		out, _ := cmd.Output() // 1 when something is pending
		var st struct {
			Pending  []string `json:"pending"`
			Paused   *string  `json:"paused"`
			Revision struct{ Commit string }
		}
		if json.Unmarshal(out, &st) == nil && st.Pending != nil && len(st.Pending) == 0 && st.Paused == nil {
			return
		}
	}
}

// scriptTogether asks until what one has is what the other has.
func scriptTogether(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: together DIR DIR")
	}
	patience := time.AfterFunc(patient, func() { panic(ts.Name() + ": never together; the one here said:\n" + theUp(ts).said()) })
	defer patience.Stop()
	for {
		if gitOutput(ts, "-C", args[0], "rev-parse", "HEAD") == gitOutput(ts, "-C", args[1], "rev-parse", "HEAD") {
			return
		}
	}
}

func (p *upProcess) end(sig os.Signal) {
	p.cmd.Process.Signal(sig)
	<-p.done
}

func scriptCold(ts *testscript.TestScript, neg bool, args []string) {
	p := theUp(ts)
	p.end(syscall.SIGTERM)
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		ts.Fatalf("up ended with %d: %s", code, p.said())
	}
	delete(ups(ts), p.cmd.Dir)
	head := gitOutput(ts, "rev-parse", "HEAD")
	cmd := exec.Command(command, "up", "--once")
	cmd.Dir, cmd.Env = ts.MkAbs("."), p.cmd.Env
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != exitPerson || bytes.Contains(out, []byte("commit ")) {
		ts.Fatalf("a cold pass finds something: %v\n%s\nup had said:\n%s", err, out, p.said())
	}
	if now := gitOutput(ts, "rev-parse", "HEAD"); now != head {
		ts.Fatalf("a cold pass commits: %s", gitOutput(ts, "log", "--stat", "-1"))
	}
}

func gitOutput(ts *testscript.TestScript, args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir = ts.MkAbs(".")
	out, err := cmd.CombinedOutput()
	if err != nil {
		ts.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func scriptKilled(ts *testscript.TestScript, neg bool, args []string) {
	p := theUp(ts)
	p.end(syscall.SIGKILL)
	delete(ups(ts), p.cmd.Dir)
}

func signalled(sig syscall.Signal) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, _ []string) {
		ts.Check(theUp(ts).cmd.Process.Signal(sig))
	}
}

// patient is how long a story waits for what must come before it calls it a
// hang: a loaded machine takes its time.
const patient = 4 * time.Minute

func scriptSaid(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: said REGEXP")
	}
	re, p := regexp.MustCompile("(?m)"+args[0]), theUp(ts)
	if neg {
		if re.MatchString(p.said()) {
			ts.Fatalf("it said:\n%s", p.said())
		}
		return
	}
	patience := time.AfterFunc(patient, func() { panic(ts.Name() + ": never said " + args[0] + "; it said:\n" + p.said()) })
	defer patience.Stop()
	for !re.MatchString(p.said()) {
		<-p.more
	}
}

// scriptTyped types keys, a Go string with escapes, into a program. <wait TEXT>
// in the keys waits until the screen shows the text.
func scriptTyped(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: typed KEYS CMD ARG...")
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "TERM=xterm", "LC_ALL=C.UTF-8")
	screen, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	ts.Check(err)
	defer screen.Close()
	shown := make(chan []byte, 100)
	go func() {
		defer close(shown)
		for {
			buf := make([]byte, 4096)
			n, err := screen.Read(buf)
			if n > 0 {
				shown <- buf[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	var seen bytes.Buffer
	hung := time.AfterFunc(patient, func() { cmd.Process.Kill() })
	defer hung.Stop()
	for part := range strings.SplitSeq(unescape(ts, args[0]), "<wait ") {
		if text, keys, waits := strings.Cut(part, ">"); waits {
			for !bytes.Contains(seen.Bytes(), []byte(text)) {
				b, ok := <-shown
				if !ok {
					ts.Fatalf("%s never shows %q: %q", args[1], text, seen.Bytes())
				}
				seen.Write(b)
			}
			seen.Reset()
			part = keys
		}
		_, err := screen.WriteString(part)
		ts.Check(err)
	}
	for b := range shown {
		seen.Write(b)
	}
	if err := cmd.Wait(); err != nil {
		ts.Fatalf("%s: %v\n%q", args[1], err, seen.Bytes())
	}
}
