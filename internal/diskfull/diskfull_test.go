package diskfull

import (
	"errors"
	"fmt"
	"os"
	"testing"
)

func TestIs(t *testing.T) {
	full := numbers[0]
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"no error", nil, false},
		{"the number", full, true},
		{"of a file", &os.PathError{Op: "write", Path: "x", Err: full}, true},
		{"as text alone, as bbolt has it", fmt.Errorf("file resize error: %v", full), true},
		{"as text alone, as scorch has it", errors.New("persist err: write x: " + full.Error()), true},
		{"another error", os.ErrPermission, false},
		{"one that speaks of it", errors.New(full.Error() + " was said of another"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Is(tt.err); got != tt.want {
				t.Errorf("Is(%v) = %v", tt.err, got)
			}
		})
	}
}
