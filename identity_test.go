package memsync_test

import (
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"pgregory.net/rapid"

	"memsync"
)

// MakeID and ID.Time agree with the library that other tools use.
func TestMakeIDIsAULID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(0, 1<<48-1).Draw(t, "ms")
		var entropy [10]byte
		copy(entropy[:], rapid.SliceOfN(rapid.Byte(), 10, 10).Draw(t, "entropy"))
		at := time.UnixMilli(ms)
		id := memsync.MakeID(at, entropy)
		var want ulid.ULID
		if err := want.SetTime(uint64(ms)); err != nil {
			t.Fatal(err)
		}
		if err := want.SetEntropy(entropy[:]); err != nil {
			t.Fatal(err)
		}
		if string(id) != want.String() {
			t.Fatalf("%s, the library says %s", id, want)
		}
		if !id.Time().Equal(at.UTC()) {
			t.Fatalf("%s is of %s, want %s", id, id.Time(), at.UTC())
		}
		if parsed, err := memsync.ParseID(string(id)); err != nil || parsed != id {
			t.Fatalf("%s parses as %s, %v", id, parsed, err)
		}
	})
}

func TestParseIDRefusesWhatIsNoULID(t *testing.T) {
	for _, s := range []string{"", "42", "01JNB2Q0T7ZC4X9V8M5H3K2RD", "01JNB2Q0T7ZC4X9V8M5H3K2RDFF", "81JNB2Q0T7ZC4X9V8M5H3K2RDF",
		"01JNB2Q0T7ZC4X9V8M5H3K2RDU", "01JNB2Q0T7ZC4X9V8M5H3K2RD-", "note-about-the-release-trn"} {
		if id, err := memsync.ParseID(s); err == nil {
			t.Errorf("%q parses as %s", s, id)
		}
	}
	if id, err := memsync.ParseID("01jnb2q0t7zc4x9v8m5h3k2rdf"); err != nil || id != "01JNB2Q0T7ZC4X9V8M5H3K2RDF" {
		t.Errorf("lower case: %s, %v", id, err)
	}
}
