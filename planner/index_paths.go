package planner

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// expires says that rows of a table may be hidden by their age, which entries do not tell.
func expires(t *catalog.Table) bool { return t.Options.TTL > 0 || t.ExpiredBefore > 0 }

// indexPaths gives the ways to a scan's table by its indexes, as far as the statement may
// read them.
func indexPaths(ctx *Context, s *plan.Scan) []*indexPath {
	if s.Of != nil || s.Sample != nil || s.Reduced != nil || len(s.Table.Indexes) == 0 {
		return nil
	}
	var paths []*indexPath
	for i := range s.Table.Indexes {
		ix := &s.Table.Indexes[i]
		if !ix.Readable() || ix.Coarse() || !ctx.mayRead(s, ix) {
			continue
		}
		paths = append(paths, newIndexPath(s.Table, ix))
	}
	return paths
}

// bindTail completes the keys of a UNIQUE index. Behind parts without a NULL nothing follows; so
// values for all parts are the values of a full key, of one entry at most.
func bindTail(s *plan.Scan, any []plan.KeyConj) {
	if s.Of == nil {
		return
	}
	i := slices.IndexFunc(s.Of.Indexes, func(ix catalog.Index) bool { return ix.Entries().Table == s.Table })
	if i < 0 || !s.Of.Indexes[i].Unique {
		return
	}
	tail := len(s.Table.PrimaryKey) - 1
	for i := range any {
		c := &any[i]
		bound := true
		for pos := range tail {
			bound = bound && slices.ContainsFunc(c.Terms, func(t plan.KeyTerm) bool {
				return t.Columns[0] == pos && (t.Op == plan.KeyEq || t.Op == plan.KeyIn || t.Op == plan.KeyInArray)
			})
		}
		if bound {
			none := &expr.Const{Value: types.NewBytes(nil), T: types.Of(types.Bytea)}
			c.Terms = append(slices.Clip(c.Terms), plan.KeyTerm{Op: plan.KeyEq, Columns: []int{tail}, Args: []expr.Expr{none}})
		}
	}
}

// newIndexPath makes the path of an index. What a statement compares is folded before it is
// planned, so what the index was declared by is too: 99990 beside a DOUBLE PRECISION.
func newIndexPath(t *catalog.Table, ix *catalog.Index) *indexPath {
	r := ix.Entries()
	p := &indexPath{table: t, index: ix, rel: r.Table, at: make([]int, len(t.Columns))}
	for i := range p.at {
		p.at[i] = -1
	}
	for i, c := range r.Source {
		switch {
		case c >= 0 && p.at[c] < 0:
			p.at[c] = i
		case r.Exprs[i] != nil:
			p.exprs, p.at = append(p.exprs, eval.Fold(nil, r.Exprs[i])), append(p.at, i)
		}
	}
	exprs := 0
	for k := range ix.Parts {
		if c := r.Source[k]; c >= 0 {
			p.parts = append(p.parts, c)
		} else {
			p.parts = append(p.parts, len(t.Columns)+exprs)
			exprs++
		}
	}
	if r.Where != nil {
		p.where = walk.Conjuncts(eval.Fold(nil, r.Where))
	}
	return p
}
