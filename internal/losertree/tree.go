package losertree

import (
	"bytes"
	"encoding/binary"
)

// Run is the present key of one run of a k-way merge. Its first eight
// bytes are kept as a number, which decides most comparisons.
type Run struct {
	Head uint64
	Key  []byte
	Done bool // the run is at its end: it loses to all others
}

// Set makes key the run's present one.
func (k *Run) Set(key []byte) {
	k.Key = key
	if len(key) >= 8 {
		k.Head = binary.BigEndian.Uint64(key)
		return
	}
	var h uint64
	for i, b := range key {
		h |= uint64(b) << (56 - 8*i)
	}
	k.Head = h
}

// Tree merges k sorted runs: it knows the run with the least present key
// (the greatest, if reverse) and finds the next one in log2 k comparisons
// after that run's key changed.
//
//	node[0]  winner
//	node[1…] the loser of the match played there; run i enters at (k+i)/2
//
// Of equal keys the run with the lower number comes first.
type Tree struct {
	runs    []Run
	node    []int
	reverse bool
}

// Reset makes the tree over runs, whose keys are set.
func (t *Tree) Reset(runs []Run, reverse bool) {
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
func (t *Tree) enter(i int) {
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

// Winner is the run whose row comes next; done is set when all are at their end.
func (t *Tree) Winner() (run int, done bool) {
	w := t.node[0]
	return w, t.runs[w].Done
}

// Replay finds the new winner after the winner's key changed.
func (t *Tree) Replay() {
	w := t.node[0]
	for n := (len(t.runs) + w) / 2; n > 0; n /= 2 {
		if l := t.node[n]; t.less(l, w) {
			w, t.node[n] = l, w
		}
	}
	t.node[0] = w
}

func (t *Tree) less(a, b int) bool {
	x, y := &t.runs[a], &t.runs[b]
	if x.Done != y.Done {
		return y.Done
	}
	if x.Head != y.Head {
		return (x.Head < y.Head) != t.reverse
	}
	c := bytes.Compare(x.Key, y.Key)
	if t.reverse {
		c = -c
	}
	if c == 0 {
		return a < b
	}
	return c < 0
}
