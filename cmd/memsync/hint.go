package main

import (
	"strings"
	"sync"

	"memsync"
	"memsync/controller"
)

// hints say what to do about a code where the error itself does not know
// better: what is safe, and the next command to type. docs/errors.md says the
// same in more words.
var hints = sync.OnceValue(func() map[memsync.Code]string {
	return map[memsync.Code]string{
		memsync.CodeScopeInvalid:       "`memsync config list` shows the scopes of this store",
		memsync.CodeScopeNoWorkspace:   "run `memsync init` in the project, or name a scope with --scope",
		memsync.CodeTypeInvalid:        "one of user, feedback, project, reference",
		memsync.CodePathReserved:       "choose another file name",
		memsync.CodePathEscape:         "name a path inside one of the store's scopes",
		memsync.CodePathInvalid:        "choose a name of letters, digits and dashes that ends in .md",
		memsync.CodeNotFound:           "see what there is with `memsync list --all`",
		memsync.CodeAmbiguous:          "name one of the paths",
		memsync.CodeVersionConflict:    "read the current text with `memsync show` and write again on its base",
		memsync.CodeSecret:             "take the secret out; if it is none, a person can say so with `memsync allow FINGERPRINT --reason …`",
		memsync.CodeInjection:          "reword it; in a file a person can take it as it is with `memsync accept PATH`",
		memsync.CodeHidden:             "remove the hidden characters and try again",
		memsync.CodeTooLarge:           "split it into memories that each say one thing",
		memsync.CodeEncoding:           "convert it first: iconv -t UTF-8",
		memsync.CodeMarkers:            "finish the merge in the file and save it again",
		memsync.CodeFrontmatter:        "mend the frontmatter at the line named and save again",
		memsync.CodeUneditable:         "change the key in an editor",
		memsync.CodeDuplicateAmbiguous: "name the memory you mean by its path or id",
		memsync.CodeDuplicateID:        "name the path instead of the id",
		memsync.CodeIdentityMismatch:   "leave the id or the agent out, or name the one that is meant",
		memsync.CodeDeleted:            "a person brings it back with `memsync restore`",
		memsync.CodeForgotten:          "what was forgotten does not come back; write what you need anew",
		memsync.CodeValueRejected:      "leave it out; only a person can say it again",
		memsync.CodeProtected:          "a person edits the file, or passes --override with a reason",
		memsync.CodePersonRequired:     "run it yourself on a terminal, outside an agent's shell",
		memsync.CodeBatchShape:         `for example --operations '[{"action":"add","content":"One more line."}]'`,
		memsync.CodeBatchMissing:       "read the text with `memsync show` and quote it exactly",
		memsync.CodeBatchAmbiguous:     "quote more of the text, so that it is there once",
		memsync.CodeDeletesHeld:        "`memsync accept-deletes` lets them go, `memsync restore` brings the files back",
		memsync.CodeStoreNone:          "run `memsync init` here, or name a store with -C DIR",
		memsync.CodeStoreExists:        "see it with `memsync status`",
		memsync.CodeStoreRefused:       "make a directory for the store: memsync init DIR",
		memsync.CodeStoreBusy:          "try again when the other process has finished",
		memsync.CodeStorePaused:        "finish what git is in the middle of; `memsync status` says what",
		memsync.CodeStoreFormat:        "install a newer memsync; until then the store is only read",
		memsync.CodeConfig:             "`memsync config list` shows every key with its value",
		memsync.CodeUsage:              "see `memsync --help`",
		memsync.CodeIO:                 "check the disk, then run the command again; nothing accepted is lost",
		memsync.CodeIORead:             "check that the file is there and readable, then run the command again",
		memsync.CodeIOWrite:            "check that the directory is writable, then run the command again",
		memsync.CodeIOFull:             "free some space and run the command again; nothing was lost",
		memsync.CodeIODenied:           "check who owns the file and its directory, then run the command again",
		memsync.CodeIORaced:            "run it again when nobody else is writing the file",
		memsync.CodeGit:                "run `git status` in the store, then the command again; `memsync doctor` says what is wrong",
		memsync.CodeGitMissing:         "install git; this repository can only be written through it",
		memsync.CodeGitLocked:          "wait for the other git process; `memsync doctor` names a lock that is left over",
		memsync.CodeGitUnsupported:     "`memsync doctor` says what about the repository is not supported",
		memsync.CodeGitMoved:           "run the command again; it is decided on the new state",
		memsync.CodeGitCorrupt:         "run `git fsck` in the store",
		memsync.CodeJournal:            "run `memsync doctor`; the files and git are not touched by this",
		memsync.CodeConflictUnresolved: "`memsync conflicts --diff` shows what differs, `memsync resolve` ends it",
		memsync.CodeSyncNoRemote:       "add one: memsync remote add NAME URL",
		memsync.CodeSyncNoHelper:       "install git, or put memsync-remote-http beside memsync",
		memsync.CodeSyncRejected:       "run it again: what the others pushed is joined first",
		memsync.CodeSyncRefused:        "do what the remote says; the commits stay here, ahead of it",
		memsync.CodeSyncAuth:           "run `git fetch` in the store on a terminal: it asks for what is missing; nothing was changed",
		memsync.CodeSyncUnreachable:    "try again when the network is back; nothing here was changed",
		memsync.CodeSyncTimeout:        "try again; nothing here was changed",
		memsync.CodeSyncNotRepository:  "`git remote -v` shows the address; `git remote set-url` mends it",
		memsync.CodeSyncForced:         "look at both histories; nothing here was changed",
		memsync.CodeSyncUnrelated:      "check the address with `git remote -v`; nothing was joined",
		memsync.CodeSyncShallow:        "run `git fetch --unshallow`, then the command again",
		memsync.CodeSyncSecret:         "take it out of the commits named, or allow it; nothing was pushed",
		memsync.CodeInternal:           "this is a defect of memsync; please report it with the message above",
	}
})

func hintOf(c memsync.Code) string { return hints()[c] }

// hintWith is an error's hint, ready to paste: where a held file waits for
// `allow`, its fingerprint stands in it.
func hintWith(e *memsync.Error, held bool) string {
	prints := controller.Fingerprints(e)
	if !held || len(prints) == 0 {
		return e.Hint
	}
	return strings.ReplaceAll(e.Hint, "FINGERPRINT", prints[0])
}
