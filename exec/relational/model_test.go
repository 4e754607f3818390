package relational_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/relational"
	"github.com/saltsql/saltsql/internal/expr"
	_ "github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Columns of the rows: two that repeat, with NULLs among them, and a unique number.
const (
	colInt = iota
	colText
	colID
	numCols
)

var (
	tInt8    = types.Of(types.Int8)
	rowTypes = []types.T{tInt8, types.Of(types.Text), tInt8}
)

func col(i int) expr.Expr { return exectest.Col(i, rowTypes[i]) }

func columns(ts ...types.T) (out []plan.Column) {
	for i, t := range ts {
		out = append(out, plan.Column{Name: fmt.Sprint("c", i), Type: t})
	}
	return out
}

// table makes rows, of which many are alike but for their number.
func table(r *rand.Rand) [][]types.Datum {
	rows := make([][]types.Datum, []int{0, 1, 7, 90, 600, 3000}[r.IntN(6)])
	ints, texts := 1+r.IntN(60), 1+r.IntN(6)
	for i := range rows {
		rows[i] = []types.Datum{
			types.NewInt(int64(r.IntN(ints) - ints/2)),
			types.NewText(strings.Repeat(string(rune('a'+r.IntN(texts))), r.IntN(40))),
			types.NewInt(int64(i)),
		}
		for k := range numCols - 1 {
			if r.IntN(8) == 0 {
				rows[i][k] = types.NullDatum
			}
		}
	}
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
}

// input gives the rows one after another or to sinks on several goroutines.
func input(rows [][]types.Datum, r *rand.Rand) op.Operator {
	if r.IntN(2) == 0 {
		return exectest.NewFeeds(rows, rowTypes, r, 1+r.IntN(4))
	}
	return &exectest.Batches{Rows: rows, Types: rowTypes, Rand: r}
}

func compare(a, b types.Datum, k plan.SortKey, t types.T) int {
	switch {
	case a.Null && b.Null:
		return 0
	case a.Null || b.Null:
		if a.Null == k.NullsFirst {
			return -1
		}
		return 1
	}
	c := cmp.Compare(a.Int, b.Int)
	if t.Kind == types.Text {
		c = strings.Compare(exectest.Text(t, a), exectest.Text(t, b))
	}
	if k.Desc {
		c = -c
	}
	return c
}

// order is one by some of the columns.
type order []plan.SortKey

func randomOrder(r *rand.Rand) (keys order) {
	for _, k := range r.Perm(numCols)[:1+r.IntN(numCols)] {
		keys = append(keys, plan.SortKey{Expr: col(k), Desc: r.IntN(2) == 0, NullsFirst: r.IntN(2) == 0})
	}
	return keys
}

func (o order) compare(a, b []types.Datum) int {
	for _, k := range o {
		i := k.Expr.(*expr.Col).Index
		if c := compare(a[i], b[i], k, rowTypes[i]); c != 0 {
			return c
		}
	}
	return 0
}

// keysOf are the rows' values of the columns of the order: all that it says.
func (o order) keysOf(rows [][]types.Datum) (out []string) {
	for _, row := range rows {
		var cols []int
		for _, k := range o {
			cols = append(cols, k.Expr.(*expr.Col).Index)
		}
		out = append(out, text(row, cols...))
	}
	return out
}

func text(row []types.Datum, cols ...int) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = exectest.Text(rowTypes[c], row[c])
	}
	return strings.Join(parts, "|")
}

// run reads an operator twice, with little memory or much, and wants the same rows each time:
// in any order, unless they are ordered.
func run(t *testing.T, r *rand.Rand, oper op.Operator, err error, ordered bool, want []string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	want = slices.Clone(want)
	if !ordered {
		slices.Sort(want)
	}
	workMem := []int64{0, 2 << 10, 30 << 10}[r.IntN(3)]
	for range 2 {
		var got []string
		if err := exectest.Run(t, oper, exectest.Context(t, workMem), func(b *vec.Batch) {
			for i := range b.Rows() {
				parts := make([]string, len(b.Cols))
				for k, v := range b.Cols {
					parts[k] = exectest.Text(v.Type, v.Datum(b.Row(i)))
				}
				got = append(got, strings.Join(parts, "|"))
			}
		}); err != nil {
			t.Fatal(err)
		}
		if !ordered {
			slices.Sort(got)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("work_mem %d: %d rows, want %d\n%q\nwant\n%q", workMem, len(got), len(want), head(got), head(want))
		}
	}
}

func head(s []string) []string { return s[:min(len(s), 20)] }

