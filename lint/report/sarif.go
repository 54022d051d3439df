package report

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"unicode"

	"memsync"
	"memsync/lint"
)

const (
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	sarifVersion = "2.1.0"
	// sarifRoot is what paths are relative to; code scanning knows it by this name.
	sarifRoot = "%SRCROOT%"
	// sarifHash names the finding for result management. primaryLocationLineHash,
	// which code scanning matches alerts by, is left to the upload action: it
	// computes one from the lines around, and warns once per result about any
	// other that it finds.
	sarifHash = "memsyncFindingHash/v1"
)

// The parts of SARIF that are used here, by their names in the standard.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID                   string             `json:"id"`
	Name                 string             `json:"name"`
	ShortDescription     sarifText          `json:"shortDescription"`
	FullDescription      sarifText          `json:"fullDescription"`
	Help                 sarifMarkdown      `json:"help"`
	DefaultConfiguration sarifConfiguration `json:"defaultConfiguration"`
	Properties           sarifProperties    `json:"properties"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifMarkdown struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown"`
}

type sarifConfiguration struct {
	Level string `json:"level"`
}

type sarifProperties struct {
	Tags []string `json:"tags"`
}

type sarifResult struct {
	RuleID              string            `json:"ruleId"`
	RuleIndex           int               `json:"ruleIndex"`
	Level               string            `json:"level"`
	Message             sarifText         `json:"message"`
	Locations           []sarifLocation   `json:"locations"`
	PartialFingerprints map[string]string `json:"partialFingerprints"`
	Fixes               []sarifFix        `json:"fixes,omitempty"`
}

type sarifLocation struct {
	PhysicalLocation sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	ArtifactLocation sarifArtifact `json:"artifactLocation"`
	Region           sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI       string `json:"uri"`
	URIBaseID string `json:"uriBaseId"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type sarifFix struct {
	Description     sarifText     `json:"description"`
	ArtifactChanges []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	ArtifactLocation sarifArtifact      `json:"artifactLocation"`
	Replacements     []sarifReplacement `json:"replacements"`
}

// sarifReplacement is of bytes, as edits are: what is put in is base64, which is
// what the standard has for a region of bytes.
type sarifReplacement struct {
	DeletedRegion   sarifBytes    `json:"deletedRegion"`
	InsertedContent *sarifContent `json:"insertedContent,omitempty"`
}

type sarifBytes struct {
	Offset int `json:"byteOffset"`
	Length int `json:"byteLength"`
}

type sarifContent struct {
	Binary string `json:"binary"`
}

// writeSARIF is SARIF 2.1.0 of the kind that code scanning takes. All findings
// are in it: what a service shows of many is the service's to say.
func writeSARIF(b *bytes.Buffer, run Run, pageOf func(lint.Rule) (lint.Page, error)) error {
	codes := make([]string, len(run.Findings))
	for i, f := range run.Findings {
		codes[i] = f.Code
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	rules := make([]sarifRule, len(codes))
	for i, code := range codes {
		rules[i] = newSarifRule(code, pageOf)
	}
	results := make([]sarifResult, len(run.Findings))
	for i, print := range lint.Fingerprints(run.Findings) {
		f := run.Findings[i]
		at := chars(f)
		index, _ := slices.BinarySearch(codes, f.Code)
		where := sarifArtifact{uri(run.path(f)), sarifRoot}
		results[i] = sarifResult{
			RuleID: f.Code, RuleIndex: index, Level: sarifLevel(severity(f)), Message: plain(f.Message),
			Locations:           []sarifLocation{{sarifPhysical{where, sarifRegion{max(at.line, 1), at.column, at.endLine, at.endColumn}}}},
			PartialFingerprints: map[string]string{sarifHash: print},
			Fixes:               sarifFixes(f.Fix, where),
		}
	}
	driver := sarifDriver{"memsync", run.Version, rules}
	return encode(b, "  ", sarifLog{sarifSchema, sarifVersion, []sarifRun{{sarifTool{driver}, "unicodeCodePoints", results}}})
}

// newSarifRule tells a rule by its page, or, where it has none, by its name.
func newSarifRule(code string, pageOf func(lint.Rule) (lint.Page, error)) sarifRule {
	rule, known := lint.RuleOf(code)
	if !known {
		rule = lint.Rule{Code: code, Name: code, Severity: memsync.Warning}
	}
	words := strings.ReplaceAll(rule.Name, "-", " ")
	summary, text := words, ""
	if page, err := pageOf(rule); err == nil && page.Summary != "" {
		summary, text = page.Summary, page.Text
	}
	full, _, _ := strings.Cut(text, "\n\n")
	if full == "" {
		full = summary
	}
	body := summary
	if text != "" {
		body += "\n\n" + text
	}
	return sarifRule{
		ID: code, Name: pascal(rule.Name),
		ShortDescription:     sarifText{summary},
		FullDescription:      sarifText{strings.ReplaceAll(full, "\n", " ")},
		Help:                 sarifMarkdown{body, "# " + code + ": " + words + "\n\n" + body},
		DefaultConfiguration: sarifConfiguration{sarifLevel(rule.Severity)},
		Properties:           sarifProperties{tags(code)},
	}
}

// plain is a message for a program that makes links of `[text](target)`, which a
// memory must not have made. The standard has no empty message.
func plain(message string) sarifText {
	if message == "" {
		message = "-"
	}
	return sarifText{strings.ReplaceAll(shown(message), "](", "] (")}
}

func sarifLevel(s memsync.Severity) string {
	switch s {
	case memsync.Severe:
		return "error"
	case memsync.Warning:
		return "warning"
	}
	return "note"
}

// families are the words for the first digit of a code.
var families = map[string]string{
	"MS1": "file", "MS2": "identity", "MS3": "content", "MS4": "index", "MS5": "composition", "MS6": "history", "MS7": "store",
}

func tags(code string) []string {
	out := []string{"memory"}
	if family, ok := families[code[:min(3, len(code))]]; ok {
		out = append(out, family)
	}
	switch code {
	case memsync.FindSecret, memsync.FindInjection, memsync.FindHidden, lint.HostileEntry:
		out = append(out, "security")
	}
	return out
}

func pascal(dashed string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(dashed, "-") {
		for i, r := range word {
			if i == 0 {
				r = unicode.ToUpper(r)
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// uri is a relative path as RFC 3986 writes it. A colon is escaped, too: in a
// first element it would end the name of a scheme. So is the second of two
// slashes at the start: a host would follow.
func uri(path string) string {
	const hexDigits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		switch {
		case c == '/' && i == 1 && path[0] == '/':
			b.WriteString("%2F")
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
		}
	}
	return b.String()
}

// sarifFixes is a fix, if its edits are spans.
func sarifFixes(fix *lint.Fix, where sarifArtifact) []sarifFix {
	if fix == nil || len(fix.Edits) == 0 {
		return nil
	}
	var replacements []sarifReplacement
	for _, e := range fix.Edits {
		if e.Start < 0 || e.End < e.Start {
			return nil
		}
		r := sarifReplacement{DeletedRegion: sarifBytes{e.Start, e.End - e.Start}}
		if e.Text != "" {
			r.InsertedContent = &sarifContent{base64.StdEncoding.EncodeToString([]byte(e.Text))}
		}
		replacements = append(replacements, r)
	}
	return []sarifFix{{plain(fix.Message), []sarifChange{{where, replacements}}}}
}
