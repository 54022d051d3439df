package gitlog

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
)

// selfMark names this process.
var selfMark = sync.OnceValue(func() Mark {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	id, _ := os.ReadFile("/etc/machine-id")
	return Mark{
		Machine: machineName(strings.TrimSpace(string(id))),
		Boot:    strings.TrimSpace(string(boot)),
		Space:   oneWord(space),
		PID:     os.Getpid(),
		Start:   processStart(os.Getpid()),
	}
})

// processStart is the kernel's tick at which a process began: field 22 of
// /proc/<pid>/stat, counted from behind the name, which may hold anything.
func processStart(pid int) string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	i := bytes.LastIndexByte(data, ')')
	if i < 0 {
		return ""
	}
	f := strings.Fields(string(data[i+1:]))
	if len(f) < 20 {
		return ""
	}
	return f[19]
}

// gitRunning reports whether a git command of somebody else works in the work
// tree: one whose working directory lies in it.
func gitRunning(top string) bool {
	procs, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	self := strconv.Itoa(os.Getpid())
	for _, p := range procs {
		if p.Name()[0] < '0' || p.Name()[0] > '9' {
			continue
		}
		dir := "/proc/" + p.Name()
		stat, err := os.ReadFile(dir + "/stat")
		if err != nil {
			continue
		}
		open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
		if open < 0 || end < open || string(stat[open+1:end]) != "git" {
			continue
		}
		f := strings.Fields(string(stat[end+1:]))
		if len(f) < 2 || f[0] == "Z" || f[1] == self {
			continue // over, or a helper of ours
		}
		cwd, err := os.Readlink(dir + "/cwd")
		if err == nil && (cwd == top || strings.HasPrefix(cwd, top+"/")) {
			return true
		}
	}
	return false
}
