package scan

import (
	_ "embed"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
)

//go:embed rules/gitleaks.toml
var gitleaksTOML []byte

//go:embed rules/memsync.toml
var memsyncTOML []byte

// ruleFile is the part of gitleaks' format that is used.
type ruleFile struct {
	Allowlist allowlistText `toml:"allowlist"`
	Hints     []struct {    // what saves work on a rule of the other file
		ID         string          `toml:"id"`
		Near       string          `toml:"near"`
		Allowlists []allowlistText `toml:"allowlists"`
	} `toml:"hints"`
	Rules []struct {
		ID          string          `toml:"id"`
		Kind        Kind            `toml:"kind"`
		Regex       string          `toml:"regex"`
		Entropy     float64         `toml:"entropy"`
		SecretGroup int             `toml:"secretGroup"`
		Keywords    []string        `toml:"keywords"`
		Follow      string          `toml:"follow"`
		Near        string          `toml:"near"`
		Allowlists  []allowlistText `toml:"allowlists"`
	} `toml:"rules"`
}

type allowlistText struct {
	Condition   string   `toml:"condition"`
	RegexTarget string   `toml:"regexTarget"`
	Paths       []string `toml:"paths"`
	Regexes     []string `toml:"regexes"`
	StopWords   []string `toml:"stopwords"`
}

// rule is one rule, compiled when its first keyword is met.
type rule struct {
	kind     Kind
	id       string
	rank     int
	source   string
	entropy  float64 // a value must be above it; 0: any
	group    int     // of the value; 0: the first that matched, or all
	follow   string  // after a keyword and words, points, quotes, hyphens one of these bytes comes; "": anything
	near     string  // it stands in every match; "": nothing known
	value    bool    // a token follows the follow byte at once
	keywords []string
	allow    []allowlistText
	global   *[]allowlist // gitleaks' own; nil for ours

	once  sync.Once
	shape shape
	re    func() *regexp.Regexp
	core  func() *regexp.Regexp // re without the words before the name: cheaper, matches where re does; or nil
	lists []allowlist
}

// shape is what every match of a rule has, cheaper to look for than the match.
type shape struct {
	reach int  // longest match, bytes, at most maxReach
	run   int  // it holds that many token bytes in a row
	digit bool // one of them is no letter, point, hyphen or underscore

	token   int    // an assignment: the token begins with that many token bytes
	literal string // it begins with this, in lower case, at the start of a word; "": unknown
}

// maxReach bounds how far from its keyword a match is looked for: the longest
// PEM blocks in use fit.
const maxReach = 16 << 10

type ruleSet struct {
	rules    []*rule
	keywords *automaton
	global   []allowlist
}

var loaded = sync.OnceValue(load)

// load reads the rule files. They are compiled in; that they parse is tested, so
// a failure is a broken program.
func load() *ruleSet {
	set := &ruleSet{}
	words := make(map[string][]int32)
	add := func(data []byte, name string, rank int) *ruleFile {
		var f ruleFile
		if err := toml.Unmarshal(data, &f); err != nil {
			panic(fmt.Sprintf("bug: %s: %v", name, err))
		}
		for _, r := range f.Rules {
			if r.Regex == "" || len(r.Keywords) == 0 {
				continue // it looks at the file's name only
			}
			x := &rule{kind: r.Kind, id: r.ID, rank: rank, source: r.Regex, entropy: r.Entropy, group: r.SecretGroup, follow: r.Follow, near: r.Near, keywords: r.Keywords, allow: r.Allowlists}
			if x.kind == "" {
				x.kind = Secret
			}
			if r.ID == "generic-api-key" {
				x.rank = rank + 2
			}
			if rank == 0 {
				x.global = &set.global
			}
			n := int32(len(set.rules))
			set.rules = append(set.rules, x)
			for _, k := range r.Keywords {
				k = strings.ToLower(k)
				words[k] = append(words[k], n)
				if up := upperButASCII(k); up != k {
					words[up] = append(words[up], n)
				}
			}
		}
		return &f
	}
	f := add(gitleaksTOML, "gitleaks.toml", 0)
	set.global = []allowlist{compileAllowlist(f.Allowlist)}
	for _, h := range add(memsyncTOML, "memsync.toml", 1).Hints {
		for _, x := range set.rules {
			if x.id == h.ID {
				x.near = h.Near
				x.allow = append(x.allow, h.Allowlists...)
			}
		}
	}
	set.keywords = newAutomaton(words)
	return set
}

// upperButASCII is k in capitals, its ASCII letters left small: the automaton
// knows the case of ASCII only.
func upperButASCII(k string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return r
		}
		return unicode.ToUpper(r)
	}, k)
}

// gitleaks ends most tokens so; in prose other punctuation follows too.
const (
	tokenEnd      = `(?:[\x60'"\s;]|\\[nr]|$)`
	tokenEndProse = `(?:[\x60'"\s;,.:!?)\]}<>|&]|[^\x00-\x7F]|\\[nr]|$)`
)

// assignment is how gitleaks joins a name and a token; the name, the words after
// it and the operator hold nothing else, which follows checks.
const assignment = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}(`

// keywordIn reports whether a part of the rule's expression spells a keyword out.
func (r *rule) keywordIn(part string) bool {
	part = strings.ToLower(part)
	for _, k := range r.keywords {
		if strings.Contains(part, strings.Trim(strings.ToLower(k), "_-.")) {
			return true
		}
	}
	return false
}

// wordsBefore is how gitleaks takes in the words before a name, for its
// allowlists to see.
const wordsBefore = `[\w.-]{0,50}?`

// prepare parses the rule's expression; it is compiled later still.
func (r *rule) prepare() {
	r.once.Do(func() {
		source := r.source
		if r.rank != 1 {
			source = strings.ReplaceAll(source, tokenEnd, tokenEndProse)
		}
		tree, err := syntax.Parse(source, syntax.Perl)
		if err != nil {
			panic("bug: rule " + r.id + ": " + err.Error())
		}
		r.shape = shapeOf(tree)
		if name, token, ok := strings.Cut(source, assignment); ok && tree.Op == syntax.OpConcat && !r.keywordIn(token) {
			tree, err := syntax.Parse("(?i)("+token, syntax.Perl)
			name, ok := strings.CutPrefix(name, "(?i)"+wordsBefore)
			if err == nil && ok && !strings.ContainsAny(name, ",=>") {
				r.follow, r.value, r.shape.token = "=>:|?,", true, runOf(tree).head
			}
		}
		for _, a := range r.allow {
			for _, x := range a.Regexes {
				if x == `^[a-zA-Z_.-]+$` && a.RegexTarget == "" {
					r.shape.digit = true
				}
			}
			if a.Condition == "AND" && len(a.Paths) > 0 {
				continue // holds for other files than memories
			}
			r.lists = append(r.lists, compileAllowlist(a))
		}
		r.shape.literal = leadingLiteral(tree)
		r.re = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
		if core, ok := strings.CutPrefix(source, "(?i)"+wordsBefore); ok && r.value {
			r.core = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?i)" + core) })
		}
	})
}
