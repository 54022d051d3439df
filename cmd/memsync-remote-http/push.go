package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// push tells the refs and, when asked for more, moves one of them.
func push(ctx context.Context, s transport.ReceivePackSession, stdin *bufio.Reader, stdout io.Writer) error {
	refs, err := listRefs(ctx, s, stdout)
	if err != nil {
		return err
	}
	cmd, pack, err := readUpdate(stdin)
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	if refs == nil {
		refs = packp.NewAdvRefs()
		if err := refs.Capabilities.Set(capability.ReportStatus); err != nil {
			return err
		}
	}
	var words bytes.Buffer
	req := packp.NewReferenceUpdateRequestFromCapabilities(refs.Capabilities)
	if refs.Capabilities.Supports(capability.Sideband64k) {
		if err := req.Capabilities.Set(capability.Sideband64k); err != nil {
			return err
		}
		req.Progress = &words
	}
	req.Commands = []*packp.Command{cmd}
	req.Packfile = io.NopCloser(bytes.NewReader(pack))
	report, err := s.ReceivePack(ctx, req)
	answer := "ok\n"
	switch reason := refusal(report, cmd.Name); {
	case reason != "":
		answer = "ng " + reason + "\n"
	case err != nil:
		return err
	case report == nil && req.Capabilities.Supports(capability.ReportStatus):
		return io.ErrUnexpectedEOF // nobody knows whether the ref moved
	}
	_, err = fmt.Fprint(stdout, answer, words.String())
	return err
}

// refusal is why the server did not move the ref, "" where it says nothing of it.
func refusal(report *packp.ReportStatus, ref plumbing.ReferenceName) string {
	if report == nil {
		return ""
	}
	for _, c := range report.CommandStatuses {
		if c.ReferenceName == ref && c.Status != "ok" {
			return c.Status
		}
	}
	return ""
}

// readUpdate reads what to move and the pack for it; io.EOF for nothing. A pack
// that is not whole is never sent.
func readUpdate(stdin *bufio.Reader) (*packp.Command, []byte, error) {
	line, err := readLine(stdin)
	if err != nil {
		return nil, nil, err
	}
	f := strings.Split(line, " ")
	if len(f) != 4 || !plumbing.IsHash(f[0]) || !plumbing.IsHash(f[1]) || f[2] == "" {
		return nil, nil, usageError("not a line of OLD NEW REF SIZE")
	}
	size, err := strconv.ParseInt(f[3], 10, 64)
	if err != nil || size < 0 {
		return nil, nil, usageError("not the size of a pack: " + f[3])
	}
	pack, err := io.ReadAll(io.LimitReader(stdin, size))
	if err == nil && int64(len(pack)) < size {
		err = usageError("the pack is not whole")
	}
	if err == nil {
		if _, more := stdin.ReadByte(); !errors.Is(more, io.EOF) {
			err = usageError("something stands behind the pack")
		}
	}
	return &packp.Command{Name: plumbing.ReferenceName(f[2]), Old: plumbing.NewHash(f[0]), New: plumbing.NewHash(f[1])}, pack, err
}
