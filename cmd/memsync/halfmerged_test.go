package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// gitMergeFile is what git leaves of three versions, markers and all.
func gitMergeFile(t testing.TB, base, ours, theirs string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	names := []string{"ours", "base", "theirs"}
	for i, text := range []string{ours, base, theirs} {
		names[i] = filepath.Join(dir, names[i])
		if err := os.WriteFile(names[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, _ := exec.Command("git", append(append([]string{"merge-file", "-p"}, flags...), names...)...).Output()
	return string(out)
}

// TestHalfMerged: whatever git leaves with markers is known for that, and a line
// that somebody adds, takes away or changes makes it theirs.
func TestHalfMerged(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"one", "two", "three", "four", "five", ""}), 0, 8)
	text := func(l []string) string {
		if len(l) == 0 {
			return ""
		}
		return strings.Join(l, "\n") + "\n"
	}
	rapid.Check(t, func(rt *rapid.T) {
		base := lines.Draw(rt, "base")
		side := func(label string) []string {
			out := append([]string{}, base...)
			for range rapid.IntRange(0, 3).Draw(rt, label) {
				i := rapid.IntRange(0, len(out)).Draw(rt, label)
				out = append(out[:i:i], append([]string{label + " " + rapid.StringMatching(`[a-z]{3}`).Draw(rt, label)}, out[min(len(out), i+rapid.IntRange(0, 1).Draw(rt, label)):]...)...)
			}
			return out
		}
		b, o, th := text(base), text(side("ours")), text(side("theirs"))
		for _, style := range [][]string{nil, {"--diff3"}} {
			now := gitMergeFile(t, b, o, th, style...)
			if !strings.Contains(now, "<<<<<<< ") {
				continue
			}
			if !halfMerged([]byte(now), []byte(b), []byte(o), []byte(th)) {
				rt.Fatalf("not known:\n%s\nof base\n%s\nours\n%s\ntheirs\n%s", now, b, o, th)
			}
			all := splitLines([]byte(now))
			i := rapid.IntRange(0, len(all)-1).Draw(rt, "at")
			if halfMerged([]byte(strings.Join(all[:i], "")+"somebody's own line\n"+strings.Join(all[i:], "")), []byte(b), []byte(o), []byte(th)) {
				rt.Fatalf("a new line before line %d is not seen in\n%s", i, now)
			}
		}
	})
}

// TestHalfMergedRepeated: each side may take out another of two equal lines.
func TestHalfMergedRepeated(t *testing.T) {
	base, ours, theirs := "a\nr\n\nr\ne\n", "a\nr\n\nours\ne\n", "a\ntheirs\n\nr\ntheirs too\ne\n"
	now := gitMergeFile(t, base, ours, theirs)
	if !strings.Contains(now, "<<<<<<<") {
		t.Fatalf("no clash:\n%s", now)
	}
	if !halfMerged([]byte(now), []byte(base), []byte(ours), []byte(theirs)) {
		t.Errorf("not known:\n%s", now)
	}
}

// TestHalfMergedWorkedOn: what a person does with git's markers is theirs.
func TestHalfMergedWorkedOn(t *testing.T) {
	base, ours, theirs := "a\nb\nc\nd\ne\n", "a\nours\nc\nd\nours too\n", "a\ntheirs\nc\nd\ntheirs too\n"
	now := gitMergeFile(t, base, ours, theirs)
	for name, c := range map[string]struct {
		now  string
		want bool
	}{
		"as git left it":      {now, true},
		"ours alone":          {ours, true},
		"theirs alone":        {theirs, false}, // a person took it
		"one clash resolved":  {"a\nours\nc\nd\n" + now[strings.LastIndex(now, "<<<<<<<"):], false},
		"both clashes":        {"a\nours\nc\nd\ntheirs too\n", false},
		"a marker gone":       {strings.Replace(now, "=======\n", "", 1), false},
		"a line gone":         {strings.Replace(now, "ours\n", "", 1), false},
		"a common line twice": {strings.Replace(now, "c\n", "c\nc\n", 1), false},
		"a common line gone":  {strings.Replace(now, "c\n", "", 1), false},
		"empty":               {"", false},
	} {
		if got := halfMerged([]byte(c.now), []byte(base), []byte(ours), []byte(theirs)); got != c.want {
			t.Errorf("%s: %v, want %v\n%s", name, got, c.want, c.now)
		}
	}
}
