package memsync_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The import law. Imports go strictly down: a package may import what stands
// on a lower floor, never its own floor, never a higher one. The law looks at
// direct imports of production files. A package that is not in the table fails
// the test: give it a floor, and say in the commit why there.

type floor struct {
	name     string
	pure     bool // told everything, now included; touches nothing outside
	packages []string
}

var floors = []floor{
	{"0 words; standard library only", true, []string{"memsync"}},
	{"1a texts and what to look for in them", true, []string{"memsync/internal/text", "memsync/internal/scan"}},
	{"1 bytes and words", true, []string{"memsync/internal/format", "memsync/internal/ledger", "memsync/internal/config"}},
	{"1b joins what format parsed", true, []string{"memsync/controller/merge"}},
	{"2a decides and derives", true, []string{"memsync/controller", "memsync/controller/lifecycle", "memsync/indexer/recall", "memsync/compose"}},
	{"2a' what a store's agents are", true, []string{"memsync/compose/agents"}},
	{"2b judges, or joins, what 2a derives", true, []string{"memsync/lint", "memsync/controller/join"}},
	{"2b' tells what lint found", true, []string{"memsync/lint/report"}},
	{"2c what the system's errors mean, and what is its memory", false, []string{"memsync/internal/diskfull", "memsync/internal/pages", "memsync/internal/plainfile", "memsync/internal/prefault"}},
	{"2d what waits between git and the store, on disk", false, []string{"memsync/internal/spool"}},
	{"3a what was decided, durably", false, []string{"memsync/gitlog/journal"}},
	{"3 the outside world", false, []string{"memsync/gitlog", "memsync/indexer", "memsync/indexer/search", "memsync/watcher", "memsync/internal/store"}},
	{"3b a store as a checkout has it; its files joined for git; stores for tests", false, []string{"memsync/internal/checkout", "memsync/internal/examples", "memsync/internal/filemerge"}},
	{"4 the order of things", false, []string{"memsync/keeper", "memsync/hooks", "memsync/server"}},
	{"5 the commands; may import anything", false, []string{"memsync/cmd/memsync", "memsync/cmd/memsync-merge-driver", "memsync/cmd/memsync-remote-http"}},
}

// bans hold on pure floors. A path that ends in "/" stands for all below it.
var bans = map[string]string{
	"os":                   "touches the disk and the environment; be given bytes",
	"os/":                  "starts programs or hears signals; return what should be done",
	"syscall":              "touches the machine; be given bytes",
	"golang.org/x/sys/":    "touches the machine; be given bytes",
	"net":                  "touches the network; no decision may depend on it",
	"net/http":             "touches the network; no decision may depend on it",
	"net/http/":            "touches the network; no decision may depend on it",
	"context":              "a decision that can be cancelled is doing, not deciding",
	"database/sql":         "keeps state; be given facts",
	"math/rand":            "the same facts must give the same decision; entropy is a fact",
	"math/rand/":           "the same facts must give the same decision; entropy is a fact",
	"crypto/rand":          "the same facts must give the same decision; ids are drawn by the keeper",
	"log":                  "return errors; never log and continue",
	"log/":                 "return errors; never log and continue",
	"go.etcd.io/bbolt":     "touches the disk; be given facts",
	"github.com/go-git/":   "touches the repository; be given bytes",
	"github.com/fsnotify/": "touches the disk; be given bytes",
}

// owners are modules that one package alone imports, so that replacing one is
// a change in one place.
var owners = map[string]string{
	"gopkg.in/yaml.v3": "memsync/internal/format",
}

// clock is what of package time asks what time it is, or waits. Values of
// time.Time and time.Duration are fine everywhere.
var clock = []string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker"}

// source is one production file.
type source struct{ pkg, name, text string }

