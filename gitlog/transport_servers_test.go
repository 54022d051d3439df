//go:build unix

package gitlog

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// server gives repositories below a directory to who asks, on this machine.
type server struct {
	base     string   // what stands before a repository's path
	env      []string // what a client needs beside
	noBinary bool     // the client has no git binary
	wrong    string   // base with a wrong credential; "" where there is none
}

// httpProgramDir has the program that speaks http where there is no git binary,
// built when it is first asked for.
var httpProgramDir = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "memsync-remote-http-")
	if err == nil {
		removeAfter = dir
		var out []byte
		if out, err = exec.Command("go", "build", "-o", dir, "memsync/cmd/"+httpProgram).CombinedOutput(); err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
	}
	return dir, err
})

var removeAfter string

func TestMain(m *testing.M) {
	code := m.Run()
	if removeAfter != "" {
		os.RemoveAll(removeAfter)
	}
	os.Exit(code)
}

const serverUser, serverPassword = "ada", "let me in"

// httpServer is git's own http-backend; with a password for who wants it so.
func httpServer(t *testing.T, root string, password bool, before func(http.ResponseWriter, *http.Request) bool) *httptest.Server {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := &cgi.Handler{Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"), Env: []string{
		"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=ada", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + t.TempDir()}, Stderr: &strings.Builder{}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		name, word, _ := q.BasicAuth()
		if password && (name != serverUser || subtle.ConstantTimeCompare([]byte(word), []byte(serverPassword)) != 1) {
			w.Header().Set("WWW-Authenticate", `Basic realm="memories"`)
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		if before == nil || before(w, q) {
			backend.ServeHTTP(w, q)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// sshServer is sshd, one process a connection, as inetd would start it.
func sshServer(t *testing.T) (address string, env, stranger []string) {
	t.Helper()
	sshd := "/usr/sbin/sshd"
	if p, err := exec.LookPath("sshd"); err == nil {
		sshd = p
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // sshd wants its empty directory
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, key := range []string{"host", "mine", "strange"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", at(key)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen (install openssh-client): %v %s", err, out)
		}
	}
	public, err := os.ReadFile(at("mine.pub"))
	check(t, err)
	check(t, os.WriteFile(at("authorized"), public, 0o600))
	check(t, os.WriteFile(at("config"), []byte("HostKey "+at("host")+"\nAuthorizedKeysFile "+at("authorized")+
		"\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPidFile none\n"), 0o600))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			f, err := conn.(*net.TCPConn).File()
			conn.Close()
			if err != nil {
				continue
			}
			cmd := exec.Command(sshd, "-i", "-f", at("config"))
			cmd.Stdin, cmd.Stdout = f, f
			if err := cmd.Start(); err == nil {
				go cmd.Wait()
			}
			f.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	host, err := os.ReadFile(at("host.pub"))
	check(t, err)
	check(t, os.WriteFile(at("known"), []byte("[127.0.0.1]:"+port+" "+string(host)), 0o600))
	ssh := func(key, known string) []string {
		return []string{"GIT_SSH_COMMAND=ssh -F /dev/null -i " + at(key) + " -o IdentitiesOnly=yes -o IdentityAgent=none -o UserKnownHostsFile=" + at(known) + " -o GlobalKnownHostsFile=/dev/null"}
	}
	return "ssh://" + me.Username + "@127.0.0.1:" + port, ssh("mine", "known"), ssh("strange", "known")
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// servers are all the ways to a directory of repositories.
func servers(t *testing.T, root string) map[string]server {
	open, closed := httpServer(t, root, false, nil).URL, httpServer(t, root, true, nil).URL
	with := func(base, who string) string { return strings.Replace(base, "http://", "http://"+who+"@", 1) }
	right := with(closed, serverUser+":"+strings.ReplaceAll(serverPassword, " ", "%20"))
	ssh, mine, _ := sshServer(t)
	return map[string]server{
		"file":                 {base: "file://" + root},
		"path":                 {base: root},
		"ssh":                  {base: ssh + root, env: mine},
		"http":                 {base: open},
		"http password":        {base: right, wrong: with(closed, "ada:wrong")},
		"http native":          {base: open, noBinary: true},
		"http password native": {base: right, noBinary: true, wrong: with(closed, "ada:wrong")},
	}
}
