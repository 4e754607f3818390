package heat

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"math"
	"slices"
	"time"
	"unsafe"
)

// The keys that get most, by Space-Saving: a sketch counts so many keys, and a new one takes the place of
// that which counts least, with its count as an error.
//
//	n of 256 keys, all sampled: a key that got n/256 at least is in; its count is too high by n/256 at most
//
// There is one for each kind, and for whole keys and their first columns each. Those of five minutes are
// a block; some are kept. Where k is above 1 the counts of a key are as far from the truth as chance has
// it: that is part of its error.

// SketchKeys is how many keys a sketch counts.
const SketchKeys = 256

// Prefixes is of how many first columns of keys there are sketches: of 1, 2 and 3.
const Prefixes = 3

// Ends are how many bytes of a key its first columns take, of one up to Prefixes. NoEnd is one that has
// no more columns, or whose column is cut.
type Ends [Prefixes]uint8

// NoEnd is of no prefix.
const NoEnd = math.MaxUint8

// NoEnds are those of a key of one column.
var NoEnds = Ends{NoEnd, NoEnd, NoEnd}

const (
	blockTime  = 5 * time.Minute
	keptBlocks = 3 // beside the open one
	// keptPart is what part of a block a key has got at least, surely, which is kept of it.
	keptPart = 1.0 / 1024
)

// sketched are the kinds that have sketches: how often a scan begins is not among them.
var sketched = [...]Kind{Point, Row, Write}

// HotKey is a key, or some first columns of one, that gets much. Servers of different versions tell
// each other by these names.
type HotKey struct {
	Key    []byte
	Bucket int     // where all of it was; -1 is several
	Count  float64 // operations
	Over   float64 // as much Count is too high at most
	Var    float64 // the variance of Count, by chance
}

// HotKeys are those of one kind, the most first, and what all keys got.
type HotKeys struct {
	Kind   Kind
	Prefix int // columns; 0 is the whole key
	Since  time.Time
	Total  float64
	Floor  float64 // a key that is not among Keys got so much at most
	Keys   []HotKey
}

// sketch counts keys; the least is the first of a heap. Keys are found by their hash, so that counting
// one allocates nothing: two of one hash, of 2^64, would be counted as one.
type sketch struct {
	at    map[uint64]int // in heap, by hash
	heap  []counted
	total float64
	bytes int64
}

type counted struct {
	HotKey
	hash uint64
}

var hashSeed = maphash.MakeSeed()

// sketchKeyBytes is what a key takes beside its bytes: its place in the heap, which doubles as it grows,
// and in the map.
const sketchKeyBytes = 2*int64(unsafe.Sizeof(counted{})) + 64

func (s *sketch) add(key []byte, bucket int, weight float64) {
	s.total += weight
	hash := maphash.Bytes(hashSeed, key)
	i, there := s.at[hash]
	switch {
	case there:
	case len(s.heap) < SketchKeys:
		if s.at == nil {
			s.at = map[uint64]int{}
		}
		i = len(s.heap)
		s.heap = append(s.heap, counted{HotKey{Bucket: bucket}, hash})
		s.name(i, key)
		i = s.up(i)
	default:
		least := &s.heap[0]
		delete(s.at, least.hash)
		s.bytes -= sketchKeyBytes + int64(cap(least.Key))
		*least = counted{HotKey{Bucket: bucket, Count: least.Count, Over: least.Count, Key: least.Key[:0]}, hash}
		s.name(0, key)
	}
	h := &s.heap[i]
	h.Count += weight
	h.Var += weight * (weight - 1)
	if h.Bucket != bucket {
		h.Bucket = -1
	}
	s.down(i)
}

// name gives the key at i in the heap, which has none, its own.
func (s *sketch) name(i int, key []byte) {
	s.heap[i].Key = append(s.heap[i].Key, key...)
	s.at[s.heap[i].hash] = i
	s.bytes += sketchKeyBytes + int64(cap(s.heap[i].Key))
}

func (s *sketch) swap(i, j int) {
	s.heap[i], s.heap[j] = s.heap[j], s.heap[i]
	s.at[s.heap[i].hash], s.at[s.heap[j].hash] = i, j
}

