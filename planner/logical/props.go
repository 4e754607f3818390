package logical

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
)

// Props are what is known of the rows of a tree, whatever is in the tables.
type Props struct {
	Out  ColSet // the columns given
	Free ColSet // those named and not given by anything below: of what stands around
	// NotNull are columns that are never NULL.
	NotNull ColSet
	// Keys are sets of columns of which no two rows agree in all, NULL agreeing with NULL.
	// The empty set is the key of at most one row.
	Keys []ColSet
	// ExactlyOne: there is always a row, and no second.
	ExactlyOne bool
	// Const are columns that have one value in all rows, for given values of Free.
	Const ColSet
}

// maxKeys bounds how many keys of a tree are remembered.
const maxKeys = 4

// Facts computes the properties of trees, each once. It belongs to one goroutine.
type Facts struct {
	meta  *Meta
	of    map[Node]*Props
	named map[int]Node
}

// NewFacts starts for the columns of a statement.
func NewFacts(meta *Meta) *Facts { return &Facts{meta: meta, of: map[Node]*Props{}} }

// Naming has a WithRef mean the query of its ID in named, which is to take its place.
func (f *Facts) Naming(named map[int]Node) *Facts {
	f.named = named
	return f
}

// Of gives the properties of a tree.
func (f *Facts) Of(n Node) *Props {
	if ref, ok := n.(*WithRef); ok && f.named[ref.ID] != nil {
		n = f.named[ref.ID]
	}
	if p, ok := f.of[n]; ok {
		return p
	}
	p := f.derive(n)
	f.of[n] = p
	return p
}

// AtMostOne says that there is no second row.
func (p *Props) AtMostOne() bool {
	for _, k := range p.Keys {
		if k.Empty() {
			return true
		}
	}
	return false
}

// UniqueBy says that no two rows agree in all of cols.
func (p *Props) UniqueBy(cols ColSet) bool {
	have := cols.Union(p.Const)
	for _, k := range p.Keys {
		if k.SubsetOf(have) {
			return true
		}
	}
	return false
}

func (p *Props) addKey(k ColSet) {
	for i, have := range p.Keys {
		if have.SubsetOf(k) {
			return
		}
		if k.SubsetOf(have) {
			p.Keys[i] = k
			return
		}
	}
	if len(p.Keys) < maxKeys {
		p.Keys = append(p.Keys, k)
	}
}

// ExprCols adds the columns that an expression names, those that its queries take from
// around them among them.
func (f *Facts) ExprCols(into *ColSet, e expr.Expr) {
	if e == nil {
		return
	}
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Col:
			into.Add(x.Index)
		case *Subquery:
			q := f.Of(x.Query)
			free := q.Free
			if x.Cond != nil {
				free = free.Copy()
				var cond ColSet
				f.ExprCols(&cond, x.Cond)
				cond.Remove(q.Out)
				free.AddAll(cond)
			}
			into.AddAll(free)
		}
		return true
	})
}

// ColsOf is ExprCols of one expression.
func (f *Facts) ColsOf(e expr.Expr) ColSet {
	var s ColSet
	f.ExprCols(&s, e)
	return s
}

func (f *Facts) derive(n Node) *Props {
	p := &Props{Out: SetOf(n.Out()...)}
	ins := n.Inputs()
	var below, used ColSet
	for _, in := range ins {
		q := f.Of(in)
		below.AddAll(q.Out)
		p.Free.AddAll(q.Free)
	}
	VisitExprs(n, func(e expr.Expr) { f.ExprCols(&used, e) })
	if j, ok := n.(*Join); ok && j.Apply {
		p.Free.Remove(f.Of(j.Left).Out)
	}
	used.Remove(below)
	p.Free.AddAll(used)
	f.rows(n, p)
	return p
}

// rows derives keys, constants and what is not NULL.
func (f *Facts) rows(n Node, p *Props) {
	switch n := n.(type) {
	case *Get:
		f.ofGet(n, p)
	case *Virtual:
		for i, c := range n.Cols {
			if n.Relation.Columns[i].NotNull {
				p.NotNull.Add(c)
			}
		}
	case *Values:
		if len(n.Rows) <= 1 {
			p.Keys = []ColSet{{}}
			p.ExactlyOne = len(n.Rows) == 1
		}
	case *Select:
		f.ofSelect(n, p)
	case *Project:
		f.ofProject(n, p)
	case *ProjectSet:
		p.NotNull, p.Const = f.Of(n.Input).NotNull, f.Of(n.Input).Const
	case *Join:
		f.ofJoin(n, p)
	case *GroupBy:
		f.ofGroupBy(n, p)
	case *Window:
		p.inherit(f.Of(n.Input))
	case *SetOp:
		if !n.All {
			p.Keys = []ColSet{p.Out}
		}
	case *RecursiveUnion:
		if !n.All {
			p.Keys = []ColSet{p.Out}
		}
	case *DistinctOn:
		p.inherit(f.Of(n.Input))
		var on ColSet
		for _, e := range n.Exprs {
			c, ok := e.(*expr.Col)
			if !ok {
				return
			}
			on.Add(c.Index)
		}
		p.addKey(on)
	case *Limit:
		in := f.Of(n.Input)
		p.inherit(in)
		p.ExactlyOne = false
		if c, ok := n.Count.(*expr.Const); ok && !c.Value.Null && c.Value.Int <= 1 && n.Ties == nil {
			p.Keys = []ColSet{{}}
		}
	case *Sort:
		p.inherit(f.Of(n.Input))
	case *Lock:
		p.inherit(f.Of(n.Input))
	case *With:
		p.inherit(f.Of(n.Body))
	}
}