// keep is an operator that passes only the columns of the order, so that rows which it holds
// alike are alike.
func keep(t *testing.T, o order, in op.Operator, below plan.Node) op.Operator {
	t.Helper()
	n := &plan.Project{Input: below}
	for i, k := range o {
		n.Exprs = append(n.Exprs, k.Expr)
		n.Cols = append(n.Cols, plan.Column{Name: fmt.Sprint("k", i), Type: k.Expr.Type()})
	}
	p, err := relational.NewProject(n, in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Sorts, the first of them, limits with ties and the first of each run of equal rows are what
// sorting all rows says.
func TestOrdersModel(t *testing.T) {
	exectest.Seeds(t, 120, func(t *testing.T, r *rand.Rand) {
		rows, o := table(r), randomOrder(r)
		sorted := slices.Clone(rows)
		slices.SortStableFunc(sorted, o.compare)
		from := &plan.External{Cols: columns(rowTypes...)}

		sort := &plan.Sort{Input: from, Keys: o}
		oper, err := relational.NewSort(sort, input(rows, r))
		run(t, r, keep(t, o, oper, sort), err, true, o.keysOf(sorted))

		count, skip := r.IntN(len(rows)+3), r.IntN(len(rows)/2+2)
		first := sorted[min(skip, len(sorted)):]
		rest := first[min(count, len(first)):]
		first = first[:len(first)-len(rest)]
		top := &plan.TopN{Input: from, Keys: o, Count: exectest.Lit(count), Offset: exectest.Lit(skip)}
		oper, err = relational.NewTopN(top, input(rows, r))
		run(t, r, keep(t, o, oper, top), err, true, o.keysOf(first))

		limit := &plan.Limit{Input: from, Count: exectest.Lit(count), Offset: exectest.Lit(skip)}
		if r.IntN(2) == 0 {
			limit.Ties = o
			for len(first) > 0 && len(rest) > 0 && o.compare(first[len(first)-1], rest[0]) == 0 {
				first, rest = append(slices.Clip(first), rest[0]), rest[1:]
			}
		}
		var want []string
		for _, row := range first {
			want = append(want, text(row, colInt, colText, colID))
		}
		oper, err = relational.NewLimit(limit, &exectest.Batches{Rows: sorted, Types: rowTypes, Rand: r})
		run(t, r, oper, err, true, want)

		runs := &plan.DistinctOn{Input: from}
		for _, k := range o {
			runs.Exprs = append(runs.Exprs, k.Expr)
		}
		want = nil
		for i, row := range sorted {
			if i == 0 || o.compare(sorted[i-1], row) != 0 {
				want = append(want, text(row, colInt, colText, colID))
			}
		}
		oper, err = relational.NewDistinctOn(runs, &exectest.Batches{Rows: sorted, Types: rowTypes, Rand: r})
		run(t, r, oper, err, true, want)
	})
}

// group is the rows that are alike by some columns.
type group struct {
	key  string
	rows [][]types.Datum
}

// groups come in the order of their first rows.
func groups(rows [][]types.Datum, cols ...int) (out []group) {
	at := map[string]int{}
	for _, row := range rows {
		k := text(row, cols...)
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k], out = i, append(out, group{key: k})
		}
		out[i].rows = append(out[i].rows, row)
	}
	return out
}

// aggregates of a group, by the model: count(*), count(c0), sum(c2), min(c0), max(c1),
// count(DISTINCT c1).
func (g group) aggregates() string {
	notNull, sum := 0, int64(0)
	least, most := types.NullDatum, types.NullDatum
	texts := map[string]bool{}
	up := plan.SortKey{}
	for _, row := range g.rows {
		sum += row[colID].Int
		if v := row[colInt]; !v.Null {
			notNull++
			if least.Null || compare(v, least, up, tInt8) < 0 {
				least = v
			}
		}
		if v := row[colText]; !v.Null {
			texts[exectest.Text(rowTypes[colText], v)] = true
			if most.Null || compare(v, most, up, rowTypes[colText]) > 0 {
				most = v
			}
		}
	}
	total := "NULL"
	if len(g.rows) > 0 {
		total = fmt.Sprint(sum)
	}
	return fmt.Sprint(len(g.rows), "|", notNull, "|", total, "|", exectest.Text(tInt8, least), "|", exectest.Text(rowTypes[colText], most), "|", len(texts))
}

