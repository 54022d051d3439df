// Package journal remembers, durably, what was decided before anything changed.
package journal
