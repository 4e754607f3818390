package bind

import (
	"github.com/saltsql/saltsql/planner/fail"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// INSERT INTO t (a[1], a[2]) makes a column of its parts, as SET does (see bindSet), but of NULL:
// the column's default has no part in it.

// part gives the i-th target where that is a part of a column; else nil.
func (s *rowSource) part(i int) *tree.Target {
	if i >= len(s.targets) {
		return nil
	}
	if _, isPart := s.writer.wholeOf(s.table, &s.targets[i]); !isPart {
		return nil
	}
	return &s.targets[i]
}

// assign puts the value of the i-th target among those that are given of the row.
func (s *rowSource) assign(given []expr.Expr, i int, e expr.Expr, pos int) {
	col := s.cols[i]
	c := &s.table.Columns[col]
	if part := s.part(i); part != nil {
		of := s.untested[col]
		if given[col] == nil { // the first part of the row's
			of = &expr.Const{Value: types.NullDatum, T: c.Type.Plain()}
		}
		e = s.writer.assignPart(of, part, e, s.subscripts, pos)
		if s.untested == nil {
			s.untested = map[int]expr.Expr{}
		}
		s.untested[col] = e
	}
	given[col] = s.writer.Assign(e, c.Name, c.Type, pos)
}

// partLiteral gives a literal of a query the type of the part that it is for.
func (s *rowSource) partLiteral(i int, e expr.Expr) expr.Expr {
	if e.Type().Kind != types.Unknown {
		return e
	}
	c := &s.table.Columns[s.cols[i]]
	_, subs := s.writer.Subscripts(s.subscripts, s.targets[i].Subscript)
	return fail.Must(expr.ResolveAssign(e, c.Name, expr.PartType(c.Type, subs), e.Pos()))
}
