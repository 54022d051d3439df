//go:build !unix

package hooks

const executableBits = false
