package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"memsync"
)

// judge holds a report to the laws of the package.
func judge(t testing.TB, format string, run Run, report []byte) {
	t.Helper()
	if !utf8.Valid(report) {
		t.Errorf("%s: not UTF-8", format)
	}
	for _, r := range string(report) {
		if r != '\n' && obeyed(r) && format != "junit" {
			t.Errorf("%s: %U stands in it as it is", format, r)
		}
	}
	map[string]func(testing.TB, Run, []byte){
		"text": judgeText, "json": judgeJSON, "jsonl": judgeJSONLines, "github": judgeGitHub, "sarif": judgeSARIF, "gitlab": judgeGitLab, "junit": judgeJUnit,
	}[format](t, run, report)
}

func lines(report []byte) []string {
	return strings.Split(strings.TrimSuffix(string(report), "\n"), "\n")
}

func judgeText(t testing.TB, run Run, report []byte) {
	want := 1 + len(run.Sizes)
	for _, f := range run.Findings {
		if severity(f) == memsync.Info && !run.Verbose {
			continue
		}
		want++
		if f.Hint != "" {
			want++
		}
	}
	if got := len(lines(report)); got != want {
		t.Errorf("text: %d lines, want %d", got, want)
	}
}

var schemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.AssertContent()
	out := make(map[string]*jsonschema.Schema)
	for _, name := range []string{"sarif-schema-2.1.0.json", "lint-report.schema.json"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		if err := c.AddResource("test:"+name, doc); err != nil {
			return nil, err
		}
	}
	for name, at := range map[string]string{
		"sarif": "test:sarif-schema-2.1.0.json", "json": "test:lint-report.schema.json",
		"finding": "test:lint-report.schema.json#/$defs/finding", "last": "test:lint-report.schema.json#/$defs/last",
	} {
		schema, err := c.Compile(at)
		if err != nil {
			return nil, err
		}
		out[name] = schema
	}
	return out, nil
})

func validate(t testing.TB, schema string, report []byte) {
	t.Helper()
	all, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(report))
	if err != nil {
		t.Fatalf("%s: no JSON: %v\n%s", schema, err, report)
	}
	if err := all[schema].Validate(doc); err != nil {
		t.Errorf("%s: %v\n%s", schema, err, report)
	}
}

func decode(t testing.TB, report []byte, to any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(report))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
}

func judgeJSON(t testing.TB, run Run, report []byte) {
	validate(t, "json", report)
	var got jsonReport
	decode(t, report, &got)
	judgeFindings(t, run, got.Findings)
	if got.Summary != run.jsonSummary() || got.Files != run.Files || len(got.Agents) != len(run.Sizes) {
		t.Errorf("json: it counts %+v", got.Summary)
	}
}

func judgeJSONLines(t testing.TB, run Run, report []byte) {
	var got []jsonFinding
	all := lines(report)
	for _, line := range all[:len(all)-1] {
		validate(t, "finding", []byte(line))
		var f jsonFinding
		decode(t, []byte(line), &f)
		got = append(got, f)
	}
	judgeFindings(t, run, got)
	validate(t, "last", []byte(all[len(all)-1]))
}

func judgeFindings(t testing.TB, run Run, got []jsonFinding) {
	if len(got) != len(run.Findings) {
		t.Fatalf("json: %d findings, want %d", len(got), len(run.Findings))
	}
	for i, f := range run.Findings {
		path := got[i].Path
		if got[i].PathBytes != "" {
			b, err := base64.StdEncoding.DecodeString(got[i].PathBytes)
			if err != nil {
				t.Error(err)
			}
			path = string(b)
		}
		if path != run.path(f) || got[i].Message != strings.ToValidUTF8(f.Message, "\ufffd") && utf8.ValidString(f.Message) {
			t.Errorf("json: it tells %q of %q, not %q of %q", got[i].Message, path, f.Message, run.path(f))
		}
	}
}

