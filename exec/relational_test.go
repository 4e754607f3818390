package exec

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/explain"
	"github.com/saltsql/saltsql/planner/plan"
)

func callOf(name string, args ...expr.Expr) plan.AggCall {
	a, err := expr.ResolveAgg(name, args, false, 0)
	if err != nil {
		panic(err)
	}
	return plan.AggCall{Agg: a, Args: a.Args, Text: name}
}

func TestSortAndTopN(t *testing.T) {
	for i := range seeds.Part(t, 4, seeds.Whole) {
		buckets, mem := []int{0, 16}[i/2], []int64{0, 64 << 10}[i%2]
		t.Run(fmt.Sprint(buckets, mem), func(t *testing.T) {
			const n = 20000
			f := newFixture(t, buckets)
			f.load(n, 50)
			f.set = op.Settings{WorkMem: mem, TempDir: t.TempDir()}
			// cpu % 100 descending, then note ascending with NULLs last, then ts.
			in := func() plan.Node { return f.gathered(f.scan("ts", "n", "note")) }
			keys := []plan.SortKey{
				{Expr: opCall("%", colAt(1, tInt8), lit(100)), Desc: true, NullsFirst: true},
				{Expr: colAt(2, tText)},
				{Expr: colAt(0, tInt8), Desc: true, NullsFirst: true},
			}
			want := make([]int, n)
			for i := range want {
				want[i] = i
			}
			note := func(i int) string {
				if i%3 == 0 {
					return "~" // after all others
				}
				return fmt.Sprintf("note %d", i)
			}
			sort.Slice(want, func(a, b int) bool {
				x, y := want[a], want[b]
				if x%100 != y%100 {
					return x%100 > y%100
				}
				if note(x) != note(y) {
					return note(x) < note(y)
				}
				return x > y
			})
			check := func(got string, want []int) {
				t.Helper()
				lines := strings.Split(got, "\n")
				if len(lines) != len(want)+1 {
					t.Fatalf("%d rows, want %d", len(lines)-1, len(want))
				}
				for i, w := range want {
					if !strings.HasPrefix(lines[i], fmt.Sprintf("%d|", w)) {
						t.Fatalf("row %d is %q, want %d", i, lines[i], w)
					}
				}
			}
			check(f.must(&plan.Sort{Input: in(), Keys: keys}), want)
			if (f.work.SpillBytes > 0) != (mem > 0) {
				t.Fatal(f.work)
			}
			check(f.must(&plan.TopN{Input: in(), Keys: keys, Count: lit(30), Offset: lit(7)}), want[7:37])
			check(f.must(&plan.TopN{Input: in(), Keys: keys, Count: lit(12000)}), want[:12000])
			if mem > 0 {
				check(f.must(&plan.TopN{Input: in(), Keys: keys, Count: lit(5000)}), want[:5000])
				if f.work.SpillBytes == 0 {
					t.Fatal("not spilled")
				}
				if f.work.RowsRead != n {
					t.Fatalf("read %d rows of %d: the input is read once", f.work.RowsRead, n)
				}
			}
			check(f.must(&plan.Limit{Input: &plan.Sort{Input: in(), Keys: keys}, Offset: lit(n - 5)}), want[n-5:])
			check(f.must(&plan.TopN{Input: in(), Keys: keys, Count: lit(0)}), nil)
		})
	}
}

