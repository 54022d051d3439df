// Package watcher says where to look: at a few paths that somebody touched
// (Watch), or everywhere (Scan).
//
// The scan is the truth: it lists the scopes' directories and names what
// differs from what is known. It reads no file and decides nothing; it never
// follows a symbolic link.
package watcher
