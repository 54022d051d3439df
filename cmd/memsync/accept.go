package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/controller"
	"memsync/internal/scan"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs,
		verb{"accept PATH...", "Take held saves in as they are", (*app).acceptVerb},
		verb{"accept-deletes", "Let a held mass delete go", (*app).acceptDeletesVerb},
		verb{"allow FINGERPRINT --reason TEXT", "Say that what the scan found at one place is no secret", (*app).allowVerb})
}

// acceptable are the reasons to hold a save that a person's word ends. What
// cannot be understood is mended in the file; a secret is allowed by its
// fingerprint or taken out.
var acceptable = []memsync.Code{memsync.CodeInjection, memsync.CodeHidden, memsync.CodeDeleted, memsync.CodeForgotten,
	memsync.CodeProtected, memsync.CodeValueRejected}

func (a *app) acceptVerb() *cobra.Command {
	cmd := &cobra.Command{
		Long: "accept takes saves that wait because of their text (injection where agents write, hidden characters), because their memory\n" +
			"was deleted, forgotten or is pinned, or because a person once rejected what they say. A forgotten memory's file gets a\n" +
			"new id. `memsync status` lists what is held and why. `accept memsync.toml` lets writers take effect that a pull widened.\n" +
			"A person's decision.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.person("accept"); err != nil {
				return err
			}
			k, err := a.openHere()
			if err != nil {
				return err
			}
			defer k.Close()
			if err := a.settleFirst(k); err != nil { // other saves are their own commits
				return err
			}
			if args, err = a.acceptWriters(k, args); err != nil || len(args) == 0 {
				return err
			}
			accept := map[memsync.Path]memsync.Actor{}
			for _, arg := range args {
				h, err := a.heldFile(k, arg)
				if err != nil {
					return err
				}
				if !slices.Contains(acceptable, h.Why) {
					return notAcceptable(h)
				}
				accept[h.Path] = a.actor()
			}
			r, err := k.Once(a.ctx, keeper.OnceOptions{Accept: accept})
			if err != nil {
				return err
			}
			return a.printAccepted(r, accept)
		},
	}
	a.dryRunFlag(cmd)
	return cmd
}

// acceptWriters takes what a pulled memsync.toml says of writers, where one of
// the arguments names it. It gives the other arguments.
func (a *app) acceptWriters(k *opened, args []string) ([]string, error) {
	waits, err := k.Confined()
	if err != nil || len(waits) == 0 {
		return args, err
	}
	i := slices.IndexFunc(args, func(arg string) bool {
		p, _ := a.pathIn(k.Store, arg)
		return p == k.Store.PolicyPath() || arg == string(k.Store.PolicyPath())
	})
	if i < 0 {
		return args, nil
	}
	if err := k.AcceptWriters(); err != nil {
		return nil, err
	}
	for _, w := range waits {
		if a.flags.json || a.flags.jsonl {
			a.emit(map[string]any{"accepted": w})
			continue
		}
		fmt.Fprintf(a.stdout, "accept %s: the scope %s is writers = %q here now\n", k.Store.PolicyPath(), oneLine(w.Scope), w.Wants)
	}
	return slices.Delete(slices.Clone(args), i, i+1), nil
}

// settleFirst lets every other save that waits on the disk become its own
// commit, so that a person's decision is in a commit of its own.
func (a *app) settleFirst(k *opened) error {
	if a.flags.dryRun {
		return nil
	}
	_, err := k.Once(a.ctx, keeper.OnceOptions{})
	return err
}

// heldFile is the file that waits at a path.
func (a *app) heldFile(k *opened, arg string) (memsync.Held, error) {
	held, err := k.Journal().Held()
	if err != nil {
		return memsync.Held{}, err
	}
	p, _ := a.pathIn(k.Store, arg)
	for _, h := range held {
		if h.Path == p || string(h.Path) == arg {
			return h, nil
		}
	}
	e := &memsync.Error{Code: memsync.CodeNotFound, Message: "nothing waits at " + oneLine(arg), Hint: "nothing is held here"}
	if len(held) > 0 {
		var paths []string
		for _, h := range held {
			paths = append(paths, oneLine(string(h.Path)))
		}
		e.Hint = "held are " + strings.Join(paths, ", ")
	}
	return memsync.Held{}, e
}

func notAcceptable(h memsync.Held) error {
	e := &memsync.Error{Code: h.Why, Path: h.Path, Message: "this can't be accepted as it is", Hint: hintOf(h.Why)}
	if h.Error != nil {
		e.Line, e.Column, e.Message = h.Error.Line, h.Error.Column, h.Error.Message
		if h.Error.Hint != "" {
			e.Hint = h.Error.Hint
		}
	}
	if h.Why == memsync.CodeSecret {
		e.Hint = "take it out of the file; if it is none, `memsync allow " + strings.Join(fingerprintsOf(h), " ") + " --reason …`"
	}
	return e
}

// printAccepted prints a pass in which a person took held files in; the exit
// code is about those files only.
func (a *app) printAccepted(r keeper.Report, accept map[memsync.Path]memsync.Actor) error {
	err := a.printReport(r)
	if r.Paused != "" {
		return err
	}
	for _, d := range r.Decisions() {
		if _, ours := accept[d.Path]; ours && d.Op == memsync.OpHold {
			return exitError(exitPerson)
		}
	}
	return nil
}

