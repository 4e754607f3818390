package pebble

import (
	"hash/maphash"
	"math/bits"
	"sync"
)

const stripes = 1024

// latches serialise writers of one row: a part-row write reads the row and
// writes it back, and nothing may come between. Rows share stripes by hash.
// Whoever needs several locks them all at once, in ascending order, so that
// writers of many rows cannot deadlock. They are held until a write is visible,
// not until it is durable.
type latches struct {
	seed    maphash.Seed
	stripes [stripes]sync.Mutex
}

// stripe hashes a Pebble key, table id included.
func (l *latches) stripe(key []byte) uint {
	return uint(maphash.Bytes(l.seed, key)) % stripes
}

// latchSet is a set of stripes.
type latchSet [stripes / 64]uint64

func (s *latchSet) add(stripe uint) { s[stripe/64] |= 1 << (stripe % 64) }

func (l *latches) lock(s *latchSet) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			l.stripes[i*64+bits.TrailingZeros64(w)].Lock()
		}
	}
}

func (l *latches) unlock(s *latchSet) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			l.stripes[i*64+bits.TrailingZeros64(w)].Unlock()
		}
	}
}
