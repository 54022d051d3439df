package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"memsync"
)

func init() {
	verbs = append(verbs, verb{"index", "Look after the search index", (*app).indexVerb})
}

func (a *app) indexVerb() *cobra.Command {
	rebuild := &cobra.Command{
		Use: "rebuild", Short: "Make the search index anew",
		Long: "rebuild makes the search index of the store anew. The old one is searched until the new one is complete, and stays when\n" +
			"anything fails. It is never needed: an index that is damaged or gone is made anew by the next search.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			k, err := a.openHere()
			if err != nil {
				return err
			}
			defer k.Close()
			start := time.Now()
			n, err := k.RebuildIndex(a.ctx)
			if err != nil {
				return err
			}
			took := time.Since(start)
			if a.flags.json || a.flags.jsonl {
				a.emit(map[string]any{"memories": n, "seconds": took.Seconds()})
			} else {
				a.say("%d memories in %s", n, took.Round(time.Millisecond))
			}
			return nil
		},
	}
	verify := &cobra.Command{
		Use: "verify", Short: "Compare the search index with the memories",
		Long: "verify compares the search index with the memories, each by its content. It changes nothing, and exits 1 when something\n" +
			"differs that the next search would not see to.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			k, err := a.openHere()
			if err != nil {
				return err
			}
			defer k.Close()
			st, err := k.Index()
			if err != nil {
				return err
			}
			for i := range st.Wrong {
				if err := k.Mask(&st.Wrong[i].Path); err != nil {
					return err
				}
			}
			if a.flags.json || a.flags.jsonl {
				type difference struct {
					Path memsync.Path `json:"path"`
					Want memsync.Hash `json:"want"`
					Have memsync.Hash `json:"have"`
				}
				wrong := []difference{}
				for _, d := range st.Wrong {
					wrong = append(wrong, difference(d))
				}
				a.emit(map[string]any{"index": st, "wrong": wrong})
			} else {
				for _, d := range st.Wrong {
					fmt.Fprintf(a.stdout, "%s: %s\n", oneLine(string(d.Path)), d.What())
				}
				switch {
				case !st.Exists:
					a.say("nobody has searched here yet, so there is no index")
				default:
					a.say("%d memories in the index, %d more at the next search, %d wrong", st.Documents, st.Behind, len(st.Wrong))
				}
			}
			if len(st.Wrong) > 0 {
				a.say("mend it with `memsync index rebuild`")
				return exitError(exitFindings)
			}
			return nil
		},
	}
	return group(&cobra.Command{}, rebuild, verify)
}
