package gitlog

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memsync"
)

// What git decides by patterns and configuration is compared with git itself.

// pieces from which patterns and paths are drawn: few, so that they meet.
var patternPieces = []string{"a", "b", "ab", "a.md", "*", "?", "**", "*.md", "a*", "[ab]", "[!a]", "[a-b]*", "[]a]", "[[:alpha:]]", `\a`, `\*`, "x y", "B"}

func drawPattern(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom(patternPieces), 1, 3).Draw(t, "parts")
	p := strings.Join(parts, rapid.SampledFrom([]string{"/", "/", ""}).Draw(t, "glue"))
	return rapid.SampledFrom([]string{"", "", "", "/", "!", "**/"}).Draw(t, "before") + p + rapid.SampledFrom([]string{"", "", "/", "/**", " ", `\ `}).Draw(t, "after")
}

var pathParts = []string{"a", "b", "ab", "a.md", "ba.md", "x y", "*", "B", "a "}

func drawPaths(t *rapid.T) []string {
	paths := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pathParts), 1, 4).Draw(t, "path"), "/")
	}), 20, 40, rapid.ID[string]).Draw(t, "paths")
	return paths
}

func TestIgnoredAgreesWithGit(t *testing.T) {
	s := newScene(t).open()
	rapid.Check(t, func(rt *rapid.T) {
		lines := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.Custom(drawPattern), 0, 4).Draw(rt, label), "\n") + "\n"
		}
		write := func(file, text string) {
			os.MkdirAll(filepath.Dir(file), 0o777)
			os.WriteFile(file, []byte(text), 0o666)
		}
		write(filepath.Join(s.top, ".gitignore"), lines("top"))
		write(filepath.Join(s.top, "a", ".gitignore"), lines("a"))
		write(filepath.Join(s.top, "a", "b", ".gitignore"), lines("a/b"))
		write(filepath.Join(s.top, ".git", "info", "exclude"), lines("exclude"))
		write(filepath.Join(s.home(), ".config", "git", "ignore"), lines("global"))
		paths := drawPaths(rt)
		var ask []memsync.Path
		for _, p := range paths {
			// A path is a file here, for git as for us.
			if info, err := os.Stat(filepath.Join(s.top, p)); err == nil && info.IsDir() {
				continue
			}
			ask = append(ask, memsync.Path(p))
		}
		got, err := s.repo.Ignored(ask)
		if err != nil {
			rt.Fatal(err)
		}
		want := s.checkIgnore(ask)
		for _, p := range ask {
			if got[p] != want[p] {
				rt.Errorf("%q: ignored here %v, by git %v", p, got[p], want[p])
			}
		}
	})
}

func (s *scene) home() string {
	return environ(s.env).get("HOME")
}

func (s *scene) checkIgnore(paths []memsync.Path) map[memsync.Path]bool {
	var in bytes.Buffer
	for _, p := range paths {
		in.WriteString(string(p) + "\x00")
	}
	cmd := exec.Command(s.bin, "check-ignore", "-z", "--stdin")
	cmd.Dir, cmd.Env, cmd.Stdin = s.top, s.env, &in
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
		s.t.Fatal(err)
	}
	got := map[memsync.Path]bool{}
	for _, p := range strings.Split(string(out), "\x00") {
		if p != "" {
			got[memsync.Path(p)] = true
		}
	}
	return got
}

func TestIgnored(t *testing.T) {
	s := newScene(t).open()
	s.must("tracked.log", "t", "keep.md", "k")
	s.write(".gitignore", "\ufeff*.log\nbuild/\n!build/keep.md\n/only-top.md\ndocs/**/draft.md\nquoted\\ \ntrailing   \n#comment\n\\#hash\r\nlit**/**\n")
	s.write("sub/.gitignore", "!wanted.log\n")
	excludes := filepath.Join(t.TempDir(), "excludes")
	os.WriteFile(excludes, []byte("*.swp\n"), 0o666)
	s.git("config", "core.excludesFile", excludes)
	os.WriteFile(filepath.Join(s.top, ".git/info/exclude"), []byte("*~\n"), 0o666)
	cases := map[memsync.Path]bool{
		"tracked.log": false, // git tracks it
		"x.log":       true, "sub/x.log": true, "sub/wanted.log": false,
		"build/keep.md": true, // nothing comes back from an ignored directory
		"only-top.md":   true, "sub/only-top.md": false,
		"docs/draft.md": true, "docs/a/b/draft.md": true, "draft.md": false,
		"quoted ": true, "quoted": false, "trailing": true, "#comment": false, "#hash": true,
		"litter": true, "sub/litter": false, // what stands before the magic is compared by itself
		"a.swp": true, "a.md~": true, "keep.md": false,
	}
	var ask []memsync.Path
	for p := range cases {
		ask = append(ask, p)
	}
	got, err := s.repo.Ignored(ask)
	if err != nil {
		t.Fatal(err)
	}
	git := s.checkIgnore(ask)
	for p, want := range cases {
		if got[p] != want || git[p] != want {
			t.Errorf("%q: ignored %v, by git %v, want %v", p, got[p], git[p], want)
		}
	}
}

