package config

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"memsync"
	"memsync/internal/text"
)

// The checks complete a sentence that starts with the key: "limits.body_lines
// must be at least 1".

func oneOf(words ...string) func(any) error {
	return func(v any) error {
		if s := v.(string); !slices.Contains(words, s) {
			return fmt.Errorf("must be one of %s, not %s%s", strings.Join(words, ", "), strconv.Quote(s), didYouMean(s, words))
		}
		return nil
	}
}

func atLeast(n int) func(any) error {
	return func(v any) error {
		if v.(int) < n {
			return fmt.Errorf("must be at least %d", n)
		}
		return nil
	}
}

func percent(v any) error {
	if n := v.(int); n < 0 || n > 100 {
		return errors.New("must be between 0 and 100")
	}
	return nil
}

// duration is a time that one can wait for a remote: a second at least, that
// nobody asks one without a pause; a day at most.
func duration(v any) error {
	d, err := time.ParseDuration(v.(string))
	if err != nil {
		return fmt.Errorf("must be a duration such as 90s, 5m or 1h, not %s", strconv.Quote(v.(string)))
	}
	if d < time.Second || d > 24*time.Hour {
		return errors.New("must be between 1s and 24h")
	}
	return nil
}

// branchName keeps to what `git check-ref-format --branch` takes, and so never
// to something that git would read as an option.
func branchName(v any) error {
	s := v.(string)
	bad := s == "" || s == "@" || strings.HasPrefix(s, "-") || strings.HasSuffix(s, ".") ||
		strings.Contains(s, "..") || strings.Contains(s, "@{") || !utf8.ValidString(s) ||
		strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) })
	for part := range strings.SplitSeq(s, "/") {
		bad = bad || part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	if bad {
		return fmt.Errorf("must be the name of a branch, not %s", strconv.Quote(s))
	}
	return nil
}

// agentName is a word that can stand in a directory and in a scope's name:
// letters and digits of any script, then also "." "_" "-", at most 64 bytes.
func agentName(s string) error {
	for i, r := range s {
		word := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !word && (i == 0 || !strings.ContainsRune("._-", r) && !unicode.IsMark(r)) {
			return fmt.Errorf("must name an agent by letters, digits, dots, dashes and underscores, not %s", strconv.Quote(s))
		}
	}
	if s == "" || len(s) > 64 || strings.HasSuffix(s, ".") {
		return errors.New("must name an agent by 1 to 64 bytes that do not end in a dot")
	}
	return nil
}

func writers(s string) error {
	w := memsync.Writers(s)
	if w == memsync.People || w == memsync.Mixed {
		return nil
	}
	if name, ok := strings.CutPrefix(s, "agent:"); ok {
		return agentName(name)
	}
	words := []string{string(memsync.People), string(memsync.Mixed), "agent:<name>"}
	return fmt.Errorf("must be one of %s, not %s%s", strings.Join(words, ", "), strconv.Quote(s), didYouMean(s, words))
}

func glob(s string) error {
	if s == "" || !doublestar.ValidatePattern(s) {
		return fmt.Errorf("holds %s, which is no glob pattern", strconv.Quote(s))
	}
	return nil
}

// scopeDir cleans the path of a scope: relative to the store, inside it, and
// none of the places that are nobody's memory. "." is the store's root, "".
func scopeDir(s string) (memsync.Path, error) {
	switch {
	case s == "":
		return "", errors.New("is missing: say which directory, relative to the store")
	case strings.ContainsRune(s, '\\') || strings.ContainsFunc(s, unicode.IsControl) || !utf8.ValidString(s):
		return "", errors.New("must be a directory with slashes between its parts")
	case s[0] == '/' || len(s) > 1 && s[1] == ':':
		return "", errors.New("must be relative to the store")
	}
	clean := path.Clean(s)
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return "", errors.New("must lie inside the store")
	}
	for part := range strings.SplitSeq(clean, "/") {
		switch strings.ToLower(part) {
		case ".git", "_system", "_index", "_inbox":
			return "", fmt.Errorf("must not lie in %s", part)
		}
	}
	if clean == "." {
		return "", nil
	}
	if memsync.Path(clean).In(boundDir) || clean == string(embeddedDir) {
		return "", fmt.Errorf("must not be %s, which holds what memsync keeps about other directories", clean)
	}
	return memsync.Path(clean), nil
}

// didYouMean is the nearest word in brackets, "" when none is near.
func didYouMean(s string, words []string) string {
	best := text.Nearest(s, words)
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", strconv.Quote(best))
}
