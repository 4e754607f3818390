package heat

import (
	"math"
	"math/rand/v2"
	"time"
)

// Kind is what an operation does to its key. The numbers are told to other servers.
type Kind uint8

const (
	Point Kind = iota // a key that was looked up, whether or not it has a row
	Scan              // a scan that began in a bucket: the key of its first row, or where it begins
	Row               // a row that a scan has read
	Write             // a row that was written or deleted
	kinds
)

// KeyBytes is how much of a key is kept.
const KeyBytes = 128

// Sample is one of the operations on a table or index, and stands for Weight of them.
type Sample struct {
	Key    []byte // the logical row key, without salt
	Cut    bool   // the key is longer: these are its first KeyBytes; or none, where it was not read
	Kind   Kind
	Bucket int       // where it was; 0 without salt
	At     time.Time // in milliseconds
	// Weight is how many operations the sample stands for, at least 1. Sums of weights are right on
	// average, for any set of keys.
	Weight float64
}

// Sampler chooses which operations of one reader or writer are sampled: one in k, where k is the same
// for all and changes with the load. The zero one is ready to use, by one goroutine at a time.
//
//	k = 4:   . . . x . x . . . . . . x      gaps are random, with mean k
//
// Gaps are geometric: how long one has lasted says nothing of its end, so that it may be drawn anew
// whenever k changes, or where a statement begins.
type Sampler struct {
	left  int   // operations before the next sample
	drawn uint8 // 1 + log2 of the k that left was drawn for; 0 is not drawn
}

// maxShift is log2 of the largest k.
const maxShift = 40

// perGap is 1/log(1-1/k), by log2 of k.
var perGap = func() (list [maxShift + 1]float64) {
	for i := range list {
		list[i] = 1 / math.Log1p(-1/float64(uint64(1)<<i))
	}
	return list
}()

// Next says how many of the next n operations are passed over before a sample: n where none of them
// is one. m is the Memo of their relation, which is counted.
func (s *Sampler) Next(m *Memo, n int) int {
	if drawn := uint8(m.heat.shift.Load()) + 1; s.drawn != drawn {
		s.draw(drawn)
	}
	if s.left >= n {
		s.left -= n
		return n
	}
	at := s.left
	s.draw(s.drawn)
	return at
}

// draw chooses the next gap.
func (s *Sampler) draw(drawn uint8) {
	s.drawn, s.left = drawn, 0
	if drawn > 1 {
		s.left = int(min(math.Log1p(-rand.Float64())*perGap[drawn-1], math.MaxInt32))
	}
}

// Take keeps an operation that Next has chosen. ends are where the first columns of its key end.
func (s *Sampler) Take(m *Memo, kind Kind, bucket int, logical []byte, ends Ends) {
	t := taken{rel: m.rel, kind: kind, bucket: uint8(max(bucket, 0)), shift: s.drawn - 1, ends: ends}
	if t.cut = len(logical) > KeyBytes; t.cut {
		logical = logical[:KeyBytes]
	}
	m.heat.take(t, logical)
}

// TakeUnknown is Take of an operation whose key was not read.
func (s *Sampler) TakeUnknown(m *Memo, kind Kind, bucket int) {
	m.heat.take(taken{rel: m.rel, kind: kind, bucket: uint8(max(bucket, 0)), shift: s.drawn - 1, cut: true, ends: NoEnds}, nil)
}
