package gitlog

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"memsync"
)

func TestQ47_LinkedWorktree(t *testing.T) {
	backends(t, func(t *testing.T, s *scene) {
		s.open()
		s.must("a.md", "a")
		main := s.repo
		tree := filepath.Join(filepath.Dir(s.top), "linked")
		s.git("worktree", "add", "-q", "-b", "side", tree)
		s.top = tree
		s.open()
		if s.repo.GitDir() == s.repo.CommonDir() || s.repo.StateDir() == main.StateDir() {
			t.Errorf("git dir %s, common %s, state %s", s.repo.GitDir(), s.repo.CommonDir(), s.repo.StateDir())
		}
		s.must("a.md", "b")
		s.must("dir/c.md", "c")
		if got := s.git("reflog", "-1", "--format=%gs", "HEAD"); !strings.HasPrefix(got, "commit: ") {
			t.Errorf("reflog of the worktree: %q", got)
		}
		if st, err := s.repo.State(); err != nil || st.Branch != "side" || st.Paused != "" {
			t.Errorf("%+v %v", st, err)
		}
		// A lock of one worktree is none of the other's.
		os.WriteFile(filepath.Join(main.GitDir(), "index.lock"), nil, 0o666)
		s.must("a.md", "d")
	})
}

func TestQ47_Submodule(t *testing.T) {
	backends(t, func(t *testing.T, s *scene) {
		s.open()
		s.must("a.md", "a")
		outer := filepath.Join(filepath.Dir(s.top), "outer")
		os.Mkdir(outer, 0o777)
		inner := s.top
		s.top = outer
		s.git("init", "-q", "-b", "main")
		s.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "mem")
		s.git("commit", "-qm", "add submodule")
		outerRepo := s.open()
		_, err := outerRepo.commit("mem/x.md", "x")
		wantCode(t, err, memsync.CodePathInvalid)
		os.Remove(filepath.Join(s.root, "mem/x.md"))
		s.top = filepath.Join(outer, "mem")
		s.open()
		s.must("a.md", "b")
		if st, err := s.repo.State(); err != nil || st.Branch != "main" {
			t.Errorf("%+v %v", st, err)
		}
	})
}

func TestSeparateGitDir(t *testing.T) {
	s := newScene(t)
	s.git("init", "-q", "--separate-git-dir", filepath.Join(filepath.Dir(s.top), "elsewhere"))
	s.open("below")
	s.must("a.md", "a")
}

func TestShallowAndAlternates(t *testing.T) {
	backends(t, func(t *testing.T, s *scene) {
		s.open()
		s.must("a.md", "1", "b.md", "b")
		s.must("a.md", "2")
		s.must("c.md", "3")
		origin, parent := s.top, filepath.Dir(s.top)
		s.git("clone", "-q", "--depth=2", "file://"+origin, filepath.Join(parent, "shallow"))
		s.git("clone", "-q", "--shared", origin, filepath.Join(parent, "shared"))
		for _, kind := range []string{"shallow", "shared"} {
			s.top = filepath.Join(parent, kind)
			s.open()
			s.must("a.md", "3 in "+kind)
			s.must("d.md", "4")
		}
	})
}

func TestPartialClone(t *testing.T) {
	s := newScene(t).open()
	s.must("a.md", "1", "dir/b.md", "b")
	s.must("a.md", "2")
	s.git("config", "uploadpack.allowFilter", "true")
	s.git("config", "uploadpack.allowAnySHA1InWant", "true")
	s.git("clone", "-q", "--no-checkout", "--filter=tree:0", "file://"+s.top, filepath.Join(filepath.Dir(s.top), "partial"))
	s.top = filepath.Join(filepath.Dir(s.top), "partial")
	s.git("sparse-checkout", "set", "--cone", "nothing")
	s.git("checkout", "-q", "main")
	s.open()
	old, err := s.repo.Tree("HEAD~1", "")
	if err != nil || len(old) != 2 {
		t.Fatalf("%v %v", old, err)
	}
	if b, err := s.repo.Blob(old[0].Blob); err != nil || string(b) != "1" {
		t.Errorf("%q %v", b, err)
	}
	s.must("a.md", "3")
}

