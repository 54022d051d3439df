package controller

import (
	"strconv"
	"strings"

	"memsync"
)

// Applied is what became of one operation of a batch.
type Applied struct {
	Action string `json:"action"`
	Line   int    `json:"line,omitempty"` // 1-based line of the body where it took hold
}

// ApplyOperations runs ops on a body in order, all or none:
//
//	add      content becomes the last lines
//	replace  old_text, which must stand there exactly once, becomes content
//	remove   old_text, which must stand there exactly once, goes; when it was
//	         all of its lines, their line end goes too
//
// A missing or ambiguous old_text and a bad shape refuse the whole with the
// number of the operation. Errors never repeat the text.
func ApplyOperations(body string, ops []memsync.Operation) (string, []Applied, *memsync.Error) {
	if len(ops) == 0 {
		return "", nil, badOperation(0, "", "a batch has at least one operation")
	}
	body = strings.ReplaceAll(body, "\r\n", "\n")
	done := make([]Applied, 0, len(ops))
	for i, op := range ops {
		content := strings.ReplaceAll(op.Content, "\r\n", "\n")
		old := strings.ReplaceAll(op.OldText, "\r\n", "\n")
		at := 0
		switch op.Action {
		case "add":
			switch {
			case strings.TrimSpace(content) == "":
				return "", nil, badOperation(i, op.Action, "add needs content")
			case old != "":
				return "", nil, badOperation(i, op.Action, "add takes no old_text")
			}
			if body != "" && !strings.HasSuffix(body, "\n") {
				body += "\n"
			}
			at = len(body)
			body += strings.TrimRight(content, "\n") + "\n"
		case "replace", "remove":
			switch {
			case old == "":
				return "", nil, badOperation(i, op.Action, op.Action+" needs old_text")
			case op.Action == "remove" && content != "":
				return "", nil, badOperation(i, op.Action, "remove takes no content")
			case op.Action == "replace" && content == "":
				return "", nil, badOperation(i, op.Action, "replace needs content; use remove to take text away")
			}
			at = strings.Index(body, old)
			if at < 0 {
				return "", nil, operationError(memsync.CodeBatchMissing, i, op.Action, "old_text is not in the memory")
			}
			// Overlapping matches count too: "aa" stands twice in "aaa".
			if strings.Contains(body[at+1:], old) {
				return "", nil, operationError(memsync.CodeBatchAmbiguous, i, op.Action, "old_text is in the memory more than once")
			}
			end := at + len(old)
			if op.Action == "remove" && (at == 0 || body[at-1] == '\n') {
				switch {
				case end < len(body) && body[end] == '\n' && !strings.HasSuffix(old, "\n"):
					end++
				case end == len(body) && at > 0 && !strings.HasSuffix(old, "\n"):
					at--
				}
			}
			body = body[:at] + content + body[end:]
		default:
			return "", nil, badOperation(i, "", "the action is none of add, replace, remove")
		}
		done = append(done, Applied{Action: op.Action, Line: 1 + strings.Count(body[:at], "\n")})
	}
	return body, done, nil
}

func badOperation(i int, action, why string) *memsync.Error {
	return operationError(memsync.CodeBatchShape, i, action, why)
}

func operationError(code memsync.Code, i int, action, why string) *memsync.Error {
	n := strconv.Itoa(i + 1)
	e := &memsync.Error{
		Code: code, Message: "operation " + n + ": " + why,
		Hint:    "nothing was changed; read the memory again and send the whole batch",
		Details: map[string]string{"operation": n},
	}
	if action != "" {
		e.Details["action"] = action
	}
	return e
}
