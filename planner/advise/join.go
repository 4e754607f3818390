package advise

import (
	"fmt"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// joined is one side of a join by equalities: a table that is read whole, with the columns
// that are compared.
type joined struct {
	scan *plan.Scan
	cols []int // of the table
	with []int // which of the join's keys they are
}

// join is about tables that a join reads whole: a key by which few rows of the other side would
// find theirs, or salts by which both would be joined bucket by bucket. It says nothing where
// reading both is what such a join takes.
func (a *adviser) join(kind plan.JoinKind, left, right plan.Node, keys []plan.JoinKey) {
	l, r := wholeSide(left, keys, false), wholeSide(right, keys, true)
	if readsRight(kind) && a.lookedUp(r, left) {
		return
	}
	if l != nil && r != nil {
		a.saltAlike(l, r)
	}
}

// readsRight says that the right side of a join, of another kind than inner, may be read by the
// rows of the left.
func readsRight(k plan.JoinKind) bool {
	switch k {
	case plan.Left, plan.Semi, plan.Anti, plan.Single:
		return true
	}
	return false
}

// wholeSide finds the table that one side of a join reads whole; nil where it reads something
// else, or the columns compared are no keys of it.
func wholeSide(n plan.Node, keys []plan.JoinKey, right bool) *joined {
	es := make([]expr.Expr, len(keys))
	for i, k := range keys {
		es[i] = k.Left
		if right {
			es[i] = k.Right
		}
	}
	for {
		switch m := n.(type) {
		case *plan.Filter:
			n = m.Input
			continue
		case *plan.Project:
			below := make([]expr.Expr, len(es))
			for i, e := range es {
				if c, ok := e.(*expr.Col); ok {
					below[i] = m.Exprs[c.Index]
				}
			}
			es, n = below, m.Input
			continue
		}
		break
	}
	s, ok := walk.ScanUnder(n)
	if !ok || s.Of != nil || !isWhole(s) || s.Limit != nil {
		return nil
	}
	j := &joined{scan: s}
	for i, e := range es {
		c, ok := e.(*expr.Col)
		if !ok || c.Index >= len(s.Cols) || keys[i].Unknown || keys[i].NullsEqual {
			continue
		}
		col := s.Cols[c.Index]
		if mayLeadKey(&s.Table.Columns[col]) && s.Table.Columns[col].ID != 0 && !slices.Contains(j.cols, col) {
			j.cols, j.with = append(j.cols, col), append(j.with, i)
		}
	}
	if len(j.cols) == 0 {
		return nil
	}
	return j
}

// lookedUp advises another key, by which the rows of another side, few as they are, find those
// of a table; false where it would not help. Where pairs alone are asked for, an index does
// the same, which is another advice; of rows without a match it does not tell.
func (a *adviser) lookedUp(j *joined, other plan.Node) bool {
	if j == nil || slices.Contains(a.indexed, j.scan.Table.ID) {
		return false
	}
	t := j.scan.Table
	rows, ok := a.rows(t)
	if !ok || rows <= estimate.FewRows {
		return false
	}
	few, ok := a.estimates()[other]
	if !ok || float64(few)*a.ctx.Estimator.SeekRows() >= float64(rows) || servesJoin(t, j.cols) {
		return false
	}
	names := columnList(t, j.cols)
	key, desc := slices.Clone(j.cols), make([]bool, len(j.cols))
	for _, col := range t.PrimaryKey {
		if !slices.Contains(key, col) {
			key, desc = append(key, col), append(desc, t.Columns[col].Desc)
		}
	}
	a.add(Advice{
		Problem: fmt.Sprintf("every row of %s is read, about %d, to be joined by %s with about %d of the other side.", t.Name, rows, names, few),
		Cure:    "In a second table whose key begins with " + names + " only the rows that match are read.",
		DDL:     a.withKey(t, key, desc),
	})
	a.told = append(a.told, j.scan)
	return true
}

// servesJoin says that the key or an index of a table begins with a column that is compared:
// what is read by it was not thought to cost less.
func servesJoin(t *catalog.Table, cols []int) bool {
	if slices.Contains(cols, t.PrimaryKey[0]) {
		return true
	}
	for i := range t.Indexes {
		if k := t.Indexes[i].Key; len(k) > 0 && slices.Contains(cols, k[0].Column) {
			return true
		}
	}
	return false
}

// saltAlike advises salts by the columns that two tables are joined by, where their keys hold
// these.
func (a *adviser) saltAlike(l, r *joined) {
	lt, rt := l.scan.Table, r.scan.Table
	for _, t := range []*catalog.Table{lt, rt} {
		if slices.Contains(a.indexed, t.ID) {
			return
		}
		if rows, ok := a.rows(t); !ok || rows <= estimate.FewRows {
			return
		}
	}
	buckets := max(lt.Options.SaltBuckets, rt.Options.SaltBuckets)
	if buckets < 2 || lt == rt {
		return
	}
	var left, right []int
	for i, k := range l.with {
		at := slices.Index(r.with, k)
		if at < 0 || !slices.Contains(lt.PrimaryKey, l.cols[i]) || !slices.Contains(rt.PrimaryKey, r.cols[at]) ||
			lt.Columns[l.cols[i]].Type.Base() != rt.Columns[r.cols[at]].Type.Base() {
			continue
		}
		left, right = append(left, l.cols[i]), append(right, r.cols[at])
	}
	if len(left) == 0 || saltedBy(lt, left, buckets) && saltedBy(rt, right, buckets) {
		return
	}
	var ddl []string
	for _, side := range []struct {
		t    *catalog.Table
		cols []int
	}{{lt, left}, {rt, right}} {
		if saltedBy(side.t, side.cols, buckets) {
			continue
		}
		c := *side.t
		c.Options.SaltBuckets, c.Options.SaltColumns = buckets, nil
		for _, col := range side.cols {
			c.Options.SaltColumns = append(c.Options.SaltColumns, side.t.Columns[col].Name)
		}
		ddl = append(ddl, a.create(&c, "by_"+strings.Join(c.Options.SaltColumns, "_")))
	}
	a.add(Advice{
		Problem: fmt.Sprintf("every row of %s and of %s is read, and those of one are kept to be joined by %s.", lt.Name, rt.Name, columnList(lt, left)),
		Cure:    fmt.Sprintf("Where both are salted by what they are joined by, in as many buckets, they are joined bucket by bucket, side by side. If no value of %s is written faster than one tablet takes, salt them so.", columnList(lt, left)),
		DDL:     strings.Join(ddl, "\n"),
	})
	a.told = append(a.told, l.scan, r.scan)
}

// saltedBy says that a table's salt follows from just these columns.
func saltedBy(t *catalog.Table, cols []int, buckets int) bool {
	if t.Epochs != nil || t.Options.SaltBuckets != buckets {
		return false
	}
	names := t.Options.SaltColumns
	if len(names) == 0 {
		for _, col := range t.PrimaryKey {
			names = append(names, t.Columns[col].Name)
		}
	}
	if len(names) != len(cols) {
		return false
	}
	for _, col := range cols {
		if !slices.Contains(names, t.Columns[col].Name) {
			return false
		}
	}
	return true
}

// estimates are the rows that the nodes of the plan are thought to give.
func (a *adviser) estimates() map[plan.Node]int64 {
	if a.rowsOf == nil {
		a.rowsOf = planner.Estimates(a.ctx, a.plan)
	}
	return a.rowsOf
}
