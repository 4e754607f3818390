package keyorder

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// Ordering is what the rows of a node should come in: by keys, and within equal
// keys so that rows with equal groups are side by side.
type Ordering struct {
	Keys   []plan.SortKey
	Groups []expr.Expr
	// NotNull says that rows with NULL for the first of Keys are not wanted.
	NotNull bool
}

// InOrder gives a node with n's rows in the order wanted, without sorting; nil
// if the row key does not serve it.
func InOrder(n plan.Node, want Ordering) plan.Node {
	switch n := n.(type) {
	case *plan.Scan, *plan.SaltGather, *plan.SaltMerge:
		if _, ok := walk.ScanUnder(n); !ok {
			return nil
		}
		return scanInOrder(n, want)
	case *plan.Filter:
		if in := InOrder(n.Input, want); in != nil {
			return &plan.Filter{Input: in, Cond: n.Cond}
		}
	case *plan.Project:
		below, ok := want.Through(n)
		if !ok {
			return nil
		}
		if in := InOrder(n.Input, below); in != nil {
			return &plan.Project{Input: in, Exprs: n.Exprs, Cols: n.Cols}
		}
	case *plan.Aggregate:
		if n.Sets != nil {
			return nil
		}
		return aggregateInOrder(n, want)
	case *plan.LookupJoin, *plan.Apply, *plan.NestedLoop, *plan.MergeJoin:
		// The scans of a MergeJoin have the order that it needs, and are not turned round.
		return leftInOrder(n, plan.AsJoin(n).Kind, want)
	case *plan.Values:
		if len(n.Rows) <= 1 {
			return n
		}
	case *plan.OneRow:
		return n
	}
	return nil
}

// leftInOrder asks for the order of the left side of a join that keeps it. Rows of one left
// row are equal by what is wanted.
func leftInOrder(n plan.Node, k plan.JoinKind, want Ordering) plan.Node {
	if k == plan.Right || k == plan.Full {
		return nil
	}
	ins := n.Inputs()
	width := plan.Width(ins[0])
	for _, e := range append(sortExprs(want.Keys), want.Groups...) {
		for _, c := range expr.Cols(e) {
			if c >= width {
				return nil
			}
		}
	}
	left := InOrder(ins[0], want)
	if left == nil {
		return nil
	}
	out := append([]plan.Node{left}, ins[1:]...)
	return walk.WithInputs(n, out)
}

// Through says what is wanted of a projection's input.
func (o Ordering) Through(p *plan.Project) (Ordering, bool) {
	below := Ordering{NotNull: o.NotNull}
	for _, k := range o.Keys {
		c, ok := k.Expr.(*expr.Col)
		if !ok {
			return below, false
		}
		k.Expr = p.Exprs[c.Index]
		below.Keys = append(below.Keys, k)
	}
	for _, g := range o.Groups {
		c, ok := g.(*expr.Col)
		if !ok {
			return below, false
		}
		below.Groups = append(below.Groups, p.Exprs[c.Index])
	}
	return below, true
}

// aggregateInOrder asks for the groups' order below an aggregation: it then
// streams, and its rows come in that order.
func aggregateInOrder(n *plan.Aggregate, want Ordering) plan.Node {
	if n.Phase != plan.Complete || len(n.Groups) == 0 || want.NotNull {
		return nil
	}
	below := Ordering{}
	rest := append([]expr.Expr(nil), n.Groups...)
	for _, k := range want.Keys {
		c, ok := k.Expr.(*expr.Col)
		if !ok || c.Index >= len(n.Groups) {
			return nil
		}
		k.Expr = n.Groups[c.Index]
		below.Keys = append(below.Keys, k)
		if i := expr.IndexExpr(rest, k.Expr); i >= 0 {
			rest = append(rest[:i], rest[i+1:]...)
		}
	}
	if len(want.Groups) > 0 {
		return nil // an aggregation of an aggregation
	}
	below.Groups = rest
	in := InOrder(n.Input, below)
	if in == nil {
		return nil
	}
	c := *n
	c.Input, c.Ordered = in, true
	return &c
}

// scanInOrder reads a scan forward or backward if its key gives the order.
func scanInOrder(n plan.Node, want Ordering) plan.Node {
	s, _ := walk.ScanUnder(n)
	dir, ok := keyDirection(s, want)
	if !ok {
		return nullsApart(n, want)
	}
	if s.Order != plan.Unordered && s.Order != dir {
		return nil
	}
	c := *s
	c.Order = dir
	if s.Table.Buckets() > 0 {
		return &plan.SaltMerge{Input: &c}
	}
	return &c
}

