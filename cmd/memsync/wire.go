package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// protocol counts the ways in which a client and an owner talk. Both are the
// same program on one machine, so there is never a need to understand another.
const protocol = 2

// greeting is who answers on an owner's socket.
type greeting struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
}

func ownGreeting() greeting { return greeting{protocol, version} }

func (g greeting) String() string {
	return fmt.Sprintf("memsync %s (protocol %d)", g.Version, g.Protocol)
}

// order is a whole command line, handed to an owner. The files that it names
// travel with it as bytes: the owner opens nothing of its caller's and never
// touches its terminal.
type order struct {
	greeting
	Args     []string `json:"args"`
	Cwd      string   `json:"cwd"`
	Env      []string `json:"env"`
	Delivery string   `json:"delivery"`
	Terminal [3]bool  `json:"terminal"` // stdin, stdout, stderr
	Given    []string `json:"given"`    // the names of the parts
}

// message is one step of the talk; exactly one of its fields says which. What
// a command printed travels in its order, with Streams naming for each part
// whether it is for stdout (1) or stderr (2).
type message struct {
	Greeting *greeting `json:"greeting,omitempty"` // owner: first of all
	Order    *order    `json:"order,omitempty"`    // client: then this
	Borrow   *greeting `json:"borrow,omitempty"`   // another owner, instead: lend me the store until I hang up
	Look     bool      `json:"look,omitempty"`     // a hook of git's, instead: files may have changed
	Lent     bool      `json:"lent,omitempty"`     // owner: it is yours
	Refused  bool      `json:"refused,omitempty"`  // owner: another program's order
	Live     bool      `json:"live,omitempty"`     // owner: show this now
	Ask      *string   `json:"ask,omitempty"`      // owner: put this question
	Editor   []string  `json:"editor,omitempty"`   // owner: run the shell with these arguments
	Answer   *answer   `json:"answer,omitempty"`   // client: of a question or an editor
	Done     *int      `json:"done,omitempty"`     // owner: the exit code

	Streams []int `json:"streams,omitempty"`
	Sizes   []int `json:"sizes,omitempty"`
}

type answer struct {
	Yes   bool   `json:"yes,omitempty"`
	Error string `json:"error,omitempty"`
}

// What one message may hold, so that a stray program on the socket can't make
// an owner ask for all memory.
const (
	headerLimit = 16 << 20
	partsLimit  = 1 << 30
)

// send writes a message: the length of its header, the header, the parts.
func send(w io.Writer, m message, parts ...[]byte) error {
	for _, p := range parts {
		m.Sizes = append(m.Sizes, len(p))
	}
	head, err := json.Marshal(m)
	if err != nil {
		return err
	}
	data := binary.BigEndian.AppendUint32(nil, uint32(len(head)))
	data = append(data, head...)
	for _, p := range parts {
		data = append(data, p...)
	}
	_, err = w.Write(data)
	return err
}

// receive reads a message.
func receive(r *bufio.Reader) (m message, parts [][]byte, err error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return m, nil, err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > headerLimit {
		return m, nil, errors.New("a message is too long")
	}
	head := make([]byte, n)
	if _, err := io.ReadFull(r, head); err != nil {
		return m, nil, err
	}
	if err := json.Unmarshal(head, &m); err != nil {
		return m, nil, err
	}
	total := 0
	for _, size := range m.Sizes {
		if total += size; size < 0 || total > partsLimit {
			return m, nil, errors.New("a message is too long")
		}
		part := make([]byte, size)
		if _, err := io.ReadFull(r, part); err != nil {
			return m, nil, err
		}
		parts = append(parts, part)
	}
	return m, parts, nil
}
