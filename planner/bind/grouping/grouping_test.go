package grouping

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	_ "github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
)

var int4T = types.Of(types.Int4)

// fixture is a query over a table (a, b, c), whose key is (a, b) and whose columns are 0, 1 and 2.
type fixture struct {
	meta  *logical.Meta
	level *scope.Level
	rows  *logical.Values
}

func newFixture() *fixture {
	f := &fixture{meta: logical.NewMeta(0), level: scope.NewLevel(nil), rows: &logical.Values{}}
	tab := &catalog.Table{Name: "t", PrimaryKey: []int{0, 1}}
	r := &scope.Relation{Name: "t", Table: tab}
	for pos, name := range []string{"a", "b", "c"} {
		if pos == 2 {
			pos = -1
		}
		tab.Columns = append(tab.Columns, catalog.Column{ID: len(tab.Columns) + 1, Name: name, Type: int4T, NotNull: true, KeyPos: pos})
		id := f.meta.Add(logical.Column{Name: name, Type: int4T, NotNull: true})
		r.Cols = append(r.Cols, scope.Column{Name: name, T: int4T, ID: id})
		f.rows.Cols = append(f.rows.Cols, id)
	}
	f.level.Scope = scope.ScopeOf(r)
	return f
}

func (f *fixture) col(id int) expr.Expr { return f.meta.Ref(id) }

