package gitlog

import "syscall"

func statOf(st *syscall.Stat_t) fileStat {
	return fileStat{
		ctime: uint32(st.Ctimespec.Sec), ctimeNano: uint32(st.Ctimespec.Nsec),
		mtime: uint32(st.Mtimespec.Sec), mtimeNano: uint32(st.Mtimespec.Nsec),
		dev: uint32(st.Dev), ino: uint32(st.Ino), uid: st.Uid, gid: st.Gid, size: uint32(st.Size),
	}
}
