//go:build !prove

package keeper

const histories = 8
