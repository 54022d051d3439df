package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"github.com/creack/pty"
)

// exitsProgram is "exits CODE CMD ARG...": it runs the command and succeeds when
// it ends with exactly that code.
func exitsProgram(args []string) int {
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: exits CODE CMD ARG...")
		return 2
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	got, err := exitCode(cmd.Run())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if got != want {
		fmt.Fprintf(os.Stderr, "exit code %d, want %d\n", got, want)
		return 1
	}
	return 0
}

// personProgram is "person CMD ARG...": it runs the command on a
// pseudo-terminal, as a person does. What the command says on the terminal
// comes out on stderr; its stdout stays its own. Questions get the answer
// $ANSWER, "y" when that is not set.
func personProgram(args []string) int {
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: person CMD ARG...")
		return 2
	}
	answer := os.Getenv("ANSWER")
	if answer == "" {
		answer = "y"
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout = os.Stdout
	terminal, err := pty.Start(cmd)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer terminal.Close()
	io.WriteString(terminal, answer+"\n")
	said, _ := io.ReadAll(terminal) // ends with EIO when the other side closes
	os.Stderr.Write(bytes.ReplaceAll(said, []byte("\r\n"), []byte("\n")))
	code, err := exitCode(cmd.Wait())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return code
}

func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode(), nil
	}
	return 0, err
}
