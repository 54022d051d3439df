//go:build prove

package gitlog

const killEvery = 1
