//go:build !prove

package lint_test

const cases = 200
