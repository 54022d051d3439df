//go:build unix

package gitlog

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memsync"
)

// configText draws configuration files as people and programs write them.
var configText = rapid.Custom(func(t *rapid.T) string {
	part := rapid.SampledFrom([]string{
		"[core]\n\tbare = false\n", "[merge \"memsync\"]\n", "\tname = old\n", "\tdriver = \"a \\\"b\\\" ; c\"\n", "driver=x # said\n", "\n", "# a note\n", "  ; another\n",
		"[Merge \"memsync\"] driver = inline\n", "[merge]\n\ttool = vim\n", "[merge \"other\"]\n\tdriver = d\n", "\tname = long \\\n\tline\n", "[user]\n\tname = A\n", "\tflag\n", "\r\n",
		"[branch \"main\"]\n\tremote = origin\n", "\tdriver\n", "[merge \"memsync\"]\n\tname = no end",
	})
	text := ""
	for _, p := range rapid.SliceOfN(part, 0, 12).Draw(t, "parts") {
		if !strings.HasPrefix(p, "[") && !strings.Contains(text, "[") && strings.TrimSpace(p) != "" && !strings.ContainsAny(p, "#;") {
			continue // a setting before any section is an error in git
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += p
	}
	return text
})

// gitConfig is what git itself reads from a file; ok is false for an error.
func gitConfig(t testing.TB, text string, env []string) (map[string][]string, bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	check(t, os.WriteFile(file, []byte(text), 0o600))
	cmd := exec.Command("git", "config", "--file", file, "--list", "-z")
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		return nil, false
	}
	got := map[string][]string{}
	for _, kv := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if kv == "" {
			continue
		}
		key, value, has := strings.Cut(kv, "\n")
		if !has {
			value = "true"
		}
		got[key] = append(got[key], value)
	}
	return got, true
}

// TestEditConfig: after an edit git reads the new settings, everything else as
// before, and every line of anything else is there byte for byte; taking the
// section out again leaves no setting of it.
func TestEditConfig(t *testing.T) {
	env := testEnv(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := configText.Draw(rt, "text")
		value := rapid.SampledFrom([]string{"plain", "with # and ; and \"quotes\" and \\", " blanks around ", "if [ -x '/a b' ]; then exec x %O; fi", ""}).Draw(rt, "value")
		before, ok := gitConfig(t, text, env)
		if !ok {
			rt.Skip("git does not read it")
		}
		now := withSettings(text, driverSection, "name", "n", "driver", value)
		got, ok := gitConfig(t, now, env)
		if !ok {
			rt.Fatalf("git does not read\n%s\nmade of\n%s", now, text)
		}
		if d := got["merge.memsync.driver"]; len(d) != 1 || d[0] != value || len(got["merge.memsync.name"]) != 1 {
			rt.Fatalf("git reads %q from\n%s\nmade of\n%s", d, now, text)
		}
		if !sameOutside([]byte(now), []byte(text), []string{driverSection}) {
			rt.Fatalf("something else changed:\n%s\nmade of\n%s", now, text)
		}
		for key, values := range before {
			if !strings.HasPrefix(key, driverSection+".") && strings.Join(got[key], "\x00") != strings.Join(values, "\x00") {
				rt.Fatalf("%s was %q, is %q", key, values, got[key])
			}
		}
		if again := withSettings(now, driverSection, "name", "n", "driver", value); again != now {
			rt.Fatalf("twice is not once:\n%s\nthen\n%s", now, again)
		}
		without := withoutSection(now, driverSection)
		got, ok = gitConfig(t, without, env)
		if !ok {
			rt.Fatalf("git does not read\n%s", without)
		}
		for key := range got {
			if strings.HasPrefix(key, driverSection+".") {
				rt.Fatalf("%s is left in\n%s", key, without)
			}
		}
		for key, values := range before {
			if !strings.HasPrefix(key, driverSection+".") && strings.Join(got[key], "\x00") != strings.Join(values, "\x00") {
				rt.Fatalf("without: %s was %q, is %q", key, values, got[key])
			}
		}
	})
}

