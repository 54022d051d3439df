package main

import (
	"database/sql"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // without cgo, as the command is built

	"memsync"
	"memsync/bench/gen"
	"memsync/bench/measure"
)

// fts is a table of SQLite's FTS5, in a file and in this process. It is asked
// for paths alone: no lines, no snippets, and not how many there are.
type fts struct {
	db      *sql.DB
	ask     *sql.Stmt
	matches func(*corpus, query, int) bool
}

func newFTS(file, tokenizer string, matches func(*corpus, query, int) bool) *fts {
	db, err := sql.Open("sqlite", file)
	measure.Check(err)
	db.SetMaxOpenConns(1)
	for _, s := range []string{
		"PRAGMA cache_size = -65536", // all of it is in memory
		"CREATE VIRTUAL TABLE memories USING fts5(path UNINDEXED, name, description, tags, body, file, type, tokenize = '" + tokenizer + "')",
		"INSERT INTO memories(memories, rank) VALUES('rank', 'bm25(0, 1, 1, 1, 1, 1, 0)')", // a type only filters
	} {
		_, err := db.Exec(s)
		measure.Check(err)
	}
	ask, err := db.Prepare("SELECT path FROM memories WHERE memories MATCH ? ORDER BY rank LIMIT 10")
	measure.Check(err)
	return &fts{db, ask, matches}
}

func (f *fts) close() {
	measure.Check(f.ask.Close())
	measure.Check(f.db.Close())
}

// fill reads the memories as they are on the disk, in one transaction.
func (f *fts) fill(st *sample) {
	tx, err := f.db.Begin()
	measure.Check(err)
	put, err := tx.Prepare("INSERT INTO memories VALUES(?, ?, ?, ?, ?, ?, ?)")
	measure.Check(err)
	for i := range st.n {
		p := gen.Path(i, gen.Ours)
		data, err := os.ReadFile(filepath.Join(st.dir, string(p)))
		measure.Check(err)
		t := textIn(p, data)
		_, err = put.Exec(string(p), t.name, t.description, t.tags, t.body, t.file, string(typeOf(i)))
		measure.Check(err)
	}
	measure.Check(put.Close())
	measure.Check(tx.Commit())
	var n int
	measure.Check(f.db.QueryRow("SELECT count(*) FROM memories").Scan(&n))
	if n != st.n {
		log.Fatalf("FTS5 has %d of %d memories", n, st.n)
	}
}

// answer is one query. It must have as many paths as there can be, each of a
// memory that has it.
func (f *fts) answer(st *sample, q query) time.Duration {
	words := make([]string, len(q.words))
	for i, w := range q.words {
		words[i] = `"` + w + `"`
	}
	match := strings.Join(words, " OR ")
	if q.typ != "" {
		match = "(" + match + `) AND type : "` + string(q.typ) + `"`
	}
	var found []memsync.Path
	took := measure.Timed(func() {
		rows, err := f.ask.Query(match)
		measure.Check(err)
		for rows.Next() {
			var p string
			measure.Check(rows.Scan(&p))
			found = append(found, memsync.Path(p))
		}
		measure.Check(rows.Err())
	})
	if len(found) < min(10, st.count(q)) {
		log.Fatalf("%s: FTS5 found %d of %d", match, len(found), st.count(q))
	}
	for _, p := range found {
		if !f.matches(st.corpus, q, st.numbers[p]) {
			log.Fatalf("%s: FTS5 found %s, which has nothing of it", match, p)
		}
	}
	return took
}
