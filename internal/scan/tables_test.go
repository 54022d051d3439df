package scan

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
)

var update = flag.Bool("update", false, "write tables.go anew")

// tables.go is what the rule files say.
func TestTables(t *testing.T) {
	want, err := format.Source(writeTables(readRules(t)))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("tables.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile("tables.go")
	if err != nil {
		t.Fatal(err)
	}
	if got = bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")); !bytes.Equal(got, want) {
		t.Error("tables.go is not what the rule files say; run: go generate ./internal/scan")
	}
}

// ruleFile is the part of gitleaks' format that is used.
type ruleFile struct {
	Allowlist allowlistText `toml:"allowlist"`
	Hints     []struct {    // what a rule of the other file lets pass besides
		ID         string          `toml:"id"`
		Allowlists []allowlistText `toml:"allowlists"`
	} `toml:"hints"`
	Rules []ruleText `toml:"rules"`
}

type ruleText struct {
	ID          string          `toml:"id"`
	Kind        Kind            `toml:"kind"`
	Regex       string          `toml:"regex"`
	Entropy     float64         `toml:"entropy"`
	SecretGroup int             `toml:"secretGroup"`
	Keywords    []string        `toml:"keywords"`
	Follow      string          `toml:"follow"`
	Allowlists  []allowlistText `toml:"allowlists"`

	ours bool // not gitleaks'
}

type allowlistText struct {
	Condition   string   `toml:"condition"`
	RegexTarget string   `toml:"regexTarget"`
	Paths       []string `toml:"paths"`
	Regexes     []string `toml:"regexes"`
	StopWords   []string `toml:"stopwords"`
}