func TestSHA256(t *testing.T) {
	backends(t, func(t *testing.T, s *scene) {
		s.open()
		s.must("memory/a.md", "a", "memsync.toml", "format = 1")
		done := s.must("memory/a.md", "b")
		if len(done.ID) != 64 {
			t.Errorf("id %s", done.ID)
		}
		s.git("gc", "-q")
		s.must("memory/a.md", gone, "memory/b.md", "c")
		if p := s.repo.Probe(); p.Backend != "git" || len(p.Reasons) == 0 {
			t.Errorf("%+v", p)
		}
		if v, err := s.repo.Log(LogQuery{}); err != nil || len(v) != 3 {
			t.Errorf("%v %v", v, err)
		}
	}, "--object-format=sha256")
}

func TestSHA256WithoutBinary(t *testing.T) {
	s := newScene(t, "--object-format=sha256")
	s.opt.NoBinary = true
	s.open()
	if _, err := s.commit("a.md", "a"); err != nil {
		t.Fatal("a first commit reads nothing: ", err)
	}
	s.open() // which forgets what it wrote itself
	_, err := s.commit("a.md", "b")
	wantCode(t, err, memsync.CodeGitMissing)
	if p := s.repo.Probe(); len(p.Problems) == 0 {
		t.Errorf("%+v", p)
	}
}

// Attributes that would change content are respected: what is committed is
// what `git add` would have made of the same bytes.
func TestAttributes(t *testing.T) {
	filter := func(s *scene) {
		s.git("config", "filter.rot.clean", "tr a-z b-za")
		s.git("config", "filter.rot.smudge", "tr b-za a-z")
	}
	cases := []struct {
		name, attributes, content string
		prepare                   func(s *scene)
		reason                    string // how Probe names it, "" for native
	}{
		{"crlf attribute", "*.md text eol=crlf\n", "one\r\ntwo\r\n", nil, ""},
		{"text=auto", "* text=auto\n", "one\r\ntwo\r\n", nil, ""},
		{"-text keeps CRLF", "*.md -text\n", "one\r\ntwo\r\n", nil, ""},
		{"binary macro keeps CRLF", "*.md binary\n", "one\r\ntwo\r\n", nil, ""},
		{"autocrlf", "", "one\r\ntwo\r\n", func(s *scene) { s.git("config", "core.autocrlf", "input") }, ""},
		{"filter", "*.md filter=rot\n", "secret\n", filter, "filter=rot"},
		{"filter by a macro", "[attr]hidden filter=rot\n*.md hidden\n", "secret\n", filter, "filter=rot"},
		{"filter taken back", "*.md filter=rot\na.md -filter\n", "secret\n", filter, "filter=rot"},
		{"filter without a driver", "*.md filter=nobody\n", "secret\n", nil, ""},
		{"ident", "*.md ident\n", "$Id: 1234 $\n", nil, "ident"},
		{"encoding", "*.md working-tree-encoding=UTF-16LE\n", "h\x00i\x00\n\x00", nil, "working-tree-encoding=UTF-16LE"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			if c.prepare != nil {
				c.prepare(s)
			}
			s.open()
			s.must(".gitattributes", c.attributes, "keep.txt", "x")
			want := strings.TrimSpace(withStdin(s, c.content, "hash-object", "--stdin", "--path=dir/a.md"))
			done := s.must("dir/a.md", c.content)
			if done.Blobs["dir/a.md"] != want {
				t.Errorf("committed %s, git add makes %s", done.Blobs["dir/a.md"], want)
			}
			p := s.repo.Probe()
			if (c.reason != "") != (p.Backend == "git") || c.reason != "" && !strings.Contains(strings.Join(p.Reasons, "\n"), c.reason) {
				t.Errorf("%+v", p)
			}
			if want == s.repo.BlobID([]byte(c.content)) {
				return
			}
			// Without a binary it is refused in plain words, and nothing leaks.
			s.opt.NoBinary = true
			s.open()
			_, err := s.commit("dir/b.md", c.content)
			e := wantCode(t, err, memsync.CodeGitMissing)
			if !strings.Contains(e.Message, "dir/b.md") {
				t.Errorf("%q", e.Message)
			}
			if _, err := s.tryGit("cat-file", "-e", s.repo.BlobID([]byte(c.content))); err == nil {
				t.Error("the unfiltered bytes are in the object store")
			}
		})
	}
}

