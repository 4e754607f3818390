package heat

import (
	"math"
	"math/rand/v2"
	"time"
	"unsafe"
)

// The sampled operations of a relation in a minute: of all, so many by random priority.
//
//	priority  weight/u, u in (0, 1]: the greatest stay
//	least     the greatest priority of those that did not: a sample that stays stands for so many at least
//
// That keeps sums of weights right on average, whatever k the samples were taken with (priority
// sampling), and those of several servers are put together as they are.

// MinuteSamples is how many operations are kept of a relation in a minute.
const MinuteSamples = 2048

// KeepSamples is how long they are kept.
const KeepSamples = 15 * time.Minute

// reservoir is what is kept of a minute.
type reservoir struct {
	list  []chosen // a heap: the least priority first
	least float64
	chunk []byte // where keys are put
	bytes int64
}

// chosen is a sample in a reservoir.
type chosen struct {
	priority float64
	key      []byte
	at       int64 // ms
	weight   float32
	kind     Kind
	bucket   uint8
	cut      bool
}

const chosenBytes = int64(unsafe.Sizeof(chosen{}))

// add takes a sample, or not.
func (v *reservoir) add(t *taken, key []byte) {
	weight := math.Ldexp(1, int(t.shift))
	c := chosen{priority: weight / (1 - rand.Float64()), at: t.at, weight: float32(weight), kind: t.kind, bucket: t.bucket, cut: t.cut}
	if len(v.list) < MinuteSamples {
		c.key = v.put(nil, key)
		before := cap(v.list)
		v.list = append(v.list, c)
		v.bytes += int64(cap(v.list)-before) * chosenBytes
		v.up(len(v.list) - 1)
		return
	}
	if c.priority <= v.list[0].priority {
		v.least = max(v.least, c.priority)
		return
	}
	v.least = max(v.least, v.list[0].priority)
	c.key = v.put(v.list[0].key, key)
	v.list[0] = c
	v.down()
}

// put keeps a key, where another was if it fits there.
func (v *reservoir) put(there, key []byte) []byte {
	n := (len(key) + 15) &^ 15
	if cap(there) < n {
		if cap(v.chunk)-len(v.chunk) < n {
			v.chunk = make([]byte, 0, max(n, min(2*cap(v.chunk), 4096)))
			v.bytes += int64(cap(v.chunk))
		}
		there = v.chunk[len(v.chunk) : len(v.chunk) : len(v.chunk)+n]
		v.chunk = v.chunk[:len(v.chunk)+n]
	}
	return append(there[:0], key...)
}

// up moves the sample at i to its place in the heap.
func (v *reservoir) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if v.list[p].priority <= v.list[i].priority {
			return
		}
		v.list[p], v.list[i] = v.list[i], v.list[p]
		i = p
	}
}

// down moves the first sample to its place in the heap.
func (v *reservoir) down() {
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(v.list) {
			return
		}
		if c+1 < len(v.list) && v.list[c+1].priority < v.list[c].priority {
			c++
		}
		if v.list[i].priority <= v.list[c].priority {
			return
		}
		v.list[i], v.list[c] = v.list[c], v.list[i]
		i = c
	}
}

// samples gives what is kept. Their keys are the reservoir's.
func (v *reservoir) samples() []Sample {
	list := make([]Sample, len(v.list))
	for i := range v.list {
		c := &v.list[i]
		list[i] = Sample{Key: c.key, Cut: c.cut, Kind: c.kind, Bucket: int(c.bucket), At: time.UnixMilli(c.at), Weight: max(float64(c.weight), v.least)}
	}
	return list
}
