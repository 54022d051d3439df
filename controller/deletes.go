package controller

import (
	"strconv"

	"memsync"
)

// HoldDeletes turns the deletes of one batch into holds where too much goes at
// once: more than HoldFiles memories and more than HoldPercent of a scope, or
// all of a scope whose directory is gone or empty (an unmounted disk looks like
// that). Only vanished files count: a rename is not a delete, and a verb was
// asked for. What waited once waits on, however much of the batch came back:
// only a person lets it go. before is the view that the batch was decided on;
// gone names the scopes whose directory is missing or holds nothing; waiting are
// the paths that an earlier batch held. ds is changed in place and the names of
// the scopes that wait are returned, in the order met.
func HoldDeletes(ds []memsync.Decision, before *memsync.View, gone map[string]bool, waiting map[memsync.Path]bool, p memsync.Policy) []string {
	deletes, earlier := map[string]int{}, map[string]bool{}
	var order []string
	for i := range ds {
		if vanishedDelete(&ds[i]) {
			if deletes[ds[i].Scope] == 0 {
				order = append(order, ds[i].Scope)
			}
			deletes[ds[i].Scope]++
			earlier[ds[i].Scope] = earlier[ds[i].Scope] || waiting[ds[i].Path]
		}
	}
	waits, whole := map[string]int{}, map[string]bool{}
	var held []string
	for _, scope := range order {
		n := deletes[scope]
		if !gone[scope] && !earlier[scope] && n <= p.Deletes.HoldFiles {
			continue
		}
		total := 0
		if before != nil {
			for range before.InScope(scope) {
				total++
			}
		}
		if all := gone[scope] || n > p.Deletes.HoldFiles && n*100 > total*p.Deletes.HoldPercent; all || earlier[scope] {
			waits[scope] = total
			whole[scope] = all
			held = append(held, scope)
		}
	}
	for i := range ds {
		d := &ds[i]
		total, ok := waits[d.Scope]
		if !ok || !vanishedDelete(d) || !whole[d.Scope] && !waiting[d.Path] {
			continue
		}
		n := strconv.Itoa(deletes[d.Scope])
		why := n + " of " + strconv.Itoa(total) + " memories of " + d.Scope + " are gone at once"
		if !whole[d.Scope] {
			why = "it went with many others of " + d.Scope + ", and nobody has let it go"
		}
		d.Op, d.Files, d.Events, d.After, d.Post = memsync.OpHold, nil, nil, nil, ""
		d.Error = &memsync.Error{
			Code: memsync.CodeDeletesHeld, Message: why, Path: d.Path,
			Hint:    "nothing is lost: `memsync restore` brings them back, `memsync accept-deletes` lets them go",
			Details: map[string]string{"scope": d.Scope, "deletes": n, "memories": strconv.Itoa(total)},
		}
		d.Reasons = append(d.Reasons, memsync.Reason{Rule: "delete", Code: memsync.CodeDeletesHeld, Detail: why})
	}
	return held
}

func vanishedDelete(d *memsync.Decision) bool {
	return d.Op == memsync.OpDelete && d.Origin.Save()
}
