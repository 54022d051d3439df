//go:build prove

package compose

const cases = 10000
