package main

import "golang.org/x/sys/unix"

// peerOf is the user at the other end of a socket; -1 when the kernel does not
// say, which counts as a stranger.
func peerOf(fd int) (uid int, known bool) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return -1, true
	}
	return int(cred.Uid), true
}
