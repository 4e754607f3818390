package scope

import "github.com/saltsql/saltsql/internal/expr"

// Positions puts the positions of columns in rels, one relation after another, in the place
// of their IDs: what a write keeps is over the row that it writes. e may be nil.
func Positions(e expr.Expr, rels ...*Relation) expr.Expr {
	same, at := true, 0
	for _, r := range rels {
		for c := range r.All {
			same = same && c.ID == at
			at++
		}
	}
	if same {
		return e // as where the table is the statement's first relation
	}
	return expr.MapCols(e, func(c *expr.Col) expr.Expr {
		at := 0
		for _, r := range rels {
			for col := range r.All {
				if col.ID == c.Index {
					moved := *c
					moved.Index = at
					return &moved
				}
				at++
			}
		}
		return c
	})
}
