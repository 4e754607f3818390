package heat

import (
	"math/bits"
	"sync"
	"unsafe"
)

// Operations that are sampled wait here for Run, which takes them about once a second:
//
//	sessions: Sampler.Take --> one buffer, while the other is drained --> the reservoir of their relation
//
// What there is no room for is lost; k rises before that.

// MaxSamples is how many operations are sampled in a second, of all relations. k is the least power
// of two that does with so many, by the load of the second before.
const MaxSamples = 4096

// overSamples is after how many more k is doubled within the second.
const overSamples = 128

// taken is an operation that was sampled.
type taken struct {
	rel    *relation
	at     int64 // ms
	off    uint32
	n      uint8 // bytes of the key, from off on
	kind   Kind
	bucket uint8
	shift  uint8 // log2 of k
	cut    bool
	ends   Ends
}

// takenBytes is what one takes, with a key of a usual length.
const takenBytes = int64(unsafe.Sizeof(taken{})) + 64

// buffer holds samples and their keys. It never grows.
type buffer struct {
	list []taken
	keys []byte
}

func (b *buffer) reset() { b.list, b.keys = b.list[:0], b.keys[:0] }

// ring is the pair of buffers.
type ring struct {
	mu      sync.Mutex
	filling buffer
	second  int64         // of the clock
	sampled int           // in it
	weight  int64         // what they stand for
	double  int           // after how many samples k is doubled
	size    int           // samples that a buffer has room for
	first   chan struct{} // there is something to drain
	half    chan struct{} // there is little room

	draining buffer // under Heat.mu
}

// ringBytes is what the ring of a Heat of most bytes takes.
func ringBytes(most int64) int64 { return 2 * int64(ringSize(most)) * takenBytes }

// ringSize is a second's samples, or what a 64th of the memory has room for.
func ringSize(most int64) int { return int(min(MaxSamples, most/64/takenBytes)) }

func (r *ring) init(most int64) {
	r.size, r.double = ringSize(most), MaxSamples
	r.first, r.half = make(chan struct{}, 1), make(chan struct{}, 1)
}

// make gives a buffer its room, when the first sample comes.
func (b *buffer) make(size int) {
	if b.list == nil {
		b.list, b.keys = make([]taken, 0, size), make([]byte, 0, size*64)
	}
}

// take puts an operation into the ring.
func (h *Heat) take(t taken, logical []byte) {
	now := h.now()
	t.at = now.UnixMilli()
	r := &h.ring
	r.mu.Lock()
	defer r.mu.Unlock()
	h.adapt(now.Unix())
	r.weight += 1 << t.shift
	if r.sampled++; r.sampled >= r.double {
		r.double += overSamples
		h.shift.Store(min(h.shift.Load()+1, maxShift))
	}
	b := &r.filling
	b.make(r.size)
	if len(b.list) < cap(b.list) && len(b.keys)+len(logical) <= cap(b.keys) {
		t.off, t.n = uint32(len(b.keys)), uint8(len(logical))
		b.keys, b.list = append(b.keys, logical...), append(b.list, t)
	}
	switch len(b.list) {
	case 1:
		signal(r.first)
	case cap(b.list) / 2:
		signal(r.half)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// adapt chooses k where a second has ended; with the ring's lock held.
func (h *Heat) adapt(second int64) {
	r := &h.ring
	if second == r.second {
		return
	}
	rate := r.weight / max(1, second-r.second) // a clock that was set back ends the second too
	shift := 0
	if rate > MaxSamples {
		shift = bits.Len64(uint64((rate - 1) / MaxSamples))
	}
	h.shift.Store(uint32(min(shift, maxShift)))
	r.second, r.sampled, r.weight, r.double = second, 0, 0, MaxSamples
}

// tick ends the second for k, where no sample does: says whether k is above 1.
func (h *Heat) tick() bool {
	h.ring.mu.Lock()
	defer h.ring.mu.Unlock()
	h.adapt(h.now().Unix())
	return h.shift.Load() > 0
}

// drain takes what the ring holds; with Heat's lock held.
func (h *Heat) drain() {
	r := &h.ring
	r.mu.Lock()
	r.filling, r.draining = r.draining, r.filling
	r.mu.Unlock()
	b := &r.draining
	for i := range b.list {
		t := &b.list[i]
		if h.relations[t.rel.key] == t.rel { // or it is forgotten
			t.rel.sample(t, b.keys[t.off:t.off+uint32(t.n)])
		}
		t.rel = nil
	}
	b.reset()
}
