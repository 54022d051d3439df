//go:build prove

package gitlog

const killEvery = 1

const joinHistories = 60
