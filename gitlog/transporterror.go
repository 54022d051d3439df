package gitlog

import (
	"errors"
	"slices"
	"strings"

	"memsync"
)

// errNoSuchBranch: the remote answers, and does not have the branch.
var errNoSuchBranch = errors.New("the remote has no such branch")

// saying is what a failure is known by in what git says under LC_ALL=C. The first
// that fits counts: git ends most failures with the same general sentence.
type saying struct {
	code  memsync.Code
	what  string // the message begins with it
	words []string
}

var sayings = []saying{
	{memsync.CodeSyncAuth, "is not known to ssh here", []string{"Host key verification failed", "REMOTE HOST IDENTIFICATION HAS CHANGED"}},
	{memsync.CodeSyncAuth, "does not let you in", []string{
		"Authentication failed", "could not read Username", "could not read Password", "terminal prompts disabled", "Permission denied (",
		"returned error: 401", "returned error: 403", "returned error: 407", "Too many authentication failures", "Invalid username or password",
		"Access denied", "Permission to ", "unable to get password from user", "authentication required", "authorization failed"}},
	{memsync.CodeSyncNotRepository, "has no repository there, or none that you may see", []string{
		"does not appear to be a git repository", "not a git repository", "returned error: 404", "is this a git repository?", "repository not found", "Repository not found",
		"' not found", "does not exist", "no such repository"}},
	{memsync.CodeGitUnsupported, "keeps its objects by another hash than this repository", []string{"mismatched algorithms", "unsupported object format", "unknown object format", "hash algorithm"}},
	{memsync.CodeSyncUnreachable, "can't be reached", []string{
		"Could not resolve", "Name or service not known", "Temporary failure in name resolution", "Connection refused", "Connection timed out",
		"Network is unreachable", "No route to host", "Failed to connect", "Couldn't connect", "Operation timed out", "connection refused", "no such host", "SSL ", "certificate", "gnutls"}},
	{memsync.CodeSyncUnreachable, "broke the connection off", []string{
		"unable to access", "hung up", "early EOF", "RPC failed", "Connection reset", "unexpected disconnect", "Connection closed",
		"closed by remote host", "kex_exchange_identification", "Broken pipe", "returned error: 5", "Could not read from remote repository",
		"bad pack header", "protocol error", "connection reset", "EOF", "i/o timeout"}},
}

// remoteSaid is the error of a transfer that git ended with these words.
func remoteSaid(m Remote, args []string, stderr string, err error) error {
	for _, s := range sayings {
		if slices.ContainsFunc(s.words, func(w string) bool { return strings.Contains(stderr, w) }) {
			e := &memsync.Error{Code: s.code, Message: "the remote " + m.Name + " (" + m.Shown() + ") " + s.what + ": " + m.quote(stderr)}
			switch {
			case s.code == memsync.CodeSyncAuth:
				e.Hint = "run `git fetch " + m.Name + "` in the store on a terminal: it asks for what is missing; nothing was changed"
			case s.code == memsync.CodeSyncUnreachable:
				e.Hint = "try again when the network is back; nothing here was changed"
			case s.code == memsync.CodeSyncNotRepository:
				e.Hint = "`git remote -v` shows the address, `git remote set-url " + m.Name + " URL` mends it; nothing was changed"
			case s.code == memsync.CodeGitUnsupported:
				e.Hint = "one repository can't hold both kinds: make one of the same kind at the remote (git init --bare --object-format=…)"
			}
			return e
		}
	}
	var known *memsync.Error
	if said := gitSaid(args, m.hide(stderr), err); errors.As(said, &known) && known.Code != memsync.CodeGit {
		return said // the disk, a lock
	}
	return &memsync.Error{Code: memsync.CodeGit, Message: "git " + args[0] + ": " + m.quote(stderr+"\n"+err.Error()),
		Hint: "nothing was changed; mend what git says, then run the command again"}
}

// pushSaid is the error of one ref that a push did not move: the reason is git's,
// in brackets; words are what the remote said beside.
func pushSaid(m Remote, branch, status, reason, words string) error {
	to := "the branch " + branch + " of " + m.Name + " (" + m.Shown() + ")"
	race := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(reason, w) })
	}
	switch {
	case strings.Contains(reason, "shallow update not allowed"):
		return &memsync.Error{Code: memsync.CodeSyncShallow, Message: to + " does not take what a shallow clone sends",
			Hint: "run `git fetch --unshallow`, then the command again; the commits stay here"}
	case status == "rejected", race("failed to update ref", "cannot lock ref", "failed to lock", "incorrect old value", "reference already exists", "stale info", "fetch first", "non-fast-forward"):
		return &memsync.Error{Code: memsync.CodeSyncRejected, Message: to + " has commits that this push lacks (" + reason + ")",
			Hint: "fetch and join them, then push again; the commits stay here, ahead of it"}
	}
	message := to + " refused the push: " + reason
	if said := m.quote(words); said != "" {
		message += "; it says: " + said
	}
	return &memsync.Error{Code: memsync.CodeSyncRefused, Message: message, Hint: "do what the remote says, or ask who runs it; the commits stay here, ahead of it"}
}

func forced(m Remote, branch, what string) error {
	ref := m.Name + "/" + branch
	return &memsync.Error{Code: memsync.CodeSyncForced, Message: what + " (" + m.Shown() + ")",
		Hint: "nothing here was changed: `git log " + ref + "` is what it had. If the remote is right, `git fetch " + m.Name + "` takes its new history as known, and the next run joins it; if not, have who rewrote it bring the old one back"}
}

// quote is what a remote or git said, in one line, without the address's
// password, and not endless.
func (m Remote) quote(said string) string {
	var out []string
	for line := range strings.Lines(m.hide(said)) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "remote:"))
		if line == "" || strings.HasPrefix(line, "error: failed to push some refs") || strings.HasPrefix(line, "To ") || strings.HasPrefix(line, "hint:") || slices.Contains(out, line) {
			continue
		}
		out = append(out, line)
	}
	text := strings.Join(out, "; ")
	const limit = 1000
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}

func (m Remote) hide(said string) string {
	for _, a := range []string{m.URL, m.PushURL} {
		if a != "" {
			said = strings.ReplaceAll(said, a, ShownURL(a))
		}
	}
	return said
}
