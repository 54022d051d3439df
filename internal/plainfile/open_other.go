//go:build !unix

package plainfile

import "os"

func open(name string, flag int) (*os.File, error) { return os.OpenFile(name, flag, 0) }
