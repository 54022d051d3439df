package format

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
	"memsync"
)

// slowResult is what the YAML decoder makes of a frontmatter block.
type slowResult struct {
	keys     []node
	rootFlow *node
	bad      *memsync.Error // the first thing that makes the block uneditable; place and hint set
}

// fault is why frontmatter is refused: a place in the block and what to do.
type fault struct {
	at        int // offset in the block
	msg, hint string
	details   map[string]string
}

// readSlow parses frontmatter with the YAML decoder. Values that it refuses
// only because they are not quoted are read as the rest of their line.
func readSlow(raw []byte, from, to int) (slowResult, *fault) {
	src := string(raw[from:to])
	if f := documentMarker(src); f != nil {
		return slowResult{}, f
	}
	doc, err := decodeYAML(src)
	var fixes []fix
	if err != nil {
		fixes = findFixes(src)
		if len(fixes) == 0 {
			return slowResult{}, diagnose(src, err)
		}
		fixed := applyFixes(src, fixes)
		if doc, err = decodeYAML(fixed); err != nil {
			return slowResult{}, diagnose(fixed, err)
		}
	}
	b := &slowBuilder{src: src, base: from, raw: raw, starts: lineStarts(src), fixes: fixes}
	res, f := b.root(doc)
	if f == nil && b.used != len(fixes) {
		_, err := decodeYAML(src)
		return slowResult{}, diagnose(src, err)
	}
	return res, f
}

// decodeYAML parses into nodes, which expands no alias. A panic of the decoder
// on hostile bytes must not take every other file down with it, so it counts
// as a refusal of this one.
func decodeYAML(src string) (doc *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, fmt.Errorf("yaml: the decoder gave up: %v", r)
		}
	}()
	doc = &yaml.Node{}
	err = yaml.Unmarshal([]byte(src), doc)
	return doc, err
}

// isMapping reports whether src is frontmatter with at least one key.
func isMapping(src string) bool {
	if keys, ok := readFast(src, 0); ok {
		return len(keys) > 0
	}
	doc, err := decodeYAML(src)
	if err != nil {
		fixes := findFixes(src)
		if len(fixes) == 0 {
			return false
		}
		if doc, err = decodeYAML(applyFixes(src, fixes)); err != nil {
			return false
		}
	}
	return len(doc.Content) > 0 && doc.Content[0].Kind == yaml.MappingNode && len(doc.Content[0].Content) > 0
}

// documentMarker finds a line that would end the YAML document inside the
// block; the decoder would silently ignore what follows.
func documentMarker(src string) *fault {
	for at := 0; at < len(src); {
		rest := src[at:]
		if (strings.HasPrefix(rest, "...") || strings.HasPrefix(rest, "---")) &&
			(len(rest) == 3 || strings.IndexByte(" \t\r\n", rest[3]) >= 0) {
			return &fault{at: at, msg: "a YAML document marker inside the frontmatter", hint: "remove the line, or quote the value it belongs to"}
		}
		nl := strings.IndexByte(rest, '\n')
		if nl < 0 {
			break
		}
		at += nl + 1
	}
	return nil
}

// lineStarts are the offsets at which lines begin as the decoder counts them:
// it also breaks at CR, NEL, LS and PS.
func lineStarts(src string) []int {
	starts := []int{0}
	for i := 0; i < len(src); {
		switch {
		case src[i] == '\r' && i+1 < len(src) && src[i+1] == '\n':
			i += 2
		case src[i] == '\n' || src[i] == '\r':
			i++
		case strings.HasPrefix(src[i:], "\u0085"):
			i += 2
		case strings.HasPrefix(src[i:], "\u2028"), strings.HasPrefix(src[i:], "\u2029"):
			i += 3
		default:
			i++
			continue
		}
		starts = append(starts, i)
	}
	return starts
}
