// Package examples lays out the examples of lint's pages as stores in git, for
// tests: what a page shows is what the rules are held to. No production code
// imports it, and nothing outside the directories it is given is read or
// written, git's configuration of the machine included.
package examples

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"memsync"
	"memsync/lint"
)

// File is one file of an example as it lies on disk.
type File struct {
	Path memsync.Path
	Data []byte
	Link bool // a symbolic link to Data
}

// Example is the store of a case, as files.
type Example struct {
	Head         []File         // as HEAD has them
	Files        []File         // as they are now
	Repositories []memsync.Path // directories that are repositories themselves
	Unmerged     []memsync.Path

	absent []memsync.Path // files that it does not get for lack of its own
}

// What an example has that brings none of its own.
const (
	policy     = "format = 1\n\n[[scope]]\npath = \"memory\"\nkind = \"global\"\nmemory_md = \"lint\"\n"
	attributes = "*.md -text\nmemsync.toml -text\nworkspace.toml -text\n.gitattributes -text\n.gitignore -text\n**/_system/ledger/*.jsonl -text merge=union\nREVIEW.md merge=union\n"
)

// Of reads the notes of a case.
func Of(c lint.Case) (*Example, error) {
	x := &Example{}
	for _, e := range c.Files {
		if err := x.add(e); err != nil {
			return nil, fmt.Errorf("%s/%s: %w", c.Name, e.Path, err)
		}
	}
	for _, given := range []File{{Path: "memsync.toml", Data: []byte(policy)}, {Path: ".gitattributes", Data: []byte(attributes)}} {
		if !has(x.Files, given.Path) && !slices.Contains(x.absent, given.Path) {
			x.Files = append(x.Files, given)
		}
	}
	if len(x.Head) > 0 { // settings don't change unless an example says so
		for _, f := range x.Files {
			if (f.Path == "memsync.toml" || f.Path == ".gitattributes") && !has(x.Head, f.Path) {
				x.Head = append(x.Head, f)
			}
		}
	}
	return x, nil
}

func has(files []File, p memsync.Path) bool {
	return slices.ContainsFunc(files, func(f File) bool { return f.Path == p })
}

func (x *Example) add(e lint.ExampleFile) error {
	f := File{Path: memsync.Path(e.Path)}
	text, head, many := e.Text, false, 0
	for _, note := range strings.Split(e.Note, ", ") {
		word, number, _ := strings.Cut(note, " ")
		n, err := strconv.Atoi(number)
		if number != "" && (err != nil || n < 1) {
			return fmt.Errorf("[%s] has no number", note)
		}
		switch word {
		case "":
		case "name":
			name, err := strconv.Unquote(`"` + e.Path + `"`)
			if err != nil {
				return fmt.Errorf("[name]: %w", err)
			}
			f.Path = memsync.Path(name)
		case "escaped":
			if text, err = unescape(text); err != nil {
				return err
			}
		case "repeat":
			text = strings.Repeat(text, n)
		case "repeat-last":
			at := strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n') + 1
			text = text[:at] + strings.Repeat(text[at:], n)
		case "repeat-fourth":
			lines := strings.SplitAfter(text, "\n")
			if len(lines) < 4 {
				return fmt.Errorf("[%s]: there is no fourth line", note)
			}
			lines[3] = strings.Repeat(lines[3], n)
			text = strings.Join(lines, "")
		case "files":
			many = n
		case "symlink":
			f.Link = true
			text = strings.TrimSuffix(text, "\n")
		case "head":
			head = true
		case "repository":
			x.Repositories = append(x.Repositories, f.Path)
			return nil
		case "absent":
			x.absent = append(x.absent, f.Path)
			return nil
		case "unmerged":
			x.Unmerged = append(x.Unmerged, f.Path)
		default:
			return fmt.Errorf("there is no note [%s]", note)
		}
	}
	list := &x.Files
	if head {
		list = &x.Head
	}
	for i := range max(many, 1) {
		one := f
		one.Data = []byte(text)
		if many > 0 {
			number := fmt.Sprintf("%04d", i+1)
			one.Path = memsync.Path(strings.ReplaceAll(string(f.Path), "NNNN", number))
			one.Data = []byte(strings.ReplaceAll(text, "NNNN", number))
		}
		*list = append(*list, one)
	}
	return nil
}

// unescape reads a text as one Go string: its line ends count, and a last \c
// takes the final one away.
func unescape(text string) (string, error) {
	cut, noEnd := strings.CutSuffix(text, "\\c\n")
	if noEnd {
		text = cut
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, `"`, `\"`), "\n", `\n`)
	out, err := strconv.Unquote(`"` + text + `"`)
	if err != nil {
		return "", fmt.Errorf("[escaped]: %w", err)
	}
	return out, nil
}

