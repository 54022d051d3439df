package main

import (
	"fmt"
	"time"
)

// progress shows long work on a terminal: nothing in the first second, then
// one line that is rewritten.
func (a *app) progress() func(done, total int) {
	if a.flags.quiet || a.flags.json || a.flags.jsonl || !isTerminal(a.stderr) {
		return nil
	}
	w := a.stderr
	if a.far != nil {
		w = a.far.live()
	}
	start := time.Now()
	var last time.Time
	return func(done, total int) {
		now := time.Now()
		if now.Sub(start) < time.Second || now.Sub(last) < 100*time.Millisecond {
			return
		}
		last = now
		fmt.Fprintf(w, "\r\x1b[K%d of %d", done, total)
		if done+1 >= total {
			fmt.Fprint(w, "\r\x1b[K")
		}
	}
}
