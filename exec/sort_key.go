package exec

import (
	"encoding/binary"
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/jsonval"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// A sort key is a row's key values as bytes that compare like the values:
//
//	per column:  00|01|02 (null first, value, null last)  value
//	int …        8 bytes, big-endian, sign bit flipped
//	float        8 bytes, IEEE with the usual flips; NaN is greatest
//	text, bytea  bytes, 00 as 00 FF, then 00 00
//	numeric      class, then magnitude and digits (inverted if negative)
//	interval     days and µs as compared, 8 bytes each
//	array        01 element … 00, then the dimensions
//	jsonb        class, count, parts
//
// A DESC column's value bytes are inverted. Values that SQL calls equal have
// equal bytes: the same keys serve sorting, grouping and DISTINCT.
type sortKeys struct {
	progs []*expr.Prog
	types []types.T
	desc  []bool
	first []bool // NULLS FIRST
	vals  []*vec.Vec
	parts parts
}

func newSortKeys(keys []plan.SortKey) (*sortKeys, error) {
	s := &sortKeys{}
	for _, k := range keys {
		if err := s.addKey(k.Expr, k.Desc, k.NullsFirst); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func newGroupKeys(exprs []expr.Expr) (*sortKeys, error) {
	s := &sortKeys{}
	for _, e := range exprs {
		if err := s.addKey(e, false, false); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *sortKeys) addKey(e expr.Expr, desc, first bool) error {
	p, err := expr.Compile(e)
	if err != nil {
		return err
	}
	s.progs, s.types = append(s.progs, p), append(s.types, e.Type())
	s.desc, s.first = append(s.desc, desc), append(s.first, first)
	s.vals = append(s.vals, nil)
	return nil
}

// clone gives keys for another goroutine.
func (s *sortKeys) clone() *sortKeys {
	c := *s
	c.parts = parts{}
	c.progs, c.vals = make([]*expr.Prog, len(s.progs)), make([]*vec.Vec, len(s.vals))
	for i, p := range s.progs {
		c.progs[i] = p.Clone()
	}
	return &c
}

// eval computes the key columns of a batch: expr.ErrWide where they are too large.
func (s *sortKeys) eval(env *expr.Env, b *vec.Batch) error {
	for i, p := range s.progs {
		v, err := p.EvalNarrow(env, b)
		if err != nil {
			return err
		}
		s.vals[i] = v
	}
	return nil
}

// evalAll is eval for who cannot do with a part of the rows.
func (s *sortKeys) evalAll(env *expr.Env, b *vec.Batch) error {
	for i, p := range s.progs {
		v, err := p.Eval(env, b)
		if err != nil {
			return err
		}
		s.vals[i] = v
	}
	return nil
}

// each computes the key columns of a batch's rows, of as many at a time as may be held,
// and calls use for these.
func (s *sortKeys) each(env *expr.Env, b *vec.Batch, use func(part *vec.Batch) error) error {
	if !anyGrows(s.progs) {
		if err := s.eval(env, b); err != nil {
			return err
		}
		return use(b)
	}
	return s.parts.each(b, func(part *vec.Batch) error { return s.eval(env, part) }, use)
}

// append adds the key of slot of the batch evaluated last.
func (s *sortKeys) append(dst []byte, slot int) []byte {
	for i, v := range s.vals {
		if v.Nulls.Get(slot) {
			if s.first[i] {
				dst = append(dst, 0)
			} else {
				dst = append(dst, 2)
			}
			continue
		}
		dst = append(dst, 1)
		at := len(dst)
		switch v.Type.Phys() {
		case types.PhysInt:
			dst = appendKeyInt(dst, v.Ints[slot])
		default:
			dst = appendKeyValue(dst, s.types[i], v.Datum(slot))
		}
		if s.desc[i] {
			invert(dst[at:])
		}
	}
	return dst
}

func invert(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

func appendKeyInt(dst []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(v)^(1<<63))
}

// appendKeyValue adds a value that is not NULL.
func appendKeyValue(dst []byte, t types.T, d types.Datum) []byte {
	switch t.Phys() {
	case types.PhysBool:
		if d.Bool {
			return append(dst, 1)
		}
		return append(dst, 0)
	case types.PhysInt:
		return appendKeyInt(dst, d.Int)
	case types.PhysFloat:
		return appendKeyFloat(dst, d.Float)
	case types.PhysDecimal:
		return appendKeyDecimal(dst, d.Decimal)
	case types.PhysInterval:
		return appendKeyInterval(dst, d.Interval)
	case types.PhysArray:
		return appendKeyArray(dst, t, d.Array)
	}
	switch t.Kind {
	case types.Bpchar:
		b := d.Bytes
		for len(b) > 0 && b[len(b)-1] == ' ' {
			b = b[:len(b)-1]
		}
		return appendKeyBytes(dst, b)
	case types.JSONB:
		if v, err := jsonval.Parse(string(d.Bytes)); err == nil {
			if v.Kind == jsonval.Array && len(v.Elems) == 0 {
				return append(dst, 0) // at the top, least of all
			}
			return appendKeyJSON(dst, v)
		}
	}
	return appendKeyBytes(dst, d.Bytes)
}

func appendKeyFloat(dst []byte, f float64) []byte {
	switch {
	case f == 0:
		f = 0 // -0 is 0
	case f != f:
		return append(dst, 255, 255, 255, 255, 255, 255, 255, 255)
	}
	u := math.Float64bits(f)
	if u>>63 != 0 {
		u = ^u
	} else {
		u |= 1 << 63
	}
	return binary.BigEndian.AppendUint64(dst, u)
}

func appendKeyBytes[S []byte | string](dst []byte, b S) []byte {
	for i := 0; i < len(b); i++ {
		dst = append(dst, b[i])
		if b[i] == 0 {
			dst = append(dst, 0xff)
		}
	}
	return append(dst, 0, 0)
}

func appendKeyDecimal(dst []byte, d *apd.Decimal) []byte {
	switch {
	case numeric.IsNaN(d):
		return append(dst, 5)
	case d.Form == apd.Infinite && d.Negative:
		return append(dst, 0)
	case d.Form == apd.Infinite:
		return append(dst, 4)
	}
	sign := numeric.Sign(d)
	if sign == 0 {
		return append(dst, 2)
	}
	dst = append(dst, byte(2+sign))
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	digits := len(dst)
	dst = d.Coeff.Append(dst, 10)
	magnitude := int64(len(dst)-digits) + int64(d.Exponent)
	binary.BigEndian.PutUint32(dst[at:], uint32(int32(magnitude))^(1<<31))
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	dst = append(dst, 0)
	if sign < 0 {
		invert(dst[at:])
	}
	return dst
}

func appendKeyInterval(dst []byte, v types.IntervalValue) []byte {
	const day = 24 * 60 * 60 * 1000 * 1000
	days, rest := int64(v.Months)*30+int64(v.Days)+v.Micros/day, v.Micros%day
	if rest < 0 {
		days, rest = days-1, rest+day
	}
	return appendKeyInt(appendKeyInt(dst, days), rest)
}

func appendKeyArray(dst []byte, t types.T, a *types.ArrayValue) []byte {
	for i := range a.Elems {
		et := t.ElemType()
		if t.Kind == types.Record {
			et = types.Of(types.Text)
			if i < len(a.Fields) {
				et = a.Fields[i]
			}
		}
		if a.Elems[i].Null {
			dst = append(dst, 2)
			continue
		}
		dst = appendKeyValue(append(dst, 1), et, a.Elems[i])
	}
	dst = append(dst, 0, byte(len(a.Dims)))
	for _, n := range a.Dims {
		dst = binary.BigEndian.AppendUint32(dst, uint32(n))
	}
	return dst
}

func appendKeyJSON(dst []byte, v *jsonval.Value) []byte {
	dst = append(dst, 1+byte(v.Kind))
	switch v.Kind {
	case jsonval.Bool:
		if v.Bool {
			return append(dst, 1)
		}
		return append(dst, 0)
	case jsonval.Number:
		return appendKeyDecimal(dst, v.Num)
	case jsonval.String:
		return appendKeyBytes(dst, v.Str)
	case jsonval.Array, jsonval.Object:
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(v.Elems)))
		for i, e := range v.Elems {
			if v.Kind == jsonval.Object {
				dst = appendKeyBytes(dst, v.Keys[i])
			}
			dst = appendKeyJSON(dst, e)
		}
	}
	return dst
}
