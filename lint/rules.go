package lint

import (
	"slices"
	"strings"

	"memsync"
)

// The codes that lint adds to those of the write path (memsync.Find…).
const (
	BadFrontmatter     = "MS115" // not YAML, or not a mapping
	DuplicateKey       = "MS116"
	OpenFrontmatter    = "MS117"
	SecondBlock        = "MS118"
	NotText            = "MS119" // UTF-16, a NUL, bytes that are not UTF-8
	TooLarge           = "MS120"
	FrontmatterLarge   = "MS121"
	NoFinalNewline     = "MS122"
	Empty              = "MS123"
	BadSuppression     = "MS124" // without a reason, or of a code that can't be
	UnusedSuppression  = "MS125"
	ValidRange         = "MS126" // ends before it begins
	SameKey            = "MS211"
	DanglingLink       = "MS212"
	AmbiguousLink      = "MS213"
	DanglingSupersedes = "MS214"
	Orphan             = "MS215" // kept below _system/ for a memory that is nowhere
	AliasCollision     = "MS216"
	LargeDirectory     = "MS217"
	RelativeDate       = "MS305"
	SeveralFacts       = "MS306"
	EmptyDescription   = "MS307" // it says the name again
	OpenFence          = "MS308"
	MachinePath        = "MS309"
	ListedTwice        = "MS408"
	HostileEntry       = "MS409" // a name or description that looks like MEMORY.md's own syntax
	BadAgent           = "MS501" // AGENT.md does not parse
	AlteredSnapshot    = "MS502"
	Unproven           = "MS503" // an event that counts for nobody
	OverCeiling        = "MS504"
	OverBudget         = "MS505"
	NearBudget         = "MS506"
	Spilled            = "MS507" // promoted and without room
	Collision          = "MS508" // several memories at one place
	Contradiction      = "MS509"
	AuthoredCollision  = "MS510"
	UnknownPlace       = "MS511"
	NotLearned         = "MS512" // a place that memories can't fill
	BadTarget          = "MS513" // target or payload can't be read
	Unpromotable       = "MS514" // payload or text is missing
	LongEntry          = "MS515"
	Edited             = "MS516" // since it was promoted
	Waits              = "MS517" // for a person
	Pending            = "MS518" // for too long
	NobodyApproves     = "MS519"
	StaleState         = "MS520"
	StaleCandidate     = "MS521"
	LearnedTwice       = "MS522"
	Collapsed          = "MS523" // several paragraphs, one line in the prompt
	ReviewDrift        = "MS524"
	IntoDrift          = "MS525"
	TickUnasked        = "MS526" // a box of REVIEW.md whose question is decided
	ConflictMarkers    = "MS605"
	TombstoneBreach    = "MS606"
	UnprovenEvent      = "MS607"
	LedgerFileName     = "MS608"
	Unmerged           = "MS609"
	LedgerLost         = "MS610" // a line that the ledger had
	NoAttributes       = "MS701"
	Ignored            = "MS702"
	NestedRepository   = "MS703"
	MissingScope       = "MS704"
	NotVerbatim        = "MS705"
)

// Rule is one thing that is looked for.
type Rule struct {
	Code     string
	Name     string           // words with dashes, for people who read reports
	Severity memsync.Severity // unless the store's policy says otherwise; where it depends, the worst
	Fixable  bool             // --fix can mend it, at least in some files
	Locked   bool             // neither the policy nor a comment can turn it off or make it less
	Write    bool             // a write tells it; a tree does not show it, so lint never does
}

const (
	info = memsync.Info
	warn = memsync.Warning
	bad  = memsync.Severe
)

