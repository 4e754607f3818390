package exec

import (
	"bytes"
	"encoding/binary"
)

// runKey is the present key of one run of a k-way merge. Its first eight
// bytes are kept as a number, which decides most comparisons.
type runKey struct {
	head uint64
	key  []byte
	done bool // the run is at its end: it loses to all others
}

func (k *runKey) set(key []byte) {
	k.key = key
	if len(key) >= 8 {
		k.head = binary.BigEndian.Uint64(key)
		return
	}
	var h uint64
	for i, b := range key {
		h |= uint64(b) << (56 - 8*i)
	}
	k.head = h
}

// loserTree merges k sorted runs: it knows the run with the least present key
// (the greatest, if reverse) and finds the next one in log2 k comparisons
// after that run's key changed.
//
//	node[0]  winner
//	node[1…] the loser of the match played there; run i enters at (k+i)/2
//
// Of equal keys the run with the lower number comes first.
type loserTree struct {
	runs    []runKey
	node    []int
	reverse bool
}

// reset makes the tree over runs, whose keys are set.
func (t *loserTree) reset(runs []runKey, reverse bool) {
	t.runs, t.reverse = runs, reverse
	k := len(runs)
	if cap(t.node) < k {
		t.node = make([]int, k)
	}
	t.node = t.node[:k]
	if k == 0 {
		return
	}
	for i := range t.node {
		t.node[i] = -1
	}
	for i := k - 1; i >= 0; i-- {
		t.enter(i)
	}
}

// enter plays run i up to the first match without an opponent yet.
func (t *loserTree) enter(i int) {
	w := i
	for n := (len(t.runs) + i) / 2; n > 0; n /= 2 {
		if t.node[n] < 0 {
			t.node[n] = w
			return
		}
		if t.less(t.node[n], w) {
			w, t.node[n] = t.node[n], w
		}
	}
	t.node[0] = w
}

// winner is the run whose row comes next; done is set when all are at their end.
func (t *loserTree) winner() (run int, done bool) {
	w := t.node[0]
	return w, t.runs[w].done
}

// replay finds the new winner after the winner's key changed.
func (t *loserTree) replay() {
	w := t.node[0]
	for n := (len(t.runs) + w) / 2; n > 0; n /= 2 {
		if l := t.node[n]; t.less(l, w) {
			w, t.node[n] = l, w
		}
	}
	t.node[0] = w
}

func (t *loserTree) less(a, b int) bool {
	x, y := &t.runs[a], &t.runs[b]
	if x.done != y.done {
		return y.done
	}
	if x.head != y.head {
		return (x.head < y.head) != t.reverse
	}
	c := bytes.Compare(x.key, y.key)
	if t.reverse {
		c = -c
	}
	if c == 0 {
		return a < b
	}
	return c < 0
}
