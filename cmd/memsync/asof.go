package main

import (
	"time"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/internal/store"
)

// asOfFlags say at which past a reading verb looks.
type asOfFlags struct{ at, asOf string }

func (f *asOfFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.at, "at", "", "as it was at `TIME` (RFC 3339, or YYYY-MM-DD for the end of that day, UTC)")
	cmd.Flags().StringVar(&f.asOf, "as-of", "", "as the commit `REV` contained it")
}

// time is the moment of --at; zero when it was not given.
func (f asOfFlags) time() (time.Time, error) {
	if f.at == "" {
		return time.Time{}, nil
	}
	if f.asOf != "" {
		return time.Time{}, usage("--at and --as-of exclude each other")
	}
	if t, err := time.Parse(time.RFC3339, f.at); err == nil {
		return t, nil
	}
	if t, err := time.Parse("2006-01-02", f.at); err == nil {
		return t.Add(24*time.Hour - time.Millisecond), nil
	}
	return time.Time{}, usage("--at takes a time like 2026-03-07T11:20:00Z or a date, not %q", f.at)
}

// viewOf is what is, or was, in a store.
func (a *app) viewOf(s *store.Store, f asOfFlags) (*memsync.View, error) {
	at, err := f.time()
	if err != nil {
		return nil, err
	}
	k, err := a.open(s)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	switch {
	case f.asOf != "":
		return k.ViewAsOf(f.asOf)
	case !at.IsZero():
		return k.ViewAt(at)
	}
	return k.View()
}
