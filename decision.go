package memsync

import "slices"

// Source says what made a decision.
type Source string

const (
	SourceRule    Source = "rule"
	SourceDefault Source = "default" // an ambiguous case that nobody could settle
)

// Reason is what one rule saw. Every rule that looked leaves one.
type Reason struct {
	Rule   string `json:"rule"`           // shape scan tombstone stale protected delete exact identity slot near ambiguous add
	Code   Code   `json:"code,omitempty"` // when it did not pass
	Passed bool   `json:"passed"`
	Detail string `json:"detail,omitempty"`
}

// Decision is the answer to one Candidate. It holds no time and draws no id:
// the same candidate, facts and policy give the same decision, byte for byte.
type Decision struct {
	Op     Op     `json:"op"`
	Origin Origin `json:"origin"`
	Actor  Actor  `json:"actor"`
	Scope  string `json:"scope,omitempty"`
	Path   Path   `json:"path,omitempty"`
	From   Path   `json:"from,omitempty"` // rename: where it was
	Memory ID     `json:"memory_id,omitempty"`
	Other  ID     `json:"other_id,omitempty"` // the memory it repeats or collides with

	Base  Hash `json:"base_hash,omitempty"` // bytes on disk at Path when decided; "" for none
	Prior Hash `json:"prior,omitempty"`     // last accepted version
	Post  Hash `json:"post,omitempty"`      // bytes after it; "" when the file goes

	Reasons      []Reason  `json:"reasons"`
	Findings     []Finding `json:"findings,omitempty"`
	Confidence   float64   `json:"confidence"`
	Source       Source    `json:"source"`
	Conversation string    `json:"conversation,omitempty"`
	RequestID    string    `json:"request_id,omitempty"`
	Error        *Error    `json:"error,omitempty"` // why, for hold and reject

	// Files are what the decision writes, Events what it appends to the ledger
	// of Scope. Neither is shown; the journal keeps them.
	Files  []FileChange  `json:"-"`
	Events []LedgerEvent `json:"-"`
	// After is the memory as the View will hold it; nil when it goes or when
	// the decision changes no memory.
	After *Memory `json:"-"`
}

// FileChange is one file of a Plan. The writer compares before it replaces:
// a file that is neither at Base nor at Post is somebody's unseen save.
type FileChange struct {
	Path    Path   `json:"path"`
	Base    Hash   `json:"base"`             // bytes on disk when decided, "" for no file
	Post    Hash   `json:"post"`             // bytes afterwards, "" when the file goes
	Content []byte `json:"-"`                // the bytes of Post; nil when the file goes
	Prior   string `json:"prior,omitempty"`  // git object id of the last accepted version, "" for none
	Secret  bool   `json:"secret,omitempty"` // never keep these bytes in the journal
	InGit   string `json:"in_git,omitempty"` // git object id of Post, where git has it before the plan begins: the journal need not
}

// Finding is something worth telling about a file that stops nothing by
// itself. Its code is stable (docs/rules.md).
type Finding struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Path     Path     `json:"path,omitempty"`
	Line     int      `json:"line,omitempty"`   // 1-based
	Column   int      `json:"column,omitempty"` // 1-based, bytes
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"`
}

// Codes are the rules that found more than a note, sorted: what an event says of
// a decision's findings.
func (d *Decision) Codes() (codes []string) {
	for _, f := range d.Findings {
		if f.Severity != Info && !slices.Contains(codes, f.Code) {
			codes = append(codes, f.Code)
		}
	}
	slices.Sort(codes)
	return codes
}

// Severity orders findings.
type Severity string

const (
	Info    Severity = "info"
	Warning Severity = "warning"
	Severe  Severity = "error"
	Off     Severity = "off" // a policy's: not told at all
)

// The findings of the write path. Families as in lint: MS1xx file, MS2xx
// identity, MS3xx content, MS4xx MEMORY.md, MS6xx ledger and git, MS7xx store.
const (
	FindFrontmatterRecovered = "MS101" // a one-line value that YAML alone would refuse
	FindNameMissing          = "MS102"
	FindDescriptionMissing   = "MS103"
	FindUntyped              = "MS104" // no type, or a word that is none of the four
	FindUnknownKey           = "MS105"
	FindScopeMismatch        = "MS106" // scope, agent or agent_tier disagree with the directory
	FindSize                 = "MS107"
	FindMarkersFenced        = "MS108" // conflict markers inside a code fence
	FindValueInvalid         = "MS109" // a typed key (date, bool, list) that does not read as its type
	FindDescriptionLong      = "MS110"
	FindMixedLineEnds        = "MS111"
	FindUneditable           = "MS112" // anchors, tags, merge keys: the file has ledger identity
	FindSkipped              = "MS113" // symbolic link or special file, skipped
	FindHeld                 = "MS114"
	FindDuplicateID          = "MS201"
	FindForeignID            = "MS202" // an id that is not a ULID: kept as alias
	FindSlugCollision        = "MS203" // two paths with one (type, slug) in a scope
	FindNameCollision        = "MS204" // paths that differ by case or Unicode form only
	FindConflictCopy         = "MS205" // a file-sync tool's copy
	FindNameDrift            = "MS206" // file name and type or name disagree
	FindSameText             = "MS207" // the same text stands elsewhere
	FindNearDuplicate        = "MS208"
	FindOwnMemoryMD          = "MS209" // a folder with a MEMORY.md of its own that is no scope
	FindNotPortable          = "MS210" // a name that cannot exist on every system
	FindSecret               = "MS301"
	FindInjection            = "MS302"
	FindHidden               = "MS303"
	FindRejectedValue        = "MS304" // a person wrote what was once rejected
	FindIndexDrift           = "MS401"
	FindIndexBudget          = "MS402"
	FindIndexMarkers         = "MS403"
	FindIndexMoved           = "MS404" // a line moved below the region
	FindIndexReturned        = "MS405" // a deleted entry came back
	FindIndexLinkText        = "MS406" // link text regenerated
	FindIndexSymlink         = "MS407"
	FindStaleBuffer          = "MS601" // a save from a stale buffer was joined
	FindConflictLeft         = "MS602" // an unresolved conflict copy
	FindLedgerLine           = "MS603" // an unreadable or contradictory ledger line
	FindReturned             = "MS604" // a deleted memory came back
)
