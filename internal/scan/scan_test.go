package scan

import (
	"strings"
	"testing"
)

const honestBody = `The payments service is released every Tuesday after the nightly build has passed. The API
key for the staging system lives in Vault under secret/payments, and the deploy token is rotated by the platform
team every 90 days; ask in #platform for access. Run ` + "`make release VERSION=1.4.2`" + ` from the repository root, then
watch the authentication dashboard for about an hour.

**Why:** a manual release on Friday 2024-05-17 (commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b) took the public
endpoint down because the session key cache was cold.

**How to apply:** warm the cache first with scripts/warm_cache.sh --env staging, check that 10.0.3.17:8443 answers,
and only then switch traffic. The old runbook in docs/runbooks/release.md still describes the manual steps; prefer
the script in every case. Keep the user informed.
`

func BenchmarkHonest(b *testing.B) {
	b.SetBytes(int64(len(honestBody)))
	for b.Loop() {
		if h := Text("p.md", honestBody); len(h) > 0 {
			b.Fatal(h)
		}
	}
}

// prose is everyday text: words that hold a keyword inside, or are one.
func prose(i int) string {
	words := strings.Fields("anchor zinc quartz ledger sync harbor func juniper deploy token meadow key slate secret timber password valley api willow access " +
		"yarrow auth zenith task copper monkey dune system estuary client keyboard rush ignore tide fetch vine release wren linear yew square north release beacon " +
		"the of and a in to is was that for it on as with we by at from they this had not are but have an which one were all when can has more if out so what up " +
		"team build note page week meeting review change reason plan result table server client cache branch index merge window error report question answer")
	d := drawer{state: uint64(i+1) * 0x9e3779b97f4a7c15}
	var b strings.Builder
	b.WriteString("---\nid: 01JB7M3Q9V0000000000000000\nname: harbor sync\ndescription: how the zinc ledger is kept in sync with the task list\ntype: project\ntags: [zinc, sync]\n" +
		"provenance:\n  source_actor: cli\n  confidence: high\n  created_at: 2026-01-01T00:00:00Z\n  updated_at: 2026-01-01T00:00:00Z\n---\n\n")
	for b.Len() < 750 {
		for n := 12 + d.n(30); n > 0; n-- {
			b.WriteString(words[d.n(len(words))])
			b.WriteByte(" \n"[max(d.n(12)-10, 0)])
		}
		b.WriteString("zinc and func alike.\n\n")
	}
	return b.String()
}

func BenchmarkText(b *testing.B) {
	var texts [64]string
	size := 0
	for i := range texts {
		texts[i] = prose(i)
		size += len(texts[i])
	}
	b.SetBytes(int64(size / len(texts)))
	i := 0
	for b.Loop() {
		if h := Text("p.md", texts[i%len(texts)]); len(h) > 0 {
			b.Fatal(h)
		}
		i++
	}
}
