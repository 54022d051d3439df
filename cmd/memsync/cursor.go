package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"memsync"
)

// pageJSON says where a page of results stands among all of them.
type pageJSON struct {
	Total      int    `json:"total"`
	Limit      int    `json:"limit"`
	HasMore    bool   `json:"has_more"`
	NextCursor string `json:"next_cursor"`
}

func pageOf(total, limit int, next string) pageJSON {
	return pageJSON{total, limit, next != "", next}
}

// sayMore tells a person of the next page.
func (a *app) sayMore(shown, total int, next string) {
	if next != "" {
		a.say("%d of %d; more with --cursor %s", shown, total, next)
	}
}

// A cursor says how many results of each store came on the pages before, and
// what was asked: it is worth nothing to another question.

func encodeCursor(asked string, skips []int) string {
	b := binary.BigEndian.AppendUint64(nil, fingerprint(asked))
	for _, n := range skips {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// decodeCursor gives so many skips; all are 0 for an empty cursor.
func decodeCursor(cursor, asked string, stores int) ([]int, error) {
	skips := make([]int, stores)
	if cursor == "" {
		return skips, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	ok := err == nil && len(b) > 8 && binary.BigEndian.Uint64(b) == fingerprint(asked)
	if ok {
		b = b[8:]
		for i := range skips {
			n, size := binary.Uvarint(b)
			if ok = size > 0 && n < 1<<31; !ok {
				break
			}
			skips[i], b = int(n), b[size:]
		}
	}
	if !ok || len(b) > 0 {
		return nil, &memsync.Error{Code: memsync.CodeUsage, Message: "the cursor does not belong to this question",
			Hint: "ask exactly what the page before was asked, or begin without a cursor"}
	}
	return skips, nil
}

func fingerprint(s string) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, s)
	return h.Sum64()
}
