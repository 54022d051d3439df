//go:build !prove

package gitlog

import "flag"

// killEvery is how many steps lie between two deaths: `make prove` dies at every
// one.
const killEvery = 9

// joinHistories is how many histories run on real repositories.
const joinHistories = 1

// Each check here runs real repositories, so a test run does a fourth of the
// library's usual hundred; -rapid.checks says otherwise, `make prove` does all.
func init() {
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic("bug: " + err.Error())
	}
}