// readRules reads the rule files: the rules that look at texts, and gitleaks'
// global allowlist.
func readRules(t testing.TB) ([]ruleText, allowlistText) {
	read := func(name string) (f ruleFile) {
		data, err := os.ReadFile("rules/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := toml.Unmarshal(data, &f); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return f
	}
	theirs, ours := read("gitleaks.toml"), read("memsync.toml")
	for i := range ours.Rules {
		ours.Rules[i].ours = true
	}
	out := slices.Concat(theirs.Rules, ours.Rules)
	out = slices.DeleteFunc(out, func(r ruleText) bool {
		return r.Regex == "" || len(r.Keywords) == 0 // it looks at the file's name only
	})
	for _, h := range ours.Hints {
		i := slices.IndexFunc(out, func(r ruleText) bool { return r.ID == h.ID })
		if i < 0 {
			t.Fatalf("a hint for %s, which is no rule", h.ID)
		}
		out[i].Allowlists = append(out[i].Allowlists, h.Allowlists...)
	}
	return out, theirs.Allowlist
}

// gitleaks ends most tokens so; in prose other punctuation follows too.
const (
	tokenEnd      = `(?:[\x60'"\s;]|\\[nr]|$)`
	tokenEndProse = `(?:[\x60'"\s;,.:!?)\]}<>|&]|[^\x00-\x7F]|\\[nr]|$)`
)

// assignment is how gitleaks joins a name and a token; the name, the words after
// it and the operator hold nothing else, which follows checks.
const assignment = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}(`

// wordsBefore is how gitleaks takes in the words before a name, for its
// allowlists to see.
const wordsBefore = `[\w.-]{0,50}?`

// keywordIn reports whether a part of the rule's expression spells a keyword out.
func (r *ruleText) keywordIn(part string) bool {
	part = strings.ToLower(part)
	for _, k := range r.Keywords {
		if strings.Contains(part, strings.Trim(strings.ToLower(k), "_-.")) {
			return true
		}
	}
	return false
}

// derive makes the rule that tables.go has.
func (r *ruleText) derive() *rule {
	source := r.Regex
	if !r.ours {
		source = strings.ReplaceAll(source, tokenEnd, tokenEndProse)
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		panic("bug: rule " + r.ID + ": " + err.Error())
	}
	x := &rule{kind: r.Kind, id: r.ID, entropy: r.Entropy, group: r.SecretGroup, follow: r.Follow, global: !r.ours, shape: shapeOf(tree)}
	x.re.source = source
	if x.kind == "" {
		x.kind = Secret
	}
	if r.ours {
		x.rank = 1
	}
	if r.ID == "generic-api-key" {
		x.rank += 2
	}
	if name, token, ok := strings.Cut(source, assignment); ok && tree.Op == syntax.OpConcat && !r.keywordIn(token) {
		after, err := syntax.Parse("(?i)("+token, syntax.Perl)
		name, ok := strings.CutPrefix(name, "(?i)"+wordsBefore)
		if err == nil && ok && !strings.ContainsAny(name, ",=>") {
			x.follow, x.value, x.shape.token = "=>:|?,", true, runOf(after).head
		}
	}
	if core, ok := strings.CutPrefix(source, "(?i)"+wordsBefore); ok && x.value {
		x.core.source = "(?i)" + core
	} else if r.ours && x.shape.run < shortRun {
		x.start.source, x.shape.start = startOf(tree, r.Keywords)
	}
	for _, a := range r.Allowlists {
		if slices.Contains(a.Regexes, `^[a-zA-Z_.-]+$`) && a.RegexTarget == "" {
			x.shape.digit = true
		}
		if a.Condition == "AND" && len(a.Paths) > 0 {
			continue // holds for other files than memories
		}
		x.lists = append(x.lists, a.derive())
	}
	x.shape.literal = leadingLiteral(tree)
	if !x.value { // or assigns has looked
		x.near = clausesOf(tree, r.Keywords)
	}
	if slices.ContainsFunc(r.Allowlists, func(a allowlistText) bool {
		return a.RegexTarget == "" && a.Condition != "AND" && slices.Contains(a.Regexes, `^[^0-9]+$`)
	}) {
		x.near = append(x.near, clauseOf(ofRunes(0, '0', '9').exact))
	}
	return x
}

func (a *allowlistText) derive() allowlist {
	out := allowlist{target: a.RegexTarget, all: a.Condition == "AND"}
	for _, x := range a.Regexes {
		out.regexes = append(out.regexes, pattern{source: x})
	}
	for _, w := range a.StopWords {
		out.words = append(out.words, strings.ToLower(w))
	}
	return out
}

// upperButASCII is k in capitals, its ASCII letters left small: keywords are
// compared without regard to the case of ASCII only.
func upperButASCII(k string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return r
		}
		return unicode.ToUpper(r)
	}, k)
}

// wordsOf are the keywords as they are compared, with the rules that have them.
func wordsOf(texts []ruleText) map[string][]int {
	words := make(map[string][]int)
	for n, r := range texts {
		for _, k := range r.Keywords {
			k = strings.ToLower(k)
			words[k] = append(words[k], n)
			if up := upperButASCII(k); up != k {
				words[up] = append(words[up], n)
			}
		}
	}
	return words
}

// writeTables writes tables.go. What has no pointers is arrays of numbers, so
// that a process that looks at one text touches few pages.
func writeTables(texts []ruleText, global allowlistText) []byte {
	var b bytes.Buffer
	b.WriteString("// Code generated from rules/*.toml by go generate ./internal/scan. DO NOT EDIT.\n\npackage scan\n\n")

	words := wordsOf(texts)
	sorted := slices.Sorted(maps.Keys(words))
	var starts, ruleAt, ruleOf []int
	size := 0
	byGram := make(map[int][]int)
	for k, w := range sorted {
		if len(w) < 2 {
			panic("bug: keyword " + w)
		}
		starts, ruleAt = append(starts, size), append(ruleAt, len(ruleOf))
		ruleOf = append(ruleOf, words[w]...)
		size += len(w)
		seen := make(map[int]bool)
		for last := range 256 {
			if len(w) > 2 {
				last = int(w[2])
			}
			const mask = 1<<gramBits - 1
			gram := (int(w[0])&mask)<<(2*gramBits) | (int(w[1])&mask)<<gramBits | last&mask
			if !seen[gram] {
				seen[gram] = true
				byGram[gram] = append(byGram[gram], k)
			}
		}
	}
	var (
		set           [(gramMask + 1) / 64]uint64
		before        [len(set)]int
		gramAt, gramK []int
	)
	for _, g := range slices.Sorted(maps.Keys(byGram)) {
		set[g>>6] |= 1 << (g & 63)
		gramAt = append(gramAt, len(gramK))
		gramK = append(gramK, byGram[g]...)
		for i := g>>6 + 1; i < len(before); i++ {
			before[i]++
		}
	}

	numbers := func(name, comment, kind string, values []int) {
		fmt.Fprintf(&b, "// %s\nvar %s = [...]%s{", comment, name, kind)
		for i, v := range values {
			if i%24 == 0 {
				b.WriteString("\n")
			}
			fmt.Fprintf(&b, "%d, ", v)
		}
		b.WriteString("\n}\n\n")
	}
	fmt.Fprintf(&b, "// grams are the beginnings of keywords.\nvar grams = [...]uint64{")
	for i, v := range set {
		if i%8 == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%#x, ", v)
	}
	b.WriteString("\n}\n\n")
	numbers("gramsBefore", "gramsBefore counts the grams in the words of grams before one.", "uint16", before[:])
	numbers("gramStart", "gramStart is where in gramKeywords those of a gram begin.", "uint16", append(gramAt, len(gramK)))
	numbers("gramKeywords", "gramKeywords are numbers of keywords.", "uint16", gramK)
	numbers("keywordStart", "keywordStart is where in keywordText a keyword begins.", "uint16", append(starts, size))
	numbers("keywordRule", "keywordRule is where in keywordRules those of a keyword begin.", "uint16", append(ruleAt, len(ruleOf)))
	numbers("keywordRules", "keywordRules are numbers of rules.", "uint16", ruleOf)
	b.WriteString("const keywordText = \"\" +\n")
	for i, w := range sorted {
		end := " +\n"
		if i == len(sorted)-1 {
			end = "\n\n"
		}
		b.WriteString(strconv.Quote(w) + end)
	}

	b.WriteString("var globalAllowlists = [...]allowlist{\n")
	g := global.derive()
	writeAllowlist(&b, &g)
	b.WriteString("}\n\nvar rules = [...]rule{\n")
	for i := range texts {
		writeRule(&b, texts[i].derive())
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// quoted is s as Go has it, raw where that is possible, for it to be read.
func quoted(s string) string {
	if strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// field writes one field of a literal, unless it is zero.
func field[T comparable](b *bytes.Buffer, name string, v T) {
	var zero T
	if v != zero {
		fmt.Fprintf(b, "%s: %#v, ", name, v)
	}
}

func writePattern(b *bytes.Buffer, name string, p *pattern) {
	if p.source != "" {
		fmt.Fprintf(b, "%s: pattern{source: %s},\n", name, quoted(p.source))
	}
}

func writeAllowlist(b *bytes.Buffer, a *allowlist) {
	b.WriteString("{")
	field(b, "target", a.target)
	field(b, "all", a.all)
	if len(a.regexes) > 0 {
		b.WriteString("regexes: []pattern{\n")
		for i := range a.regexes {
			fmt.Fprintf(b, "{source: %s},\n", quoted(a.regexes[i].source))
		}
		b.WriteString("},\n")
	}
	if len(a.words) > 0 {
		b.WriteString("words: []string{")
		for i, w := range a.words {
			if i%12 == 0 {
				b.WriteString("\n")
			}
			b.WriteString(strconv.Quote(w) + ", ")
		}
		b.WriteString("\n},\n")
	}
	b.WriteString("},\n")
}

func writeRule(b *bytes.Buffer, r *rule) {
	b.WriteString("{\n")
	kind, ok := map[Kind]string{Secret: "Secret", Injection: "Injection", Exfiltration: "Exfiltration"}[r.kind]
	if !ok {
		panic("bug: rule " + r.id + ": kind " + string(r.kind))
	}
	fmt.Fprintf(b, "kind: %s, id: %q, ", kind, r.id)
	field(b, "rank", r.rank)
	field(b, "entropy", r.entropy)
	field(b, "group", r.group)
	field(b, "follow", r.follow)
	field(b, "value", r.value)
	field(b, "global", r.global)
	b.WriteString("\nshape: shape{")
	field(b, "reach", r.shape.reach)
	field(b, "run", r.shape.run)
	field(b, "digit", r.shape.digit)
	field(b, "token", r.shape.token)
	field(b, "literal", r.shape.literal)
	field(b, "start", r.shape.start)
	b.WriteString("},\n")
	writePattern(b, "re", &r.re)
	writePattern(b, "core", &r.core)
	writePattern(b, "start", &r.start)
	if len(r.near) > 0 {
		b.WriteString("near: []clause{\n")
		for i := range r.near {
			writeClause(b, &r.near[i])
		}
		b.WriteString("},\n")
	}
	if len(r.lists) > 0 {
		b.WriteString("lists: []allowlist{\n")
		for i := range r.lists {
			writeAllowlist(b, &r.lists[i])
		}
		b.WriteString("},\n")
	}
	b.WriteString("},\n")
}

func writeClause(b *bytes.Buffer, c *clause) {
	b.WriteString("{")
	b.WriteString("atoms: []atom{\n")
	for i, a := range c.atoms {
		fmt.Fprintf(b, "{text: %q, ", a.text)
		field(b, "at", a.at)
		field(b, "gram", a.gram)
		field(b, "also", a.also)
		field(b, "left", a.left)
		field(b, "right", a.right)
		b.WriteString("},")
		if i%4 == 3 {
			b.WriteString("\n")
		}
	}
	b.WriteString("\n}},\n")
}
