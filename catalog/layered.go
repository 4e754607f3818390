package catalog

import (
	"iter"
	"maps"
)

// Layered is a map of which changed copies are cheap: a copy shares what is below with the
// original, and keeps its own changes in a layer above. The zero value is an empty map. Once
// copied, or seen by another goroutine, it must not be changed.
//
// The upper layer is put into the lower one when it has more than the square root of its size,
// so that n changes of a map of n cost n·√n instead of n².
type Layered[K comparable, V any] struct {
	below, above map[K]V
	gone         map[K]bool // keys of below that are deleted
	size         int
}

// LayeredOf takes m for the map; it must not be changed any more.
func LayeredOf[K comparable, V any](m map[K]V) Layered[K, V] {
	return Layered[K, V]{below: m, size: len(m)}
}

// Get gives what m[k] would give.
func (l *Layered[K, V]) Get(k K) (V, bool) {
	if v, ok := l.above[k]; ok {
		return v, true
	}
	if v, ok := l.below[k]; ok && !l.gone[k] {
		return v, true
	}
	var none V
	return none, false
}

// Len is the number of keys.
func (l *Layered[K, V]) Len() int { return l.size }

// All gives the keys and values, in no order.
func (l *Layered[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k, v := range l.above {
			if !yield(k, v) {
				return
			}
		}
		for k, v := range l.below {
			if l.gone[k] {
				continue
			}
			if _, ok := l.above[k]; !ok && !yield(k, v) {
				return
			}
		}
	}
}

// Copy gives a copy that may be changed.
func (l *Layered[K, V]) Copy() Layered[K, V] {
	if n := len(l.above) + len(l.gone); n*n <= len(l.below) {
		return Layered[K, V]{l.below, maps.Clone(l.above), maps.Clone(l.gone), l.size}
	}
	return LayeredOf(maps.Collect(l.All()))
}

// Set is m[k] = v.
func (l *Layered[K, V]) Set(k K, v V) {
	if _, ok := l.Get(k); !ok {
		l.size++
	}
	if l.above == nil {
		l.above = map[K]V{}
	}
	l.above[k] = v
	delete(l.gone, k)
}

// Delete is delete(m, k).
func (l *Layered[K, V]) Delete(k K) {
	if _, ok := l.Get(k); !ok {
		return
	}
	l.size--
	delete(l.above, k)
	if _, ok := l.below[k]; ok {
		if l.gone == nil {
			l.gone = map[K]bool{}
		}
		l.gone[k] = true
	}
}

// with gives both maps in one; where both have a key, it is that of top.
func (l *Layered[K, V]) with(top *Layered[K, V]) Layered[K, V] {
	both := l.Copy()
	for k, v := range top.All() {
		both.Set(k, v)
	}
	return both
}
