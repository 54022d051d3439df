package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"memsync/keeper"
)

// ownerProgram is "owner [VERSION]": it owns the store of the working
// directory and serves it, as a program of that version, until SIGTERM. It
// says "ready" when clients may come, and nothing in between.
func ownerProgram(args []string) int {
	if len(args) > 0 {
		version = args[0]
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	a := &app{ctx: ctx, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv}
	if err := serveHere(ctx, a); err != nil {
		return a.finish(err)
	}
	return 0
}

func serveHere(ctx context.Context, a *app) error {
	s, err := a.find()
	if err != nil {
		return err
	}
	k, err := keeper.Open(ctx, s, a.keeperOptions())
	if err != nil {
		return err
	}
	defer k.Close()
	done, err := serveOwner(ctx, a, k)
	if err != nil {
		return err
	}
	defer done()
	fmt.Println("ready")
	<-ctx.Done()
	return nil
}
