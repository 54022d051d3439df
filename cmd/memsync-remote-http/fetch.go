package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// fetch tells the refs and, when asked for more, the pack.
func fetch(ctx context.Context, s transport.UploadPackSession, stdin *bufio.Reader, stdout io.Writer) error {
	refs, err := listRefs(ctx, s, stdout)
	if err != nil {
		return err
	}
	want, haves, err := readWants(stdin)
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	if refs == nil {
		return usageError("an empty repository has nothing to give")
	}
	req := packp.NewUploadPackRequestFromCapabilities(refs.Capabilities)
	req.Capabilities.Delete(capability.ThinPack) // each pack is whole by itself
	req.Wants, req.Haves = []plumbing.Hash{want}, haves
	answer, err := s.UploadPack(ctx, req)
	if err != nil {
		return err
	}
	var pack io.Reader = answer
	if req.Capabilities.Supports(capability.Sideband64k) {
		pack = sideband.NewDemuxer(sideband.Sideband64k, answer)
	} else if req.Capabilities.Supports(capability.Sideband) {
		pack = sideband.NewDemuxer(sideband.Sideband, answer)
	}
	_, err = io.Copy(stdout, pack)
	return errors.Join(err, answer.Close())
}

// readWants reads what to fetch and what is there already; io.EOF for nothing.
func readWants(stdin *bufio.Reader) (want plumbing.Hash, haves []plumbing.Hash, err error) {
	line, err := readLine(stdin)
	if err != nil {
		return want, nil, err
	}
	if want, err = hashAfter("want ", line); err != nil {
		return want, nil, err
	}
	for {
		if line, err = readLine(stdin); err == io.EOF {
			return want, nil, usageError("the list of what is there does not end")
		}
		if err != nil || line == "" {
			return want, haves, err
		}
		have, err := hashAfter("have ", line)
		if err != nil {
			return want, nil, err
		}
		haves = append(haves, have)
	}
}

func hashAfter(word, line string) (plumbing.Hash, error) {
	id, ok := strings.CutPrefix(line, word)
	if !ok || !plumbing.IsHash(id) {
		return plumbing.Hash{}, usageError("not a line of " + word + "ID")
	}
	return plumbing.NewHash(id), nil
}
