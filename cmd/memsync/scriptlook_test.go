package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func scriptHash(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 2 && !neg, "hash VAR FILE")
	ts.Setenv(args[0], sum([]byte(ts.ReadFile(args[1]))))
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// scriptJSON asks the JSON document on stdout. A path is keys and list places
// with dots between them, "." for the whole; a key that is not there reads as
// "absent".
func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 2 || len(args) == 3, "json PATH [=|~|len] VALUE")
	op, value := "=", args[len(args)-1]
	if len(args) == 3 {
		op = args[1]
	}
	var doc any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &doc); err != nil {
		ts.Fatalf("stdout is no JSON document: %v", err)
	}
	at := follow(doc, args[0])
	var ok bool
	switch op {
	case "=":
		ok = jsonText(at) == value
	case "~":
		var err error
		ok, err = regexp.MatchString(value, jsonText(at))
		ts.Check(err)
	case "len":
		n, err := strconv.Atoi(value)
		ts.Check(err)
		switch x := at.(type) {
		case []any:
			ok = len(x) == n
		case map[string]any:
			ok = len(x) == n
		}
	default:
		ts.Fatalf("json: no comparison %s", op)
	}
	if ok == neg {
		ts.Fatalf("json %s is %s; %s %s is not %v", args[0], jsonText(at), op, value, !neg)
	}
}

func follow(v any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		if key == "" {
			continue
		}
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[key]
			if !ok {
				return "absent"
			}
			v = next
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(x) {
				return "absent"
			}
			v = x[i]
		default:
			return "absent"
		}
	}
	return v
}

func jsonText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(v)
	return strings.TrimSpace(b.String())
}

// scriptManifest writes down every file below a directory, git's and memsync's
// own included, so that two moments can be compared byte for byte.
func scriptManifest(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 2 && !neg, "manifest FILE DIR")
	lines, err := manifest(ts.MkAbs(args[1]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(lines, "\n")+"\n"), 0o644))
}

func manifest(root string) ([]string, error) {
	var lines []string
	err := filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := info.Mode().String() + " "
		switch {
		case d.Type().IsRegular():
			data, err := os.ReadFile(full)
			if err != nil {
				return err
			}
			line += sum(data)
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(full)
			if err != nil {
				return err
			}
			line += "-> " + to
		}
		lines = append(lines, line+" "+filepath.ToSlash(rel))
		return nil
	})
	slices.Sort(lines)
	return lines, err
}

// tokens look like vendors' secrets. They are put together here so that no
// scanner of this repository, and no push protection, meets one.
var tokens = map[string]string{
	"aws":       "AKIA" + "Z3MQ7P2XK5NWTR4D",
	"github":    "ghp" + "_" + "x7Kq2mVb9TzR4wLpN8sYcD3fGhJ5aE6uQ1oX",
	"gitlab":    "glpat" + "-" + "x7Kq2mVb9TzR4wLpN8sY",
	"slack":     "xoxb" + "-" + "274839106542" + "-" + "8391057264310" + "-" + "Zx7Kq2mVb9TzR4wLpN8sYcD3",
	"stripe":    "sk" + "_live_" + "51Zx7Kq2mVb9TzR4wLpN8sYcD3",
	"google":    "AIza" + "SyZ7Kq2mVb9TzR4wLpN8sYcD3fGhJ5aE6uQ",
	"npm":       "npm" + "_" + "x7Kq2mVb9TzR4wLpN8sYcD3fGhJ5aE6uQ1oX",
	"openai":    "sk" + "-proj-" + "x7Kq2mVb9TzR4wLpN8sYcD3fGhJ5aE6uQ1oXx7Kq2mVb9TzR",
	"anthropic": "sk" + "-ant-api03-" + strings.Repeat("x7Kq2mVb9TzR4wLpN8sYcD3fGhJ5aE6", 3) + "AA",
	"sendgrid":  "SG" + "." + "x7Kq2mVb9TzR4wLpN8sYcD" + "." + "x7Kq2mVb9TzR4wLpN8sYcD3fGhJ5aE6uQ1oXx7Kq2mV",
	"pem":       "-----BEGIN RSA " + "PRIVATE KEY-----",
	"url":       "postgres://svc:" + "Tr0ub4dor-x7Kq" + "@db.internal.example:5432/app",
	"password":  "DB_PASSW" + "ORD=hunter22Xk9",
}

func scriptToken(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 2 && !neg && tokens[args[1]] != "", "token VAR KIND")
	ts.Setenv(args[0], tokens[args[1]])
}

// scriptNowhere looks for bytes in every file below a directory, git's loose
// and packed objects included, except in the files named.
func scriptNowhere(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) >= 2 && args[0] != "", "nowhere TEXT DIR [FILE...]")
	places := places(ts, args[0], args[1], args[2:])
	if (len(places) > 0) != neg {
		ts.Fatalf("the text stands in %q; nowhere is not %v", places, !neg)
	}
}

func places(ts *testscript.TestScript, text, dir string, except []string) []string {
	var found []string
	root := ts.MkAbs(dir)
	skip := map[string]bool{}
	for _, f := range except {
		skip[ts.MkAbs(f)] = true
	}
	ts.Check(filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.Contains(d.Name(), text) {
			found = append(found, full)
		}
		if d.IsDir() && d.Name() == ".git" {
			cmd := gitCommand(ts, "cat-file", "--batch", "--batch-all-objects", "--unordered")
			cmd.Dir = filepath.Dir(full)
			out, err := cmd.Output()
			if err != nil {
				return fmt.Errorf("git cat-file in %s: %w", cmd.Dir, err)
			}
			if bytes.Contains(out, []byte(text)) {
				found = append(found, "an object of "+cmd.Dir)
			}
		}
		if !d.Type().IsRegular() || skip[full] {
			return nil
		}
		data, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		if bytes.Contains(data, []byte(text)) {
			found = append(found, full)
		}
		return nil
	}))
	return found
}
