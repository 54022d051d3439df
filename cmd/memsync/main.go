// Command memsync keeps the long-term memory of AI agents as Markdown in git.
//
// The rules of the terminal: data goes to stdout, talk to stderr; exit codes
// are those of exit.go in every output format; an error says what, where, what
// is safe, and the next command to type. Nothing is asked unless stdin and
// stderr are a terminal.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"memsync/internal/filemerge"
	_ "memsync/internal/prefault" // before anything else touches memory
)

// version is set by the linker.
var version = "dev"

func main() {
	log.SetOutput(io.Discard) // of libraries, that talk of what they mend themselves
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{ctx: ctx, args: args, stdin: stdin, stdout: newOutput(stdout), stderr: stderr, env: os.Getenv}
	if len(args) > 0 && args[0] == "merge-driver" { // a path may look like a flag
		if d, ok := filemerge.ParseDriven(args[1:]); ok {
			return d.Drive(stderr, false)
		}
	}
	return a.finish(a.execute(ctx, a.command(), args))
}