func (p *Props) inherit(q *Props) {
	p.NotNull, p.Keys, p.ExactlyOne, p.Const = q.NotNull, slices.Clone(q.Keys), q.ExactlyOne, q.Const
}

func (f *Facts) ofGet(n *Get, p *Props) {
	var key ColSet
	for _, i := range n.Table.PrimaryKey {
		key.Add(n.Cols[i])
	}
	if n.Table.Codec().Key.Unique() {
		p.Keys = []ColSet{key}
	}
	if n.WithKey {
		p.Keys = append(p.Keys, SetOf(n.Key))
	}
	for i := range n.Table.Columns {
		if n.Table.Columns[i].NotNull {
			p.NotNull.Add(n.Cols[i])
		}
	}
}

func (f *Facts) ofSelect(n *Select, p *Props) {
	in := f.Of(n.Input)
	p.inherit(in)
	p.ExactlyOne = false
	p.NotNull = in.NotNull.Union(NullRejected(n.Cond))
	p.Const = in.Const.Copy()
	p.Keys = append([]ColSet(nil), in.Keys...)
	for _, c := range Conjuncts(n.Cond) {
		x, y, _, ok := Equality(c)
		if !ok {
			continue
		}
		for _, pair := range [][2]expr.Expr{{x, y}, {y, x}} {
			col, isCol := CastFree(pair[0]).(*expr.Col)
			if !isCol || VolatileExpr(pair[1]) {
				continue
			}
			if cols := f.ColsOf(pair[1]); !cols.Intersects(p.Out) || cols.SubsetOf(p.Const) {
				p.Const.Add(col.Index)
			}
		}
	}
	p.reduceKeys()
}

// reduceKeys leaves constants out of the keys.
func (p *Props) reduceKeys() {
	for i, k := range p.Keys {
		if k.Intersects(p.Const) {
			p.Keys[i] = k.Minus(p.Const)
		}
	}
}

// CastFree looks through casts that keep every value apart from every other.
func CastFree(e expr.Expr) expr.Expr {
	for {
		c, ok := e.(*expr.Cast)
		if !ok || c.To.Typmod() >= 0 {
			return e
		}
		from, to := c.X.Type().Base(), c.To.Base()
		if w, ok := wider(from, to); from != to && (!ok || w != to) {
			return e
		}
		e = c.X
	}
}

func (f *Facts) ofProject(n *Project, p *Props) {
	in := f.Of(n.Input)
	p.ExactlyOne = in.ExactlyOne
	to := map[ColumnID]ColumnID{}
	for i, e := range n.Exprs {
		if c, ok := e.(*expr.Col); ok {
			if _, known := to[c.Index]; !known || n.Cols[i] == c.Index {
				to[c.Index] = n.Cols[i]
			}
			if in.NotNull.Has(c.Index) {
				p.NotNull.Add(n.Cols[i])
			}
			if in.Const.Has(c.Index) {
				p.Const.Add(n.Cols[i])
			}
			continue
		}
		if NeverNull(e, in.NotNull) {
			p.NotNull.Add(n.Cols[i])
		}
		if cols := f.ColsOf(e); !VolatileExpr(e) && (!cols.Intersects(in.Out) || cols.SubsetOf(in.Const)) {
			p.Const.Add(n.Cols[i])
		}
	}
	for _, k := range in.Keys {
		var mapped ColSet
		all := true
		for _, c := range k.Cols() {
			t, ok := to[c]
			all = all && ok
			if ok {
				mapped.Add(t)
			}
		}
		if all {
			p.addKey(mapped)
		}
	}
}

func (f *Facts) ofGroupBy(n *GroupBy, p *Props) {
	in := f.Of(n.Input)
	if n.Sets != nil {
		return
	}
	p.Keys = []ColSet{SetOf(n.GroupCols...)}
	p.ExactlyOne = len(n.Groups) == 0
	for i, g := range n.Groups {
		if NeverNull(g, in.NotNull) {
			p.NotNull.Add(n.GroupCols[i])
		}
		if c, ok := g.(*expr.Col); ok && in.Const.Has(c.Index) {
			p.Const.Add(n.GroupCols[i])
		}
	}
	for i := range n.Aggs {
		if n.Aggs[i].Agg.Name == "count" {
			p.NotNull.Add(n.AggCols[i])
		}
	}
	// The input's keys that are groups are keys still.
	for _, k := range in.Keys {
		if k.SubsetOf(SetOf(n.GroupCols...)) && PlainGroups(n).SubsetOf(SetOf(n.GroupCols...)) && k.SubsetOf(PlainGroups(n)) {
			p.addKey(k)
		}
	}
	p.reduceKeys()
}

// PlainGroups are the groups that are columns of the input under their own ID.
func PlainGroups(n *GroupBy) ColSet {
	var s ColSet
	for i, g := range n.Groups {
		if c, ok := g.(*expr.Col); ok && c.Index == n.GroupCols[i] {
			s.Add(c.Index)
		}
	}
	return s
}
