package gitlog

import (
	"os/exec"
	"strings"
	"testing"
)

func TestMergeBaseIsGits(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@y"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	n := 0
	commit := func() {
		n++
		date := "2026-01-01T00:00:" + string(rune('0'+n/10)) + string(rune('0'+n%10)) + "Z"
		git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "c", "--date", date)
	}
	git("init", "-q", "-b", "main")
	commit()
	commit()
	git("checkout", "-q", "-b", "one")
	commit()
	commit()
	git("checkout", "-q", "main")
	commit()
	git("checkout", "-q", "-b", "two", "one")
	git("merge", "-q", "--no-ff", "-m", "m", "main")
	commit()
	git("checkout", "-q", "main")
	commit()
	git("checkout", "-q", "--orphan", "alone")
	commit()
	r, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, c := range [][2]string{{"main", "one"}, {"one", "main"}, {"main", "two"}, {"two", "one"}, {"two", "two"}, {"HEAD", "alone"}} {
		want := git("merge-base", c[0], c[1])
		got, err := r.MergeBase(c[0], c[1])
		if err != nil || got != want {
			t.Errorf("%v: %q, %v; git says %q", c, got, err, want)
		}
	}
	if got, err := r.MergeBase("main", "alone"); err != nil || got != "" {
		t.Errorf("no history in common: %q, %v", got, err)
	}
	if _, err := r.MergeBase("main", "nowhere"); err == nil {
		t.Error("a revision that is not there")
	}
}
