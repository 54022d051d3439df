package format

import (
	"strconv"
	"strings"
)

// diagnoseLines bounds the search for the failing line, which decodes once per
// line from the end.
const diagnoseLines = 200

// diagnose turns the decoder's refusal into a place and a remedy. The decoder
// names the line where it gave up, often not the one to mend; the line sought
// is the one after the longest beginning of the block that decodes.
func diagnose(src string, err error) *fault {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	lines := strings.SplitAfter(src, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	bad := decoderLine(msg)
	if len(lines) <= diagnoseLines {
		bad = 0
		for end, k := len(src), len(lines)-1; k >= 0; k-- {
			end -= len(lines[k])
			if _, err := decodeYAML(src[:end]); err == nil {
				bad = k
				break
			}
		}
	}
	bad = max(0, min(bad, len(lines)-1))
	at := 0
	for _, l := range lines[:bad] {
		at += len(l)
	}
	line := ""
	if len(lines) > 0 {
		line = strings.TrimRight(lines[bad], " \t\r\n")
	}
	col, hint := remedy(line)
	if i := strings.Index(msg, ": "); strings.HasPrefix(msg, "line ") && i > 0 {
		msg = msg[i+2:]
	}
	return &fault{at: at + col, msg: "the frontmatter is not valid YAML: " + msg, hint: hint}
}

// decoderLine is the 0-based line in "line 3: …".
func decoderLine(msg string) int {
	rest, ok := strings.CutPrefix(msg, "line ")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(rest[:max(0, strings.IndexByte(rest, ':'))])
	if err != nil {
		return 0
	}
	return n - 1
}

// remedy guesses what is wrong in a line that does not parse: the column, and
// what to type instead. It never repeats the value: nobody has looked for
// secrets in a file that does not parse.
func remedy(line string) (col int, hint string) {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	if strings.HasPrefix(text, "\t") {
		return indent, "indent with spaces: YAML allows no tabs there"
	}
	for i := 0; i < len(line); i++ {
		if c := line[i]; c < 0x20 && c != '\t' || c == 0x7f {
			return i, "remove the control character"
		}
	}
	colon := strings.Index(text, ":")
	if colon < 0 {
		return indent, "write `key: value`, or indent the line below the key it belongs to"
	}
	key := text[:colon]
	value := strings.TrimLeft(text[colon+1:], " \t")
	col = len(line) - len(value)
	switch {
	case colon+1 < len(text) && text[colon+1] != ' ' && text[colon+1] != '\t':
		return indent + colon, "put a space after the colon"
	case value == "":
		return indent, "check the indentation and the lines around it"
	case value[0] == '"' || value[0] == '\'':
		return col, "close the quote, or put the whole value in quotes: " + clip(key) + ": \"…\""
	case value[0] == '[' && !strings.Contains(value, "]"):
		return col, "close the list with `]`, or put the value in quotes if it is none"
	case value[0] == '{' && !strings.Contains(value, "}"):
		return col, "close the braces with `}`, or put the value in quotes if they are text"
	}
	return col, "put the value in quotes: " + clip(key) + ": '…'"
}
