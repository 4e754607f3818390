package expr

import (
	"crypto/rand"
	"encoding/binary"
	"math"
	"math/bits"
	"sync"
)

// Random is where random() of a session takes its numbers: from the system's source, or after
// setseed from PostgreSQL's generator, xoroshiro128**, which gives the same ones for a seed. The
// zero value is not seeded; nil never is. It may be used by several goroutines.
type Random struct {
	mu     sync.Mutex
	seeded bool
	s0, s1 uint64
}

// Seed begins a sequence; seed is from -1 to 1.
func (r *Random) Seed(seed float64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	state := uint64(int64(float64(uint64(1)<<52-1) * seed))
	next := func() uint64 { // splitmix64
		state += 0x9E3779B97F4A7C15
		v := state
		v = (v ^ v>>30) * 0xBF58476D1CE4E5B9
		v = (v ^ v>>27) * 0x94D049BB133111EB
		return v ^ v>>31
	}
	r.s0, r.s1, r.seeded = next(), next(), true
}

// Float is in [0,1).
func (r *Random) Float() float64 {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.seeded {
			s0, x := r.s0, r.s1^r.s0
			v := bits.RotateLeft64(s0*5, 7) * 9
			r.s0, r.s1 = bits.RotateLeft64(s0, 24)^x^x<<16, bits.RotateLeft64(x, 37)
			return math.Ldexp(float64(v>>12), -52)
		}
	}
	var b [8]byte
	_, _ = rand.Read(b[:])
	return float64(binary.LittleEndian.Uint64(b[:])>>11) / (1 << 53)
}
