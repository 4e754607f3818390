package exec

import (
	"fmt"
	"testing"
	"time"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// windowKeys are types to order by, with values and offsets of RANGE.
var windowKeys = []struct {
	typ     string
	vals    []string
	offsets []string // SQL; none: RANGE takes no offset
}{
	{"int2", []string{"NULL", "1", "2", "3", "5", "8", "13", "32767", "-32768"}, []string{"1::int2", "3", "0", "100000", "9223372036854775807", "-1", "NULL::int"}},
	{"int4", []string{"NULL", "NULL", "1", "2", "2", "4", "9", "20", "2147483647", "-2147483648"}, []string{"1", "2::int2", "7", "9223372036854775807"}},
	{"int8", []string{"NULL", "1", "2", "3", "4", "5", "6", "7", "9223372036854775807", "9223372036854775806", "-9223372036854775808"}, []string{"1", "3::int8", "2", "9223372036854775807"}},
	{"float8", []string{"NULL", "1", "1.5", "2", "3.25", "Infinity", "-Infinity", "NaN", "-1"}, []string{"1::float8", "0.5::float8", "'Infinity'::float8", "'NaN'::float8"}},
	{"float4", []string{"NULL", "1", "1.5", "2", "3.25", "Infinity", "NaN"}, []string{"1::float8", "0.5::float4"}},
	{"numeric", []string{"NULL", "1", "1.0", "2.50", "3", "Infinity", "-Infinity", "NaN", "7"}, []string{"1", "1.5", "'Infinity'::numeric", "-0.1"}},
	{"date", []string{"NULL", "2024-01-30", "2024-01-31", "2024-02-29", "2024-03-01", "infinity", "-infinity"}, []string{"'1 day'", "'1 month'::interval", "'36 hours'", "'-1 day'"}},
	{"timestamp", []string{"NULL", "2024-01-30 10:00", "2024-01-31", "2024-02-29 23:00", "2024-03-01 00:30", "infinity"}, []string{"'1 day'", "'1 month'", "'90 minutes'"}},
	{"timestamptz", []string{"NULL", "2024-01-30 10:00+00", "2024-01-31 00:00+00", "2024-02-29 23:00+00", "2024-03-01 00:30+00"}, []string{"'1 day'", "'1 month'", "'90 minutes'"}},
	{"time", []string{"NULL", "00:00", "01:30", "02:00", "23:30"}, []string{"'1 hour'", "'23 hours'", "'1 day'", "'-1 hour'"}},
	{"interval", []string{"NULL", "1 hour", "1 day", "30 days", "1 month", "-2 hours"}, []string{"'1 hour'", "'1 day'", "'1 month'"}},
	{"text", []string{"NULL", "a", "b", "c", "d", "e"}, nil},
	{"bool", []string{"NULL", "t", "f"}, nil},
}

func windowTable(o *oracle, rows int, key int) *oracleTable {
	k := windowKeys[key]
	return o.table("w", rows, oracleColumn{"k", k.typ, k.vals},
		oracleColumn{"p", "int4", []string{"NULL", "1", "2", "3"}},
		oracleColumn{"i", "int4", []string{"NULL", "1", "2", "-3", "40", "2147483647"}},
		oracleColumn{"j", "int8", []string{"NULL", "1", "9223372036854775807", "-9223372036854775808", "7"}},
		oracleColumn{"n", "numeric", []string{"NULL", "1.5", "2.250", "-7", "100", "0.0001"}},
		oracleColumn{"m", "numeric", []string{"NULL", "1.5", "2", "1", "1", "NaN", "Infinity", "-Infinity"}},
		oracleColumn{"s", "text", []string{"NULL", "a", "bb", "ccc", "", "x"}},
		oracleColumn{"b", "bool", []string{"NULL", "t", "f", "t"}},
		oracleColumn{"f", "float8", []string{"NULL", "1", "0.5", "-2.25", "8"}},
		oracleColumn{"v", "interval", []string{"NULL", "1 day", "3 hours", "1 month"}},
		oracleColumn{"o", "int4", []string{"NULL", "0", "1", "2", "5", "1"}})
}

// windowCalls are calls; those that do not depend on the order of peers are marked.
var windowCalls = []struct {
	sql  string
	name string
	args []string // columns, or literals of int4 in quotes
	any  bool
}{
	{"row_number()", "row_number", nil, false},
	{"rank()", "rank", nil, true},
	{"dense_rank()", "dense_rank", nil, true},
	{"percent_rank()", "percent_rank", nil, true},
	{"cume_dist()", "cume_dist", nil, true},
	{"ntile(3)", "ntile", []string{"'3"}, false},
	{"ntile(o)", "ntile", []string{"o"}, false},
	{"lag(s)", "lag", []string{"s"}, false},
	{"lead(n, 2)", "lead", []string{"n", "'2"}, false},
	{"lag(i, o, j)", "lag", []string{"i", "o", "j"}, false},
	{"lead(s, o)", "lead", []string{"s", "o"}, false},
	{"first_value(s)", "first_value", []string{"s"}, false},
	{"last_value(n)", "last_value", []string{"n"}, false},
	{"nth_value(s, 2)", "nth_value", []string{"s", "'2"}, false},
	{"nth_value(i, o)", "nth_value", []string{"i", "o"}, false},
	{"count(*)", "count", nil, true},
	{"count(s)", "count", []string{"s"}, true},
	{"sum(i)", "sum", []string{"i"}, true},
	{"sum(j)", "sum", []string{"j"}, true},
	{"sum(n)", "sum", []string{"n"}, true},
	{"sum(m)", "sum", []string{"m"}, true},
	{"sum(f)", "sum", []string{"f"}, true},
	{"sum(v)", "sum", []string{"v"}, true},
	{"avg(i)", "avg", []string{"i"}, true},
	{"avg(n)", "avg", []string{"n"}, true},
	{"avg(m)", "avg", []string{"m"}, true},
	{"avg(f)", "avg", []string{"f"}, true},
	{"min(i)", "min", []string{"i"}, true},
	{"max(s)", "max", []string{"s"}, true},
	{"min(n)", "min", []string{"n"}, true},
	{"bool_and(b)", "bool_and", []string{"b"}, true},
	{"bool_or(b)", "bool_or", []string{"b"}, true},
	{"bit_or(i)", "bit_or", []string{"i"}, true},
	{"var_pop(i)", "var_pop", []string{"i"}, true},
	{"stddev_samp(n)", "stddev_samp", []string{"n"}, true},
	{"string_agg(s, s)", "string_agg", []string{"s", "s"}, false},
	{"array_agg(i)", "array_agg", []string{"i"}, false},
	{"jsonb_agg(s)", "jsonb_agg", []string{"s"}, false},
	{"regr_count(f, f)", "regr_count", []string{"f", "f"}, true},
}

// TestWindowAgainstPostgres runs random windows over random rows on both.
func TestWindowAgainstPostgres(t *testing.T) {
	windowsOf(t, seeds.First(t), seeds.Until(0, 10*time.Second))
	windowsOf(t, 1795439029509871876, seeds.Until(3, 0)) // several offsets that are wrong
}

func windowsOf(t *testing.T, seed uint64, more func(tables int) bool) {
	o := newOracle(t, seed)
	for tables := 0; more(tables); tables++ {
		key := o.rng.IntN(len(windowKeys))
		tab := windowTable(o, pick(o, 0, 1, 3, 20, 60, 300, 1500), key)
		for range 16 {
			o.f.set = op.Settings{WorkMem: pick(o, int64(0), 1<<12, 1<<16), TempDir: t.TempDir()}
			o.window(tab, key)
		}
	}
}

func (o *oracle) window(tab *oracleTable, key int) {
	o.t.Helper()
	n := &plan.Window{Input: tab.node()}
	over := ""
	if o.rng.IntN(3) > 0 {
		n.Partition = []expr.Expr{tab.col("p")}
		over = "PARTITION BY p "
		if o.rng.IntN(5) == 0 {
			n.Partition = []expr.Expr{opCall("%", tab.col("id"), lit(7)), tab.col("p")}
			over = "PARTITION BY id % 7, p "
		}
	}
	ordered := o.rng.IntN(8) > 0
	total := ordered && o.rng.IntN(2) == 0 // no peers
	if ordered {
		desc, first := o.rng.IntN(3) == 0, o.rng.IntN(2) == 0
		n.Order = []plan.SortKey{{Expr: tab.col("k"), Desc: desc, NullsFirst: first}}
		over += "ORDER BY k" + map[bool]string{true: " DESC"}[desc] + map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[first]
		if total {
			n.Order = append(n.Order, plan.SortKey{Expr: tab.col("id")})
			over += ", id"
		}
	}
	sql := "SELECT id"
	n.Cols = append(n.Cols, tab.cols...)
	var failed error
	for range 1 + o.rng.IntN(3) {
		c := windowCalls[o.rng.IntN(len(windowCalls))]
		for !total && !c.any {
			c = windowCalls[o.rng.IntN(len(windowCalls))]
		}
		var args []expr.Expr
		for _, a := range c.args {
			if a[0] == '\'' {
				args = append(args, &expr.Const{Value: types.NewInt(int64(a[1] - '0')), T: types.Of(types.Int4)})
			} else {
				args = append(args, tab.col(a))
			}
		}
		call := plan.WindowCall{Text: c.sql}
		filter := ""
		if expr.IsWindow(c.name) {
			w, cast, err := expr.ResolveWindow(c.name, args, 0)
			if err != nil {
				o.t.Fatal(err)
			}
			call.Func, call.Args, call.T = w, cast, w.T
		} else {
			a, err := expr.ResolveAgg(c.name, args, false, 0)
			if err != nil {
				o.t.Fatal(err)
			}
			call.Agg, call.Args, call.T = a, a.Args, a.T
			if o.rng.IntN(4) == 0 {
				call.Filter = tab.col("b")
				filter = " FILTER (WHERE b)"
			}
		}
		frame, err := o.frame(&call.Frame, tab, n, key, ordered, total)
		if err != nil {
			failed = err
		}
		n.Calls = append(n.Calls, call)
		n.Cols = append(n.Cols, plan.Column{Type: call.T})
		sql += fmt.Sprintf(", %s%s OVER (%s %s)", c.sql, filter, over, frame)
	}
	if o.rng.IntN(3) == 0 {
		var keys []plan.SortKey
		for _, p := range n.Partition {
			keys = append(keys, plan.SortKey{Expr: p})
		}
		if keys = append(keys, n.Order...); len(keys) > 0 {
			n.Input = &plan.Sort{Input: n.Input, Keys: keys}
		}
		n.Sorted = true
	}
	p := &plan.Project{Input: n, Exprs: []expr.Expr{colAt(0, tInt8)}, Cols: []plan.Column{{Type: tInt8}}}
	for i, c := range n.Calls {
		p.Exprs = append(p.Exprs, colAt(len(tab.cols)+i, c.T))
		p.Cols = append(p.Cols, plan.Column{Type: c.T})
	}
	o.check(sql+" FROM w", p, failed)
}

// frame makes a random frame and its SQL.
func (o *oracle) frame(f *plan.Frame, tab *oracleTable, n *plan.Window, key int, ordered, total bool) (string, error) {
	*f = plan.Frame{Mode: plan.FrameRange, End: plan.Bound{Kind: plan.CurrentRow}}
	if o.rng.IntN(5) == 0 {
		return "", nil
	}
	mode := "RANGE"
	switch {
	case total && o.rng.IntN(2) == 0:
		mode, f.Mode = "ROWS", plan.FrameRows
	case ordered && o.rng.IntN(2) == 0:
		mode, f.Mode = "GROUPS", plan.FrameGroups
	}
	offsets := windowKeys[key].offsets
	bound := func(b *plan.Bound, from, to plan.BoundKind) (string, error) {
		b.Kind = from + plan.BoundKind(o.rng.IntN(int(to-from)+1))
		if b.Kind == plan.OffsetPreceding || b.Kind == plan.OffsetFollowing {
			if f.Mode == plan.FrameRange && (len(n.Order) != 1 || len(offsets) == 0) {
				b.Kind = plan.CurrentRow
			}
		}
		text := [...]string{"UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING"}[b.Kind]
		if b.Kind != plan.OffsetPreceding && b.Kind != plan.OffsetFollowing {
			return text, nil
		}
		if f.Mode != plan.FrameRange {
			by := pick(o, 0, 1, 1, 2, 3, 10, 100, 400)
			if o.rng.IntN(60) == 0 {
				by = -1
			}
			b.Offset = lit(by)
			return fmt.Sprintf("%d %s", by, text), nil
		}
		offset := pick(o, offsets...)
		var x expr.Expr
		if d, _ := o.sql("SELECT pg_typeof(" + offset + "), " + offset); true {
			x = offsetExpr(o, offset, d)
		}
		var err error
		b.Offset, b.Shift, err = expr.ResolveInRange(n.Order[0].Expr, x, b.Kind == plan.OffsetPreceding, n.Order[0].Desc, 0)
		return offset + " " + text, err
	}
	start, err := bound(&f.Start, plan.UnboundedPreceding, plan.OffsetFollowing)
	if err != nil {
		return mode + " " + start, err
	}
	least := max(f.Start.Kind, plan.OffsetPreceding)
	end, err := bound(&f.End, least, plan.UnboundedFollowing)
	if f.End.Kind < f.Start.Kind { // of a bound that takes no offset
		f.End, end = plan.Bound{Kind: plan.UnboundedFollowing}, "UNBOUNDED FOLLOWING"
	}
	f.Exclude = plan.Exclusion(o.rng.IntN(7))
	if f.Exclude > plan.ExcludeTies {
		f.Exclude = plan.ExcludeNoOthers
	}
	exclude := [...]string{"", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"}[f.Exclude]
	return mode + " BETWEEN " + start + " AND " + end + exclude, err
}

// offsetExpr makes the expression of an offset, of which PostgreSQL has said type and value.
func offsetExpr(o *oracle, sql, typeAndValue string) expr.Expr {
	var name, value string
	for i := range typeAndValue {
		if typeAndValue[i] == '|' {
			name, value = typeAndValue[:i], typeAndValue[i+1:len(typeAndValue)-1]
			break
		}
	}
	if name == "unknown" || name == "text" {
		return &expr.Const{Value: types.NewText(value), T: types.Of(types.Unknown)}
	}
	ty, err := types.FromName(map[string]string{"smallint": "int2", "integer": "int4", "bigint": "int8", "double precision": "float8", "real": "float4"}[name], nil, false)
	if err != nil {
		if ty, err = types.FromName(name, nil, false); err != nil {
			o.t.Fatal(sql, name, err)
		}
	}
	if value == "NULL" {
		return null(ty)
	}
	d, err := types.ParseString(ty, value, nil)
	if err != nil {
		o.t.Fatal(err)
	}
	return &expr.Const{Value: d, T: ty}
}
