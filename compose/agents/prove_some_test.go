//go:build !prove

package agents

// cases is how many each law draws; `make prove` draws 2,000.
const cases = 300
