package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/indexer/recall"
	"memsync/indexer/search"
	"memsync/internal/store"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs, verb{"search QUERY...", "Find memories by their words", (*app).searchVerb})
}

// searching is one search as it was asked.
type searching struct {
	query         search.Query
	agent, scope  string
	include       []string
	limit         int
	cursor, asked string
}

// included are what --include takes: memories that are not in force.
var included = []string{string(recall.Expired), string(recall.Upcoming), string(recall.Superseded), string(recall.Shadowed),
	string(keeper.ShelfDeleted), string(keeper.ShelfHeld)}

func (s *searching) includes(what string) bool { return slices.Contains(s.include, what) }

func (a *app) searchVerb() *cobra.Command {
	var s searching
	var typ, project, key, before, after string
	var tags []string
	cmd := &cobra.Command{
		Long: "search finds memories in the store that is found here, and in a project also in the home store and its local store, best first. Any text is a\n" +
			"query: all words count, a memory that has some of them is found too, case and accents don't matter. What parses as one of\n" +
			"these is understood, anything else is words:\n\n" +
			"  \"rolling restart\"     these words side by side, as they are written\n" +
			"  -word -\"a phrase\"     not with this; write -- in front of a query that begins so\n" +
			"  type:feedback tag:ci  also scope: agent: project: key:\n" +
			"  before:2026-05        created before May 2026; also after:\n\n" +
			"What is not in force is not found: what is expired, not yet valid, superseded or hidden by a more specific scope, held or\n" +
			"deleted. --include finds it too; nothing finds what was forgotten.",
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			text := strings.Join(args, " ")
			typ = strings.ToLower(typ)
			if typ != "" && !search.ValidType(typ) {
				return &memsync.Error{Code: memsync.CodeTypeInvalid, Message: "no type " + oneLine(typ), Hint: "user, feedback, project, reference or untyped"}
			}
			var filters []search.Filter
			for _, f := range []search.Filter{{Key: search.ByType, Value: typ}, {Key: search.ByScope, Value: s.scope}, {Key: search.ByProject, Value: project},
				{Key: search.ByKey, Value: key}, {Key: search.Before, Value: before}, {Key: search.After, Value: after}} {
				switch date := f.Key == search.Before || f.Key == search.After; {
				case f.Value == "":
					continue
				case date && !search.ValidDate(f.Value):
					return usage("--%s takes YYYY, YYYY-MM or YYYY-MM-DD, not %q", f.Key, f.Value)
				}
				filters = append(filters, f)
			}
			for _, tag := range tags {
				filters = append(filters, search.Filter{Key: search.ByTag, Value: tag})
			}
			s.query = search.ParseQuery(text, filters...)
			for _, what := range s.include {
				if !slices.Contains(included, what) {
					return usage("--include takes %s, not %q", strings.Join(included, ", "), what)
				}
			}
			switch {
			case strings.TrimSpace(text) == "" && len(s.query.Filters) == 0:
				return usage("search for what? Give words, or a filter")
			case s.limit < 1 || s.limit > 1000:
				return usage("--limit is between 1 and 1000")
			}
			s.asked = fmt.Sprintf("%q %q %q", []string{text, s.agent, s.scope, typ, project, key, before, after}, tags, s.include)
			found, err := a.search(s)
			if err != nil {
				return err
			}
			a.printFound(found)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&typ, "type", "", "only this `TYPE`")
	f.StringVar(&s.scope, "scope", "", "only this `SCOPE`, by its name or its kind: agent is every agent's")
	f.StringVar(&s.agent, "agent", "", "read as the agent `NAME`: no other agent's scopes")
	f.StringArrayVar(&tags, "tag", nil, "only with this `TAG`; may be repeated")
	f.StringVar(&project, "project", "", "only of this `PROJECT`")
	f.StringVar(&key, "key", "", "only with this `KEY`")
	f.StringVar(&before, "before", "", "only created before this `DATE`")
	f.StringVar(&after, "after", "", "only created on this `DATE` or later")
	f.StringSliceVar(&s.include, "include", nil, "also what is not in force: any `OF` "+strings.Join(included, ","))
	f.IntVar(&s.limit, "limit", 10, "at most `N` memories on a page")
	f.StringVar(&s.cursor, "cursor", "", "the page that follows the one that gave this `CURSOR`")
	return cmd
}

// hit is one memory that was found.
type hit struct {
	search.Hit
	row
	source int
}

// found is a page of them.
type found struct {
	hits         []hit
	total, limit int
	next         string
}

// shelves are what can be searched of one store beside what is in it.
var shelves = []keeper.Shelf{keeper.ShelfDeleted, keeper.ShelfHeld}

// search asks every store of the read set for its best memories and takes the
// best of these. What shadows what is decided over the whole read set before.
func (a *app) search(s searching) (found, error) {
	agent, err := a.reader(s.agent)
	if err != nil {
		return found{}, err
	}
	stores, err := a.readSet()
	if err != nil {
		return found{}, err
	}
	lists := 1 + len(shelves)
	skips, err := decodeCursor(s.cursor, s.asked, len(stores)*lists)
	if err != nil {
		return found{}, err
	}
	var sources []recall.Source
	var stats *search.Stats
	if len(stores) > 1 {
		if sources, stats, err = a.survey(stores, s.query); err != nil {
			return found{}, err
		}
	}
	out := found{limit: s.limit}
	var all []hit // of each list the best that follow what came before, in order
	for i, st := range stores {
		hits, total, err := a.searchIn(s, agent, i, st, sources, stats, skips[i*lists:(i+1)*lists])
		if err != nil {
			return found{}, err
		}
		out.total += total
		all = append(all, hits...)
	}
	slices.SortStableFunc(all, func(x, y hit) int { return cmp.Compare(y.Score, x.Score) })
	out.hits = all[:min(len(all), s.limit)]
	shown := 0
	for i := range skips {
		for _, h := range out.hits {
			if h.source == i {
				skips[i]++
			}
		}
		shown += skips[i]
	}
	if shown < out.total && len(out.hits) > 0 {
		out.next = encodeCursor(s.asked, skips)
	}
	return out, nil
}

