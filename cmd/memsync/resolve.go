package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/internal/format"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs, verb{"resolve NAME --ours | --theirs | --edit | --file FILE | resolve --ledger", "End a conflict: keep what stands, take what lost, or write what is right", (*app).resolveVerb})
}

func (a *app) resolveVerb() *cobra.Command {
	var ours, theirs, edit, lines, index bool
	var file string
	cmd := &cobra.Command{
		Long: "NAME is a conflict's name as `memsync conflicts` lists it, or a memory with one conflict. The conflict copy goes in the\n" +
			"same commit as the memory's change, with a ledger event. A copy that a file-sync tool left is removed from disk; where\n" +
			"its text is taken nowhere, resolve asks first, unless --yes. A person's decision.\n\n" +
			"--ledger is a repair: the ledger only ever grows, and lines that somebody's commit took out of it come back.\n\n" +
			"--from-index mends a merge that git has stopped in, on a clone without memsync's merge driver: the files with markers, or\n" +
			"with one side alone, are joined anew from the versions in git's index, and staged where nothing overlaps. A file that\n" +
			"somebody has worked on since is left as it is. NAME is then a path, or several; none is all. It exits 4 when some are\n" +
			"left for a person.",
		Args: func(cmd *cobra.Command, args []string) error {
			if index {
				return nil
			}
			return cobra.MaximumNArgs(1)(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if index {
				if ours || theirs || edit || lines || file != "" {
					return usage("--from-index goes with none of --ours, --theirs, --edit, --file, --ledger")
				}
				return a.fromIndex(args)
			}
			if err := a.person("resolve"); err != nil {
				return err
			}
			if lines {
				if len(args) > 0 || ours || theirs || edit || file != "" {
					return usage("--ledger is about the whole store: leave NAME and the other flags away")
				}
				return a.restoreLedger()
			}
			if len(args) == 0 {
				return usage("say which conflict, or --ledger")
			}
			given := 0
			for _, is := range []bool{ours, theirs, edit, file != ""} {
				if is {
					given++
				}
			}
			if given != 1 {
				return &memsync.Error{Code: memsync.CodeUsage, Message: "say how: one of --ours, --theirs, --edit, --file",
					Hint: "`memsync conflicts --diff` shows what differs"}
			}
			k, c, err := a.conflict(args[0])
			if err != nil {
				return err
			}
			defer k.Close()
			m, err := memoryOf(k, c)
			if err != nil {
				return err
			}
			if ours {
				return a.endConflict(k, c, m, nil)
			}
			if m == nil {
				return &memsync.Error{Code: memsync.CodeNotFound, Message: "the memory of this conflict is gone, so its text can go nowhere",
					Hint: "take it out of " + oneLine(string(c.Copy)) + " by hand, or end the conflict with --ours"}
			}
			now, err := k.Read(m)
			if err != nil {
				return err
			}
			r := &resolution{base: memsync.HashOf(now), op: memsync.OpUpsert}
			if theirs {
				r.op = memsync.OpRestore // a version that was there, as it was
			}
			switch {
			case theirs && c.Record == nil:
				r.bytes = c.Bytes
			case theirs:
				if r.bytes, err = takeLost(now, *c.Record, k.Store.Policy.Limits); err != nil {
					return err
				}
			case edit:
				if r.bytes, err = a.inEditor(k, m.Path.Base(), now, beside{"conflict-" + shortName(c), c.Bytes}); err != nil {
					return err
				}
				if bytes.Equal(r.bytes, now) {
					return a.nothing("nothing was changed, so the conflict stays; --ours ends it")
				}
			default:
				if r.bytes, err = a.fromFile(file, now, k.Store.Policy.Limits); err != nil {
					return err
				}
			}
			return a.endConflict(k, c, m, r)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&lines, "ledger", false, "write back the lines that commits took out of the ledger")
	f.BoolVar(&ours, "ours", false, "keep the memory as it is")
	f.BoolVar(&theirs, "theirs", false, "take what lost into the memory")
	f.BoolVar(&edit, "edit", false, "open the memory in $VISUAL or $EDITOR, the copy beside it")
	f.StringVar(&file, "file", "", "make the content of `FILE` the memory; without a header of its own it is the text below the present one")
	f.BoolVar(&index, "from-index", false, "join what git merged without memsync's driver, from the versions in its index")
	a.yesFlag(cmd)
	a.dryRunFlag(cmd)
	return cmd
}

// resolution is what the memory becomes; nil bytes mean that it goes.
type resolution struct {
	bytes []byte
	base  memsync.Hash // what it was made from
	op    memsync.Op
}

// fromFile is what a memory becomes by the content of a file.
func (a *app) fromFile(file string, now []byte, lim memsync.Limits) ([]byte, error) {
	data, err := a.read(file)
	if err != nil {
		return nil, unread(err, "the file can't be read", "give a file that exists after --file")
	}
	given, err := format.Parse(data, lim)
	if err != nil {
		return nil, err
	}
	present, err := format.Parse(now, lim)
	if err != nil || given.HasFrontmatter() || !present.HasFrontmatter() {
		return data, nil
	}
	if present, err = present.WithBody(given.Body()); err != nil {
		return nil, err
	}
	return present.Bytes(), nil
}

// conflict finds a conflict by its name, the path of its copy, or the memory
// that has it.
func (a *app) conflict(arg string) (*opened, keeper.Conflict, error) {
	k, err := a.openHere()
	if err != nil {
		return nil, keeper.Conflict{}, err
	}
	fail := func(err error) (*opened, keeper.Conflict, error) {
		k.Close()
		return nil, keeper.Conflict{}, err
	}
	list, err := k.Conflicts(a.ctx)
	if err != nil {
		return fail(err)
	}
	p, _ := a.pathIn(k.Store, arg)
	for _, c := range list {
		if c.Name == arg || c.Name+".md" == arg || c.Copy != "" && c.Copy == p {
			return k, c, nil
		}
	}
	m, err := a.lookup(k, arg)
	if err != nil {
		return fail(err)
	}
	var of []keeper.Conflict
	var names []string
	for _, c := range list {
		if m != nil && c.Memory == m.ID {
			of = append(of, c)
			names = append(names, oneLine(c.Name))
		}
	}
	switch {
	case len(of) == 1:
		return k, of[0], nil
	case len(of) > 1:
		return fail(&memsync.Error{Code: memsync.CodeAmbiguous, Message: "that memory has several conflicts: " + strings.Join(names, ", "),
			Hint: "name one of them"})
	}
	return fail(&memsync.Error{Code: memsync.CodeNotFound, Message: "no conflict answers to " + oneLine(arg), Hint: "`memsync conflicts` lists them"})
}

// memoryOf is the memory that a conflict is about; nil when it is gone.
func memoryOf(k *opened, c keeper.Conflict) (*memsync.Memory, error) {
	if c.Path == "" {
		return nil, nil
	}
	v, err := k.View()
	if err != nil {
		return nil, err
	}
	return v.ByPath(c.Path), nil
}

// shortName is a conflict's name as a file name.
func shortName(c keeper.Conflict) string {
	name := memsync.Path(c.Name).Base()
	if !strings.HasSuffix(name, ".md") {
		name += ".md"
	}
	return name
}

// endConflict submits what the memory becomes, if it becomes anything else,
// together with the end of the conflict: all or nothing.
func (a *app) endConflict(k *opened, c keeper.Conflict, m *memsync.Memory, r *resolution) error {
	if r == nil && c.Source == keeper.ConflictSync && !a.flags.dryRun {
		a.say("removes %s; its text is kept nowhere else", oneLine(string(c.Copy)))
		if yes, err := a.askAside(k, "Remove it?"); err != nil {
			return err
		} else if !yes {
			return notConfirmed("resolve")
		}
	}
	var cs []memsync.Candidate
	if r != nil {
		cs = append(cs, a.resolved(m, r))
	}
	if c.Source == keeper.ConflictJoin {
		end := a.candidate(memsync.OpRecord)
		end.ID, end.Scope = c.Memory, c.Scope
		end.Events = []memsync.LedgerEvent{{Op: memsync.LedgerResolve, Memory: c.Memory, Conflict: c.Copy.Base()}}
		cs = append(cs, end)
	}
	var out keeper.Outcome
	if len(cs) > 0 {
		var err error
		if out, err = k.SubmitAll(a.ctx, cs...); err != nil {
			return err
		}
		if outcomeExit(out) != nil {
			return a.printSubmitted(out)
		}
	}
	if err := k.EndConflict(c); err != nil {
		return err
	}
	if a.flags.json && !a.flags.jsonl {
		a.emit(map[string]any{"resolved": c, "outcome": out})
		return nil
	}
	if err := a.printSubmitted(out); err != nil || a.flags.jsonl {
		return err
	}
	fmt.Fprintf(a.stdout, "resolved %s\n", oneLine(c.Name))
	return nil
}

// resolved is the write that a resolution makes of the memory.
func (a *app) resolved(m *memsync.Memory, r *resolution) memsync.Candidate {
	c := a.candidate(r.op)
	c.ID, c.Path, c.Scope, c.Raw, c.Base = m.ID, m.Path, m.Scope, r.bytes, r.base
	if r.bytes == nil {
		c.Op = memsync.OpDelete
	}
	c.Override = "resolved a conflict"
	return c
}

// restoreLedger writes back what ledgers lost.
func (a *app) restoreLedger() error {
	k, err := a.openHere()
	if err != nil {
		return err
	}
	defer k.Close()
	lost, out, err := k.RestoreLedger(a.ctx, a.actor())
	if err != nil {
		return err
	}
	if len(lost) == 0 {
		return a.nothing("the ledger has every line that it ever had")
	}
	if !a.flags.json && !a.flags.jsonl {
		for _, l := range lost {
			by := "which HEAD has"
			if l.Commit != "" {
				by = "taken out by " + short(l.Commit)
			}
			fmt.Fprintf(a.stdout, "%s  event %s, %s\n", oneLine(string(l.Path)), l.Event, by)
		}
	}
	return a.printSubmitted(out)
}
