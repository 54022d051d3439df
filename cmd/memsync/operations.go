package main

import (
	"encoding/json"
	"strings"

	"memsync"
)

// parseOperations reads a batch, strictly: an unknown key is a typing error
// that must not become a silent no-op.
func parseOperations(raw string) ([]memsync.Operation, error) {
	dec := json.NewDecoder(strings.NewReader(raw))
	dec.DisallowUnknownFields()
	var ops []memsync.Operation
	if err := dec.Decode(&ops); err != nil {
		return nil, &memsync.Error{Code: memsync.CodeBatchShape, Message: "the operations are not a list of {action, content, old_text}", Err: err,
			Hint: `for example --operations '[{"action":"add","content":"One more line."}]'`}
	}
	if dec.More() {
		return nil, &memsync.Error{Code: memsync.CodeBatchShape, Message: "there is something after the list of operations"}
	}
	return ops, nil
}