// obeyedCommand is one that a GitHub runner takes from a log.
type obeyedCommand struct {
	name, data string
	properties map[string]string
}

// runner reads a log as GitHub's runner does (ActionCommand.cs and
// ActionCommandManager.cs of actions/runner), but takes any word for a command.
func runner(log string) (commands []obeyedCommand, stopped string) {
	for line := range strings.FieldsFuncSeq(log, func(r rune) bool { return r == '\n' || r == '\r' }) {
		c, ok := newerCommand(line)
		if !ok {
			c, ok = olderCommand(line)
		}
		switch {
		case !ok:
		case stopped != "":
			if strings.EqualFold(c.name, stopped) {
				commands, stopped = append(commands, c), ""
			}
		default:
			commands = append(commands, c)
			if strings.EqualFold(c.name, "stop-commands") {
				stopped = c.data
			}
		}
	}
	return commands, stopped
}

func newerCommand(line string) (obeyedCommand, bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::")
	if !ok {
		return obeyedCommand{}, false
	}
	info, data, ok := strings.Cut(rest, "::")
	if !ok {
		return obeyedCommand{}, false
	}
	name, properties, _ := strings.Cut(info, " ")
	c := obeyedCommand{name: name, properties: make(map[string]string)}
	for property := range strings.SplitSeq(properties, ",") {
		if key, value, ok := strings.Cut(property, "="); ok {
			c.properties[key] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(value)
		}
	}
	c.data = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(data)
	return c, true
}

func olderCommand(line string) (obeyedCommand, bool) {
	_, rest, ok := strings.Cut(line, "##[")
	if !ok {
		return obeyedCommand{}, false
	}
	info, data, ok := strings.Cut(rest, "]")
	name, _, _ := strings.Cut(info, " ")
	return obeyedCommand{name: name, data: data}, ok
}

func judgeGitHub(t testing.TB, run Run, report []byte) {
	commands, stopped := runner(string(report))
	if stopped != "" || len(commands) != len(run.Findings)+2 {
		t.Fatalf("github: %d commands of %d findings, stopped by %q\n%s", len(commands), len(run.Findings), stopped, report)
	}
	for i, f := range run.Findings {
		c := commands[i]
		if want := map[memsync.Severity]string{memsync.Severe: "error", memsync.Warning: "warning", memsync.Info: "notice"}[severity(f)]; c.name != want {
			t.Errorf("github: a command %q, want %q", c.name, want)
		}
		if want := shownLines(valid(run.path(f))); c.properties["file"] != want {
			t.Errorf("github: a file %q, want %q", c.properties["file"], want)
		}
		for property := range c.properties {
			if !strings.Contains(" file line endLine col endColumn title ", " "+property+" ") {
				t.Errorf("github: a property %q", property)
			}
		}
		if want := shownLines(valid(f.Message)); !strings.HasPrefix(c.data, want) {
			t.Errorf("github: a message %q, want %q", c.data, want)
		}
	}
	if commands[len(commands)-2].name != "stop-commands" || commands[len(commands)-1].name != commands[len(commands)-2].data {
		t.Errorf("github: the text is not fenced:\n%s", report)
	}
	for _, f := range run.Findings {
		run.Verbose = true
		if !strings.Contains(string(report), "\n"+textLine(run, f)+"\n") {
			t.Errorf("github: the text lacks %s", textLine(run, f))
		}
	}
}

