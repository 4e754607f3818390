package exec

import (
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// isWholeType says that values of t are int64s.
func isWholeType(k types.Kind) bool {
	return k == types.Int2 || k == types.Int4 || k == types.Int8
}

// fitsKey says that values of type t are held as those of a key column are.
func fitsKey(col types.T, t types.T) bool {
	return col.Base() == t.Base() || isWholeType(col.Kind) && isWholeType(t.Kind) ||
		isTextType(col.Kind) && isTextType(t.Kind)
}

func isTextType(k types.Kind) bool { return k == types.Text || k == types.Varchar }

// wholeRange gives the range of a column of whole numbers that a comparison
// with a number of a wider type leaves; false if none.
//
// A number that no int64 comes near leaves everything, for the filter to decide.
func (s *keySpans) wholeRange(op plan.KeyOp, d types.Datum, t types.Kind) (rowcodec.Range, bool) {
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
	return equal(a)
}