func (s *sketch) up(i int) int {
	for i > 0 && s.heap[(i-1)/2].Count > s.heap[i].Count {
		s.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
	return i
}

func (s *sketch) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(s.heap) {
			return
		}
		if c+1 < len(s.heap) && s.heap[c+1].Count < s.heap[c].Count {
			c++
		}
		if s.heap[i].Count <= s.heap[c].Count {
			return
		}
		s.swap(i, c)
		i = c
	}
}

// block holds the sketches of a time: by kind, and by Prefix.
type block struct {
	since time.Time
	of    [len(sketched)][Prefixes + 1]*sketch
}

const blockBytes = int64(unsafe.Sizeof(block{})) + int64(len(sketched)*(Prefixes+1))*int64(unsafe.Sizeof(sketch{}))

// add counts a sample, and says how many bytes the block has grown by.
func (b *block) add(t *taken, key []byte) (grown int64) {
	kind := slices.Index(sketched[:], t.kind)
	if kind < 0 {
		return 0
	}
	weight := math.Ldexp(1, int(t.shift))
	count := func(prefix, end int) {
		s := b.of[kind][prefix]
		if s == nil {
			s = &sketch{}
			b.of[kind][prefix] = s
		}
		if end < 0 {
			s.total += weight // a key that was not read, or is cut
			return
		}
		before := s.bytes
		s.add(key[:end], int(t.bucket), weight)
		grown += s.bytes - before
	}
	whole := len(key)
	if t.cut {
		whole = -1
	}
	count(0, whole)
	for i, end := range t.ends {
		if end != NoEnd {
			count(i+1, int(end))
		} else if t.cut {
			count(i+1, -1)
		}
	}
	return grown
}

// list gives what the block has counted: keys that got a part of all at least, surely.
func (b *block) list() (out []HotKeys) {
	for k, kind := range sketched {
		for prefix, s := range b.of[k] {
			if s == nil || len(s.heap) == 0 {
				continue
			}
			h := HotKeys{Kind: kind, Prefix: prefix, Since: b.since, Total: s.total}
			if len(s.heap) == SketchKeys {
				h.Floor = s.heap[0].Count
			}
			for _, c := range s.heap {
				key := c.HotKey
				if key.Count-key.Over >= s.total*keptPart {
					key.Key = slices.Clone(key.Key)
					h.Keys = append(h.Keys, key)
				} else {
					h.Floor = max(h.Floor, key.Count)
				}
			}
			out = append(out, h)
		}
	}
	return out
}

// hotBytes is what a list takes.
func hotBytes(list []HotKeys) (n int64) {
	for i := range list {
		n += int64(unsafe.Sizeof(list[i])) + int64(cap(list[i].Keys))*int64(unsafe.Sizeof(HotKey{}))
		for _, k := range list[i].Keys {
			n += int64(cap(k.Key))
		}
	}
	return n
}

// MergeHotKeys puts together what several times, or servers, have counted.
func MergeHotKeys(lists ...[]HotKeys) []HotKeys {
	type which struct {
		kind   Kind
		prefix int
	}
	parts := map[which][]*HotKeys{}
	for _, list := range lists {
		for i := range list {
			of := which{list[i].Kind, list[i].Prefix}
			parts[of] = append(parts[of], &list[i])
		}
	}
	var out []HotKeys
	for of, list := range parts {
		m := HotKeys{Kind: of.kind, Prefix: of.prefix, Since: list[0].Since}
		keys := map[string]*HotKey{}
		for _, h := range list {
			m.Total, m.Floor = m.Total+h.Total, m.Floor+h.Floor
			if h.Since.Before(m.Since) {
				m.Since = h.Since
			}
			for _, k := range h.Keys {
				// Where a key is missing it got the floor at most.
				got := keys[string(k.Key)]
				if got == nil {
					got = &HotKey{Key: k.Key, Bucket: k.Bucket}
					keys[string(k.Key)] = got
				}
				got.Count, got.Over, got.Var = got.Count+k.Count-h.Floor, got.Over+k.Over-h.Floor, got.Var+k.Var
				if got.Bucket != k.Bucket {
					got.Bucket = -1
				}
			}
		}
		for _, k := range keys {
			k.Count, k.Over = k.Count+m.Floor, k.Over+m.Floor
			m.Keys = append(m.Keys, *k)
		}
		slices.SortFunc(m.Keys, func(a, b HotKey) int { return cmp.Or(cmp.Compare(b.Count, a.Count), bytes.Compare(a.Key, b.Key)) })
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b HotKeys) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Prefix, b.Prefix)) })
	return out
}
