package regex

import "unicode/utf8"

// matcher is the scratch memory of one search.
type matcher struct {
	re    *program
	text  []byte
	loc   []int
	float *dfa   // the whole, starting anywhere
	parts []*dfa // by part, starting here

	done    <-chan struct{} // ends the search
	stopped bool
	work    int // characters read since it was looked at done
}

// pollBytes is how many characters are read between two looks at done.
const pollBytes = 1 << 20

// worked counts characters read; false if the search is to end.
func (m *matcher) worked(n int) bool {
	if m.work += n; m.work < pollBytes || m.stopped {
		return !m.stopped
	}
	m.work = 0
	select {
	case <-m.done:
		m.stopped = true
	default:
	}
	return !m.stopped
}

func (m *matcher) dfa(n *node) *dfa {
	if m.parts[n.id] == nil {
		m.parts[n.id] = newDFA(m, m.re.a.parts[n.id], false)
	}
	return m.parts[n.id]
}

// spans says that n matches text[from:to] exactly.
func (m *matcher) spans(n *node, from, to int) bool {
	return m.dfa(n).run(m.text, from, to, to, true) == to
}

// unset forgets the captures of n.
func (m *matcher) unset(n *node) {
	if !n.captures {
		return
	}
	if n.op == opCapture {
		m.loc[2*n.capture], m.loc[2*n.capture+1] = -1, -1
	}
	for _, s := range n.subs {
		m.unset(s)
	}
}

// dissect divides text[from:to], which n matches, and sets n's captures. As
// there are no back references a division that fits can always be completed.
func (m *matcher) dissect(n *node, from, to int) {
	if !n.divides() {
		return
	}
	switch n.op {
	case opCapture:
		m.loc[2*n.capture], m.loc[2*n.capture+1] = from, to
		m.dissect(n.subs[0], from, to)
	case opConcat:
		m.divide(n.subs, from, to)
	case opAlt:
		for _, s := range n.subs {
			if m.spans(s, from, to) {
				m.dissect(s, from, to)
				return
			}
		}
	case opRepeat:
		m.iterate(n, from, to)
	}
}

// divide finds where the first part ends, by its preference. subs has two or
// more parts; three or more are the same as the second being their rest, and
// the parser makes such only where nothing has captures.
func (m *matcher) divide(subs []*node, from, to int) {
	left, right := subs[0], subs[1]
	d := m.dfa(left)
	if left.prefer == shortest {
		for mid := d.run(m.text, from, from, to, true); mid >= 0; {
			if m.spans(right, mid, to) {
				m.dissect(left, from, mid)
				m.dissect(right, mid, to)
				return
			}
			if mid >= to {
				return
			}
			mid = d.run(m.text, from, mid+1, to, true)
		}
		return
	}
	for mid := d.run(m.text, from, from, to, false); mid >= 0; {
		if m.spans(right, mid, to) {
			m.dissect(left, from, mid)
			m.dissect(right, mid, to)
			return
		}
		if mid <= from {
			return
		}
		mid = d.run(m.text, from, from, m.back(mid), false)
	}
}

// back is the offset of the character before offset i.
func (m *matcher) back(i int) int {
	_, n := utf8.DecodeLastRune(m.text[:i])
	return i - n
}

// iterate divides a repetition that may be empty: each round takes as much, or
// as little, as the rounds after it allow. Only the last round's captures
// stay. Postgres takes no empty round but to reach the least number, and one
// over an empty span where rounds take as much as they can.
func (m *matcher) iterate(n *node, from, to int) {
	if n.min == 0 && from == to {
		if n.subs[0].prefer != shortest && m.spans(n.subs[0], from, to) {
			m.dissect(n.subs[0], from, to)
		}
		return
	}
	it := iteration{m: m, n: n, body: n.subs[0], to: to, dead: map[[2]int]bool{}}
	it.ends = append(it.ends, from)
	if it.search() {
		k := len(it.ends)
		m.unset(it.body)
		m.dissect(it.body, it.ends[k-2], it.ends[k-1])
	}
}

type iteration struct {
	m       *matcher
	n, body *node
	to      int
	ends    []int           // start, then the end of each round
	dead    map[[2]int]bool // (rounds, end) that lead nowhere
}

// search extends ends to the end of the span.
func (it *iteration) search() bool {
	const untried = -2
	tried := []int{untried} // by round: the end it has now
	for len(tried) > 0 {
		k := len(tried)
		at := it.ends[k-1]
		end := it.next(at, &tried[k-1])
		if end < 0 {
			it.dead[[2]int{k - 1, at}] = true
			tried = tried[:k-1]
			it.ends = it.ends[:max(k-1, 1)]
			continue
		}
		it.ends = append(it.ends[:k], end)
		switch {
		case end == it.to:
			if k >= it.n.min {
				return true
			}
			// Rounds that are still owed are empty.
			if it.m.spans(it.body, end, end) {
				it.ends = append(it.ends, end)
				return true
			}
		case it.n.max != unlimited && k >= it.n.max, end == at, it.dead[[2]int{k, end}]:
		default:
			tried = append(tried, untried)
		}
	}
	return false
}

// next gives the next end to try for a round that starts at at; -1 if none.
func (it *iteration) next(at int, tried *int) int {
	d := it.m.dfa(it.body)
	end := -1
	if it.body.prefer == shortest {
		lo := at
		if *tried != -2 {
			lo = *tried + 1
		}
		if lo <= it.to {
			end = d.run(it.m.text, at, lo, it.to, true)
		}
	} else {
		hi := it.to
		if *tried != -2 {
			if *tried <= at {
				return -1
			}
			hi = it.m.back(*tried)
		}
		end = d.run(it.m.text, at, at, hi, false)
	}
	if end > it.to {
		end = -1
	}
	*tried = end
	return end
}
