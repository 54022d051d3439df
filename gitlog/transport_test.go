//go:build unix

package gitlog

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memsync"
)

// bareRepo is a repository that a server has, "name.git" below root.
func bareRepo(t *testing.T, root, name string, args ...string) string {
	t.Helper()
	dir := filepath.Join(root, name)
	s := newScene(t)
	s.git(append(append([]string{"init", "-q", "--bare", "-b", "main"}, args...), dir)...)
	s.git("-C", dir, "config", "http.receivepack", "true")
	return dir
}

// cloneAt is a store with the remote origin at an address.
func cloneAt(t *testing.T, sv server, address string, initArgs ...string) *scene {
	t.Helper()
	s := newScene(t, initArgs...)
	s.env = append(s.env, sv.env...)
	if s.opt.NoBinary = sv.noBinary; sv.noBinary {
		dir, err := httpProgramDir()
		check(t, err)
		s.env = append(s.env, "PATH="+dir)
	}
	s.open()
	check(t, s.repo.AddRemote("origin", address, "main"))
	return s
}

func (s *scene) add(name, content string) string {
	s.t.Helper()
	s.write(name, content)
	s.git("add", "-A")
	s.git("commit", "-q", "-m", name)
	return s.git("rev-parse", "HEAD")
}

// untouched runs do and checks that it left everything local as it was: files,
// index, HEAD and branches; and that git finds nothing broken.
func (s *scene) untouched(do func() error) error {
	s.t.Helper()
	look := func() string {
		return s.git("for-each-ref", "refs/heads") + s.git("symbolic-ref", "HEAD") + s.git("status", "--porcelain", "--ignored") + s.git("ls-files", "-s")
	}
	before := look()
	err := do()
	if after := look(); after != before {
		s.t.Errorf("it changed something local:\n%s\nwas\n%s", after, before)
	}
	if out, ferr := s.tryGit("fsck", "--strict", "--no-dangling"); ferr != nil || strings.Contains(out, "error") {
		s.t.Errorf("fsck: %v %s", ferr, out)
	}
	return err
}

func (s *scene) fetch(opt Transfer) (f Fetched, err error) {
	s.t.Helper()
	err = s.untouched(func() error {
		f, err = s.repo.Fetch(context.Background(), "origin", "main", opt)
		return err
	})
	return f, err
}

func (s *scene) push(opt Transfer) error {
	s.t.Helper()
	return s.untouched(func() error { return s.repo.Push(context.Background(), "origin", "HEAD", "main", opt) })
}

// said checks an error's code, that its message says something of the remote
// and its hint what to do, and that no password is shown.
func said(t *testing.T, err error, code memsync.Code, words ...string) {
	t.Helper()
	var e *memsync.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("%v (%s), want %s", err, memsync.CodeOf(err), code)
		return
	}
	for _, w := range words {
		if !strings.Contains(e.Message, w) {
			t.Errorf("%q does not say %q", e.Message, w)
		}
	}
	if e.Hint == "" {
		t.Errorf("%s: no hint", e.Message)
	}
	if text := e.Message + e.Hint; strings.Contains(text, "let%20me") || strings.Contains(text, serverPassword) || strings.Contains(text, "ada:wrong") {
		t.Errorf("a password is shown: %s", text)
	}
}

