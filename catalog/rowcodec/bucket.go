package rowcodec

import (
	"strings"
)

// maxCombos bounds the values of hashed columns that are tried for one span.
const maxCombos = 4096

// bucketsOf says which buckets hold rows of d whose key begins with prefix p, which
// binds the columns before i: nil is all of them, and why.
func (m *spanMaker) bucketsOf(d *disjunct, i int, p *keyPrefix) (buckets []bool, why string) {
	s := m.s
	if s.Epochs != nil {
		return m.bucketsByEpoch(d, i, p)
	}
	if m.all.of != d {
		m.all.of, m.all.why = d, m.unpruned(d)
	}
	if m.all.why != "" {
		return nil, m.all.why
	}
	combos := 1
	for _, c := range m.hashed {
		if c >= i {
			if combos *= d.sets[c].size(); combos > maxCombos {
				return nil, "too many values of the salted columns"
			}
		}
	}
	buckets = make([]bool, s.Buckets)
	parts := make([]keyPart, len(s.Columns))
	copy(parts, p.parts)
	var buf []byte
	var walk func(k int)
	walk = func(k int) {
		if k == len(m.hashed) {
			buf = s.appendHashed(buf[:0], parts)
			buckets[s.hashBucket(buf)] = true
			return
		}
		c := m.hashed[k]
		if c < i {
			walk(k + 1)
			return
		}
		if d.sets[c].null {
			parts[c] = nil
			walk(k + 1)
		}
		for _, v := range d.sets[c].vs {
			parts[c] = storedPart(&s.Columns[c], v.Lo.Bytes)
			walk(k + 1)
		}
	}
	walk(0)
	return buckets, ""
}

// unpruned says why the spans of d are read in every bucket; "" if it hangs on the span.
func (m *spanMaker) unpruned(d *disjunct) string {
	switch why := m.s.unbound(d, m.hashed); {
	case m.opt.NoPrune:
		return "pruning is off"
	case m.s.SaltColumns == nil && d.bindsAll(): // else it would be points
		return "too many keys"
	default:
		return why
	}
}

// unbound says which hashed columns are not bound to values.
func (s *KeySchema) unbound(d *disjunct, hashed []int) string {
	var free, ranged []string
	for _, c := range hashed {
		switch set := &d.sets[c]; {
		case set.free:
			free = append(free, s.Columns[c].Name)
		case !set.points():
			ranged = append(ranged, s.Columns[c].Name)
		}
	}
	phrase := func(names []string, one, many string) string {
		switch n := len(names); n {
		case 0:
			return ""
		case 1:
			return names[0] + one
		default:
			return strings.Join(names[:n-1], ", ") + " and " + names[n-1] + many
		}
	}
	a := phrase(free, " is not bound", " are not bound")
	b := phrase(ranged, " is bound by a range only", " are bound by ranges only")
	if a != "" && b != "" {
		return a + ", " + b
	}
	return a + b
}

// BucketsTouched counts the salt buckets that set reads; 1 for an unsalted table
// that is read at all.
func (s *KeySchema) BucketsTouched(set *SpanSet) int {
	n := len(set.Buckets)
	for i, k := range set.Points {
		if i == 0 || (s.KeyBucket(k) != s.KeyBucket(set.Points[i-1])) {
			n++
		}
	}
	return n
}
