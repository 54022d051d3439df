//go:build prove

package search

const histories = 500