func (a *app) acceptDeletesVerb() *cobra.Command {
	cmd := &cobra.Command{
		Long: "Deletes that take more than [deletes] hold_files files and hold_percent of a scope at once wait for a person, and so does a\n" +
			"scope directory that vanished. accept-deletes records them; each can be brought back with `memsync restore`.\n" +
			"A person's decision.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := a.person("accept-deletes"); err != nil {
				return err
			}
			k, err := a.openHere()
			if err != nil {
				return err
			}
			defer k.Close()
			st, err := k.Status(a.ctx)
			if err != nil {
				return err
			}
			if st.Paused == nil && len(st.Waiting) == 0 {
				return a.nothing("no deletes wait here")
			}
			r, err := k.Once(a.ctx, keeper.OnceOptions{AcceptDeletes: true})
			if err != nil {
				return err
			}
			return a.printAccepted(r, nil)
		},
	}
	a.dryRunFlag(cmd)
	return cmd
}

// fingerprintsOf are those of the masked secrets that hold a file.
func fingerprintsOf(h memsync.Held) []string {
	if len(h.Fingerprints) > 0 {
		return h.Fingerprints
	}
	return controller.Fingerprints(h.Error)
}

func (a *app) allowVerb() *cobra.Command {
	var reason, path string
	cmd := &cobra.Command{
		Long: "allow releases a false positive of the scan, by its fingerprint, at the path it was found at and nowhere else. The held file\n" +
			"is decided again at once. `memsync status --json` shows the fingerprints of what is held. A person's decision.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.person("allow"); err != nil {
				return err
			}
			if !scan.IsFingerprint(args[0]) {
				return &memsync.Error{Code: memsync.CodeUsage, Message: "that is no fingerprint: 16 digits and letters from a to f",
					Hint: "`memsync status --json` shows those of what is held"}
			}
			if strings.TrimSpace(reason) == "" {
				return &memsync.Error{Code: memsync.CodeUsage, Message: "allow needs a reason", Hint: "say why it is no secret: --reason TEXT"}
			}
			k, err := a.openHere()
			if err != nil {
				return err
			}
			defer k.Close()
			if err := a.settleFirst(k); err != nil {
				return err
			}
			paths, err := a.foundAt(k, args[0], path)
			if err != nil {
				return err
			}
			return a.allow(k, args[0], reason, paths)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why it is no secret, `TEXT`; kept in the ledger")
	cmd.Flags().StringVar(&path, "path", "", "the `PATH` it was found at, where no file is held for it")
	a.dryRunFlag(cmd)
	return cmd
}

// foundAt are the paths at which files wait for a fingerprint: path alone, where
// one is given.
func (a *app) foundAt(k *opened, fingerprint, path string) ([]memsync.Path, error) {
	var at memsync.Path
	if path != "" {
		p, ok := a.pathIn(k.Store, path)
		if _, inScope := memsync.ScopeOf(k.Store.Scopes, p); !ok || !inScope {
			return nil, &memsync.Error{Code: memsync.CodePathEscape, Message: oneLine(path) + " lies in no scope of this store"}
		}
		at = p
	}
	held, err := k.Journal().Held()
	if err != nil {
		return nil, err
	}
	if at != "" && !slices.ContainsFunc(held, func(h memsync.Held) bool { return h.Path == at && h.Why == memsync.CodeSecret }) {
		return []memsync.Path{at}, nil // nothing waits there: nobody knows what was found
	}
	var paths []memsync.Path
	var known []string
	for _, h := range held {
		if at != "" && h.Path != at {
			continue
		}
		if slices.Contains(fingerprintsOf(h), fingerprint) {
			paths = append(paths, h.Path)
		}
		known = append(known, fingerprintsOf(h)...)
	}
	if len(paths) > 0 {
		return paths, nil
	}
	e := &memsync.Error{Code: memsync.CodeNotFound, Message: "no held file has the fingerprint " + oneLine(fingerprint), Hint: "nothing is held for a secret"}
	if len(known) > 0 {
		e.Hint = "held are " + strings.Join(known, ", ")
	}
	return nil, e
}

// allow records the allowance at each path and has the files decided again.
func (a *app) allow(k *opened, fingerprint, reason string, paths []memsync.Path) error {
	var cs []memsync.Candidate
	for _, p := range paths {
		c := a.candidate(memsync.OpRecord)
		c.Path = p
		c.Events = []memsync.LedgerEvent{{Op: memsync.LedgerAllow, Fingerprint: fingerprint, Reason: reason}}
		cs = append(cs, c)
	}
	out, err := k.SubmitAll(a.ctx, cs...)
	if err != nil {
		return err
	}
	if err := outcomeExit(out); err != nil || a.flags.dryRun {
		return a.printSubmitted(out)
	}
	r, err := k.Once(a.ctx, keeper.OnceOptions{})
	if err != nil {
		return err
	}
	r.Outcomes = append([]keeper.Outcome{out}, r.Outcomes...)
	about := map[memsync.Path]memsync.Actor{}
	for _, p := range paths {
		about[p] = memsync.Actor{}
	}
	return a.printAccepted(r, about)
}
