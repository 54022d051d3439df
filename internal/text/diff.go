package text

// hunk is a place in which two word sequences differ: a[a0:a1] against
// b[b0:b1]; one of the two may be empty.
type hunk struct{ a0, a1, b0, b1 int }

// maxEdits bounds the work of diff: beyond it the rest counts as one hunk. Texts
// that are compared at all share most of their words.
const maxEdits = 512

// diff is Myers' greedy algorithm ("An O(ND) difference algorithm", 1986) over
// equal prefixes and suffixes taken off.
func diff(a, b []int32) []hunk {
	lo := 0
	for lo < len(a) && lo < len(b) && a[lo] == b[lo] {
		lo++
	}
	tail := 0
	for tail < len(a)-lo && tail < len(b)-lo && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	ma, mb := a[lo:len(a)-tail], b[lo:len(b)-tail]
	if len(ma) == 0 && len(mb) == 0 {
		return nil
	}
	if len(ma) == 0 || len(mb) == 0 {
		return []hunk{{lo, lo + len(ma), lo, lo + len(mb)}}
	}
	hunks, ok := myers(ma, mb)
	if !ok {
		return []hunk{{lo, lo + len(ma), lo, lo + len(mb)}}
	}
	for i := range hunks {
		hunks[i].a0 += lo
		hunks[i].a1 += lo
		hunks[i].b0 += lo
		hunks[i].b1 += lo
	}
	return hunks
}

func myers(a, b []int32) ([]hunk, bool) {
	n, m := len(a), len(b)
	limit := min(n+m, maxEdits)
	off := limit + 1
	v := make([]int32, 2*limit+3)
	var trace [][]int32 // per d: v[-d..d]
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			var x int
			if k == -d || k != d && v[off+k-1] < v[off+k+1] {
				x = int(v[off+k+1])
			} else {
				x = int(v[off+k-1]) + 1
			}
			y := x - k
			for x < n && y < m && x >= 0 && y >= 0 && a[x] == b[y] {
				x++
				y++
			}
			v[off+k] = int32(x)
			if x >= n && y >= m {
				return backtrack(trace, d, n, m), true
			}
		}
		trace = append(trace, append([]int32(nil), v[off-d:off+d+1]...))
	}
	return nil, false
}

// backtrack walks the furthest-reaching paths from the end and joins adjacent
// edits.
func backtrack(trace [][]int32, d, x, y int) []hunk {
	var out []hunk // last first
	edit := func(a0, a1, b0, b1 int) {
		if l := len(out) - 1; l >= 0 && out[l].a0 == a1 && out[l].b0 == b1 {
			out[l].a0, out[l].b0 = a0, b0
			return
		}
		out = append(out, hunk{a0, a1, b0, b1})
	}
	for ; d > 0; d-- {
		prev := trace[d-1]
		at := func(k int) int {
			if i := k + d - 1; i >= 0 && i < len(prev) {
				return int(prev[i])
			}
			return -1
		}
		k := x - y
		down := k == -d || k != d && at(k-1) < at(k+1)
		if down { // b[py] was put in
			px := at(k + 1)
			py := px - (k + 1)
			edit(px, px, py, py+1)
			x, y = px, py
		} else { // a[px] was taken out
			px := at(k - 1)
			py := px - (k - 1)
			edit(px, px+1, py, py)
			x, y = px, py
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}
