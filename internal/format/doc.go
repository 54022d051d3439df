// Package format turns bytes into memories and back without losing one.
package format
