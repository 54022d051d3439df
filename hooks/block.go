package hooks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A file of husky's is a person's: memsync's part of it stands between two lines,
// the first of which remembers what has to be undone.
const (
	blockBegin = "# >>> memsync hook "
	blockEnd   = "# <<< memsync hook\n"
	madeFile   = ", in a file that memsync made"
	madeEnd    = ", behind a line end that memsync made"
	shebang    = "#!/bin/sh\n"
)

// blocked is a file taken apart at memsync's block.
type blocked struct {
	before, block, after string // block with its two lines
	note                 string // of the first line: what was made
}

// cut finds the block; ok is false without one. half says that only one of its
// lines is there.
func cut(text, hook string) (b blocked, ok, half bool) {
	at := strings.Index(text, blockBegin)
	if at < 0 || at > 0 && text[at-1] != '\n' {
		return b, false, strings.Contains(text, blockEnd)
	}
	end := strings.Index(text[at:], blockEnd)
	if end < 0 {
		return b, false, true
	}
	end += at + len(blockEnd)
	b = blocked{before: text[:at], block: text[at:end], after: text[end:]}
	_, b.note, _ = strings.Cut(firstLine(b.block), hook)
	return b, true, false
}

// blockText is the block as this program writes it.
func (s script) blockText(note string) string {
	return blockBegin + version + ": " + s.hook + note + "\n" + s.block() + blockEnd
}

// known reports whether the block is as some memsync wrote it.
func (b blocked) known(hook string) (s script, ok bool) {
	s.hook = hook
	for _, s.fixStaged = range []bool{false, true} {
		if s.blockText(b.note) == b.block {
			return s, true
		}
	}
	return s, false
}

// without is the file as it was before the block came; gone says that there was
// none.
func (b blocked) without() (text string, gone bool) {
	before := b.before
	if strings.Contains(b.note, madeEnd) && b.after == "" {
		before = strings.TrimSuffix(before, "\n")
	}
	text = before + b.after
	return text, strings.Contains(b.note, madeFile) && text == shebang
}

func readShared(file string) (text string, mode fs.FileMode, err error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0, nil
	}
	if err != nil {
		return "", 0, err
	}
	if !info.Mode().IsRegular() {
		return "", 0, errors.New(file + " is no ordinary file")
	}
	data, err := os.ReadFile(file)
	return string(data), info.Mode().Perm(), err
}

// lookBlock looks at a file of husky's; own says that git runs it itself, as it
// does where husky is older than version 9.
func lookBlock(name, file string, own bool) (Hook, error) {
	h := Hook{Name: name, State: Absent, File: file}
	text, mode, err := readShared(file)
	if err != nil {
		return h, failed("the hook "+name+" can't be read", err)
	}
	b, ok, half := cut(text, name)
	switch {
	case half:
		h.State, h.Note = Changed, "one of the two lines around memsync's part is gone"
		return h, nil
	case !ok:
		return h, nil
	}
	s, ok := b.known(name)
	h.State, h.Fix = Installed, s.fixStaged
	switch {
	case !ok:
		h.State, h.Fix, h.Note = Changed, false, "somebody has changed memsync's part: `memsync hooks install --force` keeps that file aside"
	case own && mode&0o111 == 0 && executableBits:
		h.State, h.Note = Ignored, "it is not executable, so git passes it by: chmod +x "+file
	}
	return h, nil
}

// blockIn decides what comes of a file of husky's.
func blockIn(file string, mine script, opt Options) (step, error) {
	h, err := lookBlock(mine.hook, file, false)
	if err != nil {
		return step{}, err
	}
	text, mode, err := readShared(file)
	if err != nil {
		return step{}, failed("the hook "+mine.hook, err)
	}
	s := step{Hook: h}
	b, ok, half := cut(text, mine.hook)
	if half {
		return s, refused(mine.hook, "has lost one of the two lines around memsync's part", "remove what is left of it from "+file)
	}
	if !ok {
		s.Done = DoneInstalled
		note := ""
		switch {
		case mode == 0:
			text, mode, note = shebang, made, madeFile
		case text != "" && !strings.HasSuffix(text, "\n"):
			text, note = text+"\n", madeEnd
		}
		s.do = writing(file, text+mine.blockText(note), mode)
		return s, nil
	}
	_, untouched := b.known(mine.hook)
	now := mine.blockText(b.note)
	switch {
	case b.block == now:
		s.Done = DoneNothing
		return s, nil
	case !untouched && !opt.Force:
		return s, refused(mine.hook, "has a part that is memsync's, and somebody has changed it", "see what is in "+file+"; --force keeps it aside and writes that part anew")
	}
	s.Done, s.do = DoneUpdated, writing(file, b.before+now+b.after, mode)
	if !untouched {
		s.keep(file)
	}
	return s, nil
}

// unblock decides how the block goes.
func unblock(file, name string, opt Options) (step, error) {
	h, err := lookBlock(name, file, false)
	if err != nil {
		return step{}, err
	}
	text, mode, err := readShared(file)
	if err != nil {
		return step{}, failed("the hook "+name, err)
	}
	s := step{Hook: h}
	s.Done = DoneNothing
	b, ok, half := cut(text, name)
	switch {
	case half:
		return s, refused(name, "has lost one of the two lines around memsync's part", "remove what is left of it from "+file)
	case !ok:
		return s, nil
	}
	_, untouched := b.known(name)
	if !untouched && !opt.Force {
		return s, refused(name, "has a part that is memsync's, and somebody has changed it", "see what is in "+file+"; --force keeps it aside and removes that part")
	}
	was, gone := b.without()
	if gone {
		s.Done, s.do = DoneRemoved, func() error { return os.Remove(file) }
	} else {
		s.Done, s.do = DoneRestored, writing(file, was, mode)
	}
	if !untouched {
		s.keep(file)
	}
	return s, nil
}

// keep has the file copied aside first.
func (s *step) keep(file string) {
	kept, do := aside(file), s.do
	s.Note = "what was changed is kept as " + filepath.Base(kept)
	s.do = func() error {
		if err := double(file, kept); err != nil {
			return err
		}
		return do()
	}
}

// writing replaces a shared file by text, with its mode.
func writing(file, text string, mode fs.FileMode) func() error {
	return func() error {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		return put(file, []byte(text), mode)
	}
}
