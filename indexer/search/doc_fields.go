package search

import (
	"math"
	"strings"

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
	fieldTri    = "tri"    // trigrams of words and identifiers
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
// be version 2; their ids may be told from a path by a NUL.
const mapping = 1

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

func newField(name string, options index.FieldIndexingOptions) *field {
	return &field{name: name, options: options, freqs: make(index.TokenFrequencies)}
}

func (f *field) add(term string) {
	tf := f.freqs[term]
	if tf == nil {
		tf = &index.TokenFreq{Term: []byte(term)}
		f.freqs[term] = tf
	}
	tf.SetFrequency(tf.Frequency() + 1)
}

func (f *field) addAt(term string, pos int) {
	f.add(term)
	tf := f.freqs[term]
	tf.Locations = append(tf.Locations, &index.TokenLocation{Position: pos, Start: pos, End: pos})
}

// flag adds a term whose frequency nobody asks for.
func (f *field) flag(term string) {
	if _, ok := f.freqs[term]; !ok {
		tf := &index.TokenFreq{Term: []byte(term)}
		tf.SetFrequency(1)
		f.freqs[term] = tf
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
	f := newField("_id", index.IndexField|index.StoreField)
	f.value, f.length = []byte(d.id), 1
	f.add(d.id)
	d.fields = append(d.fields, f)
}

// lengths are the lengths of the ranked fields and, last, of the exact one.
type lengths [ranked + 1]int

// builder makes the fields of one memory.
type builder struct {
	ranked [ranked]*field
	exact  *field
	tri    *field
	grams  []string
	pos    int
}

func newBuilder() *builder {
	b := &builder{exact: newField(fieldExact, index.IndexField|index.IncludeTermVectors), tri: newField(fieldTri, index.IndexField|index.SkipFreqNorm)}
	for i, name := range fieldNames {
		b.ranked[i] = newField(name, index.IndexField)
	}
	return b
}

// add puts a text into a ranked field, and into the exact and trigram fields.
func (b *builder) add(to int, s string) {
	f := b.ranked[to]
	units(s, func(u *unit) {
		f.length += u.length()
		u.terms(func(term string, _, _ int) { f.add(term) })
		for _, p := range u.parts {
			b.exact.addAt(p.term, b.pos)
			b.pos++
		}
		b.exact.length += len(u.parts)
		if u.kind == letter {
			b.trigrams(u.text())
		}
	})
	b.pos += gap
}

// also puts a text that another field holds already into a ranked field.
func (b *builder) also(to int, s string) {
	f := b.ranked[to]
	units(s, func(u *unit) {
		f.length += u.length()
		u.terms(func(term string, _, _ int) { f.add(term) })
	})
}

func (b *builder) trigrams(term string) {
	b.grams = trigrams(b.grams[:0], term)
	for _, g := range b.grams {
		b.tri.flag(g)
	}
}

// path adds where a memory lies: the name of its file in parts, and the whole.
// The directories' words are in every path and are found as a whole only.
func (b *builder) path(p string) {
	f := b.ranked[fieldPath]
	base := strings.TrimSuffix(p[strings.LastIndexByte(p, '/')+1:], ".md")
	b.also(fieldPath, base)
	units(p, func(u *unit) {
		if u.kind != letter {
			return
		}
		if u.whole != "" {
			f.add(u.whole)
		}
		for _, s := range u.segs {
			f.add(s.term)
		}
		b.trigrams(u.text())
	})
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
