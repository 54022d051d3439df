//go:build !prove

package compose

// cases is how many each law draws; `make prove` draws 10,000.
const cases = 300
