package expr

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// RANGE n PRECEDING and FOLLOWING: which types of offset a type of key takes, as
// Postgres's in_range functions say, and the value at which a frame ends.
//
//	frame of a row = rows whose key lies between the shifts of the row's key
//
// A shift does not overflow where Postgres's does not: an integer or a time beyond what
// 64 bits hold is NULL of a key that is not, and stands for a value beyond all others in the
// direction of the shift. An infinite float or numeric shifted towards the other end by
// an infinite offset is NaN of a key that is not, and bounds nothing.

// inRange is one in_range function.
type inRange struct {
	offset    types.T
	plus, sub *Func // key and offset -> shift
}

var inRanges = map[types.Kind][]inRange{}

// RegisterInRange adds an in_range function: plus and sub are its shifts.
func RegisterInRange(key, offset types.T, plus, sub *Func) {
	plus.operator, sub.operator = true, true
	inRanges[key.Kind] = append(inRanges[key.Kind], inRange{offset, plus, sub})
}

// ResolveInRange binds the offset of a RANGE frame over a window ordered by key: it
// casts the offset and gives the shift, key - offset where the bound is PRECEDING in an
// ascending order or FOLLOWING in a descending one, else key + offset. The shift's type is
// one that the key has an implicit cast to, and the two compare as the key's values do.
// 0A000, worded as Postgres does, where key's type takes no such offset.
func ResolveInRange(key, offset Expr, preceding, desc bool, pos int) (Expr, Expr, error) {
	if offset.Pos() > 0 {
		pos = offset.Pos()
	}
	kt, ot := key.Type().Base(), offset.Type().Base()
	if kt.Kind == types.Varchar {
		kt = tText
	}
	const what = "RANGE with offset PRECEDING/FOLLOWING "
	all := inRanges[kt.Kind]
	if len(all) == 0 {
		return nil, nil, sqlerr.New(sqlerr.FeatureNotSupported, what+"is not supported for column type %s", TypeName(kt)).At(pos)
	}
	fits, exact := 0, false
	var chosen inRange
	for _, r := range all {
		if !canCoerce(ot, r.offset, Implicit) {
			continue
		}
		fits++
		if !exact {
			// A literal is taken for one of the column's own type, where that is an offset.
			chosen, exact = r, r.offset == ot || ot.Kind == types.Unknown && r.offset == kt
		}
	}
	switch {
	case fits == 0:
		return nil, nil, sqlerr.New(sqlerr.FeatureNotSupported, what+"is not supported for column type %s and offset type %s",
			TypeName(kt), TypeName(ot)).WithHint("Cast the offset value to an appropriate type.").At(pos)
	case fits > 1 && !exact:
		return nil, nil, sqlerr.New(sqlerr.FeatureNotSupported, what+"has multiple interpretations for column type %s and offset type %s",
			TypeName(kt), TypeName(ot)).WithHint("Cast the offset value to the exact intended type.").At(pos)
	}
	offset, err := ResolveCast(offset, chosen.offset, Implicit, 0)
	if err != nil {
		return nil, nil, err
	}
	f := chosen.plus
	if preceding != desc {
		f = chosen.sub
	}
	return offset, &Call{Fn: f, Args: []Expr{key, offset}, T: f.ResultType, At: pos}, nil
}

// ShiftBy gives a shift as ResolveInRange made it, by an offset that is evaluated.
func ShiftBy(shift Expr, offset types.Datum) Expr {
	c, ok := shift.(*Call)
	if !ok {
		return shift // of a constant key, evaluated
	}
	n := *c
	n.Args = []Expr{c.Args[0], &Const{Value: offset, T: c.Args[1].Type(), At: c.Args[1].Pos()}}
	return &n
}
