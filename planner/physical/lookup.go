package physical

import (
	"math"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// reader is how a relation is read for each row of another by a join's conditions.
type reader struct {
	choice *Choice // nil: in no way
	each   float64 // what it costs for one row
}

// readerKey is what the readers of a relation follow from. The conditions name columns of the
// relation and of the join's other side, whatever else is joined there.
type readerKey struct {
	leaf  logical.Node
	inner bool
	on    [3]expr.Expr
}

// readers are of a relation: by its key or an index for batches of rows, and anew for each row.
type readers struct{ byLookup, byApply reader }

// readEach has best be the reading of right for each row of left where that costs less.
func (c *chooser) readEach(best *way, left, right *sub, cand *candidate) {
	r := c.readersOf(left, right, cand)
	for i, by := range [...]reader{r.byLookup, r.byApply} {
		if by.choice == nil {
			continue
		}
		if cost := left.cost + left.rows*by.each + cand.rows*costOutput; best.choice == nil || cost < best.cost {
			*best = way{left: left, right: right, cost: cost, choice: by.choice, byValue: i > 0}
		}
	}
}

func (c *chooser) readersOf(left, right *sub, cand *candidate) readers {
	if right.leaf == nil || !looksUp(cand.kind) || cand.cond != nil || len(right.filter) > 0 {
		return readers{}
	}
	k := readerKey{leaf: right.leaf, inner: cand.kind == plan.Inner}
	short := copy(k.on[:], cand.on) == len(cand.on)
	if short {
		if r, ok := c.readers[k]; ok {
			return r
		}
	}
	r := readers{byLookup: c.byLookup(left, right, cand), byApply: c.byApply(left, right, cand)}
	if short {
		c.readers[k] = r
	}
	return r
}

// looksUp says that the right side of a join of a kind may be read row by row of the left.
func looksUp(k plan.JoinKind) bool {
	switch k {
	case plan.Inner, plan.Left, plan.Semi, plan.Anti, plan.Single:
		return true
	}
	return false
}

// byLookup reads the right side, a table, by the values of the left for its key's leading
// columns, or those of an index's.
func (c *chooser) byLookup(left, right *sub, cand *candidate) (best reader) {
	get, own, ok := Table(right.leaf)
	if !ok || get.Sample != nil || slices.ContainsFunc(own, logical.VolatileExpr) {
		return best
	}
	best = c.lookupBy(left, right, cand, get, own, nil)
	if cand.kind == plan.Inner {
		// A row without a match is known by the table alone, not by the index.
		for _, ix := range c.indexesOf(right.leaf, get, own) {
			if r := c.lookupBy(left, right, cand, get, own, ix); r.choice != nil && (best.choice == nil || r.each < best.each) {
				best = r
			}
		}
	}
	return best
}

// lookupBy is byLookup by the primary key, or by an index.
func (c *chooser) lookupBy(left, right *sub, cand *candidate, get *logical.Get, own []expr.Expr, ix *catalog.Index) (r reader) {
	key := get.Table.PrimaryKey
	if ix != nil {
		key = nil
		for _, k := range ix.Key {
			if k.Column < 0 {
				break
			}
			key = append(key, k.Column)
		}
	}
	values, used, fromLeft := c.lookupValues(left, get, key, own, cand.on)
	if !fromLeft {
		return r
	}
	var conds []expr.Expr
	r.choice = &Choice{Method: Lookup, Values: values, Index: ix}
	for i, e := range cand.on {
		if used[i] {
			conds = append(conds, e)
		} else {
			r.choice.Rest = append(r.choice.Rest, e)
		}
	}
	seek := c.o.Access.SeekRows()
	if ix == nil && len(values) == len(key) {
		r.each = seek * costGet
	} else {
		p := c.path(right.leaf, get, ix, own, conds)
		r.each = p.Read + p.Spans*seek
	}
	return r
}

// lookupValues finds what the leading columns of a key are equal to, positions in the
// table's columns: values of the left side, by conditions on, or ones that the table's own
// conditions give. used tells which of on are said by them.
func (c *chooser) lookupValues(left *sub, get *logical.Get, key []int, own, on []expr.Expr) (values []expr.Expr, used []bool, fromLeft bool) {
	used = make([]bool, len(on))
	for _, k := range key {
		id := get.Cols[k]
		value, at := c.boundTo(id, own, nil), -1
		if value == nil {
			for i, e := range on {
				if v := c.boundTo(id, []expr.Expr{e}, &left.out); v != nil {
					value, at = v, i
					break
				}
			}
		}
		if value == nil {
			break
		}
		if at >= 0 {
			used[at], fromLeft = true, true
		}
		to := get.Table.Columns[k].Type.Base()
		if value.Type().Base() != to {
			value = &expr.Cast{X: value, To: to}
		}
		values = append(values, value)
	}
	return values, used, fromLeft
}

// boundTo gives what one of conds says a column equals, over the columns of from alone, or, with
// nil, nothing but what is known when the join is run.
func (c *chooser) boundTo(id logical.ColumnID, conds []expr.Expr, from *logical.ColSet) expr.Expr {
	for _, e := range conds {
		x, y, nulls, ok := logical.Equality(e)
		if !ok || nulls || logical.VolatileExpr(e) {
			continue
		}
		for _, p := range [][2]expr.Expr{{x, y}, {y, x}} {
			// A text column may be compared as text: that is what its key holds.
			col, isCol := logical.CastFree(p[0]).(*expr.Col)
			if !isCol || col.Index != id || !sameKeyForm(col, p[1]) {
				continue
			}
			cols := c.facts.ColsOf(p[1])
			if from == nil && cols.Empty() && expr.IsConst(p[1]) || from != nil && !cols.Empty() && cols.SubsetOf(*from) {
				return p[1]
			}
		}
	}
	return nil
}

// sameKeyForm says that every value of e has one form as a key of col's type.
func sameKeyForm(col *expr.Col, e expr.Expr) bool {
	a, b := col.T.Base(), e.Type().Base()
	return a == b || a.IsString() && b.IsString() && !isChar(a) && !isChar(b)
}

// byApply reads the right side, a table, anew for each left row, under the join's whole
// condition: it is worth it where that leaves a narrow range of the key and there are few
// left rows. A virtual relation is read so where it finds its rows by the left's values.
func (c *chooser) byApply(left, right *sub, cand *candidate) (r reader) {
	if len(cand.on) == 0 {
		return r
	}
	n, own := unfiltered(right.leaf)
	if slices.ContainsFunc(append(own, cand.on...), logical.VolatileExpr) {
		return r
	}
	if v, ok := n.(*logical.Virtual); ok {
		if c.looksUpVirtual(v, left, cand.on) {
			r = reader{choice: &Choice{}, each: rowsLookup + costOpen}
		}
		return r
	}
	get, ok := n.(*logical.Get)
	if !ok || get.Sample != nil || get.WithKey || get.ForUpdate {
		return r
	}
	if p := c.path(right.leaf, get, nil, own, cand.on); p.Narrow {
		if each := p.Read + p.Spans*c.o.Access.SeekRows() + costOpen; !math.IsInf(each, 1) {
			r = reader{choice: &Choice{}, each: each}
		}
	}
	return r
}

// looksUpVirtual says that one of conds gives a virtual relation, for each left row, a value
// by which it finds its rows.
func (c *chooser) looksUpVirtual(v *logical.Virtual, left *sub, conds []expr.Expr) bool {
	for _, e := range conds {
		for col, value := range logical.EqualTo(e) {
			at := slices.Index(v.Cols, col.Index)
			if at >= 0 && slices.Contains(v.Relation.Lookups, at) && c.facts.ColsOf(value).SubsetOf(left.out) {
				return true
			}
		}
	}
	return false
}

func isChar(t types.T) bool { return t.Kind == types.Bpchar || t.Kind == types.Name }
