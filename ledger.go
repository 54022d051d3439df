package memsync

import "time"

// LedgerOp is what a ledger line says.
type LedgerOp string

const (
	LedgerCorroborate LedgerOp = "corroborate"
	LedgerContradict  LedgerOp = "contradict"
	LedgerFeedback    LedgerOp = "feedback"
	LedgerLink        LedgerOp = "link"
	LedgerUnlink      LedgerOp = "unlink"
	LedgerPropose     LedgerOp = "propose"
	LedgerRequest     LedgerOp = "request"
	LedgerPromote     LedgerOp = "promote"
	LedgerDemote      LedgerOp = "demote"
	LedgerApprove     LedgerOp = "approve"
	LedgerDeny        LedgerOp = "deny"
	LedgerInvalidate  LedgerOp = "invalidate"
	LedgerRestore     LedgerOp = "restore"
	LedgerRejectValue LedgerOp = "reject-value"
	LedgerAccept      LedgerOp = "accept"
	LedgerAllow       LedgerOp = "allow"
	LedgerQuarantine  LedgerOp = "quarantine"
	LedgerArchive     LedgerOp = "archive"
	LedgerRevive      LedgerOp = "revive"
	LedgerDelete      LedgerOp = "delete"
	LedgerForget      LedgerOp = "forget"
	LedgerResolve     LedgerOp = "resolve"
	LedgerIdentify    LedgerOp = "identify"
)

// LedgerEvent is one line of a scope's ledger: what is true of a memory but
// not its text. No text of a memory ever stands in it. Paths are relative to
// the scope.
type LedgerEvent struct {
	ID           ID        `json:"id"`
	Op           LedgerOp  `json:"op"`
	Memory       ID        `json:"memory,omitempty"`
	At           time.Time `json:"at"` // UTC
	Actor        Actor     `json:"actor"`
	Conversation string    `json:"conversation,omitempty"`
	Exposed      *bool     `json:"exposed,omitempty"` // corroborate: was it shown in that conversation
	Sees         []ID      `json:"sees,omitempty"`    // demote deny revive invalidate restore: what it answers; propose: the promotion it would end

	Path        Path   `json:"path,omitempty"`
	Hash        Hash   `json:"hash,omitempty"`        // identify: content; delete: last content; promote, propose: snapshot
	Blob        string `json:"blob,omitempty"`        // quarantine
	Value       Hash   `json:"value,omitempty"`       // reject-value, forget: hash of the normalized text
	Fingerprint string `json:"fingerprint,omitempty"` // allow
	Other       ID     `json:"other,omitempty"`       // link, unlink, contradict; identify: the alias
	Target      string `json:"target,omitempty"`      // propose, promote: the target as compact JSON
	Proposal    ID     `json:"proposal,omitempty"`    // approve, deny, request
	Outcome     string `json:"outcome,omitempty"`     // feedback
	Conflict    string `json:"conflict,omitempty"`    // resolve: name of the conflict copy
	Reason      string `json:"reason,omitempty"`
}
