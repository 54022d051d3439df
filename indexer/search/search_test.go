package search

import (
	"testing"
)

func TestSmoke(t *testing.T) {
	x := with(t,
		mem{path: "a.md", name: "Deploy checklist", body: "first the database\n\nthen deploying the web servers\n"},
		mem{path: "b.md", name: "Other", body: "we deploy on friday"},
		mem{path: "c.md", body: "雾凇词库部署时实测"},
	)
	finds(t, x, "deploy checklist", "a", "b")
	finds(t, x, "雾凇", "c")
	finds(t, x, "eploy", "a", "b")
	p := search(t, x, "deploying web")
	t.Logf("%+v", p)
}
