package advise

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	_ "github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/keyorder"
	"github.com/saltsql/saltsql/planner/plan"
)

var int4T = types.Of(types.Int4)

// table makes one of numbers, with a key.
func table(t *testing.T, name string, columns int, key []int, desc []bool) *catalog.Table {
	tab := &catalog.Table{ID: 1, Schema: "public", Name: name, NextColumnID: 1, NextQualifier: rowcodec.FirstQualifier, PrimaryKeyName: "pk", PrimaryKey: key}
	tab.Options = catalog.Options{Hash: catalog.DefaultHash, ColumnEncodedBytes: 2, DefaultFamily: "0", Versions: 1}
	for i := range columns {
		c := catalog.Column{ID: tab.NextColumnID, Name: string(rune('a' + i)), Type: int4T, NotNull: true, KeyPos: slices.Index(key, i),
			Store: rowcodec.Column{Type: rowcodec.Integer, SQL: int4T}}
		tab.NextColumnID++
		if c.KeyPos >= 0 {
			c.Desc = desc[c.KeyPos]
		} else {
			var err error
			c.Family, c.Number = "0", tab.NextQualifier
			tab.NextQualifier++
			if c.Qualifier, err = rowcodec.Qualifier(c.Number, 2); err != nil {
				t.Fatal(err)
			}
		}
		tab.Columns = append(tab.Columns, c)
	}
	if err := tab.Finish(); err != nil {
		t.Fatal(err)
	}
	return tab
}

// TestKeyServes draws tables, filters and orders: a key that is advised is one, tells all rows apart
// that the present one does, and gives the order that is asked for without a sort, or has what the
// filter bounds right behind what it binds.
func TestKeyServes(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	advised, sorted := 0, 0
	for range 5000 {
		const columns = 5
		of := table(t, "t", columns, r.Perm(columns)[:2], []bool{r.IntN(2) == 0, r.IntN(2) == 0})
		s := &plan.Scan{Source: plan.Source{Table: of, Cols: r.Perm(columns)}}
		col := func(i int) expr.Expr { return &expr.Col{Index: slices.Index(s.Cols, i), T: int4T} }
		var conds []expr.Expr
		var bound, ranged []int
		one := &expr.Const{Value: types.NewInt(1), T: int4T}
		for _, i := range r.Perm(columns)[:r.IntN(3)] {
			op := []string{"=", "<", ">="}[r.IntN(3)]
			l, right := col(i), expr.Expr(one)
			if op == "=" {
				bound = append(bound, i)
				if r.IntN(2) == 0 {
					l, right = right, l
				}
			} else {
				ranged = append(ranged, i)
			}
			e, err := expr.ResolveOp(op, l, right, 0)
			if err != nil {
				t.Fatal(err)
			}
			conds = append(conds, e)
		}
		switch len(conds) {
		case 1:
			s.Filter = conds[0]
		case 2:
			s.Filter = &expr.And{Args: conds}
		}
		var sort []plan.SortKey
		if r.IntN(2) == 0 {
			for _, i := range r.Perm(columns)[:1+r.IntN(2)] {
				desc := r.IntN(2) == 0
				sort = append(sort, plan.SortKey{Expr: col(i), Desc: desc, NullsFirst: desc})
			}
		}
		cols, desc := (&adviser{}).keyFor(s, sort)
		if len(cols) == 0 {
			if len(bound)+len(sort) > 0 && !serves(of, s.Cols, bound, sort) {
				t.Fatalf("nothing is advised for a key (%s), bound %v, sorted by %v", of.KeyText(), bound, sort)
			}
			continue
		}
		advised++
		if u := slices.Clone(cols); len(desc) != len(cols) || len(slices.Compact(slices.Sorted(slices.Values(u)))) != len(cols) ||
			!slices.Contains(cols, of.PrimaryKey[0]) || !slices.Contains(cols, of.PrimaryKey[1]) {
			t.Fatalf("the key %v %v is none in the place of %v", cols, desc, of.PrimaryKey)
		}
		to := table(t, "u", columns, cols, desc)
		if sort != nil {
			sorted++
			if !serves(to, s.Cols, bound, sort) {
				t.Fatalf("bound %v, sorted by %v: a key (%s) is advised in the place of (%s)", bound, sort, to.KeyText(), of.KeyText())
			}
			continue
		}
		for i, c := range append(bound, ranged...) {
			if !slices.Contains(cols[:len(bound)+len(ranged)], c) || i < len(bound) && !slices.Contains(cols[:len(bound)], c) {
				t.Fatalf("bound %v, a range of %v: a key (%s) is advised", bound, ranged, to.KeyText())
			}
		}
	}
	if advised < 2000 || sorted < 1000 {
		t.Errorf("%d keys are advised, %d of them for an order", advised, sorted)
	}
}

// serves says that a scan of a table on which these columns are bound to values comes in an order
// that is wanted, and begins with them.
func serves(of *catalog.Table, cols, bound []int, sort []plan.SortKey) bool {
	s := &plan.Scan{Source: plan.Source{Table: of, Cols: cols}, Path: plan.Path{Access: plan.RangeScan, Key: &plan.KeyCond{Or: make([]plan.KeyConj, 1)}}}
	for _, c := range bound {
		pos := of.Columns[c].KeyPos
		if pos < 0 || pos >= len(bound) {
			return false
		}
		s.Key.Or[0].Terms = append(s.Key.Or[0].Terms, plan.KeyTerm{Op: plan.KeyEq, Columns: []int{pos}, Args: []expr.Expr{&expr.Const{Value: types.NewInt(1), T: int4T}}})
	}
	return keyorder.InOrder(s, keyorder.Ordering{Keys: sort}) != nil
}

// TestFullScans: which tables are read whole, each once and by its own name.
func TestFullScans(t *testing.T) {
	a, b := table(t, "a", 2, []int{0}, []bool{false}), table(t, "b", 2, []int{0}, []bool{false})
	one := &expr.Const{Value: types.NewInt(1), T: int4T}
	scan := func(change func(*plan.Scan)) *plan.Scan {
		s := &plan.Scan{Source: plan.Source{Table: a, Cols: []int{0, 1}}}
		if change != nil {
			change(s)
		}
		return s
	}
	both := func(l, r plan.Node) plan.Node { return &plan.NestedLoop{Join: plan.Join{Left: l, Right: r}} }
	for _, tt := range []struct {
		name string
		root plan.Node
		want []string
	}{
		{"whole", scan(nil), []string{"a"}},
		{"under a gather", &plan.SaltGather{Input: scan(nil)}, []string{"a"}},
		{"a range", scan(func(s *plan.Scan) { s.Access = plan.RangeScan }), nil},
		{"up to a limit", &plan.Limit{Count: one, Input: scan(func(s *plan.Scan) { s.Limit = one })}, nil},
		{"up to a limit of what passes a filter", &plan.Limit{Count: one, Input: scan(func(s *plan.Scan) { s.Limit, s.Filter = one, one })}, []string{"a"}},
		{"an index", scan(func(s *plan.Scan) { s.Of = b }), []string{"b"}},
		{"twice", both(scan(nil), scan(nil)), []string{"a"}},
		{"two", &plan.Sort{Input: both(scan(func(s *plan.Scan) { s.Table = b }), scan(nil))}, []string{"b", "a"}},
	} {
		if got := FullScans(&plan.Plan{Root: tt.root}); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
