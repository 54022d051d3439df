// Package spool keeps the texts that lost in a merge which git ran, until the
// merge is concluded and they can become conflict copies of the store.
//
// A merge driver is told one file and may write nothing else: the copies have no
// place in the tree yet, and nobody knows whether the person will conclude the
// merge or abort it. So they wait in the clone's local state, one file each,
// written without anybody's lock. Laws:
//
//   - A text that lost is on disk, synced, before the driver says that it is done.
//   - It leaves the spool when it is a file of the store, or when the person took a
//     whole side, called the merge off, or wrote all of it into the file again.
package spool

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memsync"
	"memsync/controller/merge"
)

// Entry is one merged file with the texts that lost.
type Entry struct {
	Path   memsync.Path   `json:"path"`             // relative to the store
	Memory memsync.ID     `json:"memory,omitempty"` // "" where the file has no id
	Head   string         `json:"head"`             // commit that was checked out when it was merged
	Rebase bool           `json:"rebase,omitempty"` // a rebase was under way, which drops a commit that changes nothing any more
	Sides  []memsync.Hash `json:"sides"`            // of the two versions
	Result memsync.Hash   `json:"result"`
	At     time.Time      `json:"at"`
	Copies [][]byte       `json:"copies"` // conflict copies: merge.Record

	name string // of its file
}

const dirName = "spool"

// Dir is where they wait, below a clone's local state.
func Dir(state string) string { return filepath.Join(state, dirName) }

// Put keeps an entry. The same one twice is one.
func Put(state string, e Entry) error {
	fail := func(err error) error {
		return &memsync.Error{Code: memsync.CodeIOWrite, Path: e.Path, Message: "the text that lost can't be kept", Err: err}
	}
	data, err := json.Marshal(e)
	if err != nil {
		return fail(err)
	}
	dir := Dir(state)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fail(err)
	}
	key := string(e.Path) + "\x00" + e.Head + "\x00" + string(e.Result)
	for _, c := range e.Copies {
		key += "\x00" + string(memsync.HashOf(c))
	}
	name := filepath.Join(dir, string(memsync.HashOf([]byte(key)))[:24]+".json")
	f, err := os.CreateTemp(dir, ".new-")
	if err != nil {
		return fail(err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		return fail(err)
	}
	if d, err := os.Open(dir); err == nil { // the name, too; not every system can
		_ = d.Sync()
		d.Close()
	}
	return nil
}

// List is what waits, the oldest first. A file that does not read is left where
// it is.
func List(state string) ([]Entry, error) {
	names, err := os.ReadDir(Dir(state))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &memsync.Error{Code: memsync.CodeIORead, Message: "the spool of conflict copies can't be read", Err: err}
	}
	var out []Entry
	for _, d := range names {
		if !strings.HasSuffix(d.Name(), ".json") {
			continue
		}
		e := Entry{name: filepath.Join(Dir(state), d.Name())}
		data, err := os.ReadFile(e.name)
		if err != nil || json.Unmarshal(data, &e) != nil {
			continue
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Entry) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return strings.Compare(a.name, b.name)
	})
	return out, nil
}

// Drop takes an entry out of the spool.
func (e Entry) Drop() error {
	if err := os.Remove(e.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &memsync.Error{Code: memsync.CodeIOWrite, Message: "the spool of conflict copies can't be written", Err: err}
	}
	return nil
}

// Still are the copies that still say something, now that nothing is in progress,
// head is checked out and the file holds these bytes (nil: it is gone). None: the
// person took the other side whole, the merge was called off, or what lost
// stands in the file after all.
func (e Entry) Still(now []byte, head string) [][]byte {
	if now != nil {
		// What the driver left may be one side as it was: then only a commit
		// tells a merge from one that was called off. A rebase that is called
		// off goes back to where this head is no ancestor.
		hash := memsync.HashOf(now)
		if slices.Contains(e.Sides, hash) && (hash != e.Result || head == e.Head && !e.Rebase) {
			return nil
		}
	}
	var out [][]byte
	for _, c := range e.Copies {
		if r, err := merge.ParseRecord(c); err != nil || !contains(now, r) {
			out = append(out, c)
		}
	}
	return out
}

// contains reports whether a file holds every line that a record says was lost.
func contains(now []byte, r merge.Record) bool {
	if r.Kind != merge.Body && r.Kind != merge.Unparsed || len(r.Places) == 0 {
		return false
	}
	have := map[string]bool{}
	for line := range strings.Lines(string(now)) {
		have[strings.TrimSpace(line)] = true
	}
	for _, p := range r.Places {
		if p.Lost == nil {
			return false // lines that were taken away: only a person knows
		}
		for line := range strings.Lines(p.Lost.Text) {
			if !have[strings.TrimSpace(line)] {
				return false
			}
		}
	}
	return true
}
