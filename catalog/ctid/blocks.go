package ctid

import (
	"math"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/part"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// blocksPerBucket is how many blocks a salt bucket has. DuckDB cuts tables into ranges of so many.
const blocksPerBucket = 1000

// Pages is how many blocks a table has, for pg_class.relpages.
func Pages(t *catalog.Table) int64 {
	if t.Buckets() < 2 {
		return 1
	}
	return int64(t.Buckets()) * blocksPerBucket
}

// Blocks is the condition that the first block of a row's bucket is less than a bound, a tid, or how else op
// compares them: <, <=, > or >=. key are the key columns of the row. A bound within a block is 0A000.
func Blocks(t *catalog.Table, op string, bound expr.Expr, key []expr.Expr, pos int) expr.Expr {
	list := types.ArrayOf(types.Of(types.Text))
	f := expr.NewFunc("ctid blocks", []types.T{types.Of(types.TID), types.Of(types.Text)}, list,
		func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
			for _, i := range sel {
				spans, err := inBlocks(t, op, args[0].Ints[i])
				if err != nil {
					return err
				}
				token := types.NewText(part.Token(t, spans))
				out.Arrays[i] = &types.ArrayValue{Elem: types.Of(types.Text), Dims: []int32{1}, Elems: []types.Datum{token}}
			}
			return nil
		})
	word := &expr.Const{Value: types.NewText(op), T: types.Of(types.Text), At: pos}
	return part.Condition(t, &expr.Call{Fn: f, Args: []expr.Expr{bound, word}, T: list, At: pos}, key, pos)
}

// inBlocks gives the spans of the buckets whose first block, as "(block,1)", compares so with a bound.
func inBlocks(t *catalog.Table, op string, bound int64) ([]storage.Span, error) {
	first := bound >> 16 // the first block at or over the bound
	switch bound & math.MaxUint16 {
	case 0:
	case math.MaxUint16:
		first++
	default:
		return nil, sqlerr.Unsupported("a bound of ctid within a block is not supported", "Compare ctid with the start of a block: ctid >= '(1000,0)' AND ctid < '(2000,0)'.")
	}
	key := &t.Codec().Key
	var spans []storage.Span
	for b := range max(key.Buckets, 1) {
		if over := int64(b)*blocksPerBucket >= first; over == (op[0] == '>') {
			spans = append(spans, key.BucketSpan(b))
		}
	}
	return rowcodec.JoinSpans(spans), nil
}
