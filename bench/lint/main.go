// Command lint measures `memsync lint` and the pre-commit hook on the built
// command, beside the linters that people run over such files: markdownlint-cli2,
// and remark with a schema for the frontmatter, both from npm, which this bench
// installs. They look for other things than memsync does; docs/bench.md says
// which.
package main

import (
	"flag"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"memsync/bench/gen"
	"memsync/bench/measure"
)

const seed = 7

func main() {
	runs := flag.Int("runs", 11, "how often each command of ours is timed")
	r := measure.Start("lint", "lint, peers, hook")
	defer r.End()
	bin, scratch, want := r.Bin, r.Scratch, r.Want
	store := func(name string, n int) string {
		dir := filepath.Join(scratch, name)
		measure.Check(gen.Store(dir, n, gen.Ours, seed))
		run(dir, bin, "up", "--once")
		return dir
	}
	big := store("10k", 10_000)
	var ours []time.Duration
	if want("lint") || want("peers") {
		var rss int64
		ours, rss = lint(bin, big, *runs)
		measure.Figure("lint_10k_ms", measure.MS(measure.Median(ours)), "ms")
		measure.Figure("lint_rss_mb", float64(rss)/1024, "MB")
	}
	if want("peers") {
		peers(bin, scratch, big, store("1k", 1000), ours, *runs)
	}
	if want("hook") {
		hook(bin, big, *runs)
	}
}

// lint times whole processes over a store that is in the page cache, as CI and
// a person's second run have it, and says how much memory the largest took.
func lint(bin, dir string, runs int) (times []time.Duration, rss int64) {
	for range runs + 1 {
		cmd := exec.Command(bin, "lint", "--fail-on", "error")
		cmd.Dir = dir
		took := measure.Timed(func() { fine(cmd) })
		times = append(times, took)
		rss = max(rss, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	}
	return times[1:], rss // the first one fills the cache
}

// peers times what people would use instead, in the same run on the same files.
func peers(bin, scratch, big, small string, ours []time.Duration, runs int) {
	tools := filepath.Join(scratch, "tools")
	measure.Check(os.MkdirAll(tools, 0o755))
	run(tools, "npm", "install", "--silent", "--no-fund", "--no-audit", "markdownlint-cli2", "remark-cli", "remark-frontmatter", "remark-lint-frontmatter-schema")
	bins := filepath.Join(tools, "node_modules", ".bin")

	config := filepath.Join(tools, ".markdownlint-cli2.jsonc")
	measure.Check(os.WriteFile(config, []byte(`{"noBanner": true, "noProgress": true}`), 0o644))
	var theirs []time.Duration
	for range 3 {
		cmd := exec.Command(filepath.Join(bins, "markdownlint-cli2"), "--config", config, "memory/**/*.md")
		cmd.Dir = big
		theirs = append(theirs, measure.Timed(func() { done(cmd) })) // it finds long lines, and says so by its exit code
	}
	measure.Figure("markdownlint_cli2_10k_ms", measure.MS(measure.Median(theirs)), "ms")
	measure.Figure("lint_vs_markdownlint_cli2_10k", measure.Ratio(theirs, ours), "x")

	schema := filepath.Join(tools, "memory.schema.json")
	measure.Check(os.WriteFile(schema, []byte(frontmatter), 0o644))
	rel, err := filepath.Rel(small, schema) // it is looked for below the working directory
	measure.Check(err)
	rc := filepath.Join(tools, "remark.mjs")
	measure.Check(os.WriteFile(rc, []byte(`import frontmatter from "remark-frontmatter"
import schema from "remark-lint-frontmatter-schema"
export default { plugins: [frontmatter, [schema, { schemas: { `+quote(rel)+`: ["**/*.md"] } }]] }
`), 0o644))
	oursSmall, _ := lint(bin, small, runs)
	var remark []time.Duration
	for range 3 {
		cmd := exec.Command(filepath.Join(bins, "remark"), "--rc-path", rc, "--no-stdout", "--quiet", "--ext", "md", "memory")
		cmd.Dir = small
		remark = append(remark, measure.Timed(func() { done(cmd) }))
	}
	measure.Figure("lint_1k_ms", measure.MS(measure.Median(oursSmall)), "ms")
	measure.Figure("remark_schema_1k_ms", measure.MS(measure.Median(remark)), "ms")
	measure.Figure("lint_vs_remark_schema_1k", measure.Ratio(remark, oursSmall), "x")
}

// hook times what git runs before a commit: the installed hook, shell and all,
// with ten memories staged.
func hook(bin, dir string, runs int) {
	run(dir, bin, "hooks", "install")
	run(dir, "git", "update-index", "-q", "--refresh") // the store is a copy: its files have other inodes, and git would add all of them again
	for i := range 10 {
		p := filepath.Join(dir, filepath.FromSlash(string(gen.Path(i*997, gen.Ours))))
		data, err := os.ReadFile(p)
		measure.Check(err)
		measure.Check(os.WriteFile(p, append(data, "\nOne sentence more.\n"...), 0o644))
	}
	run(dir, "git", "add", "memory")
	hooks := filepath.Join(dir, ".git", "hooks", "pre-commit")
	var times, git []time.Duration
	for range runs + 1 {
		cmd := exec.Command(hooks)
		cmd.Dir = dir
		times = append(times, measure.Timed(func() { fine(cmd) }))
		diff := exec.Command("git", "diff", "--cached", "--name-only", "-z")
		diff.Dir = dir
		git = append(git, measure.Timed(func() { fine(diff) }))
	}
	measure.Figure("hook_10_staged_ms", measure.MS(measure.Median(times[1:])), "ms")
	measure.Figure("git_diff_cached_ms", measure.MS(measure.Median(git[1:])), "ms")
}

const frontmatter = `{"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "description": {"type": "string", "maxLength": 300},
	"type": {"enum": ["user", "feedback", "project", "reference"]}, "tags": {"type": "array", "items": {"type": "string"}}},
	"required": ["name", "description", "type"]}`

func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

func run(dir, name string, args ...string) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	fine(cmd)
}

// fine runs a command that has to succeed.
func fine(cmd *exec.Cmd) {
	if out, err := cmd.CombinedOutput(); err != nil {
		log.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

// done runs a command that may find something.
func done(cmd *exec.Cmd) {
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		log.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}
