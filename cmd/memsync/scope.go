package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/indexer/recall"
)

func init() {
	verbs = append(verbs, verb{"scope", "Show what is read here, in which order, and what hides what", (*app).scopeVerb})
}

// placeJSON is one scope of a read set, for programs.
type placeJSON struct {
	Scope    string       `json:"scope"`
	Kind     string       `json:"kind"`
	Store    string       `json:"store"`
	Dir      memsync.Path `json:"dir"`
	Writers  string       `json:"writers"`
	Memories int          `json:"memories"`
	InForce  int          `json:"in_force"`
	Hidden   []hiddenJSON `json:"hidden"`
}

// hiddenJSON is a memory that a more specific scope hides.
type hiddenJSON struct {
	ID   memsync.ID   `json:"id"`
	Path memsync.Path `json:"path"`
	By   string       `json:"shadowed_by"`
}

func (a *app) scopeVerb() *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Long: "scope shows the scopes that list and search read here, most specific first. A memory hides one of the same type and slug in\n" +
			"the scopes behind it.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			set, err := a.reading(agent, asOfFlags{})
			if err != nil {
				return err
			}
			places := make([]placeJSON, 0, len(set.Places))
			for _, p := range set.Places {
				src := set.Sources[p.Source]
				out := placeJSON{Scope: p.Scope.Name(), Kind: string(p.Scope.Kind), Store: src.Root, Dir: p.Scope.Dir, Writers: string(p.Scope.Writers), Hidden: []hiddenJSON{}}
				for m := range src.View.InScope(out.Scope) {
					out.Memories++
					switch st, by := set.Standing(p.Source, m); st {
					case recall.InForce:
						out.InForce++
					case recall.Shadowed:
						out.Hidden = append(out.Hidden, hiddenJSON{m.ID, m.Path, by.Scope.Name()})
					}
				}
				places = append(places, out)
			}
			a.printPlaces(set.Agent, places)
			return nil
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "read as the agent `NAME`: no other agent's scopes")
	return cmd
}

func (a *app) printPlaces(agent string, places []placeJSON) {
	switch {
	case a.flags.jsonl:
		for _, p := range places {
			a.emit(p)
		}
	case a.flags.json:
		a.emit(map[string]any{"agent": agent, "scopes": places})
	default:
		for _, p := range places {
			fmt.Fprintf(a.stdout, "%s  %s  %s: %d memories, %d in force\n", p.Scope, oneLine(p.Store), oneLine(string(p.Dir)), p.Memories, p.InForce)
			for _, h := range p.Hidden {
				fmt.Fprintf(a.stdout, "  %s is hidden by %s\n", oneLine(string(h.Path)), h.By)
			}
		}
	}
}
