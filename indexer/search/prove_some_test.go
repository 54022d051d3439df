//go:build !prove

package search

// histories is how many a test run draws: each is a build, up to thirty steps
// and a rebuild on disk. `make prove` does 500.
const histories = 12
