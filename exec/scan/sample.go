package scan

import (
	"math"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// rowSample says which rows TABLESAMPLE gives: those whose keys have a low hash, so that
// it is the same rows whoever reads them and in whatever order. A stretch of rows are
// those whose keys agree but for the last byte.
type rowSample struct {
	below uint64 // hashes that are given; 0 is none
	all   bool
	seed  uint64
	salt  int // bytes before the logical key
	cut   int // bytes at its end that do not matter
}

func newRowSample(n *plan.Sample, cx *op.Context, salt int) (*rowSample, error) {
	s := &rowSample{salt: salt}
	if n.Blocks {
		s.cut = 1
	}
	d, err := eval.EvalConst(cx.Env, n.Percent)
	switch {
	case err != nil:
		return nil, err
	case d.Null:
		return nil, sqlerr.New(sqlerr.InvalidTablesampleArgument, "TABLESAMPLE parameter cannot be null")
	case !(d.Float >= 0 && d.Float <= 100):
		return nil, sqlerr.New(sqlerr.InvalidTablesampleArgument, "sample percentage must be between 0 and 100")
	case d.Float == 100:
		s.all = true
	default:
		s.below = uint64(d.Float / 100 * (1 << 63) * 2)
	}
	if n.Seed == nil {
		s.seed = types.HashInt(int64(n.N), cx.SampleSeed())
		return s, nil
	}
	if d, err = eval.EvalConst(cx.Env, n.Seed); err != nil {
		return nil, err
	}
	if d.Null {
		return nil, sqlerr.New(sqlerr.InvalidTablesampleRepeat, "TABLESAMPLE REPEATABLE parameter cannot be null")
	}
	if d.Float != 0 { // -0 is 0
		s.seed = math.Float64bits(d.Float)
	}
	return s, nil
}

// gives says whether the row of a physical key is given. The hash is FNV-1a, mixed: it must
// be the same in every process.
func (s *rowSample) gives(key []byte) bool {
	if s.all {
		return true
	}
	key = key[min(s.salt, len(key)):]
	key = key[:len(key)-min(s.cut, len(key))]
	h := uint64(14695981039346656037)
	for _, b := range key {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return types.HashInt(int64(h), types.HashInt(int64(s.seed), 1)) < s.below
}
