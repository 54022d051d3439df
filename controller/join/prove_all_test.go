//go:build prove

package join

const histories = 2000