// table is every rule, by code. What each means, with an example of each kind,
// stands in rules/<code>.txtar.
var table = []Rule{
	{Code: memsync.FindFrontmatterRecovered, Name: "recovered-value", Severity: warn, Fixable: true},
	{Code: memsync.FindNameMissing, Name: "no-name", Severity: info},
	{Code: memsync.FindDescriptionMissing, Name: "no-description", Severity: info},
	{Code: memsync.FindUntyped, Name: "no-type", Severity: info},
	{Code: memsync.FindUnknownKey, Name: "unknown-key", Severity: info},
	{Code: memsync.FindScopeMismatch, Name: "scope-mismatch", Severity: warn},
	{Code: memsync.FindSize, Name: "long-text", Severity: warn},
	{Code: memsync.FindMarkersFenced, Name: "fenced-marker", Severity: info},
	{Code: memsync.FindValueInvalid, Name: "invalid-value", Severity: warn},
	{Code: memsync.FindDescriptionLong, Name: "long-description", Severity: warn},
	{Code: memsync.FindMixedLineEnds, Name: "mixed-line-ends", Severity: info, Fixable: true},
	{Code: memsync.FindUneditable, Name: "uneditable", Severity: info},
	{Code: memsync.FindSkipped, Name: "skipped", Severity: warn},
	{Code: memsync.FindHeld, Name: "held", Severity: bad, Write: true},
	{Code: BadFrontmatter, Name: "bad-frontmatter", Severity: bad, Locked: true},
	{Code: DuplicateKey, Name: "duplicate-key", Severity: bad, Locked: true},
	{Code: OpenFrontmatter, Name: "open-frontmatter", Severity: bad, Locked: true},
	{Code: SecondBlock, Name: "second-block", Severity: bad, Locked: true},
	{Code: NotText, Name: "not-text", Severity: bad, Locked: true},
	{Code: TooLarge, Name: "too-large", Severity: bad, Locked: true},
	{Code: FrontmatterLarge, Name: "frontmatter-too-large", Severity: bad, Locked: true},
	{Code: NoFinalNewline, Name: "no-final-newline", Severity: info, Fixable: true},
	{Code: Empty, Name: "empty", Severity: warn},
	{Code: BadSuppression, Name: "bad-suppression", Severity: warn},
	{Code: UnusedSuppression, Name: "unused-suppression", Severity: info},
	{Code: ValidRange, Name: "valid-range", Severity: warn},

	{Code: memsync.FindDuplicateID, Name: "duplicate-id", Severity: bad, Fixable: true},
	{Code: memsync.FindForeignID, Name: "foreign-id", Severity: info},
	{Code: memsync.FindSlugCollision, Name: "slug-collision", Severity: warn},
	{Code: memsync.FindNameCollision, Name: "name-collision", Severity: bad},
	{Code: memsync.FindConflictCopy, Name: "conflict-copy", Severity: warn},
	{Code: memsync.FindNameDrift, Name: "name-drift", Severity: info},
	{Code: memsync.FindSameText, Name: "same-text", Severity: info},
	{Code: memsync.FindNearDuplicate, Name: "near-duplicate", Severity: info, Write: true},
	{Code: memsync.FindOwnMemoryMD, Name: "own-memory-md", Severity: warn},
	{Code: memsync.FindNotPortable, Name: "not-portable", Severity: warn},
	{Code: SameKey, Name: "same-key", Severity: warn},
	{Code: DanglingLink, Name: "dangling-link", Severity: warn},
	{Code: AmbiguousLink, Name: "ambiguous-link", Severity: info},
	{Code: DanglingSupersedes, Name: "dangling-supersedes", Severity: warn},
	{Code: Orphan, Name: "orphan", Severity: info},
	{Code: AliasCollision, Name: "alias-collision", Severity: warn},
	{Code: LargeDirectory, Name: "large-directory", Severity: info},

	{Code: memsync.FindSecret, Name: "secret", Severity: bad, Locked: true},
	{Code: memsync.FindInjection, Name: "injection", Severity: bad},
	{Code: memsync.FindHidden, Name: "hidden-character", Severity: bad},
	{Code: memsync.FindRejectedValue, Name: "rejected-value", Severity: warn},
	{Code: RelativeDate, Name: "relative-date", Severity: info},
	{Code: SeveralFacts, Name: "several-facts", Severity: info},
	{Code: EmptyDescription, Name: "empty-description", Severity: info},
	{Code: OpenFence, Name: "open-fence", Severity: warn},
	{Code: MachinePath, Name: "machine-path", Severity: info},

	{Code: memsync.FindIndexDrift, Name: "index-drift", Severity: bad},
	{Code: memsync.FindIndexBudget, Name: "index-budget", Severity: warn},
	{Code: memsync.FindIndexMarkers, Name: "index-markers", Severity: bad},
	{Code: memsync.FindIndexMoved, Name: "index-moved", Severity: info, Write: true},
	{Code: memsync.FindIndexReturned, Name: "index-returned", Severity: info, Write: true},
	{Code: memsync.FindIndexLinkText, Name: "index-link-text", Severity: info, Write: true},
	{Code: memsync.FindIndexSymlink, Name: "index-symlink", Severity: warn},
	{Code: ListedTwice, Name: "listed-twice", Severity: info},
	{Code: HostileEntry, Name: "hostile-entry", Severity: warn},

	{Code: BadAgent, Name: "bad-agent", Severity: bad, Locked: true},
	{Code: AlteredSnapshot, Name: "altered-snapshot", Severity: bad, Locked: true},
	{Code: Unproven, Name: "unproven-promotion", Severity: bad},
	{Code: OverCeiling, Name: "over-ceiling", Severity: bad},
	{Code: OverBudget, Name: "over-budget", Severity: bad},
	{Code: NearBudget, Name: "near-budget", Severity: warn},
	{Code: Spilled, Name: "spilled", Severity: warn},
	{Code: Collision, Name: "place-collision", Severity: warn},
	{Code: Contradiction, Name: "contradiction", Severity: warn},
	{Code: AuthoredCollision, Name: "authored-collision", Severity: warn},
	{Code: UnknownPlace, Name: "unknown-place", Severity: warn},
	{Code: NotLearned, Name: "not-learned", Severity: warn},
	{Code: BadTarget, Name: "bad-target", Severity: warn},
	{Code: Unpromotable, Name: "unpromotable", Severity: warn},
	{Code: LongEntry, Name: "long-entry", Severity: warn},
	{Code: Edited, Name: "edited-since", Severity: info},
	{Code: Waits, Name: "waits-for-person", Severity: info},
	{Code: Pending, Name: "pending-long", Severity: warn},
	{Code: NobodyApproves, Name: "nobody-approves", Severity: warn},
	{Code: StaleState, Name: "stale-state", Severity: warn},
	{Code: StaleCandidate, Name: "stale-candidate", Severity: info},
	{Code: LearnedTwice, Name: "learned-twice", Severity: info},
	{Code: Collapsed, Name: "collapsed-text", Severity: warn},
	{Code: ReviewDrift, Name: "review-drift", Severity: warn},
	{Code: IntoDrift, Name: "into-drift", Severity: warn},
	{Code: TickUnasked, Name: "tick-unasked", Severity: warn, Write: true},

	{Code: memsync.FindStaleBuffer, Name: "stale-buffer", Severity: warn, Write: true},
	{Code: memsync.FindConflictLeft, Name: "conflict-left", Severity: bad},
	{Code: memsync.FindLedgerLine, Name: "ledger-line", Severity: warn},
	{Code: memsync.FindReturned, Name: "returned", Severity: warn, Write: true},
	{Code: ConflictMarkers, Name: "conflict-markers", Severity: bad, Locked: true},
	{Code: TombstoneBreach, Name: "tombstone-breach", Severity: bad},
	{Code: UnprovenEvent, Name: "unproven-event", Severity: info},
	{Code: LedgerFileName, Name: "ledger-file-name", Severity: warn},
	{Code: Unmerged, Name: "unmerged", Severity: bad, Locked: true},
	{Code: LedgerLost, Name: "ledger-line-lost", Severity: bad, Locked: true},

	{Code: NoAttributes, Name: "no-attributes", Severity: warn, Fixable: true},
	{Code: Ignored, Name: "ignored", Severity: warn},
	{Code: NestedRepository, Name: "nested-repository", Severity: warn},
	{Code: MissingScope, Name: "missing-scope", Severity: warn},
	{Code: NotVerbatim, Name: "converted", Severity: warn},
}

// Rules are all rules, by code. The caller must not change the slice.
func Rules() []Rule { return table }

// RuleOf finds a rule by its code or its name.
func RuleOf(word string) (Rule, bool) {
	if i, ok := slices.BinarySearchFunc(table, strings.ToUpper(word), func(r Rule, code string) int { return strings.Compare(r.Code, code) }); ok {
		return table[i], true
	}
	i := slices.IndexFunc(table, func(r Rule) bool { return r.Name == word })
	if i < 0 {
		return Rule{}, false
	}
	return table[i], true
}
