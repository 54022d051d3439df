package format

import (
	"strings"
	"testing"

	"memsync"
)

// benchDoc is a document of 750 bytes, the mean of the design's corpus, in the
// shape this program writes.
var benchDoc = func() []byte {
	head := `---
id: 01JNB2Q0T7ZC4X9V8M5H3K2RDF
name: Test Integrity
description: "Fix production bugs instead of weakening tests — always"
type: feedback
tags: [testing, ci]
key: test-integrity
provenance:
  source_actor: cli
  source_sessions: [01J7VR2Q8MZ4FXWZ8WB7M2A4S0]
  confidence: high
  created_at: 2026-04-12T14:32:11Z
  updated_at: 2026-04-12T14:32:11Z
---

`
	body := strings.Repeat("If a test reveals incorrect behaviour, fix the production code.\n", 10)
	return []byte(head + body[:750-len(head)-1] + "\n")
}()

func BenchmarkParse750(b *testing.B) {
	lim := memsync.DefaultLimits()
	b.SetBytes(int64(len(benchDoc)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(benchDoc, lim); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParseSlow750 is the same document through the YAML decoder.
func BenchmarkParseSlow750(b *testing.B) {
	d, err := Parse(benchDoc, memsync.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, f := readSlow(d.raw, d.fmStart, d.fmEnd); f != nil {
			b.Fatal(f.msg)
		}
	}
}

func BenchmarkDescribe750(b *testing.B) {
	d, err := Parse(benchDoc, memsync.DefaultLimits())
	if err != nil {
		b.Fatal(err)
	}
	scope := memsync.Scope{Kind: memsync.Global, Dir: "memory"}
	b.ReportAllocs()
	for b.Loop() {
		Describe(d, "memory/feedback_test-integrity.md", scope)
	}
}

func BenchmarkSet750(b *testing.B) {
	d, err := Parse(benchDoc, memsync.DefaultLimits())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Set("provenance.updated_at", memsync.Text("2026-05-01T00:00:00Z")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSlug(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Slug("Fix production bugs instead of weakening tests")
	}
}
