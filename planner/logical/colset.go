package logical

import "math/bits"

// ColSet is a set of columns. The zero value is empty; methods that add change the receiver,
// which must then not be shared.
type ColSet struct{ words []uint64 }

// SetOf makes a set of columns.
func SetOf(ids ...ColumnID) ColSet {
	var s ColSet
	for _, id := range ids {
		s.Add(id)
	}
	return s
}

// Add adds a column.
func (s *ColSet) Add(id ColumnID) {
	w := id / 64
	for len(s.words) <= w {
		s.words = append(s.words, 0)
	}
	s.words[w] |= 1 << (id % 64)
}

// AddAll adds another set.
func (s *ColSet) AddAll(o ColSet) {
	for len(s.words) < len(o.words) {
		s.words = append(s.words, 0)
	}
	for i, w := range o.words {
		s.words[i] |= w
	}
}

// Remove takes away another set.
func (s *ColSet) Remove(o ColSet) {
	for i := range min(len(s.words), len(o.words)) {
		s.words[i] &^= o.words[i]
	}
}

// Has says that a column is in the set.
func (s ColSet) Has(id ColumnID) bool {
	w := id / 64
	return id >= 0 && w < len(s.words) && s.words[w]&(1<<(id%64)) != 0
}

// Empty says that there is none.
func (s ColSet) Empty() bool {
	for _, w := range s.words {
		if w != 0 {
			return false
		}
	}
	return true
}

// Len counts.
func (s ColSet) Len() int {
	n := 0
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// Copy gives a set that may be changed.
func (s ColSet) Copy() ColSet { return ColSet{words: append([]uint64(nil), s.words...)} }

// Union, Intersect and Minus make new sets.
func (s ColSet) Union(o ColSet) ColSet {
	out := s.Copy()
	out.AddAll(o)
	return out
}

// Intersect gives what is in both.
func (s ColSet) Intersect(o ColSet) ColSet {
	n := min(len(s.words), len(o.words))
	out := ColSet{words: make([]uint64, n)}
	for i := range n {
		out.words[i] = s.words[i] & o.words[i]
	}
	return out
}

// Minus gives what is not in o.
func (s ColSet) Minus(o ColSet) ColSet {
	out := s.Copy()
	out.Remove(o)
	return out
}

// SubsetOf says that all of s is in o.
func (s ColSet) SubsetOf(o ColSet) bool {
	for i, w := range s.words {
		var ow uint64
		if i < len(o.words) {
			ow = o.words[i]
		}
		if w&^ow != 0 {
			return false
		}
	}
	return true
}

// Intersects says that a column is in both.
func (s ColSet) Intersects(o ColSet) bool {
	for i := range min(len(s.words), len(o.words)) {
		if s.words[i]&o.words[i] != 0 {
			return true
		}
	}
	return false
}

// Cols lists the columns, ascending.
func (s ColSet) Cols() []ColumnID {
	var out []ColumnID
	for i, w := range s.words {
		for w != 0 {
			b := bits.TrailingZeros64(w)
			out = append(out, i*64+b)
			w &^= 1 << b
		}
	}
	return out
}
