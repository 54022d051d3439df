package scan

import (
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

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load()
	}
}
