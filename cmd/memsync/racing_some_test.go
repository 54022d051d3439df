//go:build !prove

package main

const racingSaves = 2_000
