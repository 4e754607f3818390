package spill

import (
	"encoding/binary"
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
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
type Keys struct {
	progs []*eval.Prog
	Types []types.T
	desc  []bool
	first []bool // NULLS FIRST
	Vals  []*vec.Vec
	parts op.Parts
}

// NewSortKeys makes the keys of an ORDER BY.
func NewSortKeys(keys []plan.SortKey) (*Keys, error) {
	s := &Keys{}
	for _, k := range keys {
		if err := s.AddKey(k.Expr, k.Desc, k.NullsFirst); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// NewGroupKeys makes keys whose order does not matter.
func NewGroupKeys(exprs []expr.Expr) (*Keys, error) {
	s := &Keys{}
	for _, e := range exprs {
		if err := s.AddKey(e, false, false); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Keys) AddKey(e expr.Expr, desc, first bool) error {
	p, err := eval.Compile(e)
	if err != nil {
		return err
	}
	s.progs, s.Types = append(s.progs, p), append(s.Types, e.Type())
	s.desc, s.first = append(s.desc, desc), append(s.first, first)
	s.Vals = append(s.Vals, nil)
	return nil
}

// Count is how many columns a key has.
func (s *Keys) Count() int { return len(s.progs) }

// Columns are the values computed last.
func (s *Keys) Columns() []*vec.Vec { return s.Vals }

// Clone gives keys for another goroutine.
func (s *Keys) Clone() *Keys {
	c := *s
	c.parts = op.Parts{}
	c.progs, c.Vals = make([]*eval.Prog, len(s.progs)), make([]*vec.Vec, len(s.Vals))
	for i, p := range s.progs {
		c.progs[i] = p.Clone()
	}
	return &c
}

// Eval computes the key columns of a batch: expr.ErrWide where they are too large.
func (s *Keys) Eval(env *expr.Env, b *vec.Batch) error {
	for i, p := range s.progs {
		v, err := p.EvalNarrow(env, b)
		if err != nil {
			return err
		}
		s.Vals[i] = v
	}
	return nil
}

// EvalAll is eval for who cannot do with a part of the rows.
func (s *Keys) EvalAll(env *expr.Env, b *vec.Batch) error {
	for i, p := range s.progs {
		v, err := p.Eval(env, b)
		if err != nil {
			return err
		}
		s.Vals[i] = v
	}
	return nil
}

// Each computes the key columns of a batch's rows, of as many at a time as may be held,
// and calls use for these.
func (s *Keys) Each(env *expr.Env, b *vec.Batch, use func(part *vec.Batch) error) error {
	if !op.AnyGrows(s.progs) {
		if err := s.Eval(env, b); err != nil {
			return err
		}
		return use(b)
	}
	return s.parts.Each(b, func(part *vec.Batch) error { return s.Eval(env, part) }, use)
}

// Append adds the key of slot of the batch evaluated last.
func (s *Keys) Append(dst []byte, slot int) []byte {
	for i, v := range s.Vals {
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
			dst = AppendKeyValue(dst, s.Types[i], v.Datum(slot))
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

// AppendKeyValue adds a value that is not NULL.
func AppendKeyValue(dst []byte, t types.T, d types.Datum) []byte {
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
	case types.Inet:
		return appendKeyBytes(dst, types.InetKey(d.Bytes))
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
	if t.Elem == types.Oidvector { // the shorter one is less
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(a.Elems)))
	}
	for i := range a.Elems {
		et := t.ElemType()
		if t.Kind == types.Record {
			et = a.FieldType(i)
		}
		if a.Elems[i].Null {
			dst = append(dst, 2)
			continue
		}
		dst = AppendKeyValue(append(dst, 1), et, a.Elems[i])
	}
	dst = append(dst, 0, byte(len(a.Dims)))
	for _, n := range a.Dims {
		dst = binary.BigEndian.AppendUint32(dst, uint32(n))
	}
	return append(dst, byte(a.Low+1)) // the lower bound, 0 or 1
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
