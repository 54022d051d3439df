package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"

	"memsync"
	"memsync/keeper"
)

// beside is a file that is opened next to the one that is edited, to read.
type beside struct {
	name string
	data []byte
}

// inEditor lets a person edit bytes and gives back what was saved. It needs a
// terminal. What was typed stays in a file until the command has ended well,
// so that a refusal costs nobody their text: see settleDraft.
func (a *app) inEditor(name string, data []byte, also ...beside) ([]byte, error) {
	editor := a.env("VISUAL")
	if editor == "" {
		editor = a.env("EDITOR")
	}
	if editor == "" || a.flags.noInput || !a.terminal() {
		return nil, &memsync.Error{Code: memsync.CodeUsage, Message: "there is nothing to change, and no editor to ask in",
			Hint: "give --content or a key, or set EDITOR and run it on a terminal"}
	}
	dir, err := os.MkdirTemp("", "memsync-edit-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if a.draft != dir {
			os.RemoveAll(dir)
		}
	}()
	// The shell splits $EDITOR as git and every other tool does.
	args := []string{"-c", editor + ` "$@"`, editor}
	for _, f := range append([]beside{{name, data}}, also...) {
		file := filepath.Join(dir, f.name)
		if err := os.WriteFile(file, f.data, 0o600); err != nil {
			return nil, err
		}
		args = append(args, file)
	}
	cmd := exec.CommandContext(a.ctx, "sh", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stderr, a.stderr
	runErr := cmd.Run()
	saved, err := os.ReadFile(filepath.Join(dir, name))
	if err == nil && !bytes.Equal(saved, data) {
		a.draft = dir
	}
	if runErr != nil {
		return nil, &memsync.Error{Code: memsync.CodeUsage, Message: "the editor failed, so nothing was changed", Err: runErr,
			Hint: "set VISUAL or EDITOR to an editor that stays in the foreground"}
	}
	return saved, err
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
func (a *app) editInEditor(k *keeper.Keeper, m *memsync.Memory, c *memsync.Candidate) (changed bool, err error) {
	old, err := k.Read(m)
	if err != nil {
		return false, err
	}
	data, err := a.inEditor(m.Path.Base(), old)
	if err != nil || bytes.Equal(data, old) {
		return false, err
	}
	c.Raw, c.Base = data, memsync.HashOf(old)
	return true, nil
}
