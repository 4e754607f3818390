package rowcodec

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/storage"
)

// Spans gives what must be read to find every row that satisfies one of conjs. No
// conjs at all is the empty disjunction, which no row satisfies; one zero Conj is
// every row. The error is a fault of the caller (XX000): bounds need not be storable.
func (s *KeySchema) Spans(conjs []Conj, opt SpanOptions) (*SpanSet, error) {
	m := spanMaker{s: s, opt: opt, exact: true, hashed: s.hashedColumns()}
	var all []disjunct
	full, keys := true, 0
	for i := range conjs {
		ds, err := s.disjuncts(&conjs[i])
		if err != nil {
			return nil, err
		}
		for j := range ds {
			s.enumerate(&ds[j], opt)
			full = full && ds[j].bindsAll()
			keys = min(keys+ds[j].combinations(), DefaultMaxPoints+1)
		}
		all = append(all, ds...)
	}
	if m.max = opt.MaxSpans; m.max <= 0 {
		m.max = DefaultMaxWanted
		if full && keys <= DefaultMaxPoints {
			m.max = DefaultMaxPoints
		}
	}
	for i := range all {
		m.add(&all[i])
	}
	return m.finish(), nil
}

func (d *disjunct) bindsAll() bool {
	for i := range d.sets {
		if !d.sets[i].points() {
			return false
		}
	}
	return true
}

// combinations is how many keys d has at most where it binds all columns, up to just
// over DefaultMaxPoints.
func (d *disjunct) combinations() int {
	n := 1
	for i := range d.sets {
		n = min(n*d.sets[i].size(), DefaultMaxPoints+1)
	}
	return n
}

// spanMaker gathers logical spans: those that every bucket must read, those of one
// bucket, and full keys.
type spanMaker struct {
	s      *KeySchema
	opt    SpanOptions
	hashed []int
	max    int
	exact  bool
	shared []storage.Span
	own    [][]storage.Span // by bucket; an unsalted table has one; see addOwn
	points []pointKey
	why    string // the first reason to read all buckets
	all    struct {
		of  *disjunct
		why string // unpruned's answer for it
	}
}

type pointKey struct {
	bucket int
	key    []byte
}

// add walks the key columns: points of a column multiply the prefixes, the first
// column that is not only points ends them.
func (m *spanMaker) add(d *disjunct) {
	s := m.s
	exact := d.exact
	keepParts := s.SaltColumns != nil
	endable := s.trimmableFrom()
	prefixes := []keyPrefix{{}}
	for i := range s.Columns {
		set := &d.sets[i]
		c := &s.Columns[i]
		last := i == len(s.Columns)-1 && (c.Form == nil || len(c.Form.Sep) == 0)
		constrained := slices.ContainsFunc(d.sets[i+1:], func(c colSet) bool { return !c.free })
		if set.free {
			m.exact = m.exact && exact && !constrained
			for k := range prefixes {
				m.emit(d, i, &prefixes[k], prefixes[k].span())
			}
			return
		}
		vs := set.vs
		if n := len(prefixes) * len(vs); n > MaxSplitSpans || n*s.fanOut(d) > MaxSplitScans {
			if whole := fillHoles(vs); len(whole) < len(vs) {
				vs, exact = whole, false
			}
		}
		if room := max(m.max/len(prefixes), 1); len(vs) > room {
			vs = bound.Join(vs, room)
			exact = false
		}
		next := make([]keyPrefix, 0, len(prefixes)*max(len(vs), 1))
		for k := range prefixes {
			p := &prefixes[k]
			if set.null {
				if q, ok := p.extendNull(c, endable[i+1], keepParts); ok {
					next = append(next, q)
				}
			}
			if p.ended {
				continue
			}
			for _, v := range vs {
				if b, ok := v.Value(); ok {
					next = append(next, p.extend(c, b, endable[i+1], keepParts))
				} else if c.UnorderedKey() {
					if sp, ok := p.looseSpan(c, v); ok {
						m.exact = false
						m.emit(d, i, p, sp)
					}
				} else if sp, ok := p.spanOf(c, last, endable[i+1], v); ok {
					m.exact = m.exact && exact && !constrained
					m.emit(d, i, p, sp)
				}
			}
		}
		if prefixes = next; len(prefixes) == 0 {
			return
		}
	}
	m.exact = m.exact && exact
	m.points = slices.Grow(m.points, len(prefixes))
	for k := range prefixes {
		m.point(&prefixes[k])
	}
}

// point takes a full key. Keys that no row can have are left out.
func (m *spanMaker) point(p *keyPrefix) {
	key, b := p.key(), -1
	switch {
	case m.s.Buckets == 0:
	case m.opt.NoPrune:
		m.shared = append(m.shared, keySpan(key))
		m.why = "pruning is off"
		return
	case m.s.SaltColumns == nil:
		b = m.s.hashBucket(key)
	default:
		b, _ = m.s.bucketOfParts(nil, p.parts)
	}
	escaped := m.s.escapesEmpty()
	if m.s.Index && b < 0 && len(key) == 0 && !escaped {
		key = appendSeparator(nil, &m.s.Columns[0], true)
	}
	if n := len(key) + len(m.s.prefix(b)); (n > 0 || escaped) && n <= MaxKeyBytes {
		m.points = append(m.points, pointKey{b, key})
	}
}

