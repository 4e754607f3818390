package exec

import "sync/atomic"

// account is a statement's memory for sorts, hash tables and kept results.
// Operators take from it before they hold something and give it back; those
// that can spill do so when it is empty.
type account struct {
	limit int64
	used  atomic.Int64
}

// take reserves n bytes; false if that is over the limit: nothing is reserved.
func (a *account) take(n int64) bool {
	if a.used.Add(n) > a.limit {
		a.used.Add(-n)
		return false
	}
	return true
}

func (a *account) give(n int64) { a.used.Add(-n) }

// holding is one operator's share of an account.
type holding struct {
	a *account
	n int64
}

// to makes the share n bytes; false if it cannot grow to that.
func (h *holding) to(n int64) bool {
	if d := n - h.n; d > 0 && !h.a.take(d) {
		return false
	} else if d < 0 {
		h.a.give(-d)
	}
	h.n = n
	return true
}

// forceTo is to without a limit.
func (h *holding) forceTo(n int64) {
	h.a.used.Add(n - h.n)
	h.n = n
}

func (h *holding) release() {
	if h.a != nil {
		h.a.give(h.n)
		h.n = 0
	}
}
