// Package measure times things and prints figures, for every bench alike.
package measure

import (
	"fmt"
	"log"
	"slices"
	"time"
)

// Figure prints one figure: three digits, for more would be noise.
func Figure(name string, value float64, unit string) {
	fmt.Printf("figure %s %.3g %s\n", name, value, unit)
}

// Timed is how long f takes.
func Timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// MS is a time in milliseconds.
func MS(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Median is the middle one of times.
func Median(d []time.Duration) time.Duration { return Quantile(d, 0.5) }

// Quantile is the time that a share q of times stays below.
func Quantile(d []time.Duration, q float64) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[min(len(s)-1, int(q*float64(len(s))))]
}

// Ratio is that of two medians.
func Ratio(a, b []time.Duration) float64 { return float64(Median(a)) / float64(Median(b)) }

// Check ends a bench that can't go on.
func Check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
