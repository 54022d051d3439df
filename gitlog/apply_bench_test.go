package gitlog

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"memsync"
)

// One edit, journal to journal, in a store of n files, a hundred a directory.
func BenchmarkApply(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := benchStore(b, n)
			i := 0
			for b.Loop() {
				i++
				b.StopTimer()
				p := s.planNamed(i, fmt.Sprintf("memory/d%03d/user_%05d.md", i%(n/100), i%(n/100)*100), fmt.Sprint("edit ", i))
				b.StartTimer()
				s.mustApply(p)
			}
		})
	}
}

// The same with commit = off.
func BenchmarkApplyOff(b *testing.B) {
	s := benchStore(b, 100)
	i := 0
	for b.Loop() {
		i++
		b.StopTimer()
		p := s.planNamed(i, "memory/d000/user_00000.md", fmt.Sprint("edit ", i))
		b.StartTimer()
		if _, err := s.log.Apply(context.Background(), p, memsync.CommitOff); err != nil {
			b.Fatal(err)
		}
	}
}

// A plan of a thousand files.
func BenchmarkApplyThousand(b *testing.B) {
	s := benchStore(b, 1000)
	i := 0
	for b.Loop() {
		i++
		b.StopTimer()
		var changes []string
		for k := range 1000 {
			changes = append(changes, fmt.Sprintf("memory/d%03d/user_%05d.md", k/100, k), fmt.Sprint("edit ", i, strings.Repeat(" word", 150)))
		}
		p := s.planNamed(i, changes...)
		b.StartTimer()
		s.mustApply(p)
	}
}

func benchStore(b *testing.B, n int) *logStore {
	var files []string
	for k := range n {
		files = append(files, fmt.Sprintf("memory/d%03d/user_%05d.md", k/100, k), fmt.Sprint("first ", k, strings.Repeat(" word", 150)))
	}
	s := newLogStore(b, files...)
	s.git("gc", "-q")
	return s
}
