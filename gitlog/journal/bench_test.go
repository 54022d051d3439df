package journal

import (
	"fmt"
	"strings"
	"testing"

	"memsync"
)

func benchPlan(n, files int) *memsync.Plan {
	p := write(n, "memory/a.md", memoryID(1), "", "x")
	p.Files, p.Decisions, p.Requests = nil, nil, nil
	for i := range files {
		q := write(n, memsync.Path(fmt.Sprintf("memory/feedback_%d.md", i)), memoryID(i), "", fmt.Sprintln(n, i, strings.Repeat("word ", 150)))
		p.Files = append(p.Files, q.Files...)
		p.Decisions = append(p.Decisions, q.Decisions...)
		p.Requests = append(p.Requests, q.Requests...)
	}
	return p
}

func BenchmarkPlan(b *testing.B) {
	for _, files := range []int{1, 10, 1000} {
		b.Run(fmt.Sprint(files, "files"), func(b *testing.B) {
			j := open(b)
			n := 0
			for b.Loop() {
				n++
				b.StopTimer()
				p := benchPlan(n, files)
				b.StartTimer()
				begin(b, j, p)
				applied(b, j, p, "c")
			}
		})
	}
}

func BenchmarkBegin1000(b *testing.B) {
	j := open(b)
	n := 0
	for b.Loop() {
		n++
		b.StopTimer()
		p := benchPlan(n, 1000)
		b.StartTimer()
		begin(b, j, p)
		b.StopTimer()
		applied(b, j, p, "c")
		b.StartTimer()
	}
}

func BenchmarkCount10k(b *testing.B) {
	j := open(b)
	for n := range 10 {
		begin(b, j, benchPlan(n, 1000))
	}
	for b.Loop() {
		_, _, total, err := j.Decisions(Query{Class: memsync.ClassPerson, Limit: 20})
		if err != nil || total != 10_000 {
			b.Fatal(total, err)
		}
	}
}
