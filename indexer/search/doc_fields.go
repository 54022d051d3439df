package search

import (
	"math"
	"strings"
	"sync"

	index "github.com/blevesearch/bleve_index_api"
)

// The fields of the index. Words are in the first six, by the part of the
// memory they stand in; mapping counts up when any of this changes, analysis
// included.
const (
	fieldName = iota
	fieldDescription
	fieldLabels // tags, key, project
	fieldHeadings
	fieldBody
	fieldPath
	ranked // how many of them there are

	fieldExact  = "exact"  // every word as it is written, unstemmed, with positions; characters of unspaced scripts
	fieldIdent  = "ident"  // identifiers in one piece, and the path
	fieldIs     = "is"     // what filters ask for: "type:feedback", "tag:ci", "day:2026-05-03"
	fieldLength = "length" // doc value: the content hash and the lengths of the ranked fields
	fieldDoc    = "doc"    // stored: what Hit shows
)

var fieldNames = [ranked]string{"name", "description", "labels", "headings", "body", "path"}

// weights are how much a word counts in each ranked field (BM25F: one
// saturation over all of them). Round on purpose; recall is where ranking is
// measured.
var weights = [ranked]float64{3, 2, 2, 1.5, 1, 0.5}

// mapping is the version of fields and analysis. An index of another version
// is made anew. Chunks (a document per section, found beside its memory) will
// make another one; their ids may be told from a path by a NUL.
const mapping = 3

// gap separates parts of a memory in the exact field, so that no phrase spans
// them.
const gap = 100

// field is one analyzed field of a document. It does scorch's bookkeeping
// directly: the general way, through tokens, allocates three times as much.
type field struct {
	name    string
	value   []byte
	options index.FieldIndexingOptions
	length  int
	freqs   index.TokenFrequencies
}

func (f *field) Name() string                                     { return f.name }
func (f *field) Value() []byte                                    { return f.value }
func (f *field) ArrayPositions() []uint64                         { return nil }
func (f *field) EncodedFieldType() byte                           { return 't' }
func (f *field) Analyze()                                         {}
func (f *field) Options() index.FieldIndexingOptions              { return f.options }
func (f *field) AnalyzedLength() int                              { return f.length }
func (f *field) AnalyzedTokenFrequencies() index.TokenFrequencies { return f.freqs }
func (f *field) NumPlainTextBytes() uint64                        { return 0 }

func newField(name string, options index.FieldIndexingOptions, terms int) *field {
	return &field{name: name, options: options, freqs: make(index.TokenFrequencies, terms)}
}

// flag adds a term whose frequency nobody asks for. It must have none: zap
// packs a term that one document has once into its number and the field's
// length, and a length of zero then reads as "in no document".
func (f *field) flag(term string) {
	if _, ok := f.freqs[term]; !ok {
		f.freqs[term] = &index.TokenFreq{Term: []byte(term)}
	}
}

// document is what scorch is given for one memory.
type document struct {
	id     string
	fields []*field
	size   int
}

func (d *document) ID() string { return d.id }
func (d *document) Size() int  { return d.size }
func (d *document) VisitFields(visit index.FieldVisitor) {
	for _, f := range d.fields {
		visit(f)
	}
}
func (d *document) VisitComposite(index.CompositeFieldVisitor) {}
func (d *document) HasComposite() bool                         { return false }
func (d *document) NumPlainTextBytes() uint64                  { return 0 }
func (d *document) StoredFieldsBytes() uint64                  { return 0 }
func (d *document) Indexed() bool                              { return false }
func (d *document) AddIDField() {
	f := newField("_id", index.IndexField|index.StoreField, 1)
	f.value, f.length = []byte(d.id), 1
	f.flag(d.id)
	f.freqs[d.id].SetFrequency(1)
	d.fields = append(d.fields, f)
}

// lengths are the lengths of the ranked fields and, last, of the exact one.
type lengths [ranked + 1]int

// builder makes the fields of one memory.
type builder struct {
	*workshop
	ranked [ranked]*field
	exact  *field
	ident  *field
	pos    int
	freqs  []index.TokenFreq // not yet given out: one allocation for many
	locs   []index.TokenLocation
}

// workshop is what one analysis leaves for the next: words come again. It is
// used by one goroutine at a time.
type workshop struct {
	tokens tokenizer
	stems  map[string]string
	terms  map[string][]byte
}

