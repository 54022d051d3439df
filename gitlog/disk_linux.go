package gitlog

import (
	"os"

	"golang.org/x/sys/unix"
)

// diskOf tells the file system that dir lies on.
func diskOf(dir string) diskKind {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return diskPlain
	}
	switch uint32(st.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC:
		return diskOrdered
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC,
		unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC, unix.NCP_SUPER_MAGIC,
		unix.V9FS_MAGIC, unix.FUSE_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC:
		// FUSE is mostly sshfs and cloud drives; where it is a local disk the
		// state moves to the state directory for nothing, which costs nothing.
		return diskNetwork
	}
	return diskPlain
}

// startWriteback begins writing a file's pages without waiting.
func startWriteback(f *os.File) {
	_ = unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
}

// waitWriteback waits until they are written.
func waitWriteback(f *os.File) error {
	return unix.SyncFileRange(int(f.Fd()), 0, 0,
		unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