// TestMergeDriverStates: what a clone's configuration can be, and that a program
// whose path has quotes, blanks and per cent signs is run by git as it is.
func TestMergeDriverStates(t *testing.T) {
	s := newScene(t).open()
	is := func(want DriverState) {
		t.Helper()
		if got := s.repo.MergeDriver(); got.State != want {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	is(DriverAbsent)
	before, err := os.ReadFile(filepath.Join(s.top, ".git", "config"))
	check(t, err)
	dir := filepath.Join(s.top, "..", "it's 100% \"odd\" $HOME")
	check(t, os.MkdirAll(dir, 0o777))
	binary := filepath.Join(dir, "memsync")
	check(t, os.WriteFile(binary, []byte("#!/bin/sh\nprintf 'by the driver: %s\\n' \"$6\" >\"$3\"\n"), 0o755))
	check(t, s.repo.InstallMergeDriver(binary))
	is(DriverInstalled)
	if d := s.repo.MergeDriver(); d.Binary != filepath.ToSlash(binary) {
		t.Errorf("%q", d.Binary)
	}
	check(t, s.repo.InstallMergeDriver(binary))
	s.git("config", "merge.memsync.driver", driverWithout(binary)) // as it was before there were two programs
	is(DriverInstalled)
	check(t, s.repo.InstallMergeDriver(binary))

	s.write(".gitattributes", "*.md merge=memsync\n")
	s.add("it's.md", "one\n")
	s.git("checkout", "-q", "-b", "side")
	s.add("it's.md", "two\n")
	s.git("checkout", "-q", "main")
	s.add("it's.md", "three\n")
	s.git("merge", "-q", "--no-edit", "side")
	if data, _ := os.ReadFile(filepath.Join(s.top, "it's.md")); string(data) != "by the driver: it's.md\n" {
		t.Errorf("%q", data)
	}
	if at := s.repo.TreeAttributes(); !at.Driven("a/x.md") || at.Driven("a/x.txt") {
		t.Error("the attribute")
	}

	// The program beside it comes first, and does without it.
	beside := filepath.Join(dir, "memsync-merge-driver")
	check(t, os.WriteFile(beside, []byte("#!/bin/sh\nprintf 'by the one beside: %s\\n' \"$5\" >\"$2\"\n"), 0o755))
	for range 2 {
		is(DriverInstalled)
		s.git("reset", "-q", "--hard", "HEAD^")
		s.git("merge", "-q", "--no-edit", "side")
		if data, _ := os.ReadFile(filepath.Join(s.top, "it's.md")); string(data) != "by the one beside: it's.md\n" {
			t.Errorf("%q", data)
		}
		os.Remove(binary)
	}

	// An empty file would be a script that did its work, a directory one that fails.
	check(t, os.WriteFile(binary, []byte("#!/bin/sh\nprintf 'by the driver: %s\\n' \"$6\" >\"$3\"\n"), 0o755))
	for _, broken := range []func() error{
		func() error { return os.Truncate(beside, 0) },
		func() error { return errors.Join(os.Remove(beside), os.Mkdir(beside, 0o777)) },
	} {
		check(t, broken())
		s.git("reset", "-q", "--hard", "HEAD^")
		s.git("merge", "-q", "--no-edit", "side")
		if data, _ := os.ReadFile(filepath.Join(s.top, "it's.md")); string(data) != "by the driver: it's.md\n" {
			t.Errorf("%q", data)
		}
	}
	check(t, os.Remove(binary))
	is(DriverGone)

	// The command of before does not know of it.
	check(t, os.Remove(beside))
	check(t, os.WriteFile(beside, []byte("#!/bin/sh\n"), 0o755))
	is(DriverInstalled)
	s.git("config", "merge.memsync.driver", driverWithout(binary))
	is(DriverGone)
	check(t, s.repo.InstallMergeDriver(binary))
	check(t, os.Remove(beside))
	is(DriverGone)
	// without any memsync git's own merge runs, with markers
	s.git("reset", "-q", "--hard", "HEAD~1")
	if _, err := s.tryGit("merge", "-q", "--no-edit", "side"); err == nil {
		t.Error("no conflict")
	}
	if data, _ := os.ReadFile(filepath.Join(s.top, "it's.md")); !strings.Contains(string(data), "<<<<<<<") {
		t.Errorf("%q", data)
	}
	s.git("merge", "--abort")
	check(t, s.repo.RemoveMergeDriver())
	if after, _ := os.ReadFile(filepath.Join(s.top, ".git", "config")); string(after) != string(before) {
		t.Errorf("%s\nwas\n%s", after, before)
	}
	s.git("config", "merge.memsync.name", "x")
	is(DriverHollow)
	s.git("config", "merge.memsync.driver", "true")
	is(DriverForeign)
	s.git("config", "merge.memsync.driver", "/no/such/program %O")
	is(DriverGone)
	s.write(".git/config.lock", "")
	if err := s.repo.RemoveMergeDriver(); memsync.CodeOf(err) != memsync.CodeGitLocked {
		t.Error(err)
	}
}

// TestRemotes: a remote that is added here is one that git would have added.
func TestRemotes(t *testing.T) {
	ours, git := newScene(t).open(), newScene(t)
	const address = "https://ada:secret@example.org/memories.git"
	check(t, ours.repo.AddRemote("origin", address, "main"))
	git.git("remote", "add", "origin", address)
	git.git("config", "branch.main.remote", "origin")
	git.git("config", "branch.main.merge", "refs/heads/main")
	if a, b := ours.git("config", "--local", "--list"), git.git("config", "--local", "--list"); a != b {
		t.Errorf("%s\nwant\n%s", a, b)
	}
	m, err := ours.repo.Upstream("main")
	if err != nil || m.Name != "origin" || m.URL != address || strings.Contains(m.Shown(), "secret") {
		t.Errorf("%+v %v", m, err)
	}
	if err := ours.repo.AddRemote("origin", address, ""); memsync.CodeOf(err) != memsync.CodeUsage || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	for _, bad := range [][2]string{{"-x", "u"}, {"a b", "u"}, {"ok", ""}, {"ok", "--upload-pack=x"}, {"ok", "a\nb"}, {`a"b`, "u"}} {
		if err := ours.repo.AddRemote(bad[0], bad[1], ""); memsync.CodeOf(err) != memsync.CodeUsage {
			t.Errorf("%q: %v", bad, err)
		}
	}
	check(t, ours.repo.AddRemote("backup.two", "/some/where", ""))
	if all := ours.repo.Remotes(); len(all) != 2 || all[0].Name != "backup.two" {
		t.Errorf("%+v", all)
	}
	if _, err := ours.repo.Upstream("other"); memsync.CodeOf(err) != memsync.CodeSyncNoRemote {
		t.Error(err)
	}
	ctx, cancel := background()
	defer cancel()
	ours.add("a.md", "a\n")
	ours.git("update-ref", "refs/remotes/origin/main", "HEAD")
	check(t, ours.repo.RemoveRemote(ctx, "origin"))
	check(t, ours.repo.RemoveRemote(ctx, "backup.two"))
	if out := ours.git("for-each-ref", "refs/remotes") + ours.git("config", "--local", "--list"); strings.Contains(out, "origin") {
		t.Errorf("left: %s", out)
	}
	if err := ours.repo.RemoveRemote(ctx, "origin"); memsync.CodeOf(err) != memsync.CodeSyncNoRemote {
		t.Error(err)
	}
}

// FuzzConfigEdit: an edit of any text ends, and where both are read whole it
// leaves what the rest of the file says.
func FuzzConfigEdit(f *testing.F) {
	for _, s := range []string{"", "[merge \"memsync\"]\n\tdriver = x\n", "[a]\nb = \"c\\\n d\"\n[merge \"memsync\"] name = y ; z", "[x \"\\\"\"]\r\nk\r\n", "[broken"} {
		f.Add(s, "a value")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		now := withSettings(text, driverSection, "driver", value)
		without := withoutSection(now, driverSection)
		for _, s := range configSpans(without) {
			if s.section == driverSection {
				t.Fatalf("left in %q made of %q", without, now)
			}
		}
	})
}