func TestAggregate(t *testing.T) {
	for i := range seeds.Part(t, 8, seeds.Whole) {
		buckets, mem, mod := []int{0, 16}[i/4], []int64{0, 64 << 10}[i/2%2], []int{7, 9000}[i%2]
		t.Run(fmt.Sprint(buckets, mem, mod), func(t *testing.T) {
			const n = 20000
			f := newFixture(t, buckets)
			f.load(n, 50)
			f.set = op.Settings{WorkMem: mem, TempDir: t.TempDir()}
			text := callOf("string_agg", colAt(2, tText), lit(","))
			text.OrderBy = []plan.SortKey{{Expr: colAt(0, tInt8), Desc: true}}
			text.Filter = opCall("<", colAt(0, tInt8), lit(2*mod))
			agg := &plan.Aggregate{
				Input:  f.gathered(f.scan("ts", "n", "note")),
				Groups: []expr.Expr{opCall("%", colAt(0, tInt8), lit(mod))},
				Aggs:   []plan.AggCall{callOf("count"), callOf("sum", colAt(1, tInt8)), callOf("count", colAt(2, tText)), text},
			}
			agg.Cols = []plan.Column{{Type: tInt8}, {Type: tInt8}, {Type: agg.Aggs[1].Agg.T}, {Type: tInt8}, {Type: tText}}
			var want []string
			for g := range mod {
				count, sum, notes := 0, 0, 0
				var texts []string
				for i := g; i < n; i += mod {
					count, sum = count+1, sum+i
					if i%3 != 0 {
						notes++
						if i < 2*mod {
							texts = append([]string{fmt.Sprintf("note %d", i)}, texts...)
						}
					}
				}
				list := "NULL"
				if texts != nil {
					list = strings.Join(texts, ",")
				}
				want = append(want, fmt.Sprintf("%d|%d|%d|%d|%s\n", g, count, sum, notes, list))
			}
			sort.Strings(want)
			if got := sorted(f.must(agg)); got != strings.Join(want, "") {
				t.Fatalf("got\n%.500s\nwant\n%.500s", got, strings.Join(want, ""))
			}
			if spilled := f.work.SpillBytes > 0; spilled != (mem > 0 && mod > 1000) {
				t.Fatal(f.work)
			}
			if buckets == 0 {
				return
			}
			part, final := *agg, *agg
			part.Phase, final.Phase, final.Input = plan.Partial, plan.Final, &part
			if got := sorted(f.must(&final)); got != strings.Join(want, "") {
				t.Fatalf("partial: got\n%.500s\nwant\n%.500s", got, strings.Join(want, ""))
			}
		})
	}
}

func TestOrderedAggregate(t *testing.T) {
	for _, hosts := range []int{1, 3, 700} {
		for _, buckets := range []int{0, 16} {
			f := newFixture(t, buckets)
			f.load(5000, hosts)
			agg := &plan.Aggregate{
				Input: f.merged(f.scan("host", "ts"), plan.Forward), Ordered: true,
				Groups: []expr.Expr{colAt(0, tText)}, Aggs: []plan.AggCall{callOf("count"), callOf("max", colAt(1, tInt8))},
				Cols: []plan.Column{{Type: tText}, {Type: tInt8}, {Type: tInt8}},
			}
			var want strings.Builder
			for h := range hosts {
				count := (5000 - h + hosts - 1) / hosts
				fmt.Fprintf(&want, "host-%03d|%d|%d\n", h, count, h+(count-1)*hosts)
			}
			if got := f.must(agg); got != want.String() {
				t.Fatalf("%d hosts: got\n%.300s", hosts, got)
			}
		}
	}
}

func TestAggregateOfNothing(t *testing.T) {
	f := newFixture(t, 4)
	agg := &plan.Aggregate{Input: f.gathered(f.scan("n")), Aggs: []plan.AggCall{callOf("count"), callOf("sum", colAt(0, tInt8))}}
	agg.Cols = []plan.Column{{Type: tInt8}, {Type: agg.Aggs[1].Agg.T}}
	if got := f.must(agg); got != "0|NULL\n" {
		t.Fatal(got)
	}
	agg.Groups, agg.Cols = []expr.Expr{colAt(0, tInt8)}, append([]plan.Column{{Type: tInt8}}, agg.Cols...)
	if got := f.must(agg); got != "" {
		t.Fatal(got)
	}
}

func TestDistinctAndAppend(t *testing.T) {
	f := newFixture(t, 4)
	f.load(100, 10)
	one := func() plan.Node { return f.merged(f.scan("host"), plan.Forward) }
	cols := []plan.Column{{Type: tText}}
	two := &plan.Append{Parts: []plan.Node{one(), &plan.Values{Cols: cols}, one()}, Cols: cols}
	d := &plan.Aggregate{Input: two, Groups: []expr.Expr{colAt(0, tText)}, Cols: cols}
	if got := strings.Count(f.must(d), "\n"); got != 10 {
		t.Fatal(got)
	}
	on := &plan.DistinctOn{Input: f.merged(f.scan("host", "ts"), plan.Forward), Exprs: []expr.Expr{colAt(0, tText)}}
	if got := f.must(&plan.Limit{Input: on, Count: lit(2)}); got != "host-000|90\nhost-001|91\n" {
		t.Fatal(got)
	}
}

func TestLimitErrors(t *testing.T) {
	f := newFixture(t, 0)
	one := &plan.OneRow{}
	f.refused(&plan.Limit{Input: one, Count: lit(-1)}, sqlerr.InvalidRowCountInLimit, "LIMIT must not be negative")
	f.refused(&plan.Limit{Input: one, Offset: lit(-1)}, sqlerr.InvalidRowCountInOffset, "OFFSET must not be negative")
	if got := f.must(&plan.Limit{Input: one, Count: null(tInt8)}); got != "\n" && got != "" {
		t.Fatalf("%q", got)
	}
}