// checkFloors names every breach of the law, one sentence each, sorted.
func checkFloors(files []source) []string {
	var breaches []string
	documented := make(map[string]bool)
	for _, f := range files {
		at := f.pkg + "/" + f.name
		say := func(format string, args ...any) {
			breaches = append(breaches, at+": "+fmt.Sprintf(format, args...))
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f.name, f.text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			say("does not parse: %v", err)
			continue
		}
		documented[f.pkg] = documented[f.pkg] || tree.Doc != nil && strings.TrimSpace(tree.Doc.Text()) != ""
		mine := floorOf(f.pkg)
		if mine < 0 {
			say("%s stands on no floor; give it one in floors_test.go", f.pkg)
			continue
		}
		timeName := ""
		for _, spec := range tree.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				say("imports %s", spec.Path.Value)
				continue
			}
			if imported == "time" {
				timeName = "time"
				if spec.Name != nil {
					timeName = spec.Name.Name
				}
			}
			checkImport(f.pkg, mine, imported, say)
		}
		if floors[mine].pure && timeName == "." {
			say("imports time with a dot, which hides the clock")
		}
		if floors[mine].pure && timeName != "" {
			for _, call := range clockUses(tree, timeName) {
				say("uses time.%s; pure code is told the time", call)
			}
		}
	}
	for pkg, ok := range documented {
		if !ok {
			breaches = append(breaches, pkg+": has no package comment; say what it is for and what it never does")
		}
	}
	slices.Sort(breaches)
	return slices.Compact(breaches)
}

func checkImport(pkg string, mine int, imported string, say func(string, ...any)) {
	switch {
	case imported == "memsync" || strings.HasPrefix(imported, "memsync/"):
		theirs := floorOf(imported)
		switch {
		case theirs < 0:
			say("imports %s, which stands on no floor", imported)
		case theirs == mine:
			say("imports %s sideways, on its own floor %s", imported, floors[mine].name)
		case theirs > mine:
			say("imports %s upwards, from floor %s to %s", imported, floors[mine].name, floors[theirs].name)
		}
	case mine == 0 && strings.Contains(strings.Split(imported, "/")[0], "."):
		say("imports %s; the words need the standard library only", imported)
	}
	if owner, owned := owners[imported]; owned && owner != pkg {
		say("imports %s, which only %s does", imported, owner)
	}
	if !floors[mine].pure {
		return
	}
	for banned, reason := range bans {
		below, tree := strings.CutSuffix(banned, "/")
		if imported == banned || tree && strings.HasPrefix(imported, below+"/") {
			say("imports %s: %s", imported, reason)
		}
	}
}

// floorOf is the place of a package in the table, -1 for none.
func floorOf(pkg string) int {
	return slices.IndexFunc(floors, func(f floor) bool { return slices.Contains(f.packages, pkg) })
}

func clockUses(tree *ast.File, timeName string) []string {
	var uses []string
	ast.Inspect(tree, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == timeName && slices.Contains(clock, sel.Sel.Name) {
			uses = append(uses, sel.Sel.Name)
		}
		return true
	})
	return uses
}

