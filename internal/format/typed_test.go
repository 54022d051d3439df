package format

import (
	"fmt"
	"testing"
	"time"
)

// TestPlainTimes: what is read the short way is read as package time reads it, and
// what that refuses is left to the long way.
func TestPlainTimes(t *testing.T) {
	check := func(form, s string) {
		t.Helper()
		want, err := time.Parse(form, s)
		got, dateOnly, ok := readPlainTime(s)
		if ok != (err == nil) || ok && (!got.Equal(want) || got.Location() != time.UTC || dateOnly != (form == time.DateOnly)) {
			t.Errorf("%q: %v %v %v, want %v %v", s, got, dateOnly, ok, want, err)
		}
	}
	for _, year := range []int{0, 1, 1900, 1999, 2000, 2024, 2026, 9999} {
		for month := range 14 {
			for day := range 33 {
				s := fmt.Sprintf("%04d-%02d-%02d", year, month, day)
				check(time.DateOnly, s)
				check("2006-01-02T15:04:05Z", s+"T23:59:59Z")
			}
		}
	}
	for _, clock := range []string{"00:00:00", "24:00:00", "23:60:00", "23:59:60", "12-00:00", "1x:00:00", "-1:00:00", "12:00:0 "} {
		check("2006-01-02T15:04:05Z", "2026-02-28T"+clock+"Z")
	}
	for _, s := range []string{"2026/01/02", "2026-1-002", "２026-1-02", "202a-01-02", "2026-01-02t15:04:05Z", "2026-01-02T15:04:05z", "2026-01-02T15:04:05+", "2026-01-02 15:04:05Z", "2026-01-0", "2026-01-02T15:04Z"} {
		if got, _, ok := readPlainTime(s); ok {
			t.Errorf("%q is %v", s, got)
		}
	}
}