func withStdin(s *scene, stdin string, args ...string) string {
	cmd := exec.Command(s.bin, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = s.top, s.env, strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatal(err)
	}
	return string(out)
}

func TestQ42_SigningBroken(t *testing.T) {
	s := newScene(t).open()
	s.must("a.md", "a")
	s.git("config", "commit.gpgsign", "true")
	s.git("config", "gpg.program", "/nonexistent/gpg")
	head := s.git("rev-parse", "HEAD")
	_, err := s.commit("a.md", "b")
	e := wantCode(t, err, memsync.CodeGit)
	if !strings.Contains(e.Message, "/nonexistent/gpg") || e.Hint == "" {
		t.Errorf("git's words are lost: %q", e.Message)
	}
	if s.git("rev-parse", "HEAD") != head || s.git("status", "--porcelain") != " M a.md" {
		t.Error("something changed")
	}
	s.sound()
	if p := s.repo.Probe(); p.Backend != "git" || !strings.Contains(p.Reasons[0], "gpgsign") {
		t.Errorf("%+v", p)
	}
	s.git("config", "commit.gpgsign", "false")
	s.must("a.md", "b")
}

func TestSigning(t *testing.T) {
	s := newScene(t).open()
	s.must("a.md", "a")
	gpg := filepath.Join(t.TempDir(), "gpg")
	script := "#!/bin/sh\necho \"$@\" >> " + gpg + ".log\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----'\necho\necho fake\necho '-----END PGP SIGNATURE-----'\n"
	if err := os.WriteFile(gpg, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	s.git("config", "commit.gpgsign", "true")
	s.git("config", "gpg.program", gpg)
	done, err := s.commit("a.md", "b")
	if err != nil {
		t.Fatal(err)
	}
	s.check(done, "a.md", "b")
	if raw := s.git("cat-file", "-p", "HEAD"); !strings.Contains(raw, "gpgsig -----BEGIN PGP SIGNATURE-----") || !strings.Contains(raw, "committer memsync <memsync@localhost>") {
		t.Errorf("%s", raw)
	}
	// The key is the person's, not memsync's.
	if log, _ := os.ReadFile(gpg + ".log"); !strings.Contains(string(log), "ada@example.org") {
		t.Errorf("gpg was called with %s", log)
	}
}

// Hooks of the person do not run for commits of ours, whichever backend makes
// them, and Probe says which there are.
func TestQ42_HooksDoNotRun(t *testing.T) {
	backends(t, func(t *testing.T, s *scene) {
		s.open()
		dir := filepath.Join(filepath.Dir(s.top), "hooks")
		os.Mkdir(dir, 0o777)
		for _, name := range []string{"pre-commit", "commit-msg", "reference-transaction", "post-index-change"} {
			os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\ntouch "+dir+"/ran\nexit 1\n"), 0o755)
		}
		s.git("config", "core.hooksPath", dir)
		s.env = append(s.env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=/dev/null")
		s.must("a.md", "a")
		if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
			t.Error("a hook ran")
		}
		if p := s.repo.Probe(); !slices.Equal(p.Hooks, []string{"pre-commit", "commit-msg", "reference-transaction", "post-index-change"}) {
			t.Errorf("%+v", p)
		}
	})
}

func TestQ42_NoIdentity(t *testing.T) {
	for _, noBinary := range []bool{false, true} {
		s := newScene(t)
		s.opt.NoBinary = noBinary
		keep := s.env
		s.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1"}
		s.git("config", "user.useConfigOnly", "true")
		s.open()
		id, fallback := s.repo.Identity()
		if !fallback || id != (Ident{"memsync", "memsync@localhost"}) {
			t.Errorf("%v %v", id, fallback)
		}
		s.must("a.md", "a") // who commits needs no configuration
		s.git("config", "user.name", "Local Name")
		s.git("config", "user.email", "local@example.org")
		if id, fallback := s.repo.Identity(); fallback || id != (Ident{"Local Name", "local@example.org"}) {
			t.Errorf("%v %v", id, fallback)
		}
		s.env = keep
		s.open()
		if id, fallback := s.repo.Identity(); fallback || id != (Ident{"Ada", "ada@example.org"}) {
			t.Errorf("%v %v", id, fallback)
		}
	}
}

// Whoever the author is, the commit parses.
func TestStrangeAuthors(t *testing.T) {
	backends(t, func(t *testing.T, s *scene) {
		s.open()
		parent := ""
		for _, id := range []Ident{{}, {"<>", "x"}, {"A <b> \n C", "a\nb@c>"}, {"  .,;Dot. ", ""}, {"Żółć 日本", "u@h"}} {
			done, err := s.repo.Commit(context.Background(), Commit{Parent: parent, Message: "m\n\n\x00body\n\n\n", Author: id, When: s.when,
				Changes: []Change{{"a.md", []byte(id.Name + parent)}}})
			if err != nil {
				t.Fatalf("%q: %v", id, err)
			}
			parent = done.ID
			s.write("a.md", id.Name+parent)
		}
		s.sound()
		v, err := s.repo.Log(LogQuery{})
		if err != nil || len(v) != 5 || v[0].Author.Name != "Żółć 日本" || v[4].Author.Name != "memsync" {
			t.Errorf("%+v %v", v, err)
		}
	})
}

func TestQ42_ReadOnlyGitDir(t *testing.T) {
	if os.Geteuid() == 0 {
		readOnlyAsRoot(t)
		return
	}
	s := newScene(t).open()
	s.must("a.md", "a")
	for _, dir := range []string{".git", ".git/objects"} {
		dir := filepath.Join(s.top, dir)
		os.Chmod(dir, 0o555)
		defer os.Chmod(dir, 0o777)
	}
	_, err := s.commit("a.md", "b")
	e := wantCode(t, err, memsync.CodeIODenied)
	if e.Hint == "" {
		t.Error("no hint")
	}
	if len(s.repo.Probe().Problems) == 0 {
		t.Error("Probe sees no problem")
	}
}

// readOnlyAsRoot: permissions do not stop root, an immutable directory does.
func readOnlyAsRoot(t *testing.T) {
	s := newScene(t).open()
	s.must("a.md", "a")
	dir := filepath.Join(s.top, ".git")
	if out, err := exec.Command("chattr", "+i", dir, filepath.Join(dir, "objects")).CombinedOutput(); err != nil {
		t.Logf("cannot make a directory immutable here: %v %s", err, out)
		return
	}
	_, err := s.commit("a.md", "b")
	exec.Command("chattr", "-i", dir, filepath.Join(dir, "objects")).Run()
	e := wantCode(t, err, memsync.CodeIODenied)
	if e.Hint == "" {
		t.Error("no hint")
	}
	s.must("a.md", "b")
}

func TestWithoutBinary(t *testing.T) {
	s := newScene(t)
	os.RemoveAll(s.top)
	opt := Options{NoBinary: true, Env: s.env}
	if err := Init(s.top, "trunk", opt); err != nil {
		t.Fatal(err)
	}
	if err := Init(s.top, "other", opt); err != nil {
		t.Fatal("a second Init: ", err)
	}
	s.opt = opt
	s.open()
	s.must("memory/a.md", "a")
	s.must("memory/a.md", "b", "memory/b.md", "c")
	if got := s.git("symbolic-ref", "HEAD"); got != "refs/heads/trunk" {
		t.Errorf("branch %s", got)
	}
	if got := s.git("log", "--format=%an"); got != "Grace Hopper\nGrace Hopper" {
		t.Errorf("%q", got)
	}
	if p := s.repo.Probe(); p.Backend != "native" || len(p.Problems) > 0 || p.Binary != "" {
		t.Errorf("%+v", p)
	}
}

func TestInit(t *testing.T) {
	s := newScene(t)
	s.git("config", "--global", "init.defaultBranch", "dev")
	for _, noBinary := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "new", "store")
		if err := Init(dir, "", Options{NoBinary: noBinary, Env: s.env}); err != nil {
			t.Fatal(err)
		}
		r, err := Open(dir, Options{NoBinary: noBinary, Env: s.env})
		if err != nil {
			t.Fatal(err)
		}
		if st, err := r.State(); err != nil || st.Branch != "dev" || st.Head != "" {
			t.Errorf("%+v %v", st, err)
		}
		if err := Init(filepath.Join(dir, "x"), "bad..name", Options{Env: s.env}); memsync.CodeOf(err) != memsync.CodeUsage {
			t.Errorf("%v", err)
		}
	}
}

