// Package report tells what lint found: to people in a terminal, to the services
// that run checks on a push, and to other programs.
//
// Findings hold what strangers wrote: names, and in messages words of a memory.
// So each format has its own law, and the fuzz test holds them all to it:
//
//   - The same run gives the same bytes.
//   - Whatever a finding says, the report parses as what it claims to be, holds
//     each finding once, and tells the path that the finding has. Where a format
//     cannot hold a path's bytes (JSON and XML hold text), what stands for them
//     is U+FFFD.
//   - Control characters and those that turn or hide text are shown, not obeyed.
//     Only the JSON report holds messages as they are, with those escaped; and
//     where a service matches a path with a file, it gets the path.
//   - No line of the GitHub format is a workflow command but the report's own.
//
// The package reads no file and asks for no clock; it is handed the findings and
// writes once.
package report
