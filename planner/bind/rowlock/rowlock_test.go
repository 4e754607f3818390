package rowlock

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	_ "github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

var int4T = types.Of(types.Int4)

// get reads a table of columns k and v.
func get(m *logical.Meta, name string) *logical.Get {
	g := &logical.Get{Table: &catalog.Table{Name: name, Columns: []catalog.Column{{Name: "k", Type: int4T}, {Name: "v", Type: int4T}}}}
	for range 2 {
		g.Cols = append(g.Cols, m.Add(logical.Column{Type: int4T}))
	}
	return g
}

func equals(t *testing.T, x, y expr.Expr) expr.Expr {
	t.Helper()
	e, err := expr.ResolveOp("=", x, y, 0)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestBelow: which tables are locked below each node, and what PostgreSQL says of those below
// which none can be.
func TestBelow(t *testing.T) {
	m := logical.NewMeta(0)
	a, b := get(m, "a"), get(m, "b")
	one := &expr.Const{Value: types.NewInt(1), T: int4T}
	for _, tt := range []struct {
		node   logical.Node
		locked string
		says   string
	}{
		{a, "a", ""},
		{&logical.Select{Input: a}, "a", ""},
		{&logical.Project{Input: &logical.Sort{Input: a}}, "a", ""},
		{&logical.Join{Left: a, Right: b}, "a b", ""},
		{&logical.Join{Left: a, Right: &logical.WithRef{}}, "a", ""},
		{&logical.Join{Left: a, Right: &logical.FuncScan{}}, "a", ""},
		{&logical.Values{}, "", ""},
		{&logical.With{Query: a, Body: b}, "b", ""},
		{&logical.Limit{Input: a, Count: one}, "", ""}, // below the limit: see limits
		{&logical.Join{Kind: plan.Left, Left: a, Right: b}, "", "the nullable side of an outer join"},
		{&logical.Join{Kind: plan.Full, Left: a, Right: b}, "", "the nullable side of an outer join"},
		{&logical.GroupBy{Input: a}, "", "aggregate functions"},
		{&logical.GroupBy{Input: a, Groups: m.Refs(a.Cols)}, "", "DISTINCT clause"},
		{&logical.GroupBy{Input: a, Groups: m.Refs(a.Cols), Aggs: make([]plan.AggCall, 1)}, "", "GROUP BY clause"},
		{&logical.GroupBy{Input: &logical.Union{}, Groups: m.Refs(a.Cols)}, "", "UNION/INTERSECT/EXCEPT"},
		{&logical.DistinctOn{Input: a}, "", "DISTINCT clause"},
		{&logical.Window{Input: a}, "", "window functions"},
		{&logical.ProjectSet{Input: a}, "", "set-returning functions"},
		{&logical.SetOp{Left: a, Right: b}, "", "UNION/INTERSECT/EXCEPT"},
		{&logical.Virtual{}, "", "a relation of the system"},
		{&logical.Get{Table: &catalog.Table{Name: "m", Materialized: &catalog.Materialized{}}}, "", "materialized view"},
	} {
		k := &Locks{Words: "FOR SHARE"}
		err := fail.Try(func() { k.below(tt.node, &tree.Lock{}) })
		var locked []string
		for _, l := range k.tables {
			locked = append(locked, l.get.Table.Name)
		}
		says := ""
		if err != nil {
			says = err.Error()
		}
		if got := strings.Join(locked, " "); (err == nil) != (tt.says == "") || !strings.Contains(says, tt.says) || err == nil && got != tt.locked {
			t.Errorf("%T: %q is locked, %v", tt.node, got, err)
		}
		if _, limit := tt.node.(*logical.Limit); limit && (len(k.limits) != 1 || !k.Any()) {
			t.Errorf("nothing is locked below a limit: %+v", k)
		}
	}
}

// TestLockTwice: of clauses that name one table, NOWAIT goes before SKIP LOCKED, and that before
// waiting, in whatever order they stand.
func TestLockTwice(t *testing.T) {
	a := get(logical.NewMeta(0), "a")
	for n := range 27 {
		k := &Locks{}
		most := 0
		for _, how := range []int{n % 3, n / 3 % 3, n / 9} {
			k.lock(a, &tree.Lock{SkipLocked: how == 1, NoWait: how == 2})
			most = max(most, how)
		}
		if l := k.tables[0]; len(k.tables) != 1 || l.skipLocked != (most == 1) || l.noWait != (most == 2) {
			t.Errorf("draw %d: %+v", n, k.tables)
		}
	}
}

// unknown is NULL, as a truth value.
const unknown = 2

// truth is 1, 0 or unknown, of a condition over columns that are 0, 1 or NULL.
func truth(e expr.Expr, vals []int) int {
	switch e := e.(type) {
	case *expr.Col:
		return vals[e.Index]
	case *expr.Const:
		return int(e.Value.Int)
	case *expr.Call: // =
		x, y := truth(e.Args[0], vals), truth(e.Args[1], vals)
		switch {
		case x == unknown || y == unknown:
			return unknown
		case x == y:
			return 1
		}
		return 0
	case *expr.IsNull:
		if truth(e.X, vals) == unknown {
			return 1
		}
		return 0
	case *expr.Not:
		if x := truth(e.X, vals); x != unknown {
			return 1 - x
		}
		return unknown
	case *expr.And:
		out := 1
		for _, a := range e.Args {
			if x := truth(a, vals); x == 0 || out == 0 {
				out = 0
			} else if x == unknown {
				out = unknown
			}
		}
		return out
	case *expr.Or:
		out := 0
		for _, a := range e.Args {
			if x := truth(a, vals); x == 1 || out == 1 {
				out = 1
			} else if x == unknown {
				out = unknown
			}
		}
		return out
	}
	panic("the model has no such expression")
}

// TestAsksForRow: where a condition is said to ask for a row of a relation, it is true of no row
// in which the relation's columns are NULL.
func TestAsksForRow(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var draw func(depth int) expr.Expr
	draw = func(depth int) expr.Expr {
		if depth == 0 {
			col := &expr.Col{Index: r.IntN(4), T: int4T}
			switch r.IntN(3) {
			case 0:
				return &expr.IsNull{X: col}
			case 1:
				return equals(t, col, &expr.Const{Value: types.NewInt(r.Int64N(2)), T: int4T})
			}
			return equals(t, col, &expr.Col{Index: r.IntN(4), T: int4T})
		}
		args := []expr.Expr{draw(depth - 1), draw(depth - 1)}
		switch r.IntN(4) {
		case 0:
			return &expr.Not{X: args[0]}
		case 1:
			return &expr.Or{Args: args}
		}
		return &expr.And{Args: args}
	}
	said, true1 := 0, 0
	for range 20000 {
		cond := draw(1 + r.IntN(3))
		asks := asksForRow(cond, logical.SetOf(2, 3)) // of the relation with columns 2 and 3
		never := true
		for n := range 9 {
			never = never && truth(cond, []int{n % 3, n / 3, unknown, unknown}) != 1
		}
		if asks && !never {
			t.Fatalf("%s is said to ask for a row", expr.ToText(cond))
		}
		if asks {
			said++
		}
		if never {
			true1++
		}
	}
	if said < true1/2 || said < 2000 {
		t.Errorf("%d of %d conditions are seen to ask for a row", said, true1)
	}
}

// TestLockNode: the tables that are locked give their keys up to the Lock, what a row is given for
// is asked again of columns that it has, and the tree that came is as it was.
func TestLockNode(t *testing.T) {
	m := logical.NewMeta(0)
	a, b := get(m, "a"), get(m, "b")
	one := &expr.Const{Value: types.NewInt(1), T: int4T}
	where := equals(t, m.Ref(a.Cols[1]), one)
	join := &logical.Join{Kind: plan.Left, Left: &logical.Select{Input: a, Cond: where}, Right: b, On: equals(t, m.Ref(a.Cols[0]), m.Ref(b.Cols[0]))}
	top := &logical.Limit{Count: one, Input: &logical.Project{Input: join, Exprs: m.Refs(b.Cols), Cols: b.Cols}}
	k := &Locks{}
	k.lock(a, &tree.Lock{NoWait: true})
	limit, ok := k.Over(m, nil, top).(*logical.Limit)
	if !ok || limit == top || a.WithKey || top.Input.(*logical.Project).Input != join || len(top.Input.(*logical.Project).Cols) != 2 {
		t.Fatalf("the tree was changed: %#v", top)
	}
	lock := limit.Input.(*logical.Lock)
	table := lock.Plan.Tables[0]
	if len(lock.Plan.Tables) != 1 || table.Table != a.Table || !table.NoWait || lock.Plan.Count != expr.Expr(one) {
		t.Errorf("%+v", lock.Plan)
	}
	key, version := lock.Cols[table.At+2], lock.Cols[table.At+3]
	if m.Column(key).Name != plan.RowKeyColumn || m.Column(version).Name != plan.VersionColumn || !slices.Contains(lock.Input.Out(), key) {
		t.Errorf("the columns are %v, of the input %v", lock.Cols, lock.Input.Out())
	}
	for i, id := range a.Cols {
		if lock.Cols[table.At+i] != id {
			t.Errorf("column %d of the table is at %v", id, lock.Cols)
		}
	}
	if again := lock.Plan.Cond; again == nil || expr.Cols(again)[0] != slices.Index(lock.Cols, a.Cols[1]) || len(logical.Conjuncts(again)) != 1 {
		t.Errorf("asked again is %v, of %v", again, lock.Cols)
	}
	if !slices.Equal(table.Fixed, []int{0}) { // ON names k, and is not asked again
		t.Errorf("columns that must stay as they are: %v", table.Fixed)
	}
	if err := fail.Try(func() { k.Over(m, nil, &logical.Limit{Input: a, Count: m.Ref(a.Cols[0])}) }); sqlerr.As(err) == nil || sqlerr.As(err).Code != sqlerr.FeatureNotSupported {
		t.Errorf("a limit that is computed: %v", err)
	}
}

// TestCheckOuter: a relation that an outer join may give no row of is locked only where WHERE asks
// for one.
func TestCheckOuter(t *testing.T) {
	m := logical.NewMeta(0)
	a := get(m, "a")
	r := &scope.Relation{Name: "a", Node: a, Nullable: true, Cols: []scope.Column{{Name: "k", ID: a.Cols[0]}, {Name: "v", ID: a.Cols[1]}}}
	k := &Locks{Words: "FOR UPDATE"}
	k.Add(r, &tree.Lock{})
	if err := fail.Try(func() { k.CheckOuter(&expr.IsNull{X: m.Ref(a.Cols[0])}) }); err == nil || !strings.Contains(err.Error(), "nullable side") {
		t.Errorf("without a row: %v", err)
	}
	if err := fail.Try(func() { k.CheckOuter(equals(t, m.Ref(a.Cols[0]), m.Ref(a.Cols[1]))) }); err != nil {
		t.Errorf("with one: %v", err)
	}
}
