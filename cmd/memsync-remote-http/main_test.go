package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
)

const one, two = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"

// remote answers as a repository with one branch does, and as answer says to
// whoever wants more.
func remote(t *testing.T, answer func(w io.Writer, body []byte)) (address string, posts *atomic.Int32) {
	t.Helper()
	posts = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		e := pktline.NewEncoder(w)
		if q.Method == http.MethodGet {
			e.EncodeString("# service=" + q.FormValue("service") + "\n")
			e.Flush()
			e.Encodef("%s refs/heads/main\x00report-status delete-refs ofs-delta\n", one)
			e.Flush()
			return
		}
		posts.Add(1)
		body, _ := io.ReadAll(q.Body)
		answer(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/r.git", posts
}

// TestConversation is what the package says, to the byte; git's own server is
// talked to in gitlog's tests.
func TestConversation(t *testing.T) {
	const refs = one + " refs/heads/main\n\n"
	for name, c := range map[string]struct {
		args   []string
		stdin  string // behind the address
		answer string // of the server, to a POST
		exit   int
		stdout string
		stderr string // a part of it
	}{
		"refs to fetch":   {[]string{"upload-pack"}, "", "", 0, refs, ""},
		"refs to push":    {[]string{"receive-pack"}, "", "", 0, refs, ""},
		"a pack":          {[]string{"upload-pack"}, "want " + one + "\nhave " + two + "\n\n", "0008NAK\nPACKand so on", 0, refs + "PACKand so on", ""},
		"no pack":         {[]string{"upload-pack"}, "want " + one + "\n\n", "", 1, refs, "empty"},
		"wants nothing":   {[]string{"upload-pack"}, "\n", "", 2, refs, "want ID"},
		"no hash":         {[]string{"upload-pack"}, "want main\n\n", "", 2, refs, "want ID"},
		"no end of haves": {[]string{"upload-pack"}, "want " + one + "\nhave " + two + "\n", "", 2, refs, "does not end"},
		"cut in a line":   {[]string{"upload-pack"}, "want " + one, "", 2, refs, "within a line"},
		"moved":           {[]string{"receive-pack"}, one + " " + two + " refs/heads/main 4\nPACK", report("ok refs/heads/main\n"), 0, refs + "ok\n", ""},
		"refused":         {[]string{"receive-pack"}, one + " " + two + " refs/heads/main 4\nPACK", report("ng refs/heads/main not on Sundays\n"), 0, refs + "ng not on Sundays\n", ""},
		"no report":       {[]string{"receive-pack"}, one + " " + two + " refs/heads/main 4\nPACK", "", 1, refs, "unexpected EOF"},
		"half a pack":     {[]string{"receive-pack"}, one + " " + two + " refs/heads/main 5\nPACK", "", 2, refs, "not whole"},
		"two packs":       {[]string{"receive-pack"}, one + " " + two + " refs/heads/main 4\nPACKPACK", "", 2, refs, "behind the pack"},
		"no size":         {[]string{"receive-pack"}, one + " " + two + " refs/heads/main -1\n", "", 2, refs, "size"},
		"no ref":          {[]string{"receive-pack"}, one + " " + two + "\n", "", 2, refs, "OLD NEW REF SIZE"},
		"no service":      {nil, "", "", 2, "", "usage"},
		"another service": {[]string{"upload-archive"}, "", "", 2, "", "usage"},
		"a flag":          {[]string{"upload-pack", "--help"}, "", "", 2, "", "usage"},
	} {
		t.Run(name, func(t *testing.T) {
			address, posts := remote(t, func(w io.Writer, _ []byte) { io.WriteString(w, c.answer) })
			var stdout, stderr bytes.Buffer
			exit := run(context.Background(), c.args, strings.NewReader(address+"\n"+c.stdin), &stdout, &stderr)
			if exit != c.exit || stdout.String() != c.stdout || !strings.Contains(stderr.String(), c.stderr) || (exit == 0) != (stderr.Len() == 0) {
				t.Errorf("exit %d, stdout %q, stderr %q", exit, &stdout, &stderr)
			}
			if exit == exitUsage && posts.Load() > 0 {
				t.Error("something was sent all the same")
			}
		})
	}
}

func report(line string) string {
	return fmt.Sprintf("000eunpack ok\n%04x%s0000", len(line)+4, line)
}

// TestAddress: what is no http address is refused, and not shown.
func TestAddress(t *testing.T) {
	for _, stdin := range []string{"", "http://x", "ssh://ada:secret@x/r\n", "/secret\n", "http://ada:secret@%zz/\n"} {
		var stdout, stderr bytes.Buffer
		exit := run(context.Background(), []string{"upload-pack"}, strings.NewReader(stdin), &stdout, &stderr)
		if exit != exitUsage || stdout.Len() > 0 || strings.Contains(stderr.String(), "secret") {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", stdin, exit, &stdout, &stderr)
		}
	}
}

// FuzzRequest: whatever is asked, it is understood whole or refused: what was
// read, written again, is what stood there.
func FuzzRequest(f *testing.F) {
	f.Add("want " + one + "\nhave " + two + "\n\n")
	f.Add(one + " " + two + " refs/heads/main 4\nPACK")
	f.Add("want " + one + "\n")
	f.Fuzz(func(t *testing.T, said string) {
		if want, haves, err := readWants(bufio.NewReader(strings.NewReader(said))); err == nil {
			again := "want " + want.String() + "\n"
			for _, h := range haves {
				again += "have " + h.String() + "\n"
			}
			if again += "\n"; !strings.HasPrefix(strings.ToLower(said), again) {
				t.Errorf("%q was read as %q", said, again)
			}
		}
		if cmd, pack, err := readUpdate(bufio.NewReader(strings.NewReader(said))); err == nil {
			if again := fmt.Sprintf("%s %s %s ", cmd.Old, cmd.New, cmd.Name); !strings.HasPrefix(strings.ToLower(said), strings.ToLower(again)) || !strings.HasSuffix(said, "\n"+string(pack)) {
				t.Errorf("%q was read as %q and %q", said, again, pack)
			}
		}
	})
}
