package catalog

import (
	"math"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// NewSequence checks options and fills in Postgres's defaults.
func NewSequence(name string, o *SequenceOptions, pos int) (*Sequence, error) {
	if err := CheckIdentifier("sequence", name, pos); err != nil {
		return nil, err
	}
	q := &Sequence{Name: name, Type: o.Type, Increment: 1, Cycle: o.Cycle, Cache: o.Cache}
	bad := func(format string, args ...any) (*Sequence, error) {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, format, args...).At(pos)
	}
	if q.Type == types.Unknown {
		q.Type = types.Int8
	}
	lo, hi, ok := SequenceRange(q.Type)
	if !ok {
		return bad("sequence type must be smallint, integer, or bigint")
	}
	if o.Increment != nil {
		q.Increment = *o.Increment
	}
	if q.Increment == 0 {
		return bad("INCREMENT must not be zero")
	}
	if q.Min, q.Max = 1, hi; q.Increment < 0 {
		q.Min, q.Max = lo, -1
	}
	if o.Min != nil {
		q.Min = *o.Min
	}
	if o.Max != nil {
		q.Max = *o.Max
	}
	switch {
	case q.Max > hi || q.Max < lo:
		return bad("MAXVALUE (%d) is out of range for sequence data type %s", q.Max, types.Of(q.Type))
	case q.Min < lo || q.Min > hi:
		return bad("MINVALUE (%d) is out of range for sequence data type %s", q.Min, types.Of(q.Type))
	case q.Min >= q.Max:
		return bad("MINVALUE (%d) must be less than MAXVALUE (%d)", q.Min, q.Max)
	}
	if q.Start = q.Min; q.Increment < 0 {
		q.Start = q.Max
	}
	if o.Start != nil {
		q.Start = *o.Start
	}
	switch {
	case q.Start < q.Min:
		return bad("START value (%d) cannot be less than MINVALUE (%d)", q.Start, q.Min)
	case q.Start > q.Max:
		return bad("START value (%d) cannot be greater than MAXVALUE (%d)", q.Start, q.Max)
	case q.Cache < 0:
		return bad("CACHE (%d) must be greater than zero", q.Cache)
	case q.Cache == 0:
		q.Cache = 1
	}
	return q, nil
}

// SequenceRange is what a sequence of a type can hold; ok is false for a type that
// has no sequences.
func SequenceRange(k types.Kind) (lo, hi int64, ok bool) {
	switch k {
	case types.Int8:
		return math.MinInt64, math.MaxInt64, true
	case types.Int4:
		return math.MinInt32, math.MaxInt32, true
	case types.Int2:
		return math.MinInt16, math.MaxInt16, true
	}
	return 0, 0, false
}
