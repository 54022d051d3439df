//go:build prove

package main

const racingSaves = 20_000
