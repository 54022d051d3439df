package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memsync"
)

func init() {
	verbs = append(verbs, verb{"show MEMORY[@REV]", "Print a memory, now or at any commit or time", (*app).showVerb})
}

func (a *app) showVerb() *cobra.Command {
	var asOf asOfFlags
	cmd := &cobra.Command{
		Long: "show prints the file's bytes on stdout. With --json it prints header, text, evidence and where it stands. A memory that\n" +
			"was forgotten is in no past.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			arg, rev := cutRev(args[0])
			if rev != "" {
				if asOf.asOf != "" || asOf.at != "" {
					return usage("give either @REV or --as-of or --at")
				}
				asOf.asOf = rev
			}
			at, err := asOf.time()
			if err != nil {
				return err
			}
			k, m, data, err := a.version(arg, asOf.asOf, at)
			if err != nil {
				return err
			}
			defer k.Close()
			if err := a.mayRead(k, m.Path); err != nil {
				return err
			}
			if !a.flags.json && !a.flags.jsonl {
				return a.printText(string(data))
			}
			state, err := k.State()
			if err != nil {
				return err
			}
			a.emit(map[string]any{"memory": row{Memory: m, Store: k.Store.Root}.json(), "content": string(data),
				"events": orEmpty(state.Events(m.ID)), "provenance": map[string]any{"conversations": orEmpty(m.Conversations)}})
			return nil
		},
	}
	asOf.register(cmd)
	return cmd
}

// version finds a memory as it is now, or was.
func (a *app) version(arg, rev string, at time.Time) (*opened, *memsync.Memory, []byte, error) {
	if rev == "" && at.IsZero() {
		k, m, err := a.target(arg)
		if err != nil {
			return nil, nil, nil, err
		}
		data, err := k.Read(m)
		if err != nil {
			k.Close()
			return nil, nil, nil, err
		}
		return k, m, data, nil
	}
	set, err := a.readSet()
	if err != nil {
		return nil, nil, nil, err
	}
	for _, s := range set {
		k, err := a.open(s)
		if err != nil {
			return nil, nil, nil, err
		}
		m, err := a.lookupPast(k, arg, rev, at)
		if err == nil && m != nil {
			data, err := k.Read(m)
			if err != nil {
				k.Close()
				return nil, nil, nil, err
			}
			return k, m, data, nil
		}
		k.Close()
		if err != nil {
			return nil, nil, nil, err
		}
	}
	if err := a.whyGone(set, arg); errors.Is(err, memsync.CodeForgotten) {
		return nil, nil, nil, err
	}
	return nil, nil, nil, &memsync.Error{Code: memsync.CodeNotFound, Message: "no memory answered to " + oneLine(arg) + " then",
		Hint: "see its history with `memsync log " + oneLine(arg) + "`"}
}

// lookupPast finds a memory in a past view: by what it is called now, else by
// what it was called then.
func (a *app) lookupPast(k *opened, arg, rev string, at time.Time) (*memsync.Memory, error) {
	now, err := a.lookup(k, arg)
	if err != nil {
		return nil, err
	}
	var v *memsync.View
	if rev != "" {
		v, err = k.ViewAsOf(rev)
	} else {
		v, err = k.ViewAt(at)
	}
	if err != nil {
		return nil, err
	}
	if now != nil {
		if found := v.ByID(now.ID); len(found) > 0 {
			return found[0], nil
		}
		return v.ByPath(now.Path), nil
	}
	if p, ok := a.pathIn(k.Store, arg); ok {
		if m := v.ByPath(p); m != nil {
			return m, nil
		}
	}
	if id, err := memsync.ParseID(arg); err == nil {
		if found := v.ByID(id); len(found) > 0 {
			return found[0], nil
		}
	}
	for m := range v.All() {
		if m.Slug == arg || m.Name == arg || strings.TrimSuffix(m.Path.Base(), ".md") == arg {
			return m, nil
		}
	}
	return nil, nil
}

// cutRev takes "MEMORY@REV" apart. A path that ends in .md keeps its @.
func cutRev(arg string) (memory, rev string) {
	i := strings.LastIndexByte(arg, '@')
	if i <= 0 || strings.HasSuffix(arg, ".md") {
		return arg, ""
	}
	return arg[:i], arg[i+1:]
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// short is a commit or hash as people read it.
func short(id string) string {
	return id[:min(12, len(id))]
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// actorName is an actor in one word.
func actorName(x memsync.Actor) string {
	if x.Name == "" {
		return string(x.Class)
	}
	return fmt.Sprintf("%s:%s", x.Class, oneLine(x.Name))
}
