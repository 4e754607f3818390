package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindSample binds TABLESAMPLE: 42704 for a method that there is not, 2202H for a number of
// arguments that it does not take.
func (b *Binder) bindSample(p *scope.Place, f *tree.TableRef, pos int) *plan.Sample {
	s := f.Sample
	out := &plan.Sample{}
	switch s.Method {
	case "bernoulli":
	case "system":
		out.Blocks = true
	default:
		panic(sqlerr.New(sqlerr.UndefinedObject, "tablesample method %s does not exist", s.Method).At(pos))
	}
	if len(s.Args) != 1 {
		panic(sqlerr.New(sqlerr.InvalidTablesampleArgument, "tablesample method %s requires 1 argument, not %d", s.Method, len(s.Args)).At(pos))
	}
	at := *p
	at.Clause, at.Queries = "functions in FROM", true
	// Postgres takes a real.
	percent := b.sampleArg(&at, s.Args[0], "TABLESAMPLE", types.Of(types.Float4))
	out.Percent = fail.Must(expr.ResolveCast(percent, types.Of(types.Float8), expr.Implicit, 0))
	if b.Capture != nil {
		b.Capture.Samples[f] = out
	}
	if s.Repeatable != nil {
		out.Seed = b.sampleArg(&at, s.Repeatable, "REPEATABLE", types.Of(types.Float8))
	}
	return out
}

func (b *Binder) sampleArg(p *scope.Place, n tree.Expr, clause string, t types.T) expr.Expr {
	e := b.Expr(p, n)
	from := e.Type()
	e, err := expr.ResolveCast(e, t, expr.Assignment, b.Pos(n))
	if sqlerr.CodeOf(err) == sqlerr.CannotCoerce {
		panic(sqlerr.New(sqlerr.DatatypeMismatch, "argument of %s must be type %s, not type %s", clause, t, from).At(b.Pos(n)))
	}
	fail.If(err)
	return e
}

// noSample refuses TABLESAMPLE of what is no table.
func noSample(s *tree.Sample, pos int) {
	if s == nil {
		return
	}
	panic(sqlerr.New(sqlerr.FeatureNotSupported, "TABLESAMPLE clause can only be applied to tables and materialized views").At(pos))
}
