package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/internal/config"
	"memsync/internal/store"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs, verb{"config", "List, read and set what memsync.toml says", (*app).configVerb})
}

func (a *app) configVerb() *cobra.Command {
	return group(&cobra.Command{}, a.configList(), a.configGet(), a.configSet())
}

// setting is one key with its value and where it comes from.
type setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"` // default, or the file
	Line   int    `json:"line,omitempty"`
}

// scopeSetting is one scope of the store as its policy and its place make it.
type scopeSetting struct {
	Name     string       `json:"name"`
	Path     memsync.Path `json:"path"`
	Kind     string       `json:"kind"`
	Writers  string       `json:"writers"`
	Identity string       `json:"identity"`
	MemoryMD string       `json:"memory_md"`
	Ignore   []string     `json:"ignore"`
	Origin   string       `json:"origin"` // its place, or the file
	Line     int          `json:"line,omitempty"`
}

func (a *app) configList() *cobra.Command {
	var origin bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List every key with its value, and the scopes",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := a.find()
			if err != nil {
				return err
			}
			keys, scopes, err := settings(s)
			if err != nil {
				return err
			}
			switch {
			case a.flags.jsonl:
				for _, k := range keys {
					a.emit(k)
				}
				for _, sc := range scopes {
					a.emit(map[string]any{"scope": sc})
				}
			case a.flags.json:
				a.emit(map[string]any{"store": s.Root, "keys": keys, "scopes": scopes})
			default:
				for _, k := range keys {
					a.printSetting(fmt.Sprintf("%s = %s", k.Key, k.Value), k.Origin, k.Line, origin)
				}
				for _, sc := range scopes {
					a.printSetting(fmt.Sprintf("scope %s: path %s, writers %s, identity %s, memory_md %s", oneLine(sc.Name), oneLine(string(sc.Path)),
						oneLine(sc.Writers), sc.Identity, sc.MemoryMD), sc.Origin, sc.Line, origin)
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&origin, "show-origin", false, "say where each value comes from: default, place, or file and line")
	return cmd
}

func (a *app) printSetting(text, from string, line int, origin bool) {
	if !origin {
		fmt.Fprintln(a.stdout, text)
		return
	}
	if line > 0 {
		from = fmt.Sprintf("%s:%d", from, line)
	}
	fmt.Fprintf(a.stdout, "%-24s %s\n", from, text)
}

// settings are the keys and scopes of a store. A memsync.toml that does not
// decode is an error: what it means would be a guess.
func settings(s *store.Store) ([]setting, []scopeSetting, error) {
	if s.PolicyErr != nil {
		return nil, nil, s.PolicyErr
	}
	file := string(s.PolicyPath())
	data, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(file)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, &memsync.Error{Code: memsync.CodeIORead, Path: s.PolicyPath(), Message: "the policy can't be read", Err: err}
	}
	at, entries := placesOf(data)
	names := config.KeysOf(s.Policy)
	keys := make([]setting, 0, len(names))
	for _, name := range names {
		value, err := valueOf(s, name)
		if err != nil {
			return nil, nil, err
		}
		k := setting{Key: name, Value: value, Origin: "default"}
		if line := at[name]; line > 0 {
			k.Origin, k.Line = file, line
		}
		keys = append(keys, k)
	}
	scopes := make([]scopeSetting, 0, len(s.Scopes))
	for _, sc := range s.Scopes {
		x := scopeSetting{Name: sc.Name(), Path: sc.Dir, Kind: string(sc.Kind), Writers: string(sc.Writers), Identity: string(sc.Identity),
			MemoryMD: string(sc.MemoryMD), Ignore: orEmpty(sc.Ignore), Origin: "place"}
		for i, entry := range s.Policy.Scopes {
			if entry.Dir == sc.Dir && i < len(entries) {
				x.Origin, x.Line = file, entries[i]
			}
		}
		scopes = append(scopes, x)
	}
	return keys, scopes, nil
}

