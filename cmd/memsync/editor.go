package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"memsync"
)

// beside is a file that is opened next to the one that is edited, to read.
type beside struct {
	name string
	data []byte
}

// inEditor lets a person edit bytes and gives back what was saved. It needs a
// terminal. What was typed stays in a file until the command has ended well,
// so that a refusal costs nobody their text: see settleDraft.
func (a *app) inEditor(k *opened, name string, data []byte, also ...beside) ([]byte, error) {
	editor := a.env("VISUAL")
	if editor == "" {
		editor = a.env("EDITOR")
	}
	if editor == "" || a.flags.noInput || !a.terminal() {
		return nil, &memsync.Error{Code: memsync.CodeUsage, Message: "there is nothing to change, and no editor to ask in",
			Hint: "give --content or a key, or set EDITOR and run it on a terminal"}
	}
	dir, err := os.MkdirTemp(a.env("TMPDIR"), "memsync-edit-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if a.draft != dir {
			os.RemoveAll(dir)
		}
	}()
	if t := a.typed; t != nil && t.name == name && bytes.Equal(t.before, data) {
		a.typed = nil
		return t.after, nil
	}
	// The shell splits $EDITOR as git and every other tool does.
	args := []string{"-c", editor + ` "$@"`, editor}
	for _, f := range append([]beside{{name, data}}, also...) {
		file := filepath.Join(dir, f.name)
		if err := os.WriteFile(file, f.data, 0o600); err != nil {
			return nil, err
		}
		args = append(args, file)
	}
	var runErr error
	aside := k.aside(func() { runErr = a.runEditor(args) })
	saved, err := os.ReadFile(filepath.Join(dir, name))
	if err == nil && !bytes.Equal(saved, data) || errors.Is(runErr, errLost) || a.ctx.Err() != nil {
		a.draft = dir // of a lost line, or when the person went away, the editor may be open still
	}
	if a.ctx.Err() != nil {
		return nil, a.ctx.Err()
	}
	if aside != nil {
		return nil, aside
	}
	if runErr != nil {
		return nil, &memsync.Error{Code: memsync.CodeUsage, Message: "the editor failed, so nothing was changed", Err: runErr,
			Hint: "set VISUAL or EDITOR to an editor that stays in the foreground"}
	}
	return saved, err
}

// runEditor runs the shell with args at the person's terminal.
func (a *app) runEditor(args []string) error {
	if a.far != nil {
		return a.far.editor(args)
	}
	cmd := exec.CommandContext(a.ctx, "sh", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stderr, a.stderr
	err := cmd.Run()
	if cmd.ProcessState != nil && endedByCtrlC(cmd.ProcessState) {
		select { // the same Ctrl-C is on its way to us
		case <-a.ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return err
}

// endedByCtrlC reports whether an interrupt ended the shell, or what it ran.
func endedByCtrlC(st *os.ProcessState) bool {
	ws, ok := st.Sys().(syscall.WaitStatus)
	return st.ExitCode() == 130 || ok && ws.Signaled() && ws.Signal() == syscall.SIGINT
}

// retyped is what a person typed in an editor for an owner that died before it
// could be submitted. It is taken up when the same text is to be edited again.
type retyped struct {
	name          string
	before, after []byte
}

// settleDraft ends the life of what was typed in an editor: away when the
// command ended well, kept and named when it did not.
func (a *app) settleDraft(err error) {
	switch {
	case a.draft == "":
	case err != nil:
		a.say("what you typed is kept in %s", a.draft)
	default:
		os.RemoveAll(a.draft)
	}
	a.draft = ""
}

// editInEditor fills a candidate with what a person saves in the editor.
// Saving the same bytes is no edit.
func (a *app) editInEditor(k *opened, m *memsync.Memory, c *memsync.Candidate) (changed bool, err error) {
	old, err := k.Read(m)
	if err != nil {
		return false, err
	}
	data, err := a.inEditor(k, m.Path.Base(), old)
	if err != nil || bytes.Equal(data, old) {
		return false, err
	}
	c.Raw, c.Base = data, memsync.HashOf(old)
	return true, nil
}
