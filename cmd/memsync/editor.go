package main

import (
	"os"
	"os/exec"
	"path/filepath"

	"memsync"
	"memsync/keeper"
)

// inEditor lets a person edit bytes and gives back what was saved. It needs a
// terminal.
func (a *app) inEditor(name string, data []byte) ([]byte, error) {
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
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, err
	}
	// The shell splits $EDITOR as git and every other tool does.
	cmd := exec.CommandContext(a.ctx, "sh", "-c", editor+` "$@"`, editor, file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.stdin, a.stderr, a.stderr
	if err := cmd.Run(); err != nil {
		return nil, &memsync.Error{Code: memsync.CodeUsage, Message: "the editor failed, so nothing was changed", Err: err}
	}
	return os.ReadFile(file)
}

// editInEditor fills a candidate with what a person saves in the editor.
func (a *app) editInEditor(k *keeper.Keeper, m *memsync.Memory, c *memsync.Candidate) error {
	old, err := k.Read(m)
	if err != nil {
		return err
	}
	data, err := a.inEditor(m.Path.Base(), old)
	if err != nil {
		return err
	}
	c.Raw, c.Base = data, memsync.HashOf(old)
	return nil
}