func (f *fixture) op(t *testing.T, name string, x, y expr.Expr) expr.Expr {
	t.Helper()
	e, err := expr.ResolveOp(name, x, y, 0)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func one() expr.Expr { return &expr.Const{Value: types.NewInt(1), T: int4T} }

// TestRewrite: what may stand above GROUP BY, and what it becomes there: g0, g1, … are the columns
// of the groups, by the places of those.
func TestRewrite(t *testing.T) {
	type query struct {
		groups, list []expr.Expr
		sets         [][]int
		groupings    [][]expr.Expr // stand behind the list
	}
	for _, tt := range []struct {
		name   string
		query  func(f *fixture) query
		gives  string
		groups int
		sets   string
		code   sqlerr.Code
		says   string
	}{
		{name: "a group", query: func(f *fixture) query {
			return query{groups: []expr.Expr{f.col(1), f.col(0)}, list: []expr.Expr{f.col(0), f.op(t, "+", f.col(1), one())}}
		}, gives: "g1, g0 + 1", groups: 2},
		{name: "a computed group", query: func(f *fixture) query {
			return query{groups: []expr.Expr{f.op(t, "+", f.col(1), one())}, list: []expr.Expr{f.op(t, "*", f.op(t, "+", f.col(1), one()), one())}}
		}, gives: "g0 * 1", groups: 1},
		{name: "a part of a computed group", query: func(f *fixture) query {
			return query{groups: []expr.Expr{f.op(t, "+", f.col(1), one())}, list: []expr.Expr{f.op(t, "*", f.col(1), one())}}
		}, code: sqlerr.GroupingError, says: `column "t.b" must appear`},
		{name: "half of the key", query: func(f *fixture) query {
			return query{groups: []expr.Expr{f.col(0)}, list: []expr.Expr{f.col(2)}}
		}, code: sqlerr.GroupingError, says: `column "t.c" must appear`},
		{name: "the key decides", query: func(f *fixture) query {
			return query{groups: []expr.Expr{f.col(1), f.col(0)}, list: []expr.Expr{f.col(2), f.col(2)}}
		}, gives: "g2, g2", groups: 3},
		{name: "the key is in each set", query: func(f *fixture) query {
			return query{groups: []expr.Expr{f.col(0), f.col(1), one()}, sets: [][]int{{0, 1}, {1, 0, 2}}, list: []expr.Expr{f.col(2), f.col(0)}}
		}, gives: "g3, g0", groups: 4, sets: "[[0 1 3] [1 0 2 3]]"},
		{name: "the key is not in each set", query: func(f *fixture) query {
			return query{groups: []expr.Expr{f.col(0), f.col(1)}, sets: [][]int{{0, 1}, {1}}, list: []expr.Expr{f.col(2)}}
		}, code: sqlerr.GroupingError, says: `column "t.c" must appear`},
		{name: "GROUPING of one set", query: func(f *fixture) query {
			return query{groups: []expr.Expr{f.col(0)}, groupings: [][]expr.Expr{{f.col(0)}}}
		}, gives: "0", groups: 1},
		{name: "GROUPING of sets", query: func(f *fixture) query {
			return query{groups: []expr.Expr{f.col(0), f.col(1)}, sets: [][]int{{0}, {1}}, groupings: [][]expr.Expr{{f.col(1), f.col(0)}, {f.col(1)}}}
		}, gives: "[1 0], [1]", groups: 2, sets: "[[0] [1]]"},
		{name: "GROUPING of no group", query: func(f *fixture) query {
			return query{groups: []expr.Expr{f.col(0)}, groupings: [][]expr.Expr{{f.col(1)}}}
		}, code: sqlerr.GroupingError, says: "arguments to GROUPING"},
		{name: "a column around the query", query: func(f *fixture) query {
			outer := f.meta.Add(logical.Column{Name: "outer", Type: int4T})
			return query{groups: []expr.Expr{f.col(0)}, list: []expr.Expr{f.op(t, "+", f.col(outer), f.col(0))}}
		}, gives: "outer + g0", groups: 1},
		{name: "a query within", query: func(f *fixture) query {
			in := &logical.Select{Input: &logical.Values{}, Cond: f.op(t, "=", f.col(1), one())}
			return query{groups: []expr.Expr{f.col(1)}, list: []expr.Expr{&logical.Subquery{Kind: logical.Exists, Query: in}}}
		}, gives: "query of g0 = 1", groups: 1},
		{name: "a query within, of what is no group", query: func(f *fixture) query {
			in := &logical.Select{Input: &logical.Values{}, Cond: f.op(t, "=", f.col(2), one())}
			return query{groups: []expr.Expr{f.col(1)}, list: []expr.Expr{&logical.Subquery{Kind: logical.Exists, Query: in}}}
		}, code: sqlerr.GroupingError, says: `subquery uses ungrouped column "t.c"`},
		{name: "a query within, of a computed group", query: func(f *fixture) query {
			in := &logical.Select{Input: &logical.Values{}, Cond: f.op(t, "=", f.op(t, "+", f.col(1), one()), one())}
			return query{groups: []expr.Expr{f.op(t, "+", f.col(1), one())}, list: []expr.Expr{&logical.Subquery{Kind: logical.Exists, Query: in}}}
		}, code: sqlerr.GroupingError, says: `subquery uses ungrouped column "t.b"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture()
			q := tt.query(f)
			for _, args := range q.groupings {
				id := f.meta.Add(logical.Column{Name: "grouping", Type: int4T})
				f.level.Groupings = append(f.level.Groupings, scope.GroupingCall{Args: args, ID: id})
				q.list = append(q.list, f.col(id))
			}
			given := slices.Clone(q.groups)
			g := &Rewriter{Meta: f.meta, Level: f.level, Groups: q.groups, Sets: q.sets}
			var having expr.Expr
			var node logical.Node
			err := fail.Try(func() { node = g.Over(f.rows, q.list, &having, nil, nil) })
			if tt.says != "" {
				if e := sqlerr.As(err); e == nil || e.Code != tt.code || !strings.Contains(e.Message, tt.says) {
					t.Fatalf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			by := node.(*logical.GroupBy)
			var text func(e expr.Expr) string
			text = func(e expr.Expr) string {
				switch e := e.(type) {
				case *expr.Col:
					if at := slices.Index(by.GroupCols, e.Index); at >= 0 {
						return fmt.Sprint("g", at)
					}
					if at := slices.Index(by.GroupingCols, e.Index); at >= 0 {
						return fmt.Sprint(by.Groupings[at])
					}
					return f.meta.Column(e.Index).Name
				case *expr.Const:
					return fmt.Sprint(e.Value.Int)
				case *expr.Call:
					return text(e.Args[0]) + " " + e.Fn.Name + " " + text(e.Args[1])
				case *logical.Subquery:
					return "query of " + text(e.Query.(*logical.Select).Cond)
				}
				return fmt.Sprintf("%T", e)
			}
			var gives []string
			for _, e := range q.list {
				gives = append(gives, text(e))
			}
			sets := ""
			if by.Sets != nil {
				sets = fmt.Sprint(by.Sets)
			}
			if got := strings.Join(gives, ", "); got != tt.gives || len(by.Groups) != tt.groups || sets != tt.sets {
				t.Errorf("%s; %d groups, sets %s; want %s; %d, %s", got, len(by.Groups), sets, tt.gives, tt.groups, tt.sets)
			}
			for i, id := range by.GroupCols {
				c, plain := by.Groups[i].(*expr.Col)
				if kept := plain && id == c.Index; kept != (plain && by.Sets == nil) {
					t.Errorf("group %d is column %d: NULLs of sets must not be the rows' column, and others keep it", i, id)
				}
				if i < len(given) && by.Groups[i] != given[i] {
					t.Errorf("group %d is another one", i)
				}
			}
		})
	}
}
