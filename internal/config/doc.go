// Package config turns memsync.toml and workspace.toml into values, strictly,
// with places in errors, and edits one key without touching any other byte.
//
// It also resolves a policy and the directories of a store into scopes. It
// reads no file itself and never guesses: a key nobody knows is an error with
// its line and the nearest name.
package config
