package gitlog

import (
	"bytes"
	"compress/zlib"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLooseObjects: what git would refuse of a loose object is refused, whatever
// was read before with the same buffers; none is believed for its header.
func TestLooseObjects(t *testing.T) {
	deflate := func(s string) []byte {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		io.WriteString(z, s)
		check(t, z.Close())
		return b.Bytes()
	}
	whole := deflate("blob 5\x00hello")
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-1] ^= 1
	name := filepath.Join(t.TempDir(), "object")
	var f inflater
	for _, c := range []struct {
		say   string
		bytes []byte
		ok    bool
	}{
		{"a blob", whole, true},
		{"an empty file", nil, false},
		{"not compressed", []byte("blob 5\x00hello"), false},
		{"cut short", whole[:len(whole)-6], false},
		{"a wrong checksum", flipped, false},
		{"less than it says", deflate("blob 6\x00hello"), false},
		{"more than it says", deflate("blob 4\x00hello"), false},
		{"far less than it says", deflate("blob 9223372036854775806\x00hello"), false},
		{"a size that is none", deflate("blob -5\x00hello"), false},
		{"a size that is no number", deflate("blob five\x00hello"), false},
		{"no size", deflate("blob\x00hello"), false},
		{"no type", deflate(" 5\x00hello"), false},
		{"no such type", deflate("blub 5\x00hello"), false},
		{"a header without an end", deflate(strings.Repeat("blob 5", 100)), false},
		{"nothing", deflate(""), false},
		{"a blob again", whole, true},
	} {
		check(t, os.WriteFile(name, c.bytes, 0o600))
		typ, data, err := f.loose(name)
		if (err == nil) != c.ok || c.ok && (typ != typeBlob || string(data) != "hello") {
			t.Errorf("%s: %s %q %v", c.say, typ, data, err)
		}
	}
	if _, _, err := f.loose(name + "s"); !os.IsNotExist(err) {
		t.Error(err)
	}
}
