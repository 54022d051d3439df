//go:build unix

package hooks

// executableBits: files say whether they are programs.
const executableBits = true
