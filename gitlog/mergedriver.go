package gitlog

import (
	"os"
	"path/filepath"
	"strings"

	"memsync"
)

// MergeDriver is how this clone has git merge files with the attribute
// merge=memsync. The attribute travels with the store; what it stands for is each
// clone's own configuration, as a program that git runs has to be.
type MergeDriver struct {
	State   DriverState `json:"state"`
	Command string      `json:"command,omitempty"` // merge.memsync.driver, as git reads it
	Binary  string      `json:"binary,omitempty"`  // that it runs, where it is one that InstallMergeDriver wrote
}

// DriverState is what stands in the configuration.
type DriverState string

const (
	DriverAbsent    DriverState = "absent"    // git merges these files as any text, with markers
	DriverInstalled DriverState = "installed" // git runs it
	DriverForeign   DriverState = "changed"   // somebody's own command: taken as it is
	DriverHollow    DriverState = "hollow"    // a section without a driver: every merge of such a file ends in a fatal error
	DriverGone      DriverState = "gone"      // the program is not there
)

const driverSection = "merge.memsync"

// DriverCommand is merge.memsync.driver for a memsync. git runs it by a shell. The
// program beside it that does this alone starts sooner. Where none of the two, nor
// another memsync, is there, git's own merge runs: a driver that can't be started
// would leave "ours" without a marker.
func DriverCommand(binary string) string {
	alone, whole := shellWord(driverBeside(binary)), shellWord(binary)
	return "if " + shellThere(alone) + "; then exec " + alone + driverArgs +
		"; elif " + shellThere(whole) + "; then exec " + whole + " merge-driver" + driverArgs + driverElse
}

const (
	driverArgs = " %O %A %B %L %P"
	driverElse = "; elif command -v memsync >/dev/null; then exec memsync merge-driver" + driverArgs +
		"; else exec git merge-file --marker-size=%L %A %O %B; fi"
)

// driverWithout is what DriverCommand was before there was a program beside memsync.
func driverWithout(binary string) string {
	whole := shellWord(binary)
	return "if [ -x " + whole + " ]; then exec " + whole + " merge-driver" + driverArgs + driverElse
}

// shellThere is a shell's question for a program. A shell takes an empty file for a
// script that did its work, and a directory for one that it may not start.
func shellThere(word string) string {
	return "[ -f " + word + " ] && [ -s " + word + " ] && [ -x " + word + " ]"
}

// shellWord is a program in a command in which git replaces what follows a %.
func shellWord(program string) string {
	return strings.ReplaceAll(shellQuote(filepath.ToSlash(program)), "%", "%%")
}

// driverBeside is the program beside a memsync that is its merge driver alone.
func driverBeside(binary string) string {
	suffix := ""
	if filepath.Ext(binary) == ".exe" {
		suffix = ".exe"
	}
	return filepath.Join(filepath.Dir(binary), "memsync-merge-driver"+suffix)
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// driverBinary is the memsync of a command that DriverCommand makes, or made.
func driverBinary(command string) (string, bool) {
	before, _, ok := strings.Cut(command, " merge-driver"+driverArgs+driverElse)
	at := strings.LastIndex(before, " ]; then exec ")
	if !ok || at < 0 {
		return "", false
	}
	binary := strings.TrimSuffix(strings.TrimPrefix(before[at+len(" ]; then exec "):], "'"), "'")
	binary = strings.ReplaceAll(strings.ReplaceAll(binary, `'\''`, "'"), "%%", "%")
	return binary, command == DriverCommand(binary) || command == driverWithout(binary)
}

// MergeDriver says what this clone's configuration has.
func (r *Repo) MergeDriver() MergeDriver {
	set := r.config()
	d := MergeDriver{State: DriverAbsent, Command: set.get(driverSection + ".driver")}
	binary, ours := driverBinary(d.Command)
	switch {
	case d.Command == "":
		for key := range set.values {
			if strings.HasPrefix(key, driverSection+".") {
				d.State = DriverHollow
			}
		}
	case ours:
		d.State, d.Binary = DriverInstalled, binary
		beside := d.Command == DriverCommand(binary) && isProgram(driverBeside(binary))
		if !beside && !isProgram(binary) && lookProgram(r.env, "memsync") == "" {
			d.State = DriverGone
		}
	default:
		d.State = DriverForeign
		word, _, _ := strings.Cut(d.Command, " ")
		word = strings.Trim(word, `"'`)
		if plain := !strings.ContainsAny(word, "$`;&|()"); plain && word != "" && !isProgram(word) && lookProgram(r.env, word) == "" {
			d.State = DriverGone
		}
	}
	return d
}

func isProgram(file string) bool {
	if !filepath.IsAbs(file) {
		return false
	}
	info, err := os.Stat(filepath.FromSlash(file))
	return err == nil && info.Mode().IsRegular() && info.Size() > 0 && (info.Mode().Perm()&0o111 != 0 || !unixModes)
}

// InstallMergeDriver has this clone's git merge by a program, which is named by
// its absolute path. What is there already is replaced.
func (r *Repo) InstallMergeDriver(binary string) error {
	if !filepath.IsAbs(binary) {
		return &memsync.Error{Code: memsync.CodeUsage, Message: "the merge driver needs an absolute path, not " + binary}
	}
	return r.editConfig([]string{driverSection}, func(text string) string {
		return withSettings(text, driverSection, "name", "memsync: memories by meaning", "driver", DriverCommand(binary))
	})
}

// RemoveMergeDriver takes the section out of this clone's configuration. Set for
// all repositories of a person, it stays.
func (r *Repo) RemoveMergeDriver() error {
	return r.editConfig([]string{driverSection}, func(text string) string { return withoutSection(text, driverSection) })
}

// Driven reports whether git is told to merge the file at p by memsync.
func (t TreeAttributes) Driven(p memsync.Path) bool {
	return t.a.of(t.a.r.full(p))["merge"] == "memsync"
}