// TestTransport takes two clones through everything that can happen between
// them and a remote, on each way to it.
func TestTransport(t *testing.T) {
	root := t.TempDir()
	for name, sv := range servers(t, root) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := strings.ReplaceAll(name, " ", "-") + ".git"
			dir := bareRepo(t, root, repo)
			address := sv.base + "/" + repo
			a, b := cloneAt(t, sv, address), cloneAt(t, server{}, dir)
			ctx := context.Background()

			// an empty remote
			heads, err := a.repo.Heads(ctx, "origin", Transfer{})
			if err != nil || len(heads) != 0 {
				t.Fatalf("%v %v", heads, err)
			}
			first := a.add("memory/a.md", "one\n")
			if f, err := a.fetch(Transfer{}); err != nil || f != (Fetched{}) {
				t.Fatalf("%+v %v", f, err)
			}
			check(t, a.push(Transfer{}))
			if got := a.git("rev-parse", "refs/remotes/origin/main"); got != first {
				t.Errorf("after a push origin/main is %s, want %s", got, first)
			}
			if heads, err = a.repo.Heads(ctx, "origin", Transfer{}); err != nil || heads["main"] != first {
				t.Errorf("%v %v", heads, err)
			}
			check(t, a.push(Transfer{})) // nothing to do

			// the other one takes it, and is ahead
			if f, err := b.fetch(Transfer{}); err != nil || f.Tip != first {
				t.Fatalf("%+v %v", f, err)
			}
			b.git("reset", "-q", "--hard", "origin/main")
			second := b.add("memory/b.md", strings.Repeat("two\n", 1000))
			check(t, b.push(Transfer{}))
			a.write("memory/dirty.md", "not committed\n")
			mine := a.add("memory/c.md", "three\n")

			// a race
			said(t, a.push(Transfer{}), memsync.CodeSyncRejected, "main", "lacks")
			if got := b.git("ls-remote", dir, "refs/heads/main"); !strings.HasPrefix(got, second) {
				t.Errorf("the remote moved: %s", got)
			}
			f, err := a.fetch(Transfer{})
			if err != nil || f.Before != first || f.Tip != second {
				t.Fatalf("%+v %v", f, err)
			}
			if rel, base, err := a.repo.Relate("HEAD", "refs/remotes/origin/main"); err != nil || rel != Diverged || base != first {
				t.Errorf("%s %s %v", rel, base, err)
			}
			said(t, a.push(Transfer{}), memsync.CodeSyncRejected, "main") // still: it was fetched, not joined
			a.git("merge", "-q", "--no-edit", "origin/main")
			if rel, _, err := a.repo.Relate("HEAD", "refs/remotes/origin/main"); err != nil || rel != Ahead {
				t.Errorf("%s %v", rel, err)
			}

			// the remote's own hook
			hook := filepath.Join(dir, "hooks", "pre-receive")
			check(t, os.WriteFile(hook, []byte("#!/bin/sh\necho 'no memories on Sundays' >&2\nexit 1\n"), 0o755))
			said(t, a.push(Transfer{}), memsync.CodeSyncRefused, "pre-receive", "no memories on Sundays")
			check(t, os.Remove(hook))
			check(t, a.push(Transfer{}))
			if got := a.git("-C", dir, "rev-parse", mine+"^{commit}"); got != mine {
				t.Error(got)
			}
			a.git("-C", dir, "fsck", "--strict")

			// the remote's history is rewritten: said each time, until a person takes it
			b.git("commit", "-q", "--amend", "-m", "another past")
			b.git("push", "-q", "-f", "origin", "main")
			known := a.git("rev-parse", "origin/main")
			for range 2 {
				_, err = a.fetch(Transfer{})
				said(t, err, memsync.CodeSyncForced, "rewritten")
			}
			if got := a.git("rev-parse", "origin/main"); got != known {
				t.Errorf("origin/main followed to %s", got)
			}
			said(t, a.push(Transfer{}), memsync.CodeSyncRejected)
			a.git("push", "-q", "-f", dir, known+":refs/heads/main")

			// the branch is gone
			a.git("-C", dir, "update-ref", "refs/heads/other", known)
			a.git("-C", dir, "update-ref", "-d", "refs/heads/main")
			_, err = a.fetch(Transfer{})
			said(t, err, memsync.CodeSyncForced, "no branch main any more")
			a.git("-C", dir, "update-ref", "refs/heads/main", known)

			// another store's history
			stranger := cloneAt(t, sv, address)
			stranger.add("memory/x.md", "somebody else's\n")
			if _, err = stranger.fetch(Transfer{}); err != nil {
				t.Fatal(err)
			}
			_, _, err = stranger.repo.Relate("HEAD", "origin/main")
			said(t, err, memsync.CodeSyncUnrelated, "nothing in common")
			said(t, stranger.push(Transfer{}), memsync.CodeSyncRejected)

			// no repository there
			lost := cloneAt(t, sv, sv.base+"/nothing.git")
			lost.add("memory/x.md", "x\n")
			said(t, lost.push(Transfer{}), memsync.CodeSyncNotRepository)
			_, err = lost.fetch(Transfer{})
			said(t, err, memsync.CodeSyncNotRepository)

			// a wrong password
			if sv.wrong != "" {
				s := cloneAt(t, sv, sv.wrong+"/"+repo)
				s.add("memory/x.md", "x\n")
				said(t, s.push(Transfer{}), memsync.CodeSyncAuth)
				_, err = s.fetch(Transfer{})
				said(t, err, memsync.CodeSyncAuth)
			}
			if _, err := a.repo.Fetch(ctx, "elsewhere", "main", Transfer{}); memsync.CodeOf(err) != memsync.CodeSyncNoRemote {
				t.Error(err)
			}
		})
	}
}

