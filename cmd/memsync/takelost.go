package main

import (
	"fmt"
	"slices"
	"strings"

	"memsync"
	"memsync/controller/merge"
	"memsync/internal/format"
)

// takeLost puts what lost into the document: each place's kept text gives way
// to its lost one. It never guesses: a text that is not there exactly once any
// more is CodeConflictUnresolved. nil bytes mean that what lost is the wish to
// delete.
func takeLost(data []byte, r merge.Record, lim memsync.Limits) ([]byte, error) {
	if r.Kind == merge.DeleteEdit {
		return nil, nil
	}
	switch r.Kind { // what lost is no text of the memory
	case merge.ForgetEdit:
		return nil, byHand("the memory is forgotten; what was changed in it is only in the commit that the copy names")
	case merge.Rename:
		return nil, byHand("what lost is a path; `memsync rename` moves the file there")
	case merge.SameKey:
		return nil, byHand("two memories have this key; give one of them up, or another key")
	}
	if r.Kind == merge.Unparsed {
		if len(r.Places) != 1 || r.Places[0].Lost == nil {
			return nil, byHand("the copy has no whole version")
		}
		return []byte(r.Places[0].Lost.Text), nil
	}
	doc, err := format.Parse(data, lim)
	if err != nil {
		return nil, err
	}
	if r.Kind == merge.Scalar {
		for _, p := range r.Places {
			if p.Lost == nil {
				doc, err = doc.Remove(r.Key)
			} else {
				doc, err = doc.Set(r.Key, *p.Lost)
			}
			if err != nil {
				return nil, err
			}
		}
		return doc.Bytes(), nil
	}
	lines := strings.Split(doc.Body(), "\n")
	from := 0
	for i, p := range r.Places {
		if p.Kept == nil {
			return nil, byHand(fmt.Sprintf("what stands at place %d is nothing, so the place can't be found", i+1))
		}
		kept, lost := strings.Split(p.Kept.Text, "\n"), []string(nil)
		if p.Lost != nil {
			lost = strings.Split(p.Lost.Text, "\n")
		}
		at := find(lines, kept, from)
		if at < 0 {
			return nil, byHand(fmt.Sprintf("the text kept at place %d is not in the memory any more", i+1))
		}
		if find(lines, kept, at+1) >= 0 {
			return nil, byHand(fmt.Sprintf("the text kept at place %d is in the memory more than once", i+1))
		}
		lines = slices.Replace(lines, at, at+len(kept), lost...)
		from = at + len(lost)
	}
	if doc, err = doc.WithBody(strings.Join(lines, "\n")); err != nil {
		return nil, err
	}
	return doc.Bytes(), nil
}

// find is the first place of a run of lines at or behind from; -1 for none.
func find(lines, run []string, from int) int {
	for i := from; i+len(run) <= len(lines); i++ {
		if slices.Equal(lines[i:i+len(run)], run) {
			return i
		}
	}
	return -1
}

func byHand(why string) error {
	return &memsync.Error{Code: memsync.CodeConflictUnresolved, Message: why, Hint: "edit it yourself: `memsync resolve NAME --edit`"}
}