// survey looks at all stores before one is searched: what shadows what, and how
// common the words are in all of them together.
func (a *app) survey(stores []*store.Store, q search.Query) (sources []recall.Source, all *search.Stats, err error) {
	all = &search.Stats{}
	for _, st := range stores {
		k, err := a.open(st)
		if err != nil {
			return nil, nil, err
		}
		v, err := k.View()
		var s search.Stats
		if err == nil {
			s, err = k.SearchStats(a.ctx, q)
		}
		k.Close()
		if err != nil {
			return nil, nil, err
		}
		sources = append(sources, recall.Source{Root: st.Root, Local: st.Kind == store.Local, Workspace: st.Workspace, View: v})
		all.Add(s)
	}
	return sources, all, nil
}

// searchIn is the next page of one store's lists: what is in it, and its
// shelves.
func (a *app) searchIn(s searching, agent string, source int, st *store.Store, sources []recall.Source, stats *search.Stats, skips []int) ([]hit, int, error) {
	k, err := a.open(st)
	if err != nil {
		return nil, 0, err
	}
	defer k.Close()
	v, err := k.View()
	if err != nil {
		return nil, 0, err
	}
	if sources == nil {
		sources = []recall.Source{{Root: st.Root, Local: st.Kind == store.Local, Workspace: st.Workspace, View: v}}
	} else {
		sources = slices.Clone(sources)
		sources[source].View = v
	}
	set := recall.NewReadSet(agent, time.Now(), sources...)
	req := search.Request{Query: s.query, Stats: stats, Limit: s.limit, Skip: skips[0],
		Exclude: set.Out(source, func(st recall.Standing) bool { return s.includes(string(st)) })}
	page, err := k.Search(a.ctx, req)
	if err != nil {
		return nil, 0, err
	}
	var hits []hit
	for _, h := range page.Hits {
		r := row{Memory: v.ByPath(h.Path), Store: st.Root}
		is, by := set.Standing(source, r.Memory)
		r.Standing = string(is)
		if is == recall.Shadowed {
			r.Shadowed = by.Scope.Name()
		}
		hits = append(hits, hit{h, r, source * len(skips)})
	}
	total := page.Total
	for i, shelf := range shelves {
		if !s.includes(string(shelf)) {
			continue
		}
		req.Skip = skips[1+i]
		req.Exclude, req.Stats = nil, nil
		page, memories, err := k.SearchShelf(a.ctx, shelf, req, func(scope string) bool { return set.Readable(source, scope) })
		if err != nil {
			return nil, 0, err
		}
		for _, h := range page.Hits {
			hits = append(hits, hit{h, row{Memory: memories[h.Path], Store: st.Root, Standing: string(shelf)}, source*len(skips) + 1 + i})
		}
		total += page.Total
	}
	return hits, total, nil
}

// hitJSON is a memory that was found, for programs.
type hitJSON struct {
	rowJSON
	Score   float64  `json:"score"`
	Line    int      `json:"line"`
	Text    string   `json:"text"`
	Snippet string   `json:"snippet"`
	Marks   [][2]int `json:"marks"`
}

func (h hit) json() hitJSON {
	marks := make([][2]int, 0, len(h.Marks))
	for _, m := range h.Marks {
		marks = append(marks, [2]int{m.Start, m.End})
	}
	return hitJSON{h.row.json(), h.Score, h.Line, h.Text, h.Snippet, marks}
}

func (a *app) printFound(f found) {
	switch {
	case a.flags.jsonl:
		for _, h := range f.hits {
			a.emit(h.json())
		}
	case a.flags.json:
		list := make([]hitJSON, 0, len(f.hits))
		for _, h := range f.hits {
			list = append(list, h.json())
		}
		a.emit(map[string]any{"hits": list, "page": pageOf(f.total, f.limit, f.next)})
		return
	default:
		for _, h := range f.hits {
			line := fmt.Sprintf("%s:%d", oneLine(a.fromHere(filepath.Join(h.Store, filepath.FromSlash(string(h.row.Path))))), h.Line)
			line += "  " + oneLine(h.Name)
			if h.Standing != "" {
				line += " (" + h.Standing + ")"
			}
			fmt.Fprintf(a.stdout, "%s\n    %s\n", line, a.marked(h.Snippet, h.Marks))
		}
	}
	if f.total == 0 {
		a.say("nothing found")
	}
	a.sayMore(len(f.hits), f.total, f.next)
}

// marked is a snippet on one line, with what matches in bold where a person
// looks.
func (a *app) marked(s string, marks []search.Range) string {
	on, off := "\x1b[1m", "\x1b[0m"
	if !isTerminal(a.stdout) || a.env("NO_COLOR") != "" {
		on, off = "", ""
	}
	var b strings.Builder
	at := 0
	for _, m := range marks {
		b.WriteString(oneLine(s[at:m.Start]) + on + oneLine(s[m.Start:m.End]) + off)
		at = m.End
	}
	b.WriteString(oneLine(s[at:]))
	return strings.TrimRight(b.String(), " ")
}

// fromHere is a file as a person in the working directory would name it.
func (a *app) fromHere(file string) string {
	dir, err := a.abs(".")
	if err != nil {
		return file
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return file
	}
	return rel
}