// TestTransportSSH: a key that the server does not know, and a server that is not
// known: neither is asked about, neither is a race or a network that is down.
func TestTransportSSH(t *testing.T) {
	root := t.TempDir()
	bareRepo(t, root, "r.git")
	ssh, mine, stranger := sshServer(t)
	for what, env := range map[string][]string{
		"key":  stranger,
		"host": {strings.Replace(mine[0], "/known ", "/unknown ", 1)},
	} {
		s := cloneAt(t, server{env: env}, ssh+root+"/r.git")
		s.add("memory/x.md", "x\n")
		t.Log(what)
		said(t, s.push(Transfer{}), memsync.CodeSyncAuth)
		_, err := s.fetch(Transfer{})
		said(t, err, memsync.CodeSyncAuth)
	}
}

// TestTransportLost: the connection breaks midway, nobody listens, nobody
// answers. Nothing is half there afterwards.
func TestTransportLost(t *testing.T) {
	root := t.TempDir()
	dir := bareRepo(t, root, "r.git")
	full := cloneAt(t, server{}, dir)
	full.add("memory/a.md", strings.Repeat("a line that is hard to make small\n", 5000))
	check(t, full.push(Transfer{}))
	breaks := httpServer(t, root, false, func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method == http.MethodGet {
			return true
		}
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		w.Header().Set("Content-Length", "100000")
		w.Write([]byte("0008NAK\n"))
		panic(http.ErrAbortHandler)
	})
	hangs := make(chan struct{})
	silent := httpServer(t, root, false, func(http.ResponseWriter, *http.Request) bool {
		<-hangs
		return false
	})
	t.Cleanup(func() { close(hangs) })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	nobody := "http://" + l.Addr().String()
	l.Close()
	for _, noBinary := range []bool{false, true} {
		for base, code := range map[string]memsync.Code{breaks.URL: memsync.CodeSyncUnreachable, nobody: memsync.CodeSyncUnreachable, silent.URL: memsync.CodeSyncTimeout} {
			s := cloneAt(t, server{noBinary: noBinary}, base+"/r.git")
			s.add("memory/x.md", "x\n")
			opt := Transfer{Timeout: time.Minute}
			if code == memsync.CodeSyncTimeout {
				opt.Timeout = 300 * time.Millisecond
			}
			_, err := s.fetch(opt)
			said(t, err, code)
			said(t, s.untouched(func() error { return s.repo.Push(context.Background(), "origin", "HEAD", "fresh", opt) }), code)
			if left, _ := filepath.Glob(filepath.Join(s.top, ".git", "objects", "pack", "tmp_*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		}
		s := cloneAt(t, server{noBinary: noBinary}, silent.URL+"/r.git")
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := s.repo.Fetch(ctx, "origin", "main", Transfer{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
}

// TestTransportKinds: kinds of repository that need a word of their own.
func TestTransportKinds(t *testing.T) {
	root := t.TempDir()
	dir := bareRepo(t, root, "r.git")
	full := cloneAt(t, server{}, dir)
	full.add("memory/a.md", "one\n")
	full.add("memory/b.md", "two\n")
	check(t, full.push(Transfer{}))
	web := httpServer(t, root, false, nil).URL

	t.Run("shallow", func(t *testing.T) {
		s := newScene(t)
		s.git("fetch", "-q", "--depth=1", "file://"+dir, "main")
		s.git("reset", "-q", "--hard", "FETCH_HEAD")
		s.open()
		check(t, s.repo.AddRemote("origin", "file://"+dir, "main"))
		mine := s.add("memory/c.md", "three\n")
		check(t, s.push(Transfer{})) // its base is known there
		// the remote goes back behind what this clone has of the past
		s.git("-C", dir, "update-ref", "refs/heads/main", full.git("rev-parse", "HEAD~1"))
		other := cloneAt(t, server{}, dir)
		if _, err := other.fetch(Transfer{}); err != nil {
			t.Fatal(err)
		}
		other.git("reset", "-q", "--hard", "origin/main")
		other.add("memory/d.md", "four\n")
		check(t, other.push(Transfer{}))
		s.git("update-ref", "-d", "refs/remotes/origin/main")
		if _, err := s.fetch(Transfer{}); err != nil {
			t.Fatal(err)
		}
		_, _, err := s.repo.Relate(mine, "origin/main")
		said(t, err, memsync.CodeSyncShallow, "shallow")
		s.opt.NoBinary = true
		s.git("config", "remote.origin.url", web+"/r.git")
		s.open()
		_, err = s.fetch(Transfer{})
		said(t, err, memsync.CodeGitMissing, "shallow")
	})
	t.Run("partial", func(t *testing.T) {
		bareRepo(t, root, "p.git")
		s := newScene(t)
		s.git("-C", dir, "config", "uploadpack.allowFilter", "true")
		s.git("remote", "add", "origin", "file://"+dir)
		s.git("fetch", "-q", "--filter=blob:none", "origin", "main")
		s.git("config", "remote.origin.promisor", "true")
		s.git("reset", "-q", "--hard", "FETCH_HEAD")
		s.open()
		if _, err := s.fetch(Transfer{}); err != nil {
			t.Fatal(err)
		}
		s.add("memory/e.md", "five\n")
		check(t, s.push(Transfer{}))
		s.opt.NoBinary = true
		s.git("config", "remote.origin.url", web+"/p.git")
		s.open()
		_, err := s.fetch(Transfer{})
		said(t, err, memsync.CodeGitMissing, "partial")
	})
	t.Run("sha256", func(t *testing.T) {
		theirs := bareRepo(t, root, "s256.git", "--object-format=sha256")
		s := cloneAt(t, server{}, theirs, "--object-format=sha256")
		s.add("memory/a.md", "one\n")
		check(t, s.push(Transfer{}))
		if f, err := s.fetch(Transfer{}); err != nil || len(f.Tip) != 64 {
			t.Errorf("%+v %v", f, err)
		}
		mixed := cloneAt(t, server{}, dir, "--object-format=sha256")
		mixed.add("memory/a.md", "one\n")
		_, err := mixed.fetch(Transfer{})
		said(t, err, memsync.CodeGitUnsupported, "hash")
		said(t, mixed.push(Transfer{}), memsync.CodeGitUnsupported, "hash")
	})
	t.Run("bare", func(t *testing.T) {
		if _, err := Open(dir, Options{Env: full.env}); memsync.CodeOf(err) != memsync.CodeStoreNone {
			t.Error(err)
		}
		s := cloneAt(t, server{}, dir)
		s.add("memory/a.md", "one\n")
		s.git("config", "core.bare", "true")
		_, err := s.repo.Fetch(context.Background(), "origin", "main", Transfer{})
		said(t, err, memsync.CodeGitUnsupported, "bare")
	})
	t.Run("checked out there", func(t *testing.T) {
		s := cloneAt(t, server{}, full.top)
		if _, err := s.fetch(Transfer{}); err != nil {
			t.Fatal(err)
		}
		s.git("reset", "-q", "--hard", "origin/main")
		s.add("memory/z.md", "z\n")
		said(t, s.push(Transfer{}), memsync.CodeSyncRefused, "checked out")
	})
	t.Run("no binary, no http", func(t *testing.T) {
		s := cloneAt(t, server{noBinary: true}, dir)
		_, err := s.repo.Fetch(context.Background(), "origin", "main", Transfer{})
		said(t, err, memsync.CodeGitMissing, "http")
	})
}

// TestPushRunsHooks: LFS and people have pre-push hooks; memsync's own need not
// look again at what was scanned.
func TestPushRunsHooks(t *testing.T) {
	root := t.TempDir()
	s := cloneAt(t, server{}, bareRepo(t, root, "r.git"))
	log := filepath.Join(root, "log")
	s.write(".git/hooks/pre-push", "#!/bin/sh\necho \"$1 memsync=$MEMSYNC_HOOK\" >>"+log+"\n[ ! -e "+root+"/no ] || { echo 'not today' >&2; exit 1; }\n")
	check(t, os.Chmod(filepath.Join(s.top, ".git", "hooks", "pre-push"), 0o755))
	s.add("memory/a.md", "one\n")
	check(t, s.push(Transfer{Scanned: true}))
	s.add("memory/a.md", "two\n")
	check(t, s.push(Transfer{}))
	s.git("config", "--unset-all", "remote.origin.fetch")
	tip := s.add("memory/b.md", "b\n")
	check(t, s.push(Transfer{Scanned: true}))
	if got := s.git("rev-parse", "refs/remotes/origin/main"); got != tip {
		t.Errorf("origin/main is %s, want %s", got, tip)
	}
	data, _ := os.ReadFile(log)
	if string(data) != "origin memsync=off\norigin memsync=\norigin memsync=off\n" {
		t.Errorf("%q", data)
	}
	check(t, os.WriteFile(filepath.Join(root, "no"), nil, 0o600))
	s.add("memory/a.md", "three\n")
	said(t, s.push(Transfer{}), memsync.CodeGit, "not today")
}
