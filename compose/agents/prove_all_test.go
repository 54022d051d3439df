//go:build prove

package agents

const cases = 2000