func judgeSARIF(t testing.TB, run Run, report []byte) {
	validate(t, "sarif", report)
	var got sarifLog
	decode(t, report, &got)
	results, rules := got.Runs[0].Results, got.Runs[0].Tool.Driver.Rules
	if len(results) != len(run.Findings) {
		t.Fatalf("sarif: %d results, want %d", len(results), len(run.Findings))
	}
	seen := make(map[string]bool)
	for i, f := range run.Findings {
		r := results[i]
		where := r.Locations[0].PhysicalLocation
		u, err := url.Parse(where.ArtifactLocation.URI)
		if err != nil || u.Path != run.path(f) || u.Scheme != "" || u.Host != "" {
			t.Errorf("sarif: %q is %+v, %v, want %q", where.ArtifactLocation.URI, u, err, run.path(f))
		}
		if regexp.MustCompile(`[^A-Za-z0-9%._~/-]`).MatchString(where.ArtifactLocation.URI) {
			t.Errorf("sarif: not escaped: %q", where.ArtifactLocation.URI)
		}
		if where.Region.StartLine < 1 || f.Line > 0 && where.Region.StartLine != f.Line {
			t.Errorf("sarif: region %+v of line %d", where.Region, f.Line)
		}
		if rules[r.RuleIndex].ID != f.Code || r.RuleID != f.Code {
			t.Errorf("sarif: rule %d is %s, not %s", r.RuleIndex, rules[r.RuleIndex].ID, f.Code)
		}
		if strings.Contains(r.Message.Text, "](") {
			t.Errorf("sarif: a link in %q", r.Message.Text)
		}
		hash := r.PartialFingerprints[sarifHash]
		if hash == "" || seen[hash] {
			t.Errorf("sarif: fingerprint %q", hash)
		}
		seen[hash] = true
	}
}

func judgeGitLab(t testing.TB, run Run, report []byte) {
	var got []codeQuality
	decode(t, report, &got)
	if got == nil || len(got) != len(run.Findings) {
		t.Fatalf("gitlab: %d of %d", len(got), len(run.Findings))
	}
	seen := make(map[string]bool)
	for i, f := range run.Findings {
		q := got[i]
		if q.CheckName != f.Code || q.Location.Path != valid(run.path(f)) || q.Location.Lines.Begin < 1 || q.Fingerprint == "" || seen[q.Fingerprint] {
			t.Errorf("gitlab: %+v of %+v", q, f)
		}
		if !strings.Contains(" info minor major critical blocker ", " "+q.Severity+" ") {
			t.Errorf("gitlab: severity %q", q.Severity)
		}
		seen[q.Fingerprint] = true
	}
}

func judgeJUnit(t testing.TB, run Run, report []byte) {
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Cases    []struct {
				Class   string `xml:"classname,attr"`
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
			Out string `xml:"system-out"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(report, &got); err != nil {
		t.Fatalf("junit: %v\n%s", err, report)
	}
	for _, r := range string(report) {
		if r < 0x20 && r != '\n' || r == 0xfffe || r == 0xffff {
			t.Errorf("junit: XML has no %U", r)
		}
	}
	suite := got.Suites[0]
	n := run.count()
	failures, names := 0, make(map[[2]string]bool)
	var want []string
	for _, f := range run.Findings {
		if severity(f) != memsync.Info {
			want = append(want, asXML(run.path(f)))
		}
	}
	for _, c := range suite.Cases {
		if c.Failure != nil {
			if failures < len(want) && c.Class != want[failures] {
				t.Errorf("junit: class %q, want %q", c.Class, want[failures])
			}
			failures++
		}
		if key := [2]string{c.Class, c.Name}; names[key] {
			t.Errorf("junit: two are %q", key)
		} else {
			names[key] = true
		}
	}
	if failures != n.errors+n.warnings || got.Failures != failures || suite.Failures != failures {
		t.Errorf("junit: %d failures, said %d and %d", failures, got.Failures, suite.Failures)
	}
	if len(suite.Cases) != max(failures, 1) || got.Tests != len(suite.Cases) || suite.Tests != len(suite.Cases) {
		t.Errorf("junit: %d cases, said %d and %d", len(suite.Cases), got.Tests, suite.Tests)
	}
	if got := strings.Count(suite.Out, "\n"); got != n.infos {
		t.Errorf("junit: %d notes, want %d", got, n.infos)
	}
}

// asXML is s as XML 1.0 can hold it.
func asXML(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, perByte(s))
}

// perByte puts U+FFFD for each byte that is not UTF-8.
func perByte(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}
