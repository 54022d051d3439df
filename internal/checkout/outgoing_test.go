package checkout

import (
	"errors"
	"strings"
	"testing"

	"memsync"
)

// TestBlocked: the error of a push that must not be made names commit, path, the
// allowance and the command that rewrites, and never the value or a path that is
// one.
func TestBlocked(t *testing.T) {
	if Blocked(nil) != nil {
		t.Error("nothing found is no error")
	}
	key := "ghp_" + "x7Kq2mZp9RtW4vLs8BnY" + "3cJd6FhG1aQeTuXo"
	l := Leak{Finding: memsync.Finding{Code: memsync.FindSecret, Path: memsync.Path("memory/" + key + ".md"), Line: 3, Column: 5, Message: "a secret, gh…3"},
		Commit: strings.Repeat("ab12", 10), Fingerprint: "f00d"}
	err := Blocked([]Leak{l, l})
	var e *memsync.Error
	if !errors.As(err, &e) || e.Code != memsync.CodeSyncSecret {
		t.Fatalf("%v", err)
	}
	all := e.Error() + "\n" + e.Hint
	for _, want := range []string{"ab12ab1", "memory/", ":3:5", "memsync allow f00d", "git rebase -i ab12ab1^", "and 1 more", "nothing was pushed"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q does not say %q", all, want)
		}
	}
	if strings.Contains(all, key) {
		t.Errorf("the value is shown: %s", all)
	}
	l.Fingerprint = ""
	if err := Blocked([]Leak{l}); errors.As(err, &e) && strings.Contains(e.Hint, "allow") {
		t.Errorf("no allowance helps, and the hint names one: %s", e.Hint)
	}
}