func TestAttributesAgreeWithGit(t *testing.T) {
	s := newScene(t).open()
	names := []string{"text", "eol", "filter", "ident", "working-tree-encoding", "crlf", "mine"}
	rapid.Check(t, func(rt *rapid.T) {
		lines := func(label string, macros bool) string {
			var out []string
			for range rapid.IntRange(0, 4).Draw(rt, label) {
				p := drawPattern(rt)
				if macros && rapid.IntRange(0, 5).Draw(rt, "macro") == 0 {
					p = "[attr]mine"
				} else if strings.ContainsAny(p, " ") {
					p = `"` + strings.ReplaceAll(p, `\`, `\\`) + `"`
				}
				words := rapid.SliceOfN(rapid.SampledFrom([]string{"text", "-text", "!text", "text=auto", "eol=crlf", "filter=x", "-filter", "ident", "-ident", "binary", "mine", "-mine", "crlf", "-crlf", "working-tree-encoding=UTF-16"}), 1, 3).Draw(rt, "words")
				out = append(out, p+" "+strings.Join(words, " "))
			}
			return strings.Join(out, "\n") + "\n"
		}
		for _, dir := range []string{"", "a", "a/b"} {
			os.MkdirAll(filepath.Join(s.top, dir), 0o777)
			os.WriteFile(filepath.Join(s.top, dir, ".gitattributes"), []byte(lines("rules "+dir, dir == "")), 0o666)
		}
		os.WriteFile(filepath.Join(s.top, ".git/info/attributes"), []byte(lines("info", true)), 0o666)
		paths := drawPaths(rt)
		cmd := exec.Command(s.bin, append([]string{"check-attr", "-z", "--stdin"}, names...)...)
		cmd.Dir, cmd.Env, cmd.Stdin = s.top, s.env, strings.NewReader(strings.Join(paths, "\x00")+"\x00")
		out, err := cmd.Output()
		if err != nil {
			rt.Fatal(err)
		}
		fields := strings.Split(string(out), "\x00")
		a := s.repo.attributes()
		for i := 0; i+2 < len(fields); i += 3 {
			name, attr, want := fields[i], fields[i+1], fields[i+2]
			got := a.of(name)[attr]
			switch got {
			case "", attrUnspecified:
				got = "unspecified"
			case attrSet:
				got = "set"
			case attrUnset:
				got = "unset"
			}
			if got != want {
				rt.Errorf("%q %s: %q here, %q by git", name, attr, got, want)
			}
		}
	})
}

func TestConfigAgreesWithGit(t *testing.T) {
	s := newScene(t).open()
	other := filepath.Join(t.TempDir(), "included")
	os.WriteFile(other, []byte("[user]\n\tname = From Include\n[core]\n\tautocrlf = input\n"), 0o666)
	os.WriteFile(filepath.Join(s.home(), ".gitconfig"), []byte(fmt.Sprintf(`
[user]
	email = ada@example.org ; comment
	name = "Ada \"the first\" # not a comment"   # comment
[include] path = %s
[include]
	path = ~/relative
[includeIf "gitdir:%s/"]
	path = yes
[includeIf "gitdir:~/nowhere/"]
	path = no
[includeIf "gitdir/i:**/WORK/.git"]
	path = folded
[includeIf "onbranch:ma*"]
	path = branch
[filter "Lfs.Dotted"]
	clean = one \
two\tthree
	required
[Section.Old]
	Key = 1k
[empty]
	value =
	quoted = "  spaces kept  "
`, other, s.top)), 0o666)
	for name, text := range map[string]string{
		"relative": "[a]\n\tb = c", "yes": "[cond]\nyes = 1", "no": "[cond]\nno = 1", "folded": "[cond]\nfolded = 1", "branch": "[cond]\nbranch = 1",
	} {
		os.WriteFile(filepath.Join(s.home(), name), []byte(text), 0o666)
	}
	s.git("config", "extensions.worktreeConfig", "true")
	s.git("config", "--worktree", "w.t", "1")
	s.compareConfig()
	if got := s.repo.config().get("user.name"); got != "From Include" {
		t.Errorf("user.name is %q", got)
	}
	// A changed file is read again, a new one is noticed.
	os.WriteFile(filepath.Join(s.home(), "yes"), []byte("[cond]\nyes = changed"), 0o666)
	s.compareConfig()
	os.Remove(filepath.Join(s.home(), "yes"))
	s.compareConfig()
}

// A condition that only git understands is git's to judge.
func TestConfigAsksGit(t *testing.T) {
	s := newScene(t).open()
	os.WriteFile(filepath.Join(s.home(), ".gitconfig"), []byte("[includeIf \"hasconfig:remote.*.url:https://example.org/**\"]\n\tpath = ~/work\n"), 0o666)
	os.WriteFile(filepath.Join(s.home(), "work"), []byte("[user]\n\tname = At Work\n\tvalueless\n"), 0o666)
	s.compareConfig()
	s.git("remote", "add", "origin", "https://example.org/x.git")
	s.compareConfig()
	if got := s.repo.config().get("user.name"); got != "At Work" {
		t.Errorf("user.name is %q", got)
	}
}

func (s *scene) compareConfig() {
	s.t.Helper()
	want := map[string][]string{}
	for _, item := range strings.Split(s.git("config", "--list", "-z", "--includes"), "\x00") {
		if item == "" {
			continue
		}
		key, value, ok := strings.Cut(item, "\n")
		if !ok {
			value = "true"
		}
		if !strings.HasPrefix(key, "include") {
			want[key] = append(want[key], value)
		}
	}
	got := maps.Clone(s.repo.config().values)
	maps.DeleteFunc(got, func(key string, _ []string) bool { return strings.HasPrefix(key, "include") })
	for key, v := range want {
		if !slices.Equal(got[key], v) {
			s.t.Errorf("%s is %q, git says %q", key, got[key], v)
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			s.t.Errorf("%s is unknown to git", key)
		}
	}
}

// FuzzConfig: whatever a configuration file holds, it is read as git reads it,
// or git refuses it.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{"[a]\nb = c\n", "[a \"b\\\"c\"]\n\td = \"e;f\" # g\n", "[a.b]c=1\\\n2", "[a]b\n c", "[a]\nb = \\t\"x\\n\"  y \n", "\ufeff[x]y=\r\n", "[a]b=c[d]e=f", "[a \"x]\nb=c", "A=\r0", "A=\"\" \r\t0\t1"} {
		f.Add(seed)
	}
	bin, err := exec.LookPath("git")
	if err != nil {
		f.Fatal(err)
	}
	env := testEnv(f)
	file := filepath.Join(f.TempDir(), "config")
	blanks := strings.NewReplacer("\t", " ", "\r", " ") // before 2.45 git made blanks of them
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsRune(text, 0) || strings.Contains(strings.ToLower(text), "include") {
			return
		}
		os.WriteFile(file, []byte(text), 0o666)
		cmd := exec.Command(bin, "config", "--file", file, "--list", "-z")
		cmd.Env = env
		out, err := cmd.Output()
		var got []string
		parseConfig([]byte(text), func(key, value string) { got = append(got, key+"\n"+value) })
		if err != nil {
			return // git refuses the file as a whole
		}
		var want []string
		for _, item := range strings.Split(string(out), "\x00") {
			if item == "" {
				continue
			}
			if !strings.Contains(item, "\n") {
				item += "\ntrue"
			}
			want = append(want, item)
		}
		same := func(a, b string) bool { return blanks.Replace(a) == blanks.Replace(b) }
		if !slices.EqualFunc(got, want, same) {
			t.Errorf("%q\nread as %q\ngit has %q", text, got, want)
		}
	})
}

// FuzzWildmatch: laws that hold for every pattern, and no pattern that never
// ends. That matches are git's is compared by the properties above.
func FuzzWildmatch(f *testing.F) {
	for _, seed := range [][2]string{{"**/a", "b/a"}, {"a/**/b", "a/b"}, {"[a-c]*", "b/x"}, {"*/b", "a/b"}, {"**", "a/b/c"}, {"a**b", "a/b"}, {`\*`, "*"}, {"[[:digit:]]", "7"}, {"[", "["}, {"a/**", "a/b"}, {"[!a]", "A"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 40 || len(text) > 60 {
			return
		}
		for _, path := range []bool{false, true} {
			got := wildmatch(pattern, text, path, false)
			// Folding only adds matches, but to a set that excludes; a literal
			// matches itself alone.
			if got && !strings.Contains(pattern, "[") && !wildmatch(pattern, text, path, true) {
				t.Errorf("%q matches %q only without folding", pattern, text)
			}
			if !strings.ContainsAny(pattern, `*?[\`) && got != (pattern == text) {
				t.Errorf("literal %q against %q: %v", pattern, text, got)
			}
		}
	})
}
