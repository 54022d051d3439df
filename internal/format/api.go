package format

import "memsync"

// Document is one parsed memory file, bytes and all.
type Document struct{ raw []byte }

// Parse reads a memory file, or refuses it with a *memsync.Error that carries
// line, column and hint, and returns no value.
func Parse(data []byte, lim memsync.Limits) (*Document, error) { panic("stub") }

// New makes a document: frontmatter in the order given (none when empty), a
// blank line, the body with a final newline.
func New(fields []memsync.Field, body string) (*Document, error) { panic("stub") }

func (d *Document) Bytes() []byte { return d.raw }

// HasFrontmatter reports whether the file has a frontmatter block.
func (d *Document) HasFrontmatter() bool { panic("stub") }

// Body is the text after the frontmatter, without BOM, line ends as LF.
func (d *Document) Body() string { panic("stub") }

// Keys lists the frontmatter keys in file order, nested ones dotted.
func (d *Document) Keys() []Key { panic("stub") }

// Key is a frontmatter key with its place.
type Key struct {
	Name         string // dotted: "metadata.type"
	Line, Column int    // of the key
	Value        memsync.Value
}

// Get is the value of a key, by its dotted name.
func (d *Document) Get(key string) (memsync.Value, bool) { panic("stub") }

// Set changes the bytes of one key only, or refuses (CodeUneditable) and
// changes nothing. A key that is not there is added as the last of its block.
func (d *Document) Set(key string, v memsync.Value) (*Document, error) { panic("stub") }

// Remove takes a key and its bytes away.
func (d *Document) Remove(key string) (*Document, error) { panic("stub") }

// InsertID puts `id: <ULID>` directly after the opening fence, with the file's
// line end.
func (d *Document) InsertID(id memsync.ID) (*Document, error) { panic("stub") }

// WithBody replaces the text after the frontmatter, keeping BOM, line ends and
// the blank line.
func (d *Document) WithBody(body string) (*Document, error) { panic("stub") }

// Findings are what is worth telling about the file.
func (d *Document) Findings() []memsync.Finding { panic("stub") }

// Describe turns a document into the Memory at path, filling what the file
// does not say: type, slug and kind from the path, name from the first
// heading, description from the first sentence. The id is the file's ULID or
// "". Sketch, Blob are left to others.
func Describe(d *Document, path memsync.Path, scope memsync.Scope) *memsync.Memory { panic("stub") }

// CheckPath is the door for paths that a write names: portable, inside the
// store, not reserved. Errors carry CodePathEscape, CodePathReserved or
// CodePathInvalid.
func CheckPath(p memsync.Path) error { panic("stub") }

// Class says what a file in a scope directory is.
type Class int

const (
	NotMemory    Class = iota // README, CLAUDE, …, not Markdown, editors' temporary files, hidden files
	MemoryFile                // a memory
	LogFile                   // a memory of kind log
	IndexFile                 // MEMORY.md
	ReviewFile                // REVIEW.md
	SystemFile                // below _system/, _index/, _inbox/, or any _*.md
	ConflictCopy              // a file-sync tool's copy, kept out
)

// Classify says what the file at rel, a path relative to its scope, is.
func Classify(rel memsync.Path) Class { panic("stub") }

// Slug is the one slug function: lower-case letters of any script in NFC,
// digits and single dashes, at most 80 bytes; "" when nothing is left.
func Slug(s string) string { panic("stub") }

// SplitName takes the base name apart: type prefix (Untyped if none) and slug.
func SplitName(base string) (memsync.Type, string) { panic("stub") }

// FileName is <type>_<slug>.md.
func FileName(t memsync.Type, slug string) string { panic("stub") }
