package rowcodec

import (
	"bytes"
	"slices"
	"sort"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/catalog/rowcodec/keyhash"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// SaltEpochs are the layouts of a table whose salt has changed for new rows. The epoch of a row follows
// from one column of its key, and its bucket from the epoch. All epochs count their buckets on, so that
// the table is one of as many as they have together, and its keys have one byte of salt:
//
//	epoch   rows            SALT_BUCKETS   buckets   salt byte
//	1       ts < t1         0              0         00
//	2       t1 <= ts < t2   16             1..16     01..10
//	3       t2 <= ts        32             17..48    11..30
//
// Where each epoch's rows are stored, and under which bytes, is not the key's to know: see
// storage/spliced.
type SaltEpochs struct {
	Column int // of the key
	List   []SaltEpoch
}

// SaltEpoch is one layout.
type SaltEpoch struct {
	// From is where the epoch begins: its least value of the column, as the column stores it (ASC). The
	// first epoch has none.
	From []byte
	// Buckets is its SALT_BUCKETS, of which 0 takes one place; First is the first among the table's.
	Buckets, First int
	// SaltColumns are the key columns that are hashed; nil hashes the whole key.
	SaltColumns []int
}

// Places is how many of the table's buckets the epoch has.
func (e *SaltEpoch) Places() int { return max(e.Buckets, 1) }

// hashed lists the columns that decide the bucket within the epoch.
func (e *SaltEpoch) hashed(s *KeySchema) []int {
	switch {
	case e.Buckets <= 1:
		return nil
	case e.SaltColumns != nil:
		return e.SaltColumns
	}
	return s.allColumns()
}

// bindEpochs counts the buckets, and lists as SaltColumns all that decides one: 22023 for what cannot be.
func (s *KeySchema) bindEpochs() error {
	e := s.Epochs
	bad := func(why string) error {
		return sqlerr.New(sqlerr.InvalidParameterValue, "the salt epochs of a table %s", why)
	}
	if s.Index || s.Adopted || s.Format != nil || len(e.List) < 2 || e.Column < 0 || e.Column >= len(s.Columns) {
		return bad("need a key column and two layouts")
	}
	own := SaltEpochs{e.Column, slices.Clone(e.List)}
	decide := map[int]bool{e.Column: true}
	s.Buckets = 0
	for i := range own.List {
		x := &own.List[i]
		if (i == 0) != (x.From == nil) || i > 1 && bytes.Compare(own.List[i-1].From, x.From) >= 0 {
			return bad("must follow one another")
		}
		x.First = s.Buckets
		s.Buckets += x.Places()
		for _, c := range x.hashed(s) {
			decide[c] = true
		}
		one := KeySchema{Columns: s.Columns, Buckets: x.Buckets, SaltColumns: x.SaltColumns, Hash: s.Hash}
		if err := one.validateSalt(); err != nil {
			return err
		}
	}
	if s.Buckets > MaxBuckets {
		return sqlerr.New(sqlerr.InvalidParameterValue, "the salt epochs of table %q have %d buckets together, of at most %d", s.Table, s.Buckets, MaxBuckets).
			WithHint("Leave FORWARD out: the rows of all epochs are copied into one layout while the table is read and written.")
	}
	s.SaltColumns = s.SaltColumns[:0:0]
	for i := range s.Columns {
		if decide[i] {
			s.SaltColumns = append(s.SaltColumns, i)
		}
	}
	s.Epochs = &own
	return nil
}

// of gives the epoch of a row by its part of the column.
func (e *SaltEpochs) of(s *KeySchema, part keyPart) *SaltEpoch {
	var buf [24]byte
	if s.Columns[e.Column].Desc {
		part = append(keyPart(buf[:0]), part...)
		invert(part)
	}
	n := sort.Search(len(e.List)-1, func(i int) bool { return bytes.Compare(part, e.List[i+1].From) < 0 })
	return &e.List[n]
}

// bucket gives the bucket of a row whose parts decide it.
func (e *SaltEpoch) bucket(s *KeySchema, dst []byte, parts []keyPart) (bucket int, hashed []byte) {
	if e.Buckets == 0 {
		return e.First, dst
	}
	at, cols := len(dst), e.SaltColumns
	n := len(cols)
	if cols == nil {
		n = len(s.Columns)
	}
	dst = s.joinParts(dst, n, func(i int) (*KeyColumn, keyPart) {
		if cols != nil {
			i = cols[i]
		}
		return &s.Columns[i], parts[i]
	})
	return e.First + keyhash.Bucket(keyhash.Phoenix31(dst[at:]), e.Buckets), dst
}

// interval is the epoch's values of the column.
func (e *SaltEpochs) interval(n int) bound.Interval {
	v := bound.Interval{Lo: bound.Begin, Hi: bound.End}
	if n > 0 {
		v.Lo = bound.Before(e.List[n].From)
	}
	if n+1 < len(e.List) {
		v.Hi = bound.Before(e.List[n+1].From)
	}
	return v
}

// Touched says how many of the epochs a set reads.
func (e *SaltEpochs) Touched(s *KeySchema, set *SpanSet) int {
	n := 0
	for i := range e.List {
		x := &e.List[i]
		in := func(b int) bool { return b >= x.First && b < x.First+x.Places() }
		if slices.ContainsFunc(set.Buckets, func(b BucketSpans) bool { return in(b.Bucket) }) ||
			slices.ContainsFunc(set.Points, func(k []byte) bool { return in(s.KeyBucket(k)) }) {
			n++
		}
	}
	return n
}

// EpochBound gives d, a value of column c that is not NULL, as SaltEpoch.From has it; ok is false where the
// column has no such value.
func EpochBound(c *Column, d types.Datum) (from []byte, ok bool) {
	p := c.locate(d, false)
	if p.Where != bound.Exactly || p.Loose {
		return nil, false
	}
	return bytes.Clone(p.Lo), true
}

// bucketsByEpoch is bucketsOf for a table with epochs: it leaves out the epochs that no row of d is in, and within
// each the buckets that the values of its own columns decide.
func (m *spanMaker) bucketsByEpoch(d *disjunct, i int, p *keyPrefix) (buckets []bool, why string) {
	s, e := m.s, m.s.Epochs
	if m.opt.NoPrune {
		return nil, "pruning is off"
	}
	buckets = make([]bool, s.Buckets)
	all, set := true, &d.sets[e.Column]
	for n := range e.List {
		x := &e.List[n]
		within := []bound.Interval{e.interval(n)}
		switch {
		case e.Column < i:
			if e.of(s, p.parts[e.Column]) != x {
				all = false
				continue
			}
		case !set.free:
			if within = bound.Intersect(set.vs, within); len(within) == 0 {
				all = false
				continue
			}
		}
		own, some := m.bucketsIn(x, d, within, i, p)
		if !some {
			for b := range x.Places() {
				buckets[x.First+b] = true
			}
			if x.Buckets > 1 && why == "" {
				why = s.unbound(d, x.hashed(s))
			}
			continue
		}
		all = false
		for b := range own {
			buckets[b] = true
		}
	}
	if !all {
		return buckets, ""
	}
	if why == "" {
		if why = s.unbound(d, []int{e.Column}); why == "" {
			why = s.Columns[e.Column].Name + " may be in every epoch"
		}
	}
	return nil, why
}

// bucketsIn lists the buckets of one epoch that hold rows of d, whose values of the epochs' column lie within;
// some is false where they are not told apart.
func (m *spanMaker) bucketsIn(x *SaltEpoch, d *disjunct, within []bound.Interval, i int, p *keyPrefix) (own map[int]bool, some bool) {
	s := m.s
	hashed := x.hashed(s)
	if len(hashed) == 0 {
		return nil, false
	}
	values := func(c int) []bound.Interval {
		if c == s.Epochs.Column {
			return within
		}
		return d.sets[c].vs
	}
	combos := 1
	for _, c := range hashed {
		if c < i {
			continue
		}
		if set := (&colSet{free: d.sets[c].free, vs: values(c)}); !set.points() {
			return nil, false
		}
		if combos *= len(values(c)); combos > maxCombos {
			return nil, false
		}
	}
	parts := make([]keyPart, len(s.Columns))
	copy(parts, p.parts)
	own = map[int]bool{}
	var buf []byte
	var walk func(k int)
	walk = func(k int) {
		if k == len(hashed) {
			var b int
			b, buf = x.bucket(s, buf[:0], parts)
			own[b] = true
			return
		}
		c := hashed[k]
		if c < i {
			walk(k + 1)
			return
		}
		for _, v := range values(c) {
			parts[c] = storedPart(&s.Columns[c], v.Lo.Bytes)
			walk(k + 1)
		}
	}
	walk(0)
	return own, true
}
