package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// An editor saves while lint mends: whatever comes first, the save is there
// afterwards, mended or as it was written (Q64).
func TestLintFixLosesNoSave_Q64(t *testing.T) {
	s := newShop(t)
	file := s.path("memory/project_a.md")
	version := func(i int) string {
		return fmt.Sprintf("---\nname: A\ndescription: Re: save %d\ntype: project\n---\nSave number %d.\n", i, i)
	}
	s.write("memory/project_a.md", version(0))
	for i := 1; i <= 40; i++ {
		cmd := exec.Command(command, "lint", "--fix")
		cmd.Dir = s.dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 { // as editors do that replace files, and those that write into them
			next := s.path("memory/.next")
			if err := os.WriteFile(next, []byte(version(i)), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(next, file); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(file, []byte(version(i)), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		got := s.read("memory/project_a.md")
		plain := strings.ReplaceAll(got, `"`, "")
		if plain != version(i) {
			t.Fatalf("save %d: the file is\n%s", i, got)
		}
	}
	entries, err := os.ReadDir(s.path("memory"))
	if err != nil || len(entries) != 1 {
		t.Errorf("%d names are left, %v", len(entries), err)
	}
}
