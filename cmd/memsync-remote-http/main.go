// Command memsync-remote-http speaks git's smart http protocol for memsync where
// there is no git binary, as git-remote-https does for git. It is a program of
// its own so that net/http and TLS are linked, and initialised, only where they
// are used. It knows nothing of memsync and touches no file:
//
//	memsync-remote-http upload-pack     asks for refs, and fetches a pack
//	memsync-remote-http receive-pack    asks for refs, and sends a pack
//
// One run is one conversation, in this order:
//
//	stdin   URL LF                      http or https; may carry a name and password, so it is no argument
//	stdout  (ID SP REF LF)* LF          the repository's refs; none of an empty one
//	stdin   nothing more, or
//	        upload-pack:   want SP ID LF, (have SP ID LF)*, LF
//	        receive-pack:  OLD SP NEW SP REF SP SIZE LF, then a pack of SIZE bytes; OLD is zeros for a ref that is not there
//	stdout  upload-pack:   the pack, undivided
//	        receive-pack:  ok LF, or ng SP REASON LF; then what the server said beside
//
// Exit 0: done. 1: the transfer failed; stderr has why, in the transport's and the
// server's words, without a password. 2: the conversation is not the one above;
// nothing was sent. Proxies and certificates are those of the environment
// (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE, ...). It never asks anybody anything.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
)

const (
	exitDone = iota
	exitFailed
	exitUsage
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	err := talk(ctx, args, bufio.NewReader(stdin), stdout)
	if err == nil {
		return exitDone
	}
	fmt.Fprintln(stderr, err)
	if errors.As(err, new(usageError)) {
		return exitUsage
	}
	return exitFailed
}

// usageError: whoever started this program says what it does not understand.
type usageError string

func (e usageError) Error() string { return "memsync-remote-http: " + string(e) }

func talk(ctx context.Context, args []string, stdin *bufio.Reader, stdout io.Writer) error {
	if len(args) != 1 || args[0] != "upload-pack" && args[0] != "receive-pack" {
		return usageError("usage: memsync-remote-http upload-pack|receive-pack; memsync starts it where there is no git")
	}
	end, err := address(stdin)
	if err != nil {
		return err
	}
	client := http.NewClient(nil)
	if args[0] == "upload-pack" {
		s, err := client.NewUploadPackSession(end, nil)
		if err != nil {
			return err
		}
		return fetch(ctx, s, stdin, stdout)
	}
	s, err := client.NewReceivePackSession(end, nil)
	if err != nil {
		return err
	}
	return push(ctx, s, stdin, stdout)
}

// address reads where the repository is. Its errors never show what was read.
func address(stdin *bufio.Reader) (*transport.Endpoint, error) {
	line, err := readLine(stdin)
	if err == io.EOF {
		return nil, usageError("no address comes")
	}
	if err != nil {
		return nil, err
	}
	if u, err := url.Parse(line); err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usageError("the first line is no http or https address")
	}
	return transport.NewEndpoint(line)
}

// readLine reads one whole line; io.EOF where nothing more comes.
func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err == io.EOF && line == "" {
		return "", err
	}
	if err != nil {
		return "", usageError("the input ends within a line")
	}
	return strings.TrimSuffix(line, "\n"), nil
}

// listRefs asks for the refs and tells them. An empty repository has none, and
// says nothing of what it can do: nil.
func listRefs(ctx context.Context, s transport.Session, stdout io.Writer) (*packp.AdvRefs, error) {
	refs, err := s.AdvertisedReferencesContext(ctx)
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		refs, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	if refs != nil {
		for _, ref := range slices.Sorted(maps.Keys(refs.References)) {
			fmt.Fprintf(&out, "%s %s\n", refs.References[ref], ref)
		}
	}
	out.WriteString("\n")
	_, err = io.WriteString(stdout, out.String())
	return refs, err
}