func TestGenerateSeries(t *testing.T) {
	f := newFixture(t, 0)
	dec := func(s string) types.Datum {
		d, _, err := apd.NewFromString(s)
		if err != nil {
			t.Fatal(err)
		}
		return types.NewDecimal(d)
	}
	const day = 24 * 3600 * 1000000
	tests := []struct {
		t    types.T
		args []types.Datum
		want string
	}{
		{tInt8, []types.Datum{types.NewInt(1), types.NewInt(3)}, "1 2 3"},
		{tInt8, []types.Datum{types.NewInt(5), types.NewInt(1), types.NewInt(-2)}, "5 3 1"},
		{tInt8, []types.Datum{types.NewInt(3), types.NewInt(1)}, ""},
		{tInt8, []types.Datum{types.NewInt(math.MaxInt64 - 1), types.NewInt(math.MaxInt64)}, "9223372036854775806 9223372036854775807"},
		{types.Of(types.Int4), []types.Datum{types.NewInt(math.MaxInt32), types.NewInt(math.MaxInt32)}, "2147483647"},
		{tInt8, []types.Datum{types.NullDatum, types.NewInt(1)}, ""},
		{types.Of(types.Numeric), []types.Datum{dec("1.0"), dec("2"), dec("0.5")}, "1.0 1.5 2.0"},
		{types.Of(types.Timestamp), []types.Datum{types.NewInt(30 * day), types.NewInt(90 * day), {Interval: types.IntervalValue{Months: 1}}},
			"1970-01-31 00:00:00 1970-02-28 00:00:00 1970-03-28 00:00:00"},
	}
	for _, tt := range tests {
		n := &plan.TableFunc{Name: "generate_series", Cols: []plan.Column{{Type: tt.t}}}
		for i, a := range tt.args {
			at := tt.t
			if i == 2 && at.Kind == types.Timestamp {
				at = types.Of(types.Interval)
			}
			n.Args = append(n.Args, &expr.Const{Value: a, T: at})
		}
		if got := strings.Join(strings.Split(strings.TrimSpace(f.must(n)), "\n"), " "); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.args, got, tt.want)
		}
	}
	zero := &plan.TableFunc{Name: "generate_series", Args: []expr.Expr{lit(1), lit(2), lit(0)}, Cols: []plan.Column{{Type: tInt8}}}
	f.refused(zero, sqlerr.InvalidParameterValue, "step size cannot equal zero")
	arr := types.Datum{Array: &types.ArrayValue{Elem: tText, Dims: []int32{2}, Elems: []types.Datum{types.NewText("a"), types.NullDatum}}}
	un := &plan.TableFunc{Name: "unnest", Ordinality: true, Args: []expr.Expr{&expr.Const{Value: arr, T: types.ArrayOf(tText)}},
		Cols: []plan.Column{{Type: tText}, {Type: tInt8}}}
	if got := f.must(un); got != "a|1\nNULL|2\n" {
		t.Fatal(got)
	}
}

func TestActuals(t *testing.T) {
	f := newFixture(t, 4)
	f.load(3000, 3)
	f.acts = &plan.Actuals{}
	scan := f.scan("host", "ts")
	merge := f.merged(scan, plan.Forward)
	root := &plan.Limit{Input: merge, Count: lit(5)}
	f.must(root)
	if a := f.acts.Of(root); a == nil || a.Rows != 5 || a.FirstRow == 0 {
		t.Fatalf("%+v", a)
	}
	if a := f.acts.Of(scan); a == nil || a.Buckets != 4 || len(a.PerBucket) != 4 || a.RowsRead < 5 || a.StorageCalls < 4 {
		t.Fatalf("%+v", a)
	}
	f.acts = &plan.Actuals{}
	part := &plan.Aggregate{Input: f.gathered(f.scan("ts")), Phase: plan.Partial, Aggs: []plan.AggCall{callOf("count")}, Cols: []plan.Column{{Type: tInt8}}}
	final := *part
	final.Phase, final.Input = plan.Final, part
	if got := f.must(&final); got != "3000\n" {
		t.Fatal(got)
	}
	p := plan.Plan{Root: &final, Tables: []*catalog.Table{f.table}}
	for _, n := range []plan.Node{&final, part, part.Input, part.Input.Inputs()[0]} {
		if f.acts.Of(n) == nil {
			t.Errorf("no actuals of %s", explain.Describe(n).Name)
		}
	}
	if lines := explain.Lines(&p, explain.Options{Analyze: true, Verbose: true}, f.acts); len(lines) < 8 {
		t.Error(strings.Join(lines, "\n"))
	}
}
