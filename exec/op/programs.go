package op

import "github.com/saltsql/saltsql/internal/expr"

// AnyGrows says that one of progs may give expr.ErrWide.
func AnyGrows(progs []*expr.Prog) bool {
	for _, p := range progs {
		if p.Grows() {
			return true
		}
	}
	return false
}

// CompileAll makes expressions ready to run.
func CompileAll(exprs []expr.Expr) ([]*expr.Prog, error) {
	progs := make([]*expr.Prog, len(exprs))
	for i, e := range exprs {
		p, err := expr.Compile(e)
		if err != nil {
			return nil, err
		}
		progs[i] = p
	}
	return progs, nil
}
