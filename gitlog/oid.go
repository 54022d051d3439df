package gitlog

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
)

// oid is the name of a git object as raw bytes (20 of SHA-1, 32 of SHA-256).
// The empty oid stands for "absent". Hexadecimal is for the surface only.
type oid string

func (o oid) hex() string { return hex.EncodeToString([]byte(o)) }

// parseOID reads a full name in hexadecimal of the repository's length.
func (h hashKind) parseOID(s string) (oid, bool) {
	if len(s) != 2*h.size {
		return "", false
	}
	b, err := hex.DecodeString(s)
	if err != nil {
		return "", false
	}
	return oid(b), true
}

// hashKind is a repository's object format.
type hashKind struct {
	name string // git's: sha1, sha256
	size int
	new  func() hash.Hash
}

var (
	kindSHA1   = hashKind{"sha1", sha1.Size, sha1.New}
	kindSHA256 = hashKind{"sha256", sha256.Size, sha256.New}
)

// zero is how git writes "no object" in reflogs and update-ref.
func (h hashKind) zero() string {
	const z = "0000000000000000000000000000000000000000000000000000000000000000"
	return z[:2*h.size]
}

// object types in git's words.
const (
	typeBlob   = "blob"
	typeTree   = "tree"
	typeCommit = "commit"
	typeTag    = "tag"
)

// header is what git hashes and stores before the content.
func header(typ string, size int) []byte {
	b := make([]byte, 0, len(typ)+22)
	b = append(b, typ...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(size), 10)
	return append(b, 0)
}

// id is the name of an object with that content.
func (h hashKind) id(typ string, content []byte) oid {
	sum := h.new()
	sum.Write(header(typ, len(content)))
	sum.Write(content)
	return oid(sum.Sum(nil))
}

// BlobID is the object id that content has as a file without conversions.
func (r *Repo) BlobID(content []byte) string { return r.kind.id(typeBlob, content).hex() }
