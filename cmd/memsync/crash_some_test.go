//go:build !prove

package main

// crashStride is how many steps lie between two kills: `make prove` kills at
// every one.
const crashStride = 29
