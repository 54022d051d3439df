package indexer

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"memsync"
)

func drawMemory(t *rapid.T) *memsync.Memory {
	text := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.SampledFrom([]string{"\x00", "\xff\xfe", "a\nb", "記憶"}))
	hash := rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[0-9a-f]{64}`), rapid.StringMatching(`[0-9a-f]{40}`), rapid.SampledFrom([]string{"abc", "ABCD", "xyz", "no hash"}))
	list := rapid.Custom(func(t *rapid.T) []string {
		if s := rapid.SliceOfN(text, 0, 4).Draw(t, "items"); len(s) > 0 {
			return s
		}
		return nil // an empty list and none are the same
	})
	moment := rapid.Custom(func(t *rapid.T) time.Time {
		if rapid.Bool().Draw(t, "zero") {
			return time.Time{}
		}
		return time.Unix(rapid.Int64Range(-6e10, 25e10).Draw(t, "sec"), rapid.Int64Range(0, 999999999).Draw(t, "ns")).UTC()
	})
	m := &memsync.Memory{
		ID: memsync.ID(text.Draw(t, "id")), Path: memsync.Path(text.Draw(t, "path")), Scope: text.Draw(t, "scope"),
		Kind: memsync.Kind(text.Draw(t, "kind")), Type: memsync.Type(text.Draw(t, "type")), TypeText: text.Draw(t, "typetext"),
		Slug: text.Draw(t, "slug"), Name: text.Draw(t, "name"), Description: text.Draw(t, "description"), Hook: text.Draw(t, "hook"),
		Tags: list.Draw(t, "tags"), Aliases: list.Draw(t, "aliases"), Key: text.Draw(t, "key"), Project: text.Draw(t, "project"),
		ValidFrom: moment.Draw(t, "from"), ValidUntil: moment.Draw(t, "until"), Pinned: rapid.Bool().Draw(t, "pinned"),
		Links: list.Draw(t, "links"), Supersedes: memsync.ID(text.Draw(t, "supersedes")), Target: text.Draw(t, "target"), Payload: text.Draw(t, "payload"),
		Conversations: list.Draw(t, "conversations"), CreatedAt: moment.Draw(t, "created"), Inline: rapid.Bool().Draw(t, "inline"),
		Hash: memsync.Hash(hash.Draw(t, "hash")), Blob: hash.Draw(t, "blob"), Size: rapid.Int64Range(0, 1<<40).Draw(t, "size"),
		SortKey: text.Draw(t, "sort"), BodyKey: memsync.Hash(hash.Draw(t, "body")), MetaKey: memsync.Hash(hash.Draw(t, "meta")),
	}
	if s := rapid.SliceOfN(rapid.Uint32(), 0, 64).Draw(t, "sketch"); len(s) > 0 {
		m.Sketch = s
	}
	return m
}

func TestMemoryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMemory(t)
		b := encodeMemory(m)
		var got memsync.Memory
		if err := newDecoder().memory(&got, m.Path, b); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(m, &got); d != "" {
			t.Fatal(d)
		}
		for cut := range b {
			if err := newDecoder().memory(&got, m.Path, b[:cut]); err == nil {
				t.Fatalf("cut at %d of %d it still reads", cut, len(b))
			}
		}
		if err := newDecoder().memory(&got, m.Path, append(b, 0)); err == nil {
			t.Fatal("a byte too many is not seen")
		}
	})
}

func TestDiskRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Disk{Stat: Stat{Size: rapid.Int64().Draw(t, "size"), MTime: rapid.Int64().Draw(t, "mtime"), CTime: rapid.Int64().Draw(t, "ctime"),
			Inode: rapid.Uint64().Draw(t, "inode"), Mode: rapid.Uint32().Draw(t, "mode")},
			Hash: memsync.Hash(rapid.StringMatching(`([0-9a-f]{64})?`).Draw(t, "hash")), Blob: rapid.StringMatching(`([0-9a-f]{40})?`).Draw(t, "blob")}
		if got, ok := decodeDisk(encodeDisk(d)); !ok || got != d {
			t.Fatalf("got %+v, want %+v", got, d)
		}
		tr := Tracked{Hash: d.Hash, Blob: d.Blob}
		if got, ok := decodeTracked(encodeTracked(tr)); !ok || got != tr {
			t.Fatalf("got %+v, want %+v", got, tr)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add(encodeMemory(&memsync.Memory{}))
	f.Add(encodeMemory(&memsync.Memory{ID: "01JNB2Q0T7ZC4X9V8M5H3K2RDF", Name: "n", Tags: []string{"a", "b"}, Hash: memsync.HashOf(nil), Blob: "abc",
		CreatedAt: time.Unix(1, 2).UTC(), Sketch: []uint32{1, 2, 3}, Pinned: true}))
	f.Add(encodeDisk(Disk{Hash: memsync.HashOf(nil)}))
	f.Fuzz(func(t *testing.T, b []byte) {
		decodeDisk(b)
		decodeTracked(b)
		var m, again memsync.Memory
		if newDecoder().memory(&m, "p", b) != nil {
			return
		}
		if err := newDecoder().memory(&again, "p", encodeMemory(&m)); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(m, again); d != "" {
			t.Fatal(d)
		}
	})
}
