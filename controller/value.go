package controller

import (
	"sync"

	"memsync"
	"memsync/internal/text"
)

// valueHash is how the ledger names a value: the text never stands there.
//
// Every line of every save is looked up, so plain ASCII does not take the way
// through five normal forms: there each character has a key of its own,
// whatever stands beside it (TestValueHash holds this against text.ValueKey).
func valueHash(s string) memsync.Hash {
	keys := asciiKeys()
	var room [512]byte
	key := room[:0]
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return memsync.HashOf([]byte(text.ValueKey(s)))
		}
		key = append(key, keys[s[i]]...)
	}
	return memsync.HashOf(key)
}

var asciiKeys = sync.OnceValue(func() (keys [0x80]string) {
	for c := range keys {
		keys[c] = text.ValueKey(string(rune(c)))
	}
	return keys
})