func TestOpenOutside(t *testing.T) {
	dir := t.TempDir()
	for _, root := range []string{dir, filepath.Join(dir, "missing")} {
		_, err := Open(root, Options{Env: testEnv(t)})
		wantCode(t, err, memsync.CodeStoreNone)
	}
	// GIT_DIR of some other command is not believed.
	s := newScene(t)
	_, err := Open(dir, Options{Env: append(s.env, "GIT_DIR="+filepath.Join(s.top, ".git"))})
	wantCode(t, err, memsync.CodeStoreNone)
}

// Variables that git exports inside hooks must not turn a commit elsewhere.
func TestInheritedEnvironment(t *testing.T) {
	backends(t, func(t *testing.T, s *scene) {
		other := newScene(t)
		keep := s.env
		s.env = append(slices.Clone(s.env), "GIT_DIR="+filepath.Join(other.top, ".git"), "GIT_WORK_TREE="+other.top,
			"GIT_INDEX_FILE="+filepath.Join(other.top, "idx"), "GIT_OBJECT_DIRECTORY="+filepath.Join(other.top, "objs"), "GIT_PREFIX=x/",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=commit.gpgsign", "GIT_CONFIG_VALUE_0=true")
		s.open()
		s.env = keep
		s.must("a.md", "a")
		s.must("a.md", "b")
		if n, err := s.repo.OtherChanges(); err != nil || n != 0 {
			t.Errorf("%d %v", n, err)
		}
	})
}

func TestCommitBackendsAgree(t *testing.T) {
	var ids [2][]string
	for i, w := range []func(*way){nil, allGit} {
		s := newScene(t)
		s.way = w
		s.open()
		for _, pairs := range [][]string{{"a.md", "1", "d/e/f.md", "2"}, {"a.md", gone, "d/x.md", "3"}, {"d/e/f.md", gone}} {
			ids[i] = append(ids[i], s.must(pairs...).ID)
		}
	}
	if !slices.Equal(ids[0], ids[1]) {
		t.Errorf("native %v, git %v", ids[0], ids[1])
	}
}

func TestSharedRepository(t *testing.T) {
	s := newScene(t, "--shared=group").open()
	s.must("a.md", "a")
	done := s.must("a.md", "b")
	if p := s.repo.Probe(); p.Backend != "git" {
		t.Errorf("%+v", p)
	}
	info, err := os.Stat(looseFile(s.repo.common, oid(mustHex(t, s.repo, done.ID))))
	if err != nil || info.Mode().Perm()&0o040 == 0 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func mustHex(t *testing.T, r *Repo, id string) oid {
	o, ok := r.kind.parseOID(id)
	if !ok {
		t.Fatal(id)
	}
	return o
}

func TestRefusedNames(t *testing.T) {
	s := newScene(t).open()
	for _, name := range []string{"", "/abs.md", "../up.md", "a/../b.md", "./a.md", "a//b.md", ".git/config", "x/.GIT/y.md", "git~1/x.md", ".git. /x", ".g\u200cit/x", ".git:stream", "nul\x00.md"} {
		_, err := s.repo.Commit(context.Background(), Commit{Message: "m", When: s.when, Changes: []Change{{memsync.Path(name), []byte("x")}}})
		if memsync.CodeOf(err) != memsync.CodePathInvalid {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestStateDir(t *testing.T) {
	s := newScene(t).open()
	dir := s.repo.StateDir()
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 || dir != filepath.Join(s.top, ".git", "memsync") {
		t.Errorf("%s %v %v", dir, info, err)
	}
	os.Chmod(dir, 0o755)
	s.repo.StateDir()
	if info, _ := os.Stat(dir); info.Mode().Perm() != 0o700 {
		t.Error("0700 is not restored")
	}
	s.env = append(s.env, "XDG_STATE_HOME="+filepath.Join(filepath.Dir(s.top), "state"))
	s.open()
	s.repo.disk = diskNetwork
	if dir := s.repo.StateDir(); !strings.HasPrefix(dir, filepath.Join(filepath.Dir(s.top), "state", "memsync")+"/") {
		t.Errorf("on a network file system: %s", dir)
	}
	s.must("a.md", "a") // every file synced by itself
	s.must("a.md", "b", "c/d.md", "e")
	if other := newScene(t).open(); other.repo.cloneName() == s.repo.cloneName() {
		t.Error("two clones share their state")
	}
}

func TestOtherChanges(t *testing.T) {
	s := newScene(t).open()
	s.must("a.md", "a")
	s.open("sub")
	s.must("memory/a.md", "a")
	s.write("notes.txt", "n")
	s.write("memory/_system/x.jsonl", "{}")
	s.write("memory/b.md", "b")
	os.WriteFile(filepath.Join(s.top, "outside.txt"), nil, 0o666)
	index, _ := os.ReadFile(filepath.Join(s.top, ".git/index"))
	if n, err := s.repo.OtherChanges(); err != nil || n != 1 {
		t.Errorf("%d %v", n, err)
	}
	if n, err := s.repo.OtherChanges(func(p memsync.Path) bool { return p == "notes.txt" }); err != nil || n != 2 {
		t.Errorf("%d %v", n, err)
	}
	if now, _ := os.ReadFile(filepath.Join(s.top, ".git/index")); !bytes.Equal(now, index) {
		t.Error("asking wrote the index")
	}
}

func TestMaintain(t *testing.T) {
	s := newScene(t).open()
	s.git("config", "maintenance.loose-objects.enabled", "true")
	s.git("config", "maintenance.loose-objects.auto", "1")
	for i := range 3 {
		s.must("a.md", itoa(i))
	}
	packs := func() bool { return !strings.Contains(s.git("count-objects", "-v"), "packs: 0") }
	if packs() {
		t.Fatal("a commit packs")
	}
	if err := s.repo.Maintain(t.Context()); err != nil || !packs() {
		t.Errorf("nothing is packed, %v", err)
	}
	s.must("a.md", "after")
	s.opt.NoBinary = true
	if err := s.open().repo.Maintain(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestFault(t *testing.T) {
	for err, code := range map[error]memsync.Code{
		syscall.ENOSPC: memsync.CodeIOFull, syscall.EDQUOT: memsync.CodeIOFull, syscall.EROFS: memsync.CodeIODenied,
		syscall.EACCES: memsync.CodeIODenied, syscall.EIO: memsync.CodeIOWrite,
	} {
		e := wantCode(t, fault(memsync.CodeIOWrite, "writing x", &os.PathError{Op: "write", Path: "x", Err: err}), code)
		if code != memsync.CodeIOWrite && e.Hint == "" {
			t.Errorf("%v: no hint", err)
		}
	}
	for said, code := range map[string]memsync.Code{
		"fatal: Unable to create '/x/.git/index.lock': File exists.":                                         memsync.CodeGitLocked,
		"fatal: update_ref failed for ref 'refs/heads/main': cannot lock ref 'refs/heads/main': is at a but": memsync.CodeGitMoved,
		"error: insufficient permission for adding an object to repository database .git/objects":            memsync.CodeIODenied,
		"fatal: write error: No space left on device":                                                        memsync.CodeIOFull,
		"error: gpg failed to sign the data":                                                                 memsync.CodeGit,
	} {
		e := wantCode(t, gitSaid([]string{"x"}, said, os.ErrInvalid), code)
		if !strings.Contains(e.Message, said) {
			t.Errorf("%q is lost: %q", said, e.Message)
		}
	}
}
