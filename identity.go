package memsync

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"time"
)

// ID is the identity of a memory, a ledger event or a plan: a ULID in its
// canonical form, 26 upper-case characters of Crockford's base 32. The zero
// value means "none yet".
type ID string

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// ParseID reads a ULID. Lower case is accepted and folded; anything that is
// not exactly a ULID is refused, because a person's own `id: 42` is not ours.
func ParseID(s string) (ID, error) {
	if len(s) != 26 || s[0] > '7' {
		return "", &Error{Code: CodeIdentityMismatch, Message: "not a ULID: " + quote(s)}
	}
	up := strings.ToUpper(s)
	for i := 0; i < len(up); i++ {
		if !ofCrockford[up[i]] {
			return "", &Error{Code: CodeIdentityMismatch, Message: "not a ULID: " + quote(s)}
		}
	}
	return ID(up), nil
}

// ofCrockford says of a byte whether an id is made of such.
var ofCrockford = func() (of [256]bool) {
	for i := range len(crockford) {
		of[crockford[i]] = true
	}
	return of
}()

// MakeID builds the ULID of a time (millisecond precision, UTC) and 10 bytes
// of entropy. Drawing entropy is the keeper's; derived ids hash theirs.
func MakeID(at time.Time, entropy [10]byte) ID {
	var raw [16]byte
	ms := uint64(at.UnixMilli())
	for i := range 6 {
		raw[i] = byte(ms >> (40 - 8*i))
	}
	copy(raw[6:], entropy[:])
	// 128 bits, most significant first, in 26 groups of 5 (the first has 3).
	var out [26]byte
	for i := range out {
		var v byte
		for b := range 5 {
			bit := i*5 + b - 2
			v <<= 1
			if bit >= 0 {
				v |= raw[bit/8] >> (7 - bit%8) & 1
			}
		}
		out[i] = crockford[v]
	}
	return ID(out[:])
}

// Time is the moment an ID carries; the zero time for an ID that is not one.
func (id ID) Time() time.Time {
	if len(id) != 26 {
		return time.Time{}
	}
	var ms int64
	for i := range 10 {
		v := strings.IndexByte(crockford, id[i])
		if v < 0 {
			return time.Time{}
		}
		ms = ms<<5 | int64(v)
	}
	return time.UnixMilli(ms).UTC()
}

// Hash names the exact bytes of a file: lower-case hex SHA-256. The zero value
// stands for "no file".
type Hash string

// HashOf is the Hash of b. An empty file has a hash; only an absent one has
// none.
func HashOf(b []byte) Hash {
	sum := sha256.Sum256(b)
	return Hash(hex.EncodeToString(sum[:]))
}

// Path names a file inside a store: slash separated, relative to the store's
// root, never starting with a slash, never holding "." or ".." elements.
// format.CheckPath says whether a path may be written.
type Path string

// Join appends elements to a path. The empty path is the store's root.
func (p Path) Join(elem ...string) Path {
	return Path(path.Join(append([]string{string(p)}, elem...)...))
}

// Dir is the directory of p; the empty path for a file in the root.
func (p Path) Dir() Path {
	d := path.Dir(string(p))
	if d == "." {
		return ""
	}
	return Path(d)
}

// Base is the last element of p.
func (p Path) Base() string { return path.Base(string(p)) }

// In reports whether p lies in dir or below it; everything is in the root.
func (p Path) In(dir Path) bool {
	return dir == "" || p == dir || strings.HasPrefix(string(p), string(dir)+"/")
}

// Rel is p relative to dir; p itself when it does not lie below.
func (p Path) Rel(dir Path) Path {
	if dir == "" || !p.In(dir) || p == dir {
		return p
	}
	return p[len(dir)+1:]
}

func quote(s string) string {
	if len(s) > 60 {
		s = s[:60] + "…"
	}
	return `"` + strings.ToValidUTF8(s, "�") + `"`
}