// production are the module's own Go files that are not tests. Directories
// with a go.mod are other modules.
func production(t *testing.T) []source {
	t.Helper()
	root := os.DirFS(".")
	var files []source
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != "." {
			_, nested := fs.Stat(root, path.Join(p, "go.mod"))
			if name := d.Name(); nested == nil || name == "testdata" || name[0] == '.' || name[0] == '_' {
				return fs.SkipDir
			}
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(root, p)
		files = append(files, source{path.Join("memsync", path.Dir(p)), path.Base(p), string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestFloors(t *testing.T) {
	files := production(t)
	if len(files) < 10 {
		t.Fatalf("found %d files only", len(files))
	}
	for _, breach := range checkFloors(files) {
		t.Error(breach)
	}
}

func TestFloorsTableNamesEachPackageOnce(t *testing.T) {
	seen := make(map[string]bool)
	for _, f := range floors {
		for _, pkg := range f.packages {
			if seen[pkg] {
				t.Errorf("%s stands on two floors", pkg)
			}
			seen[pkg] = true
		}
	}
}

// TestFloorsSeesABadImport shows the checker what it must refuse, and the
// neighbour that it must not.
func TestFloorsSeesABadImport(t *testing.T) {
	file := func(pkg, body string) source {
		return source{pkg, "x.go", "// Package x is for this test.\npackage x\n" + body}
	}
	for name, tc := range map[string]struct {
		file source
		says string // "" for nothing wrong
	}{
		"down":                     {file("memsync/controller", `import "memsync/internal/format"`), ""},
		"from format to text":      {file("memsync/internal/format", `import "memsync/internal/text"`), ""},
		"from text to format":      {file("memsync/internal/text", `import "memsync/internal/format"`), "upwards, from floor 1a"},
		"upwards":                  {file("memsync/controller", `import "memsync/gitlog"`), "upwards"},
		"the words import a floor": {file("memsync", `import "memsync/internal/text"`), "upwards"},
		"sideways":                 {file("memsync/internal/format", `import "memsync/internal/ledger"`), "sideways"},
		"the outside, sideways":    {file("memsync/indexer", `import "memsync/gitlog"`), "sideways"},
		"gitlog and its journal":   {file("memsync/gitlog", `import "memsync/gitlog/journal"`), ""},
		"the journal and gitlog":   {file("memsync/gitlog/journal", `import "memsync/gitlog"`), "upwards"},
		"the command":              {file("memsync/cmd/memsync", `import ("memsync/keeper"; "memsync/gitlog/journal"; "os")`), ""},
		"no floor":                 {file("memsync/util", ""), "memsync/util stands on no floor"},
		"importing no floor":       {file("memsync/keeper", `import "memsync/util"`), "imports memsync/util, which stands on no floor"},
		"a module in the words":    {file("memsync", `import "github.com/oklog/ulid/v2"`), "standard library only"},
		"the standard library":     {file("memsync", `import ("crypto/sha256"; "encoding/json")`), ""},
		"a module above":           {file("memsync/internal/text", `import "golang.org/x/text/unicode/norm"`), ""},
		"the disk":                 {file("memsync/controller", `import "os"`), "imports os: touches the disk"},
		"a program":                {file("memsync/internal/format", `import "os/exec"`), "starts programs"},
		"fs values":                {file("memsync/internal/format", `import "io/fs"`), ""},
		"the disk on floor 3":      {file("memsync/gitlog", `import ("os"; "os/exec"; "context")`), ""},
		"the network":              {file("memsync/lint", `import "net/http"`), "touches the network"},
		"an address is only text":  {file("memsync/internal/scan", `import "net/url"`), ""},
		"a context":                {file("memsync/controller/merge", `import "context"`), "doing, not deciding"},
		"a database":               {file("memsync/compose", `import "database/sql"`), "be given facts"},
		"chance":                   {file("memsync/internal/text", `import "math/rand/v2"`), "entropy is a fact"},
		"true chance":              {file("memsync", `import "crypto/rand"`), "ids are drawn by the keeper"},
		"a log":                    {file("memsync/controller", `import "log/slog"`), "never log and continue"},
		"YAML elsewhere":           {file("memsync/controller/merge", `import "gopkg.in/yaml.v3"`), "only memsync/internal/format does"},
		"YAML at home":             {file("memsync/internal/format", `import "gopkg.in/yaml.v3"`), ""},
		"the clock":                {file("memsync/controller", "import \"time\"\nvar now = time.Now()"), "uses time.Now"},
		"the clock, renamed":       {file("memsync/controller", "import clock \"time\"\nvar f = clock.Since"), "uses time.Since"},
		"the clock, with a dot":    {file("memsync/controller", "import . \"time\"\nvar now = Now()"), "with a dot"},
		"waiting":                  {file("memsync/internal/ledger", "import \"time\"\nfunc f() { <-time.After(1); time.Sleep(2) }"), "uses time.Sleep"},
		"time as a value":          {file("memsync/controller", "import \"time\"\nfunc f(now time.Time) time.Time { return now.Add(time.Hour) }"), ""},
		"another Now":              {file("memsync/controller", "import \"time\"\nvar d time.Duration\ntype t struct{ Now int }\nfunc f(x t) int { return x.Now }"), ""},
		"the clock on floor 4":     {file("memsync/keeper", "import \"time\"\nvar now = time.Now"), ""},
		"no package comment":       {source{"memsync/lint", "x.go", "package x"}, "no package comment"},
		"a directive is none":      {source{"memsync/lint", "x.go", "//go:generate true\npackage x"}, "no package comment"},
		"no Go":                    {source{"memsync/lint", "x.go", "x"}, "does not parse"},
	} {
		got := checkFloors([]source{tc.file})
		switch {
		case tc.says == "" && len(got) > 0:
			t.Errorf("%s: refused: %v", name, got)
		case tc.says != "" && !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, tc.says) }):
			t.Errorf("%s: got %v, want %q", name, got, tc.says)
		}
	}
}
