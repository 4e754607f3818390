package keyspan

import (
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// IsWholeType says that values of t are int64s.
func IsWholeType(k types.Kind) bool {
	return k == types.Int2 || k == types.Int4 || k == types.Int8
}

// FitsKey says that values of type t are held as those of a key column are.
func FitsKey(col types.T, t types.T) bool {
	return col.Base() == t.Base() || IsWholeType(col.Kind) && IsWholeType(t.Kind) ||
		IsTextType(col.Kind) && IsTextType(t.Kind)
}

// IsTextType says that values are texts of which none is padded.
func IsTextType(k types.Kind) bool { return k == types.Text || k == types.Varchar }

// wholeRange gives the range of a column of whole numbers that a comparison
// with a number of a wider type leaves; false if none.
//
// A number that no int64 comes near leaves everything, for the filter to decide.
func (s *Condition) wholeRange(op plan.KeyOp, d types.Datum, t types.Kind) (rowcodec.Range, bool) {
	outcome, to, bound := plan.WholeCompare(op, d, t)
	switch outcome {
	case plan.WholeNever:
		return rowcodec.Range{}, false
	case plan.WholeUnknown:
		s.inexact = true
		return rowcodec.Range{}, true
	}
	return compareRange(to, types.NewInt(bound)), true
}

// compareRange is the range of values for which x op a holds.
func compareRange(op plan.KeyOp, a types.Datum) rowcodec.Range {
	switch op {
	case plan.KeyLt, plan.KeyLe:
		return rowcodec.Range{Hi: &a, HiIncl: op == plan.KeyLe}
	case plan.KeyGt, plan.KeyGe:
		return rowcodec.Range{Lo: &a, LoIncl: op == plan.KeyGe}
	}
	return Equal(a)
}
