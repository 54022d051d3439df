// Package watcher says where to look.
package watcher
