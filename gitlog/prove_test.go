//go:build prove

package gitlog

import "testing"

func TestProveThousandInterleavings(t *testing.T) { interleave(t, 500) }
