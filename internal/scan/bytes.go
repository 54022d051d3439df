package scan

// tokenByte says which bytes make up tokens: base 64 in both alphabets, words,
// points, tildes; and the bytes of ſ and K, which (?i) counts as s and k.
var tokenByte = [256]bool{
	'+': true, '-': true, '.': true, '/': true, '0': true, '1': true, '2': true, '3': true,
	'4': true, '5': true, '6': true, '7': true, '8': true, '9': true, '=': true, 'A': true,
	'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true,
	'J': true, 'K': true, 'L': true, 'M': true, 'N': true, 'O': true, 'P': true, 'Q': true,
	'R': true, 'S': true, 'T': true, 'U': true, 'V': true, 'W': true, 'X': true, 'Y': true,
	'Z': true, '\\': true, '_': true, 'a': true, 'b': true, 'c': true, 'd': true, 'e': true,
	'f': true, 'g': true, 'h': true, 'i': true, 'j': true, 'k': true, 'l': true, 'm': true,
	'n': true, 'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true, 'u': true,
	'v': true, 'w': true, 'x': true, 'y': true, 'z': true, '~': true, 0x84: true, 0xAA: true,
	0xBF: true, 0xC5: true, 0xE2: true,
}

// mayHide are the control characters but line ends and tabs, and the bytes with
// which hidden characters begin.
var mayHide = [256]bool{
	0x00: true, 0x01: true, 0x02: true, 0x03: true, 0x04: true, 0x05: true, 0x06: true, 0x07: true,
	0x08: true, 0x0B: true, 0x0C: true, 0x0E: true, 0x0F: true, 0x10: true, 0x11: true, 0x12: true,
	0x13: true, 0x14: true, 0x15: true, 0x16: true, 0x17: true, 0x18: true, 0x19: true, 0x1A: true,
	0x1B: true, 0x1C: true, 0x1D: true, 0x1E: true, 0x1F: true, 0x7F: true, 0xC2: true, 0xCD: true,
	0xD8: true, 0xE1: true, 0xE2: true, 0xE3: true, 0xEF: true, 0xF0: true, 0xF3: true,
}

func wordRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
}
