package rowcodec

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// satisfies judges a row by comparing values, knowing nothing of bytes.
func (c *Conj) satisfies(s *KeySchema, row []types.Datum) bool {
	cmp := func(i int, d types.Datum) int {
		if s.Columns[i].cell().Type == Char {
			d.Bytes = bytes.TrimRight(d.Bytes, " ")
		}
		return compareSQL(s.Columns[i].SQL, row[i], d)
	}
	for i, rs := range c.Columns {
		if rs == nil {
			continue
		}
		in := func(r Range) bool {
			if r.Null {
				return row[i].Null
			}
			if row[i].Null || (r.Lo != nil && r.Lo.Null) || (r.Hi != nil && r.Hi.Null) {
				return false
			}
			if r.Lo != nil {
				if x := cmp(i, *r.Lo); x < 0 || (x == 0 && !r.LoIncl) {
					return false
				}
			}
			if r.Hi != nil {
				if x := cmp(i, *r.Hi); x > 0 || (x == 0 && !r.HiIncl) {
					return false
				}
			}
			return true
		}
		if !slices.ContainsFunc(rs, in) {
			return false
		}
	}
	for _, t := range c.Tuples {
		ok := len(t.Op) == 2
		for k, i := range t.Columns {
			if row[i].Null || t.Values[k].Null {
				ok = false
				break
			}
			if x := cmp(i, t.Values[k]); x != 0 {
				ok = (x > 0) == (t.Op[0] == '>')
				break
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

func randomConj(r *rand.Rand, s *KeySchema) Conj {
	bound := func(i int) *types.Datum {
		d := randomBound(r, s.Columns[i].cell())
		if r.IntN(30) == 0 {
			d = types.NullDatum
		}
		return &d
	}
	var c Conj
	for i := range s.Columns {
		if r.IntN(4) == 0 {
			c.Columns = append(c.Columns, nil)
			continue
		}
		if r.IntN(6) == 0 { // what NOT IN leaves, which may be more ranges than are made
			c.Columns = append(c.Columns, allBut(r, s, i, pick(r, 1, 1, 2, 5, 70, 150)))
			continue
		}
		rs := []Range{}
		for range pick(r, 0, 1, 1, 1, 2, 3, 6) {
			if s.Columns[i].Nullable && r.IntN(3) == 0 {
				rs = append(rs, Range{Null: true})
				continue
			}
			switch r.IntN(3) {
			case 0:
				rs = append(rs, Range{Lo: bound(i), Hi: bound(i), LoIncl: r.IntN(2) == 0, HiIncl: r.IntN(2) == 0})
			case 1:
				d := bound(i)
				rs = append(rs, Range{Lo: d, Hi: d, LoIncl: true, HiIncl: true})
			default:
				rg := Range{LoIncl: r.IntN(2) == 0, HiIncl: r.IntN(2) == 0}
				switch r.IntN(5) {
				case 0:
				case 1, 2:
					rg.Lo = bound(i)
				default:
					rg.Hi = bound(i)
				}
				rs = append(rs, rg)
			}
		}
		if len(rs) == 0 && r.IntN(4) > 0 {
			rs = nil
		}
		c.Columns = append(c.Columns, rs)
	}
	for range pick(r, 0, 0, 0, 1, 2) {
		lo := r.IntN(len(s.Columns))
		n := 1 + r.IntN(len(s.Columns)-lo)
		t := TupleBound{Op: pick(r, "<", "<=", ">", ">=")}
		for i := lo; i < lo+n; i++ {
			t.Columns = append(t.Columns, i)
			t.Values = append(t.Values, *bound(i))
		}
		c.Tuples = append(c.Tuples, t)
		if r.IntN(2) == 0 { // keyset paging: nothing else on those columns
			c.Columns = c.Columns[:lo]
			break
		}
	}
	return c
}

// allBut gives the ranges between n values of column i.
func allBut(r *rand.Rand, s *KeySchema, i, n int) []Range {
	var list []types.Datum
	for range n {
		list = append(list, randomValue(r, s.Columns[i].cell()))
	}
	t := s.Columns[i].SQL
	slices.SortFunc(list, func(a, b types.Datum) int { return compareSQL(t, a, b) })
	list = slices.CompactFunc(list, func(a, b types.Datum) bool { return compareSQL(t, a, b) == 0 })
	rs := []Range{}
	var lo *types.Datum
	for k := range list {
		rs = append(rs, Range{Lo: lo, Hi: &list[k]})
		lo = &list[k]
	}
	return append(rs, Range{Lo: lo})
}

func formatConj(s *KeySchema, c Conj) string {
	out := ""
	for i, rs := range c.Columns {
		if rs == nil {
			continue
		}
		out += fmt.Sprintf(" k%d in {", i)
		for _, r := range rs {
			lo, hi := "-", "+"
			if r.Null {
				lo, hi = "NULL", "NULL"
			}
			if r.Lo != nil {
				lo = formatDatum(*r.Lo)
			}
			if r.Hi != nil {
				hi = formatDatum(*r.Hi)
			}
			out += fmt.Sprintf(" (%s %v, %s %v)", lo, r.LoIncl, hi, r.HiIncl)
		}
		out += " }"
	}
	for _, t := range c.Tuples {
		out += fmt.Sprintf(" cols %v %s%s", t.Columns, t.Op, formatRow(t.Values))
	}
	return out
}

// conjOfRow draws conditions that row satisfies, most of them: values for all
// columns, or for some, then a range around the row's value.
func conjOfRow(r *rand.Rand, s *KeySchema, row []types.Datum) Conj {
	var c Conj
	bound := 1 + r.IntN(len(row))
	if r.IntN(2) == 0 {
		bound = len(row)
	}
	for i := range bound {
		col := s.Columns[i].cell()
		if row[i].Null && r.IntN(4) > 0 {
			c.Columns = append(c.Columns, []Range{{Null: true}})
			continue
		}
		if row[i].Null || r.IntN(10) == 0 {
			c.Columns = append(c.Columns, nil)
			continue
		}
		rs := []Range{{Lo: &row[i], Hi: &row[i], LoIncl: true, HiIncl: true}}
		switch r.IntN(4) {
		case 0: // a list of values
			for range r.IntN(3) {
				d := randomValue(r, col)
				rs = append(rs, Range{Lo: &d, Hi: &d, LoIncl: true, HiIncl: true})
			}
		case 1: // a small range, where values are numbers
			if lo, hi := row[i], row[i]; col.SQL.Phys() == types.PhysInt && lo.Int > -1e15 && hi.Int < 1e15 {
				lo.Int -= int64(r.IntN(3))
				hi.Int += int64(r.IntN(3))
				rs[0] = Range{Lo: &lo, Hi: &hi, LoIncl: r.IntN(2) == 0, HiIncl: r.IntN(2) == 0}
			}
		}
		c.Columns = append(c.Columns, rs)
	}
	if i := bound - 1; c.Columns[i] != nil && r.IntN(3) == 0 {
		d := randomBound(r, s.Columns[i].cell())
		c.Columns[i] = pick(r, []Range{{Lo: &row[i], LoIncl: true}}, []Range{{Hi: &row[i], HiIncl: true}},
			[]Range{{Lo: &d}}, []Range{{Hi: &d}}, []Range{{Lo: &row[i], Hi: &d}}, []Range{{Lo: &d, Hi: &row[i], HiIncl: true}})
	}
	return c
}

// checkShape tests what a SpanSet promises whatever the rows are.
func checkShape(s *KeySchema, set *SpanSet, opt SpanOptions) error {
	if len(set.Points) > 0 && (len(set.Buckets) > 0 || !set.AllPoints) {
		return fmt.Errorf("points and spans")
	}
	if !slices.IsSortedFunc(set.Points, bytes.Compare) {
		return fmt.Errorf("points not sorted")
	}
	for i := 1; i < len(set.Points); i++ {
		if bytes.Equal(set.Points[i-1], set.Points[i]) {
			return fmt.Errorf("a point twice")
		}
	}
	last := -2
	for _, b := range set.Buckets {
		if b.Bucket <= last || b.Bucket >= max(s.Buckets, 0) || (b.Bucket < 0) != (s.Buckets == 0) {
			return fmt.Errorf("bucket %d after %d", b.Bucket, last)
		}
		last = b.Bucket
		if len(b.Spans) == 0 {
			return fmt.Errorf("a bucket without spans")
		}
		if opt.MaxSpans > 0 && len(b.Spans) > opt.MaxSpans {
			return fmt.Errorf("%d spans, at most %d", len(b.Spans), opt.MaxSpans)
		}
		whole := s.BucketSpan(b.Bucket)
		for i, sp := range b.Spans {
			if sp.Empty() || bytes.Compare(sp.Start, whole.Start) < 0 || compareEnd(sp.End, whole.End) > 0 {
				return fmt.Errorf("span [%X, %X) in bucket %d", sp.Start, sp.End, b.Bucket)
			}
			if i > 0 && (len(b.Spans[i-1].End) == 0 || bytes.Compare(b.Spans[i-1].End, sp.Start) >= 0) {
				return fmt.Errorf("spans of bucket %d touch", b.Bucket)
			}
		}
	}
	return nil
}

func inside(sp storage.Span, key []byte) bool {
	return bytes.Compare(key, sp.Start) >= 0 && (len(sp.End) == 0 || bytes.Compare(key, sp.End) < 0)
}

// find counts the points and spans of set that hold key.
func (s *SpanSet) find(key []byte, bucket int) (n int) {
	if _, ok := slices.BinarySearchFunc(s.Points, key, bytes.Compare); ok {
		n++
	}
	for _, b := range s.Buckets {
		for _, sp := range b.Spans {
			if inside(sp, key) && b.Bucket == bucket {
				n++
			} else if inside(sp, key) {
				n += 100 // a span that reaches into another bucket
			}
		}
	}
	return n
}

// wanted counts the spans of Wanted that hold a logical key.
func (s *SpanSet) wanted(logical []byte) (n int) {
	for _, sp := range s.Wanted {
		n += b2i(inside(sp, logical))
	}
	return n
}

// TestSpansBruteForce: every row that satisfies the conditions lies in exactly one point or
// span of its bucket; where the set is exact, no other row does.
func TestSpansBruteForce(t *testing.T) {
	r := newRand(t)
	exact, points, pruned, total, matches := 0, 0, 0, 0, 0
	for range rounds(4000) {
		s := randomKeySchema(r)
		if r.IntN(5) == 0 {
			adopt(r, s)
		} else if r.IntN(3) == 0 {
			index(r, s)
		} else if r.IntN(2) == 0 {
			s = randomFormat(r)
		}
		var rows [][]types.Datum
		var keys [][]byte
		for range 60 {
			vals := randomRow(r, s)
			if key, err := s.AppendKey(nil, vals); err == nil {
				rows, keys = append(rows, vals), append(keys, key)
			}
		}
		for range 4 {
			var conjs []Conj
			for range pick(r, 0, 1, 1, 1, 1, 2, 3) {
				c := randomConj(r, s)
				if len(rows) > 0 && r.IntN(3) > 0 {
					c = conjOfRow(r, s, pick(r, rows...))
				}
				conjs = append(conjs, c)
			}
			opt := SpanOptions{MaxSpans: pick(r, 0, 0, 0, 1, 3, 50), NoPrune: r.IntN(8) == 0}
			set, err := s.Spans(conjs, opt)
			if err != nil {
				t.Fatal(err)
			}
			total++
			exact += b2i(set.Exact)
			points += b2i(set.AllPoints)
			pruned += b2i(!set.Empty() && s.Buckets > 1 && len(set.Buckets) < s.Buckets)
			explain := func() string {
				out := formatSchema(s) + "\n"
				if s.Format != nil {
					out = formatFormat(s) + "\n"
				}
				for _, c := range conjs {
					out += " or" + formatConj(s, c) + "\n"
				}
				return out + s.Describe(set)
			}
			if err := checkShape(s, set, opt); err != nil {
				t.Fatalf("%v\n%s", err, explain())
			}
			for i, key := range keys {
				want := slices.ContainsFunc(conjs, func(c Conj) bool { return c.satisfies(s, rows[i]) })
				matches += b2i(want)
				got := set.find(key, s.KeyBucket(key))
				if n := set.wanted(s.LogicalKey(key)); set.Wanted != nil && (n > 1 || want && n != 1) {
					t.Fatalf("row%s %X satisfies: %v, wanted %d times\n%s", formatRow(rows[i]), key, want, n, explain())
				}
				if got > 1 || (want && got != 1) || (!want && got > 0 && set.Exact) {
					t.Fatalf("row%s %X satisfies: %v, found %d times\n%s", formatRow(rows[i]), key, want, got, explain())
				}
			}
		}
	}
	t.Logf("%d sets: %d exact, %d points, %d pruned; %d rows matched", total, exact, points, pruned, matches)
}
