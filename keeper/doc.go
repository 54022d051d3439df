// Package keeper owns the order of things and none of the rules.
package keeper