// keyDirection says whether s, read in some direction, gives the order wanted.
//
//	key (host, ts DESC), host = 'a':   ts DESC   forward
//	                                   ts        backward
//	                                   host, v   no
func keyDirection(s *plan.Scan, want Ordering) (plan.Order, bool) {
	table := s.Table
	position := func(e expr.Expr) int {
		c, ok := e.(*expr.Col)
		if !ok || c.Index >= len(s.Cols) {
			return -1
		}
		return table.Columns[s.Cols[c.Index]].KeyPos
	}
	fixed := FixedColumns(s)
	if len(fixed) == len(table.PrimaryKey) {
		return plan.Forward, true // one row at most
	}
	var keys []plan.SortKey
	for _, k := range want.Keys {
		if p := position(k.Expr); expr.IsConst(k.Expr) || p >= 0 && fixed[p] {
			continue
		}
		keys = append(keys, k)
	}
	groups := map[int]bool{}
	for _, g := range want.Groups {
		if expr.IsConst(g) {
			continue
		}
		p := position(g)
		if p < 0 {
			return 0, false
		}
		if !fixed[p] {
			groups[p] = true
		}
	}
	dir := plan.Unordered
	for pos := 0; pos < len(table.PrimaryKey); pos++ {
		if len(keys) == 0 && len(groups) == 0 {
			break
		}
		if fixed[pos] {
			continue
		}
		col := &table.Columns[table.PrimaryKey[pos]]
		if !keycond.ComparesByKey(col) || !s.Table.KeySorts(pos) || s.Of == nil && !OrdersByKey(s, pos) {
			return 0, false
		}
		if len(keys) > 0 {
			if position(keys[0].Expr) != pos {
				return 0, false
			}
			d := plan.Forward
			if keys[0].Desc != col.Desc {
				d = plan.Reverse
			}
			// An index has NULL first.
			if !OrdersByKey(s, pos) && !excludesNull(s, pos) && (want.NotNull || keys[0].NullsFirst != (d == plan.Forward)) {
				return 0, false
			}
			if dir != plan.Unordered && dir != d {
				return 0, false
			}
			dir = d
			keys = keys[1:]
			delete(groups, pos)
			continue
		}
		if !groups[pos] {
			return 0, false
		}
		delete(groups, pos)
	}
	// Keys left over follow the whole primary key, of which no two rows are equal.
	if dir == plan.Unordered {
		dir = plan.Forward
	}
	return dir, true
}

// FixedColumns are the key positions that every row read has the same value of.
func FixedColumns(s *plan.Scan) map[int]bool {
	fixed := map[int]bool{}
	if s.Key == nil || len(s.Key.Or) == 0 {
		return fixed
	}
	for i := range s.Key.Or[0].Terms {
		t := &s.Key.Or[0].Terms[i]
		if t.Op != plan.KeyEq && t.Op != plan.KeyIsNull {
			continue
		}
		everywhere := true
		for j := 1; j < len(s.Key.Or) && everywhere; j++ {
			everywhere = keycond.ContainsTerm(s.Key.Or[j].Terms, *t)
		}
		if everywhere {
			fixed[t.Columns[0]] = true
		}
	}
	return fixed
}

// OrdersByKey says that the key's bytes sort as the column's values do, NULLs included.
func OrdersByKey(s *plan.Scan, pos int) bool {
	r := keycond.Reader{Scan: s}
	col := &s.Table.Columns[s.Table.PrimaryKey[pos]]
	return keycond.ComparesByKey(col) && s.Table.KeySorts(pos) && !r.Nullable(col)
}

// excludesNull says that no row read has NULL for a key column.
func excludesNull(s *plan.Scan, pos int) bool {
	if s.Key == nil || len(s.Key.Or) == 0 {
		return false
	}
	for i := range s.Key.Or {
		found := false
		for _, t := range s.Key.Or[i].Terms {
			switch t.Op {
			case plan.KeyIsNull:
			case plan.KeyNotIn: // of none it is true of NULL
				found = found || t.Columns[0] == pos && len(t.Args) > 0
			case plan.KeyNotInArray:
				c, ok := t.Args[0].(*expr.Const)
				found = found || t.Columns[0] == pos && ok && c.Value.Array != nil && len(c.Value.Array.Elems) > 0
			case plan.KeyTupleIn:
				found = found || slices.Contains(t.Columns, pos)
			default: // (a, b) > (1, 2) says nothing of b alone
				found = found || t.Columns[0] == pos
			}
		}
		if !found {
			return false
		}
	}
	return true
}
