//go:build prove

package main

import "testing"

func TestManyClonesConverge(t *testing.T) {
	for seed := range uint64(40) {
		convergence(t, 100+seed, 3+int(seed%3), 40)
	}
}
