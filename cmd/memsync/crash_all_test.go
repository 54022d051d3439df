//go:build prove

package main

const crashStride = 1