func b2n(b bool) int {
	if b {
		return 1
	}
	return 0
}

// emit takes a span whose prefix binds the columns before i.
func (m *spanMaker) emit(d *disjunct, i int, p *keyPrefix, sp storage.Span) {
	if m.s.Buckets == 0 {
		m.addOwn(0, sp)
		return
	}
	buckets, why := m.bucketsOf(d, i, p)
	if buckets == nil {
		m.shared = append(m.shared, sp)
		if m.why == "" {
			m.why = why
		}
		return
	}
	for b, ok := range buckets {
		if ok {
			m.addOwn(b, sp)
		}
	}
}

// addOwn takes a span of one bucket.
func (m *spanMaker) addOwn(bucket int, sp storage.Span) {
	if m.own == nil {
		m.own = make([][]storage.Span, max(m.s.Buckets, 1))
	}
	m.own[bucket] = append(m.own[bucket], sp)
}

// finish turns what was gathered into physical keys and spans.
func (m *spanMaker) finish() *SpanSet {
	set := &SpanSet{Exact: m.exact}
	onlyPoints := len(m.shared) == 0
	for _, o := range m.own {
		onlyPoints = onlyPoints && len(o) == 0
	}
	if onlyPoints && len(m.points) > 0 {
		keys := make([][]byte, len(m.points))
		size := 0
		for _, p := range m.points {
			size += len(p.key) + len(m.s.prefix(p.bucket))
		}
		block := make([]byte, 0, size)
		for i, p := range m.points {
			from := len(block)
			block = m.s.salt(block, p.bucket, p.key)
			keys[i] = block[from:len(block):len(block)]
		}
		slices.SortFunc(keys, bytes.Compare)
		keys = slices.CompactFunc(keys, bytes.Equal)
		if len(keys) <= m.max {
			set.Points, set.AllPoints, set.LogicalSpans = keys, true, len(keys)
			return set
		}
	}
	for _, p := range m.points {
		m.addOwn(max(p.bucket, 0), keySpan(p.key))
	}
	limit := MaxKeyBytes - len(m.s.prefix(m.s.firstBucket()))
	most := m.spansPerBucket()
	joined := false
	var wanted []storage.Span
	settle := func(spans []storage.Span) []storage.Span {
		spans = mergeSpans(spans)
		if clipSpans(spans, limit) {
			spans, set.Exact = mergeSpans(spans), false
		}
		wanted = append(wanted, spans...)
		few, over := capSpans(spans, most)
		joined = joined || over
		return few
	}
	shared := settle(m.shared)
	set.LogicalSpans = len(shared)
	var distinct []storage.Span // where buckets differ
	salter := spanSalter{of: m.s}
	if len(shared) > 0 {
		salter.room(shared, m.s.Buckets)
		set.Buckets = make([]BucketSpans, 0, max(m.s.Buckets, 1))
	}
	for b := m.s.firstBucket(); b < m.s.Buckets; b++ {
		spans := shared
		if m.own != nil && len(m.own[max(b, 0)]) > 0 {
			spans = settle(append(m.own[max(b, 0)], shared...))
			if distinct == nil {
				distinct = slices.Clone(shared)
			}
			distinct = append(distinct, spans...)
		}
		if len(spans) == 0 {
			continue
		}
		set.Buckets = append(set.Buckets, BucketSpans{Bucket: b, Spans: salter.salt(b, spans)})
	}
	if distinct != nil {
		set.LogicalSpans = countDistinct(distinct)
	}
	if joined {
		set.Exact = false
		set.Wanted = mergeSpans(wanted)
	}
	if n := m.s.Buckets; n > 1 && len(set.Buckets) == n {
		if set.NotPruned = m.why; m.why == "" {
			set.NotPruned = "the values hash to every bucket"
		}
	}
	return set
}

// spansPerBucket is by how many spans each bucket may be read, of those that are read.
func (m *spanMaker) spansPerBucket() int {
	if m.opt.MaxSpans > 0 {
		return m.opt.MaxSpans
	}
	read := m.s.Buckets
	if len(m.shared) == 0 {
		read = 0
		for _, own := range m.own {
			read += b2n(len(own) > 0)
		}
	}
	return SpansPerBucket(read)
}

func countDistinct(spans []storage.Span) int {
	slices.SortFunc(spans, func(a, b storage.Span) int {
		if c := bytes.Compare(a.Start, b.Start); c != 0 {
			return c
		}
		return compareEnd(a.End, b.End)
	})
	return len(slices.CompactFunc(spans, func(a, b storage.Span) bool {
		return bytes.Equal(a.Start, b.Start) && bytes.Equal(a.End, b.End)
	}))
}
