package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"memsync/keeper"
)

// ownerProgram is "owner [VERSION]": it owns the store of the working
// directory and serves it, as a program of that version, until SIGTERM. It
// says "held" when it has the store's lock, waits for a line on stdin, and says
// "ready" when clients may come.
func ownerProgram(args []string) int {
	if len(args) > 0 {
		version = args[0]
	}
	verbs = append(verbs, verb{"panic", "have a defect", (*app).panicVerb}, verb{"pause FIFO", "keep the store", (*app).pauseVerb})
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
	fmt.Println("held")
	bufio.NewReader(a.stdin).ReadString('\n')
	done, err := serveOwner(ctx, a, k)
	if err != nil {
		return err
	}
	defer done()
	fmt.Println("ready")
	<-ctx.Done()
	fmt.Println("leaving")
	return nil
}

// panicVerb has a defect, while it has the store.
func (a *app) panicVerb() *cobra.Command {
	return &cobra.Command{RunE: func(*cobra.Command, []string) error {
		if _, err := a.openHere(); err != nil {
			return err
		}
		panic("a defect")
	}}
}

// pauseVerb has the store until somebody writes to the FIFO.
func (a *app) pauseVerb() *cobra.Command {
	return &cobra.Command{RunE: func(_ *cobra.Command, args []string) error {
		k, err := a.openHere()
		if err != nil {
			return err
		}
		defer k.Close()
		data, err := os.ReadFile(args[0])
		fmt.Fprintf(a.stdout, "%s", data)
		return err
	}}
}
