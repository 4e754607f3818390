package tablets

import (
	"bytes"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

const (
	mostSplits = 48
	mostSeen   = 256
)

// layout is the tablets of one table: tablet i reaches from split i-1, which it
// holds, to split i, which it does not.
type layout struct {
	splits [][]byte            // ascending, without duplicates
	seen   map[string]struct{} // keys of rows
}

func (l *layout) set(splits [][]byte) {
	l.splits = nil
	for _, s := range splits {
		l.split(s)
	}
}

// split cuts the tablet that holds key, so that another begins with it.
func (l *layout) split(key []byte) bool {
	i, found := slices.BinarySearchFunc(l.splits, key, bytes.Compare)
	if found || len(key) == 0 {
		return false
	}
	l.splits = slices.Insert(l.splits, i, bytes.Clone(key))
	return true
}

// tablet is the number of the tablet that holds key.
func tablet(splits [][]byte, key []byte) int {
	i, found := slices.BinarySearchFunc(splits, key, bytes.Compare)
	if found {
		return i + 1
	}
	return i
}

// saw keeps a key as a place for splits. Which are kept of many does not depend
// on the order in which they come.
func (l *layout) saw(key []byte) {
	l.seen[string(key)] = struct{}{}
	if len(l.seen) < 4*mostSeen {
		return
	}
	for _, k := range l.keys()[mostSeen:] {
		delete(l.seen, k)
	}
}

// keys are the keys seen, in an order that follows from themselves.
func (l *layout) keys() []string {
	type hashed struct {
		hash uint64
		key  string
	}
	all := make([]hashed, 0, len(l.seen))
	for k := range l.seen {
		h := fnv.New64a()
		h.Write([]byte(k))
		all = append(all, hashed{h.Sum64(), k})
	}
	slices.SortFunc(all, func(a, b hashed) int {
		if a.hash != b.hash {
			if a.hash < b.hash {
				return -1
			}
			return 1
		}
		return bytes.Compare([]byte(a.key), []byte(b.key))
	})
	out := make([]string, len(all))
	for i, a := range all {
		out[i] = a.key
	}
	return out
}

// move splits a tablet, or merges two or more. It answers false where that
// changes nothing.
func (l *layout) move(r *rand.Rand) bool {
	if n := len(l.splits); n > 0 && (n >= mostSplits || r.IntN(3) == 0) {
		if r.IntN(8) == 0 { // whole salt buckets with their neighbours
			l.splits = slices.DeleteFunc(l.splits, func(s []byte) bool { return len(s) == 1 })
			return len(l.splits) < n
		}
		i := r.IntN(n)
		l.splits = slices.Delete(l.splits, i, i+1)
		return true
	}
	keys := l.keys()
	if len(keys) == 0 {
		return false
	}
	return l.split(point(r, []byte(keys[r.IntN(len(keys))])))
}

// point is where a tablet with the row key may be cut: at the row, right behind
// it, at a salt bucket's edge, or at a key that is shorter than a row's can be.
func point(r *rand.Rand, key []byte) []byte {
	switch r.IntN(7) {
	case 0:
		return append(bytes.Clone(key), 0)
	case 1, 2:
		return key[:1+r.IntN(len(key))]
	case 3:
		return key[:1]
	case 4:
		if key[0] < 0xff {
			return []byte{key[0] + 1}
		}
	case 5:
		k := bytes.Clone(key)
		k[len(k)-1] ^= byte(1 + r.IntN(255))
		return k
	}
	return key
}
