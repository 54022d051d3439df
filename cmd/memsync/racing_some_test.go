//go:build !prove

package main

const racingSaves = 600