// mostKept bounds each table of a workshop; then it begins anew. A guess: the
// words of a large store, in a few megabytes.
const mostKept = 1 << 15

var workshops = sync.Pool{New: func() any { return newWorkshop() }}

func newWorkshop() *workshop {
	return &workshop{tokens: tokenizer{known: make(map[string]string)}, stems: make(map[string]string), terms: make(map[string][]byte)}
}

func (w *workshop) tidy() {
	if len(w.tokens.known) > mostKept {
		clear(w.tokens.known)
	}
	if len(w.stems) > mostKept {
		clear(w.stems)
	}
	if len(w.terms) > mostKept {
		clear(w.terms)
	}
}

func (w *workshop) stem(term string) string {
	s, ok := w.stems[term]
	if !ok {
		s = stem(term)
		w.stems[term] = s
	}
	return s
}

// term is a term's bytes, which documents share.
func (w *workshop) term(term string) []byte {
	b, ok := w.terms[term]
	if !ok {
		b = []byte(term)
		w.terms[term] = b
	}
	return b
}

// newBuilder makes a builder for a memory of about size bytes.
func newBuilder(w *workshop, size int) *builder {
	words := min(size/8, 4096)
	b := &builder{workshop: w, exact: newField(fieldExact, index.IndexField|index.IncludeTermVectors, words), ident: newField(fieldIdent, index.IndexField|index.SkipFreqNorm, 8)}
	for i, name := range fieldNames {
		terms := 8
		if i == fieldBody {
			terms = words
		}
		b.ranked[i] = newField(name, index.IndexField, terms)
	}
	return b
}

func (b *builder) count(f *field, term string) *index.TokenFreq {
	tf := f.freqs[term]
	if tf == nil {
		if len(b.freqs) == 0 {
			b.freqs = make([]index.TokenFreq, 128)
		}
		tf, b.freqs = &b.freqs[0], b.freqs[1:]
		tf.Term = b.term(term)
		f.freqs[term] = tf
	}
	tf.SetFrequency(tf.Frequency() + 1)
	return tf
}

// add puts a text into a ranked field, and into the exact and identifier
// fields.
func (b *builder) add(to int, s string) {
	b.words(to, s, func(u *unit) {
		for _, p := range u.parts {
			b.place(p.term)
		}
		b.exact.length += len(u.parts)
		if u.ident() {
			b.ident.flag(u.text())
		}
	})
	b.pos += gap
}

// also puts a text that another field holds already into a ranked field.
func (b *builder) also(to int, s string) { b.words(to, s, func(*unit) {}) }

func (b *builder) words(to int, s string, more func(*unit)) {
	f := b.ranked[to]
	b.tokens.units(s, func(u *unit) {
		f.length += u.length()
		u.stemmed(b.stem, func(term string, _, _ int) { b.count(f, term) })
		more(u)
	})
}

// place counts a word of the exact field where it stands.
func (b *builder) place(term string) {
	if len(b.locs) == 0 {
		b.locs = make([]index.TokenLocation, 128)
	}
	loc := &b.locs[0]
	b.locs = b.locs[1:]
	loc.Position = b.pos
	b.pos++
	tf := b.count(b.exact, term)
	tf.Locations = append(tf.Locations, loc)
}

// path adds where a memory lies: the name of its file in parts, and the whole.
// The directories' words are in every path and are found as a whole only.
func (b *builder) path(p string) {
	f := b.ranked[fieldPath]
	base := strings.TrimSuffix(p[strings.LastIndexByte(p, '/')+1:], ".md")
	b.also(fieldPath, base)
	b.tokens.units(p, func(u *unit) {
		if u.kind != letter {
			return
		}
		if u.whole != "" {
			b.count(f, u.whole)
		}
		for _, s := range u.segs {
			b.count(f, s.term)
		}
		b.ident.flag(u.text())
	})
	f.length = max(1, f.length) // a name of nothing but punctuation has a path still
}

func (b *builder) lengths() (l lengths) {
	for i, f := range b.ranked {
		l[i] = f.length
	}
	l[ranked] = b.exact.length
	return l
}

// lengthOf is the length that scorch's norm of a posting stands for.
func lengthOf(norm float64) float64 {
	if norm <= 0 {
		return 0
	}
	return math.Round(1 / (norm * norm))
}
