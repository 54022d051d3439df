//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"memsync"
)

// socketLimit is how long a socket's path may be: the smallest system has room
// for 104 bytes, with the one that ends it.
const socketLimit = 100

// socketPath is where the owner of a store listens: in its state directory, or
// where that is too deep for a socket, in a directory of this user's among the
// temporary files.
func socketPath(stateDir string) string {
	p := filepath.Join(stateDir, "sock")
	if len(p) <= socketLimit {
		return p
	}
	sum := sha256.Sum256([]byte(stateDir))
	name := filepath.Join("memsync-"+strconv.Itoa(os.Getuid()), hex.EncodeToString(sum[:8])+".sock")
	if p = filepath.Join(os.TempDir(), name); len(p) <= socketLimit {
		return p
	}
	return filepath.Join("/tmp", name)
}

// ours reports whether a directory is one that nobody else can put a socket
// into: this user's, no link, closed to all others.
func ours(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// listenOwner opens the socket of a store whose lock this process holds. What
// an earlier owner left there is taken away.
func listenOwner(stateDir string) (*net.UnixListener, error) {
	p := socketPath(stateDir)
	if err := os.Mkdir(filepath.Dir(p), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, &memsync.Error{Code: memsync.CodeIOWrite, Message: "the owner's socket can't be made", Err: err}
	}
	if !ours(filepath.Dir(p)) {
		return nil, &memsync.Error{Code: memsync.CodeIODenied, Message: filepath.Dir(p) + " is not this user's alone, so the owner's socket can't be in it",
			Hint: fmt.Sprintf("remove it, or chmod 700 %s if it is yours", shellQuote(filepath.Dir(p)))}
	}
	if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &memsync.Error{Code: memsync.CodeIOWrite, Message: "an old socket can't be removed", Err: err}
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p, Net: "unix"})
	if err == nil {
		if err = os.Chmod(p, 0o600); err != nil {
			l.Close()
		}
	}
	if err != nil {
		return nil, &memsync.Error{Code: memsync.CodeIOWrite, Message: "the owner's socket can't be opened", Err: err}
	}
	return l, nil
}

// dialOwner connects to the socket of a store; nil when nobody listens there,
// or somebody else could.
func dialOwner(stateDir string) *net.UnixConn {
	p := socketPath(stateDir)
	if !ours(filepath.Dir(p)) {
		return nil
	}
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: p, Net: "unix"})
	if err != nil {
		return nil
	}
	if !peerIsUs(conn) {
		conn.Close()
		return nil
	}
	return conn
}

// peerIsUs reports whether the other end of a connection is this user, or root.
func peerIsUs(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	uid, known := -1, false
	if raw.Control(func(fd uintptr) { uid, known = peerOf(int(fd)) }) != nil {
		return false
	}
	return !known || uid == os.Getuid() || uid == 0
}
