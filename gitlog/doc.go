// Package gitlog makes a plan durable, or leaves enough behind to finish it.
package gitlog