// Env is the environment of git for examples: nothing of the machine's.
func Env() []string {
	return []string{"HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z", "LC_ALL=C"}
}

func git(dir, stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(Env(), "PATH="+os.Getenv("PATH"))
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		said := ""
		if exit, ok := err.(*exec.ExitError); ok {
			said = string(exit.Stderr)
		}
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, said)
	}
	return string(out), nil
}

// template is a repository with one empty commit, made once: its files by
// path, a directory's path with a slash behind it. Every example is a copy.
var template = sync.OnceValues(func() (map[string]string, error) {
	dir, err := os.MkdirTemp("", "memsync-example-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := initialize(dir); err != nil {
		return nil, err
	}
	files := map[string]string{}
	return files, filepath.WalkDir(filepath.Join(dir, ".git"), func(p string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, p)
		if err != nil || d.IsDir() {
			files[rel+"/"] = ""
			return err
		}
		data, err := os.ReadFile(p)
		files[rel] = string(data)
		return err
	})
})

func initialize(dir string) error {
	for _, args := range [][]string{
		{"init", "-q", "-b", "main", "--template="},
		{"config", "user.name", "Ana"}, {"config", "user.email", "ana@example.com"}, {"config", "core.hooksPath", os.DevNull}, {"config", "gc.auto", "0"},
		{"commit", "-q", "--allow-empty", "-m", "begin"},
	} {
		if _, err := git(dir, "", args...); err != nil {
			return err
		}
	}
	return nil
}

// Lay writes the example into an empty directory: as a repository whose HEAD
// has what it says and whose index has what is there now.
func (x *Example) Lay(dir string) error {
	repository, err := template()
	if err != nil {
		return err
	}
	for name, data := range repository {
		full := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(full, 0o755); err != nil {
				return err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, []byte(data), 0o644); err != nil {
			return err
		}
	}
	if len(x.Head) > 0 {
		if err := write(dir, x.Head); err != nil {
			return err
		}
		if _, err := git(dir, "", "add", "-A"); err != nil {
			return err
		}
		if _, err := git(dir, "", "commit", "-q", "-m", "before"); err != nil {
			return err
		}
		for _, f := range x.Head {
			if err := os.Remove(filepath.Join(dir, filepath.FromSlash(string(f.Path)))); err != nil {
				return err
			}
		}
	}
	if err := write(dir, x.Files); err != nil {
		return err
	}
	for _, p := range x.Repositories {
		inner := filepath.Join(dir, filepath.FromSlash(string(p)))
		if err := initialize(inner); err != nil {
			return err
		}
	}
	if _, err := git(dir, "", "-c", "advice.addEmbeddedRepo=false", "-c", "core.autocrlf=false", "add", "-A"); err != nil {
		return err
	}
	for _, p := range x.Unmerged {
		blob, err := git(dir, "", "hash-object", "-w", "--", string(p))
		if err != nil {
			return err
		}
		blob = strings.TrimSpace(blob)
		lines := fmt.Sprintf("0 %s\t%s\n", strings.Repeat("0", 40), p)
		for stage := 1; stage <= 3; stage++ {
			lines += fmt.Sprintf("100644 %s %d\t%s\n", blob, stage, p)
		}
		if _, err := git(dir, lines, "update-index", "--index-info"); err != nil {
			return err
		}
	}
	return nil
}

// ErrNames says that this file system can't hold the example: it takes two
// names for one, or has no place for one that is not UTF-8.
var ErrNames = errors.New("names that this file system can't hold")

// write makes the files.
func write(dir string, files []File) error {
	for _, f := range files {
		full := filepath.Join(dir, filepath.FromSlash(string(f.Path)))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if f.Link {
			if err := os.Symlink(string(f.Data), full); err != nil {
				return err
			}
			continue
		}
		out, err := os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) || err != nil && !plain(f.Path) {
			return fmt.Errorf("%w: %w", ErrNames, err)
		}
		if err != nil {
			return err
		}
		if _, err := out.Write(f.Data); err != nil {
			return err
		}
		if err := out.Close(); err != nil {
			return err
		}
	}
	return nil
}

// plain reports whether every file system takes a name.
func plain(p memsync.Path) bool {
	return utf8.ValidString(string(p)) && !strings.ContainsAny(string(p), "<>:\"|?*\\\n") && !strings.Contains(string(p), "./")
}

// Staged are the paths in which the index of a laid-out example differs from
// HEAD.
func Staged(dir string) (map[memsync.Path]bool, error) {
	out, err := git(dir, "", "diff", "--cached", "--name-only", "--no-renames", "-z", "HEAD")
	if err != nil {
		return nil, err
	}
	paths := map[memsync.Path]bool{}
	for p := range strings.SplitSeq(out, "\x00") {
		if p != "" {
			paths[memsync.Path(p)] = true
		}
	}
	return paths, nil
}
