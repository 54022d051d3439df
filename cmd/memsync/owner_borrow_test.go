//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"memsync/gitlog/journal"
)

// twoOwners are a home store and a project's, each with a `memsync up` of its
// own.
func twoOwners(t *testing.T) (home, project *shop) {
	s := newShop(t)
	home = s.with("MEMSYNC_HOME=" + s.dir)
	s.ok("write", "Style", "--type", "user", "--content", "Tabs.")
	p := *home
	p.dir = filepath.Join(filepath.Dir(s.dir), "project")
	if err := os.Mkdir(p.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	project = &p
	project.git("init", "-q")
	project.git("commit", "-q", "--allow-empty", "-m", "begun")
	project.ok("init")
	home.watched()
	project.watched()
	return home, project
}

// TestOwnersOfTwoStores: a command needs the stores of two owners and does what
// it does where nobody owns them.
func TestOwnersOfTwoStores(t *testing.T) {
	home, project := twoOwners(t)
	project.ok("write", "Deploy", "--type", "project", "--content", "On Tuesdays.")
	project.ok("write", "Editor", "--type", "user", "--content", "Vim.")
	list := project.ok("list")
	for _, name := range []string{"Style", "Deploy", "Editor"} {
		if !strings.Contains(list, name) {
			t.Errorf("%s is not listed:\n%s", name, list)
		}
	}
	if out := project.ok("show", "style"); !strings.Contains(out, "Tabs.") {
		t.Error(out)
	}
	project.ok("rename", "style", "Indentation")
	project.ok("edit", "indentation", "--description", "How to indent", "--dry-run")
	project.ok("edit", "indentation", "--description", "How code is indented")
	project.ok("delete", "editor")
	project.person().ok("restore", "editor")
	project.code(exitRefused, "show", "nothing of the kind")
	home.person().editor("sed -i s/Tabs/Spaces/").ok("edit", "indentation")
	project.person().editor("sed -i s/Spaces/Tabs/").ok("edit", "indentation")
	if out := home.ok("show", "indentation"); !strings.Contains(out, "Tabs.") || !strings.Contains(out, "How code is indented") {
		t.Error(out)
	}
	home.rest()
	if out := project.ok("status", "--json"); !strings.Contains(out, `"pending": []`) {
		t.Error(out)
	}
}

// TestOwnersLendAtOnce: many commands that want either store, or both, all end
// well, and saves go on meanwhile.
func TestOwnersLendAtOnce(t *testing.T) {
	home, project := twoOwners(t)
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			project.ok("write", fmt.Sprintf("From the project %d", i), "--type", "user", "--content", fmt.Sprintf("Content %d.", i*7919))
			project.ok("list")
		})
		all.Go(func() {
			home.ok("write", fmt.Sprintf("At home %d", i), "--type", "user", "--content", fmt.Sprintf("Text %d.", i*104729))
			home.write(fmt.Sprintf("memory/user_saved-%d.md", i), memoryFile(fmt.Sprintf("Saved %d", i), "user", fmt.Sprintf("Saved text %d.", i*15485863)))
		})
	}
	all.Wait()
	for !strings.Contains(home.any("status", "--json"), `"pending": []`) {
	}
	list := project.ok("list")
	for i := range 6 {
		for _, name := range []string{"From the project", "At home", "Saved"} {
			if name := fmt.Sprintf("%s %d", name, i); !strings.Contains(list, name) {
				t.Errorf("%s is not listed:\n%s", name, list)
			}
		}
	}
	home.rest()
}

// TestLentStoreComesBack: whoever borrowed a store dies, and its owner goes on.
func TestLentStoreComesBack(t *testing.T) {
	home, _ := twoOwners(t)
	l := callOwner(home.path(".git/memsync"))
	if l == nil {
		t.Fatal("nobody answers")
	}
	if err := l.borrow(context.Background()); err != nil {
		t.Fatal(err)
	}
	waits := make(chan string)
	go func() { waits <- home.ok("list") }()
	home.write("memory/user_late.md", memoryFile("Late", "user", "Saved while the store is lent."))
	j, err := journal.Open(home.path(".git/memsync/journal.db"), journal.Options{Timeout: time.Second})
	if err != nil {
		t.Fatal("the store is not free: ", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case out := <-waits:
		t.Errorf("a lent store answers: %s", out)
	default:
	}
	l.conn.Close()
	if out := <-waits; !strings.Contains(out, "Style") {
		t.Error(out)
	}
	for !strings.Contains(home.any("status", "--json"), `"pending": []`) {
	}
	if out := home.ok("list"); !strings.Contains(out, "Late") {
		t.Error(out)
	}
	home.rest()
}

// TestOwnerIsLentToNobodyElse: another program's owner is told so.
func TestOwnerIsLentToNobodyElse(t *testing.T) {
	home, _ := twoOwners(t)
	l := callOwner(home.path(".git/memsync"))
	other := ownGreeting()
	other.Version = "another"
	if err := send(l.conn, message{Borrow: &other}); err != nil {
		t.Fatal(err)
	}
	if m, _, err := receive(bufio.NewReader(l.conn)); err != nil || !m.Refused {
		t.Errorf("%+v %v", m, err)
	}
	home.ok("list")
}
