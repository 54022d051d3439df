package memsync

// Policy is what a store's memsync.toml says, with every default filled in.
// It is committed and travels with the store; it can never run a command or
// weaken the secret scan.
type Policy struct {
	Format  int
	Git     GitPolicy
	Scopes  []Scope // entries of [[scope]], in order; the standard places need none
	Stamp   bool    // [normalize] stamp: keep provenance.updated_at current on saves
	Limits  Limits
	Deletes DeletePolicy
	Lint    []LintLevel // [lint], in the order of the file
	Targets TargetPolicy
	Sync    SyncPolicy
	Into    []Into // entries of [[into]], in order
}

// SyncPolicy is [sync]: how a dedicated store is exchanged with the remote that
// this clone's git has chosen. It can't choose one.
type SyncPolicy struct {
	Auto     bool   // a running keeper exchanges by itself
	Interval string // how often, at the latest: a duration such as 5m
	Push     bool   // commits leave; false: they are only taken over
}

// FromModel is what an agent's choice of a place in a composition is worth.
type FromModel string

const (
	ModelAllow   FromModel = "allow"   // as much as the slot's tier says
	ModelPropose FromModel = "propose" // a person looks at it first, whatever the tier
	ModelDeny    FromModel = "deny"    // nothing
)

// TargetPolicy is [targets].
type TargetPolicy struct {
	FromModel FromModel
}

// Into is an entry of [[into]]: a file that people load, with a region that holds
// the composed prompt of an agent.
type Into struct {
	File  Path // relative to the store
	Agent string
}

// LintLevel is how bad a store's owner holds what one rule of lint finds.
type LintLevel struct {
	Code  string   // MS103
	Level Severity // info, warning, error, or Off
}

// FormatNumber is the on-disk contract this program reads and writes.
const FormatNumber = 1

// CommitMode says who commits.
type CommitMode string

const (
	CommitAuto CommitMode = "auto"
	CommitOff  CommitMode = "off"
)

// GitPolicy is [git].
type GitPolicy struct {
	Commit CommitMode // "" means: the default of the kind of store
	Branch string     // dedicated stores only; "" means: whatever is checked out
}

// Limits is [limits]. Sizes are bytes, index_lines and body_lines lines,
// description_chars Unicode code points.
type Limits struct {
	BodyLines        int
	BodyBytes        int
	SaveBytes        int
	FrontmatterBytes int
	DescriptionChars int
	IndexLines       int
	IndexBytes       int
}

// DeletePolicy is [deletes]: a batch that deletes more than HoldFiles and more
// than HoldPercent of a scope waits for a person.
type DeletePolicy struct {
	HoldFiles   int
	HoldPercent int
}

// DefaultPolicy is what an absent memsync.toml means.
func DefaultPolicy() Policy {
	return Policy{
		Format:  FormatNumber,
		Limits:  DefaultLimits(),
		Deletes: DeletePolicy{HoldFiles: 10, HoldPercent: 30},
		Targets: TargetPolicy{FromModel: ModelAllow},
		Sync:    SyncPolicy{Interval: "5m", Push: true},
	}
}

// DefaultLimits are those of the design: 200 lines and 25,600 bytes of body
// for tool writes, 1 MiB for saves, 16 KiB of frontmatter, and for MEMORY.md
// the 200 lines and 25,000 bytes that coding agents load.
func DefaultLimits() Limits {
	return Limits{
		BodyLines: 200, BodyBytes: 25600, SaveBytes: 1 << 20,
		FrontmatterBytes: 16384, DescriptionChars: 300,
		IndexLines: 200, IndexBytes: 25000,
	}
}
