package main

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"time"

	"memsync"
	"memsync/bench/gen"
	"memsync/bench/measure"
	"memsync/indexer/recall"
	"memsync/indexer/search"
	"memsync/internal/store"
	"memsync/keeper"
	"memsync/watcher"
)

// searcher asks a keeper as `memsync search` does.
type searcher struct{ *keeper.Keeper }

func open(dir string) searcher {
	s, err := store.Find(dir)
	measure.Check(err)
	k, err := keeper.Open(context.Background(), s, keeper.Options{})
	measure.Check(err)
	return searcher{k}
}

// request asks for what a person may see now.
func (s searcher) request(q string) search.Request {
	v, err := s.View()
	measure.Check(err)
	set := recall.NewReadSet("", time.Now(), recall.Source{Root: s.Store.Root, Local: s.Store.Kind == store.Local, View: v})
	return search.Request{Query: search.ParseQuery(q), Exclude: set.Out(0, func(recall.Standing) bool { return false })}
}

func (s searcher) find(req search.Request) search.Page {
	page, err := s.Search(context.Background(), req)
	measure.Check(err)
	return page
}

// answer is one query from its text to its page, what hides what included. All
// that there is must be found, and nothing else.
func (s searcher) answer(st *sample, q query) time.Duration {
	var page search.Page
	took := measure.Timed(func() { page = s.find(s.request(q.String())) })
	if total := st.count(q); page.Total != total || len(page.Hits) != min(10, total) {
		log.Fatalf("%s: %d of %d memories have it, and %d were found, %d of them shown", q, total, st.n, page.Total, len(page.Hits))
	}
	for _, h := range page.Hits {
		if i, ok := st.numbers[h.Path]; !ok || !st.matches(q, i) {
			log.Fatalf("%s: %s was found, and has nothing of it", q, h.Path)
		}
	}
	return took
}

const warmUp = 50

// manySearches is how long 1,000 queries take, each by itself.
func manySearches(st *sample) {
	k := open(st.dir)
	defer k.Close()
	qs := st.queries(warmUp + 1_000)
	var all []time.Duration
	for i, q := range qs {
		if took := k.answer(st, q); i >= warmUp {
			all = append(all, took)
		}
	}
	measure.Figure("search_p95_"+short(st.n)+"_ms", measure.MS(measure.Quantile(all, 0.95)), "ms")
}

// searches are the same queries in turns: ours, and FTS5 in two of its forms.
func searches(scratch string, st *sample) {
	k := open(st.dir)
	defer k.Close()
	porter := newFTS(filepath.Join(scratch, "porter.db"), "porter", (*corpus).matches)
	trigram := newFTS(filepath.Join(scratch, "trigram.db"), "trigram", (*corpus).inside)
	defer porter.close()
	defer trigram.close()
	measure.Figure("fts5_build_10k_s", measure.Timed(func() { porter.fill(st) }).Seconds(), "s")
	trigram.fill(st)

	var ours, stems, grams []time.Duration
	for i, q := range st.queries(warmUp + 1_000) {
		a, b, c := k.answer(st, q), porter.answer(st, q), trigram.answer(st, q)
		if i >= warmUp {
			ours, stems, grams = append(ours, a), append(stems, b), append(grams, c)
		}
	}
	measure.Figure("search_p50_10k_ms", measure.MS(measure.Median(ours)), "ms")
	measure.Figure("search_p95_10k_ms", measure.MS(measure.Quantile(ours, 0.95)), "ms")
	measure.Figure("fts5_porter_p50_10k_ms", measure.MS(measure.Median(stems)), "ms")
	measure.Figure("fts5_trigram_p50_10k_ms", measure.MS(measure.Median(grams)), "ms")
}

// edit saves a memory with one more word.
func edit(dir string, at int, word string) memsync.Path {
	p := gen.Path(at, gen.Ours)
	measure.Check(os.WriteFile(filepath.Join(dir, string(p)), append(gen.Memory(at, 0, seed), "\n"+word+".\n"...), 0o644))
	return p
}

// mustBe is exactly one memory.
func mustBe(page search.Page, p memsync.Path, word string) {
	if page.Total != 1 || len(page.Hits) != 1 || page.Hits[0].Path != p {
		log.Fatalf("%s is in %s, and was found in %d memories: %+v", word, p, page.Total, page.Hits)
	}
}

// updates are searches right behind a commit: the index takes it first.
func updates(st *sample) {
	k := open(st.dir)
	defer k.Close()
	k.answer(st, st.queries(1)[0])
	var all []time.Duration
	for i := range 200 {
		word := unique('b', i)
		p := edit(st.dir, i*7919%st.n, word)
		r, err := k.Once(context.Background(), keeper.OnceOptions{})
		measure.Check(err)
		if d := r.Decisions(); len(d) != 1 || d[0].Op != memsync.OpUpdate || d[0].Path != p || len(r.Held) > 0 || r.Paused != "" {
			log.Fatalf("the edit of %s became %+v", p, r)
		}
		req := k.request(word)
		var page search.Page
		all = append(all, measure.Timed(func() { page = k.find(req) }))
		mustBe(page, p, word)
	}
	measure.Figure("update_to_searchable_p50_ms", measure.MS(measure.Median(all)), "ms")
	measure.Figure("update_to_searchable_p99_ms", measure.MS(measure.Quantile(all, 0.99)), "ms")
	mustBeClean(st.dir)
}

// saves are found by somebody who asks all the time, while the keeper watches.
func saves(st *sample) {
	k := open(st.dir)
	defer k.Close()
	ctx, stop := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- k.Run(ctx, keeper.RunOptions{
			Timing: watcher.Usual,
			Ready:  func() { close(ready) },
			Report: func(r keeper.Report) {
				if len(r.Held) > 0 || r.Paused != "" {
					log.Fatalf("held %+v, paused %q", r.Held, r.Paused)
				}
			},
			Problem: func(err error) { log.Fatal(err) },
			Sight: func(i watcher.Info) {
				if i.Blind != "" {
					log.Fatal("the watcher is blind: ", i.Blind)
				}
			},
		})
	}()
	<-ready
	eventually("the index is complete", func() bool {
		release, err := k.Turn(ctx)
		measure.Check(err)
		defer release()
		is, err := k.Index()
		measure.Check(err)
		return is.Exists && is.Documents == st.n && is.Behind == 0
	})
	var all []time.Duration
	for i := range 100 {
		word := unique('s', i)
		began := time.Now()
		p := edit(st.dir, i*7919%st.n, word)
		for {
			release, err := k.Turn(ctx)
			measure.Check(err)
			page := k.find(k.request(word))
			took := time.Since(began)
			release()
			if page.Total > 0 {
				mustBe(page, p, word)
				all = append(all, took)
				break
			}
			if took > patience {
				log.Fatalf("%s was not found after %s", word, took)
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
	stop()
	measure.Check(<-done)
	measure.Figure("save_to_searchable_p50_ms", measure.MS(measure.Median(all)), "ms")
	measure.Figure("save_to_searchable_p99_ms", measure.MS(measure.Quantile(all, 0.99)), "ms")
	mustBeClean(st.dir)
}