// valueOf is the value in force: where the file leaves it to the kind of
// store, what that makes of it.
func valueOf(s *store.Store, name string) (string, error) {
	if name == "git.commit" {
		return string(s.CommitMode()), nil
	}
	return config.Get(s.Policy, name)
}

func (a *app) configGet() *cobra.Command {
	return &cobra.Command{
		Use:   "get KEY",
		Short: "Print the value of one key",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := a.find()
			if err != nil {
				return err
			}
			if s.PolicyErr != nil {
				return s.PolicyErr
			}
			value, err := valueOf(s, args[0])
			if err != nil {
				return err
			}
			if a.flags.json || a.flags.jsonl {
				a.emit(map[string]any{"key": args[0], "value": value})
				return nil
			}
			fmt.Fprintln(a.stdout, oneLine(value))
			return nil
		},
	}
}

func (a *app) configSet() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Change one key of memsync.toml, and nothing else in it",
		Long: "set writes the bytes of one value, or one line more; comments and everything else stay. It is a save of the file: a\n" +
			"dedicated store commits it at once, an embedded one leaves it to you. Agents don't change policy.",
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if a.actor().Class == memsync.ClassAgent {
				return a.person("config set")
			}
			s, err := a.find()
			if err != nil {
				return err
			}
			if !a.flags.dryRun { // an owner does it all; else whatever is wrong is told after the file is mended
				k, err := a.open(s)
				k.Close()
				if a.handed != nil {
					return err
				}
			}
			changed, err := a.setKey(s, args[0], args[1])
			if err != nil {
				return err
			}
			if !changed {
				return a.nothing(args[0] + " is " + args[1] + " already")
			}
			if a.flags.dryRun {
				return nil
			}
			return a.afterPolicy(s)
		},
	}
	a.dryRunFlag(cmd)
	return cmd
}

// setKey changes one key in the file; false when it already says so.
func (a *app) setKey(s *store.Store, name, value string) (changed bool, err error) {
	full := filepath.Join(s.Root, filepath.FromSlash(string(s.PolicyPath())))
	old, err := os.ReadFile(full)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, &memsync.Error{Code: memsync.CodeIORead, Path: s.PolicyPath(), Message: "the policy can't be read", Err: err}
	}
	data, err := config.Set(old, name, value)
	var e *memsync.Error
	if errors.As(err, &e) && e.Line > 0 && e.Path == "" {
		e.Path = s.PolicyPath()
	}
	if err != nil || bytes.Equal(data, old) {
		return false, err
	}
	return true, a.replacePolicy(s, old, data)
}

// replacePolicy writes the policy file, which held old, or shows what a dry run
// would write.
func (a *app) replacePolicy(s *store.Store, old, data []byte) error {
	if a.flags.dryRun {
		fmt.Fprint(a.stdout, unified(keeper.FileDiff{Path: s.PolicyPath(), Old: old, New: data}))
		return nil
	}
	full := filepath.Join(s.Root, filepath.FromSlash(string(s.PolicyPath())))
	mode := fs.FileMode(0o644)
	if st, err := os.Stat(full); err == nil {
		mode = st.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(full), ".memsync-config-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	if now, err := os.ReadFile(full); err == nil && !bytes.Equal(now, old) || errors.Is(err, fs.ErrNotExist) && old != nil {
		return &memsync.Error{Code: memsync.CodeIORaced, Path: s.PolicyPath(), Message: "the file changed meanwhile, so it was left alone",
			Hint: "run the command again"}
	}
	return os.Rename(f.Name(), full)
}

// lineAt is the 1-based line of a byte offset.
func lineAt(data []byte, offset int) int {
	return bytes.Count(data[:min(offset, len(data))], []byte("\n")) + 1
}

// dotted is a key's parts as one name.
func dotted(table string, parts []string) string {
	name := strings.Join(parts, ".")
	if table != "" {
		name = table + "." + name
	}
	return name
}