func aggCalls(t *testing.T) (calls []plan.AggCall, cols []plan.Column) {
	t.Helper()
	for _, c := range []struct {
		name     string
		args     []expr.Expr
		distinct bool
	}{
		{name: "count"},
		{name: "count", args: []expr.Expr{col(colInt)}},
		{name: "sum", args: []expr.Expr{col(colID)}},
		{name: "min", args: []expr.Expr{col(colInt)}},
		{name: "max", args: []expr.Expr{col(colText)}},
		{name: "count", args: []expr.Expr{col(colText)}, distinct: true},
	} {
		a, err := expr.ResolveAgg(c.name, c.args, c.distinct, 0)
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, plan.AggCall{Agg: a, Args: a.Args, Distinct: c.distinct})
		cols = append(cols, plan.Column{Name: c.name, Type: a.T})
	}
	return calls, cols
}

// Groups, in memory, from files, and one after another where rows come in their order.
func TestGroupsModel(t *testing.T) {
	exectest.Seeds(t, 120, func(t *testing.T, r *rand.Rand) {
		rows := table(r)
		by := r.Perm(numCols)[:r.IntN(numCols)]
		n := &plan.Aggregate{Input: &plan.External{Cols: columns(rowTypes...)}}
		for _, c := range by {
			n.Groups = append(n.Groups, col(c))
			n.Cols = append(n.Cols, plan.Column{Name: fmt.Sprint("g", c), Type: rowTypes[c]})
		}
		calls, cols := aggCalls(t)
		n.Aggs, n.Cols = calls, append(n.Cols, cols...)
		in := input(rows, r)
		if n.Ordered = len(by) > 0 && r.IntN(3) == 0; n.Ordered {
			var sorted [][]types.Datum
			for _, g := range groups(rows, by...) {
				sorted = append(sorted, g.rows...)
			}
			in = &exectest.Batches{Rows: sorted, Types: rowTypes, Rand: r}
		}
		var want []string
		for _, g := range groups(rows, by...) {
			row := g.aggregates()
			if len(by) > 0 {
				row = g.key + "|" + row
			}
			want = append(want, row)
		}
		if len(by) == 0 && len(rows) == 0 {
			want = []string{group{}.aggregates()}
		}
		t.Log(len(rows), "rows by", by, "ordered", n.Ordered)
		oper, err := relational.NewAggregate(n, in)
		run(t, r, oper, err, n.Ordered, want)
	})
}

// INTERSECT and EXCEPT, with ALL and without, by counting rows.
func TestSetOpsModel(t *testing.T) {
	exectest.Seeds(t, 120, func(t *testing.T, r *rand.Rand) {
		sides := [2][][]types.Datum{table(r), table(r)}
		for _, rows := range sides {
			for _, row := range rows {
				row[colID] = types.NewInt(int64(r.IntN(2)))
			}
		}
		n := &plan.SetOp{Except: r.IntN(2) == 0, All: r.IntN(2) == 0, Cols: columns(rowTypes...)}
		right := map[string]int{}
		for _, row := range sides[1] {
			right[text(row, colInt, colText, colID)]++
		}
		var want []string
		for _, g := range groups(sides[0], colInt, colText, colID) {
			left, right := len(g.rows), right[g.key]
			times := min(left, right)
			if n.Except {
				times = max(left-right, 0)
			}
			if !n.All {
				times = min(left, right, 1)
				if n.Except {
					times = 1 - times
				}
			}
			for range times {
				want = append(want, g.key)
			}
		}
		oper, err := relational.NewSetOp(n, input(sides[0], r), input(sides[1], r))
		run(t, r, oper, err, false, want)
	})
}

// Filters pass rows whose condition is true, computed columns are what they say, and parts come
// one after another.
func TestRowsModel(t *testing.T) {
	exectest.Seeds(t, 60, func(t *testing.T, r *rand.Rand) {
		var parts []op.Operator
		var want []string
		bound := r.IntN(20) - 10
		for range 1 + r.IntN(3) {
			rows := table(r)
			f := &plan.Filter{Input: &plan.External{Cols: columns(rowTypes...)}, Cond: exectest.Op("<", col(colInt), exectest.Lit(bound))}
			p := &plan.Project{Input: f, Exprs: []expr.Expr{col(colText), exectest.Op("+", col(colInt), col(colID))}, Cols: columns(rowTypes[colText], tInt8)}
			filter, err := relational.NewFilter(f, &exectest.Batches{Rows: rows, Types: rowTypes, Rand: r})
			if err != nil {
				t.Fatal(err)
			}
			project, err := relational.NewProject(p, filter)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, project)
			for _, row := range rows {
				if v := row[colInt]; !v.Null && v.Int < int64(bound) {
					want = append(want, text(row, colText)+"|"+fmt.Sprint(v.Int+row[colID].Int))
				}
			}
		}
		run(t, r, relational.NewAppend(parts), nil, true, want)
	})
}
