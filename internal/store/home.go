package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"memsync"
)

// Home is the directory of the home store: $MEMSYNC_HOME, else ~/.memsync.
func Home(env func(string) string) (string, error) {
	if h := env("MEMSYNC_HOME"); h != "" {
		return filepath.Abs(h)
	}
	if h := env("HOME"); h != "" {
		return filepath.Join(h, string(Dir)), nil
	}
	return "", &memsync.Error{Code: memsync.CodeStoreNone,
		Message: "neither MEMSYNC_HOME nor HOME is set, so there is no home store",
		Hint:    "set MEMSYNC_HOME, or name a store with -C DIR"}
}

// LoadHome is the home store, or nil when it has not been made yet.
func LoadHome(env func(string) string) (*Store, error) {
	dir, err := Home(env)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "memsync.toml")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrPermission) {
		return nil, err
	}
	if !isFile(file) {
		return nil, nil
	}
	return Load(dir, Dedicated)
}

// LocalDir is where a home store keeps what must not leave the machine.
func LocalDir(home string) string { return filepath.Join(home, "local") }

// LoadLocal is the local store of a home directory, or nil when there is none.
func LoadLocal(home string) (*Store, error) {
	dir := LocalDir(home)
	if !isFile(filepath.Join(dir, "memsync.toml")) {
		return nil, nil
	}
	return Load(dir, Local)
}
