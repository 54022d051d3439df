// Package recall turns a View into what a reader is given.
package recall
