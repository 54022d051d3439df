package gitlog

import (
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Nearby asks for the tip of a remote's branch where the remote is a repository in a
// directory of this machine: two reads, and no process of git's. It is for who
// asks whether anything is new; what is fetched goes through git. ok is false
// where git has to be asked: another kind of address or of repository, a branch
// that is not there or is a name for another one, or anything unusual about how
// this repository reaches that remote.
//
// ask touches nothing of this repository and may be called beside anything. It has
// no end where the directory's file system gives no answer.
func (r *Repo) Nearby(d Destination) (ask func() (tip string, ok bool)) {
	no := func() (string, bool) { return "", false }
	dir := directoryOf(d.Remote.URL)
	if dir == "" || !validBranch(d.Branch) {
		return no
	}
	set := r.config()
	if set.get("remote."+d.Remote.Name+".uploadpack") != "" {
		return no
	}
	for key := range set.values {
		if strings.HasPrefix(key, "url.") { // other addresses stand for this one
			return no
		}
	}
	return func() (string, bool) { return r.kind.tipIn(dir, d.Branch) }
}

// tipIn is the tip of a branch of the repository in a directory.
func (k hashKind) tipIn(dir, branch string) (tip string, ok bool) {
	if below := filepath.Join(dir, ".git"); isDir(below) {
		dir = below
	}
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil || !isDir(filepath.Join(dir, "objects")) || isDir(filepath.Join(dir, "reftable")) {
		return "", false
	}
	ref := "refs/heads/" + branch
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(ref)))
	if err == nil {
		id, ok := k.parseOID(strings.TrimSpace(string(data)))
		return id.hex(), ok
	}
	if !isAbsent(err) { // what is packed would be an older one
		return "", false
	}
	if data, err = os.ReadFile(filepath.Join(dir, "packed-refs")); err != nil {
		return "", false
	}
	id := k.packedRef(data, ref)
	return id.hex(), id != ""
}

// directoryOf is the directory that an address names as a whole path, or "".
func directoryOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") && runtime.GOOS != "windows" {
		address = u.Path
	}
	if !filepath.IsAbs(address) {
		return ""
	}
	return filepath.Clean(address)
}

func isDir(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.IsDir()
}
