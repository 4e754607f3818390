package op

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
)

// AnyGrows says that one of progs may give expr.ErrWide.
func AnyGrows(progs []*eval.Prog) bool {
	for _, p := range progs {
		if p.Grows() {
			return true
		}
	}
	return false
}

// CompileAll makes expressions ready to run.
func CompileAll(exprs []expr.Expr) ([]*eval.Prog, error) {
	progs := make([]*eval.Prog, len(exprs))
	for i, e := range exprs {
		p, err := eval.Compile(e)
		if err != nil {
			return nil, err
		}
		progs[i] = p
	}
	return progs, nil
}

// CloneAll gives copies for another goroutine.
func CloneAll(progs []*eval.Prog) []*eval.Prog {
	out := make([]*eval.Prog, len(progs))
	for i, p := range progs {
		out[i] = p.Clone()
	}
	return out
}
