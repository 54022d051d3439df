package lint_test

import (
	"strings"
	"testing"
	"time"

	"memsync"
)

// TestHostileFiles: no file that a save may have takes long, whatever fills it:
// one line of links, of hidden characters, of fences, a block of keys. The limit
// is far above what each takes; what grows with the square of the size takes
// minutes.
func TestHostileFiles(t *testing.T) {
	keys := ""
	for i := 0; len(keys) < 16000; i++ {
		keys += "k" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/182) + ": 1\n"
	}
	c := checker(t, memsync.DefaultPolicy())
	for name, text := range map[string]string{
		"links":      header + strings.Repeat("[[é]] ", 1<<16),
		"many links": header + links(1<<15),
		"hidden":     header + strings.Repeat("a\u200b", 1<<16),
		"open links": header + strings.Repeat("[[", 1<<18),
		"ticks":      header + strings.Repeat("[[`", 1<<17),
		"fences":     header + strings.Repeat("```\n", 1<<17),
		"comments":   header + strings.Repeat("<!-- memsync-ignore MS305 x -->\n", 1<<14),
		"dates":      header + strings.Repeat("todayx ", 1<<17),
		"paths":      header + strings.Repeat("/home/user ", 1<<16),
		"markers":    header + "```\n" + strings.Repeat("<<<<<<< x\n", 1<<16) + "```\n",
		"keys":       "---\n" + keys + "---\nAt nine.\n",
	} {
		begin := time.Now()
		judge(c, file("memory/user_trip.md", text))
		if took := time.Since(begin); took > time.Minute {
			t.Errorf("%s: %v", name, took)
		} else {
			t.Logf("%s: %v", name, took)
		}
	}
}

// links are n links, each to another name.
func links(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("[[é")
		for ; i > 0; i /= 26 {
			b.WriteByte(byte('a' + i%26))
		}
		b.WriteString("]] ")
	}
	return b.String()
}
