package agg

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/internal/expr"
	_ "github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

var numberAggs = []string{"count", "sum", "avg", "min", "max", "stddev", "stddev_pop", "variance", "var_pop"}

var inputs = []struct {
	typ  string
	vals []string // NULL is NULL
	aggs []string
}{
	{"int2", []string{"1", "2", "NULL", "32767", "-5", "2"}, append(numberAggs, "bit_and", "bit_or", "bit_xor", "array_agg")},
	{"int4", []string{"2147483647", "2147483647", "1", "NULL", "-7", "1"}, append(numberAggs, "bit_and", "bit_or", "json_agg", "jsonb_agg")},
	{"int8", []string{"9223372036854775807", "9223372036854775807", "-1", "5", "5"}, numberAggs},
	{"int8", []string{"-9223372036854775808", "-9223372036854775808", "-1"}, numberAggs},
	{"numeric", []string{"1.10", "2.255", "NULL", "-7", "1e20", "1.1"}, append(numberAggs, "array_agg")},
	{"numeric", []string{"1", "NaN"}, numberAggs},
	{"numeric", []string{"1", "Infinity", "-Infinity"}, []string{"sum", "avg", "min", "max"}},
	{"numeric", []string{"3.0", "3.00"}, numberAggs},
	{"float8", []string{"1.5", "2.25", "NULL", "-7", "0.125"}, numberAggs},
	{"float8", []string{"1", "NaN", "Infinity"}, []string{"sum", "avg", "min", "max", "stddev"}},
	{"float4", []string{"1.5", "2.25", "0.1"}, numberAggs},
	{"text", []string{"b", "a", "NULL", "é", ""}, []string{"count", "min", "max", "array_agg", "json_agg"}},
	{"bpchar", []string{"b", "a"}, []string{"count", "min", "max"}},
	{"date", []string{"2024-01-01", "2023-05-06", "infinity"}, []string{"count", "min", "max"}},
	{"timestamptz", []string{"2024-01-01 00:00+00", "NULL"}, []string{"min", "max", "json_agg"}},
	{"interval", []string{"1 day", "2 mons 3 days", "04:05:06"}, []string{"sum", "avg", "min", "max"}},
	{"bool", []string{"t", "f", "NULL"}, []string{"bool_and", "bool_or", "every", "count"}},
	{"bool", []string{"t", "t"}, []string{"bool_and", "bool_or"}},
	{"jsonb", []string{`{"a": 1}`, "NULL"}, []string{"count", "array_agg", "jsonb_agg"}},
	{"_int4", []string{"{1,2}", "{3,4}"}, []string{"min", "max", "array_agg"}},
}

// TestAgainstPostgres aggregates in one part and in two that are merged, with
// and without DISTINCT.
func TestAgainstPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, in := range inputs {
		typ, err := types.FromName(in.typ, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, vals := range [][]string{in.vals, {}, {"NULL"}, in.vals[:1]} {
			for _, name := range in.aggs {
				for _, distinct := range []bool{false, true} {
					if distinct && (name == "min" || name == "max") {
						continue // refused; the same as without
					}
					word := ""
					if distinct {
						word = "DISTINCT "
					}
					sql := fmt.Sprintf("SELECT %s(%sx)::text FROM (VALUES (0, NULL::%s)%s) v(n, x) WHERE n > 0", name, word, typ, rows(vals, typ))
					if !distinct {
						sql = strings.Replace(sql, "x)::text", "x ORDER BY n)::text", 1)
					}
					var want *string
					wantText := "NULL"
					if err := conn.QueryRow(ctx, sql).Scan(&want); err != nil {
						wantText = "ERROR"
					} else if want != nil {
						wantText = *want
					}
					for _, parts := range []int{1, 2} {
						if parts == 2 && typ.Phys() == types.PhysFloat && strings.HasPrefix(name, "var") {
							continue // the last digits depend on the parts
						}
						if got := run(t, name, typ, vals, distinct, parts); got != wantText {
							if strings.HasPrefix(got, "ERROR") && wantText == "ERROR" {
								continue
							}
							t.Errorf("%s parts %d: %s, Postgres %s", sql, parts, got, wantText)
						}
					}
				}
			}
		}
	}
}

func rows(vals []string, typ types.T) string {
	var b strings.Builder
	for i, v := range vals {
		if v == "NULL" {
			fmt.Fprintf(&b, ", (%d, NULL)", i+1)
		} else {
			fmt.Fprintf(&b, ", (%d, '%s'::%s)", i+1, v, typ)
		}
	}
	return b.String()
}

func run(t *testing.T, name string, typ types.T, vals []string, distinct bool, parts int) string {
	t.Helper()
	a, err := expr.ResolveAgg(name, []expr.Expr{&expr.Col{T: typ, Name: "x"}}, distinct, 0)
	if err != nil {
		return "ERROR " + err.Error()
	}
	var args []*eval.Prog
	for _, x := range a.Args {
		p, err := eval.Compile(x)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, p)
	}
	var states []State
	for p := range parts {
		st, err := New(a)
		if err != nil {
			t.Fatal(err)
		}
		st.Resize(1)
		states = append(states, st)
		b := vec.NewBatch([]types.T{typ})
		lo, hi := len(vals)*p/parts, len(vals)*(p+1)/parts
		b.N = hi - lo
		b.Cols[0].Resize(b.N)
		for i, v := range vals[lo:hi] {
			d := types.NullDatum
			if v != "NULL" {
				if d, err = types.ParseString(typ, v, nil); err != nil {
					t.Fatal(err)
				}
			}
			b.Cols[0].Set(i, d)
		}
		in := make([]*vec.Vec, len(args))
		for i, p := range args {
			if in[i], err = p.Eval(nil, b); err != nil {
				t.Fatal(err)
			}
		}
		sel := make([]uint16, b.N)
		for i := range sel {
			sel[i] = uint16(i)
		}
		if err := st.Update(make([]uint32, b.N), sel, in); err != nil {
			return "ERROR " + sqlerr.CodeOf(err).String()
		}
	}
	for _, st := range states[1:] {
		if err := states[0].Merge(st, []uint32{0}, []uint32{0}); err != nil {
			return "ERROR " + sqlerr.CodeOf(err).String()
		}
	}
	if states[0].Bytes() < 0 {
		t.Error("negative memory")
	}
	out := vec.New(a.T)
	if err := states[0].Final(0, 1, out); err != nil {
		return "ERROR " + sqlerr.CodeOf(err).String()
	}
	if out.Null(0) {
		return "NULL"
	}
	if a.T.Kind == types.Bool {
		return fmt.Sprint(out.Bools[0])
	}
	return types.Format(a.T, out.Datum(0), nil)
}

// TestGroups checks that many groups, added and merged in any order, give what
// a map gives.
func TestGroups(t *testing.T) {
	seed := int64(seeds.First(t))
	rnd := rand.New(rand.NewSource(seed))
	typ := types.Of(types.Int8)
	col := []expr.Expr{&expr.Col{T: typ}}
	for _, name := range []string{"count", "sum", "min", "max"} {
		a, err := expr.ResolveAgg(name, col, false, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := map[uint32]int64{}
		seen := map[uint32]bool{}
		total, err := New(a)
		if err != nil {
			t.Fatal(err)
		}
		const groups = 3000
		total.Resize(groups)
		for range 5 {
			part, err := New(a)
			if err != nil {
				t.Fatal(err)
			}
			perm := rnd.Perm(groups)
			mapping := make([]uint32, groups)
			const left = math.MaxUint32 // out of the merge
			var from, to []uint32
			for i, g := range perm {
				if mapping[i] = uint32(g); rnd.Intn(5) == 0 {
					mapping[i] = left
					continue
				}
				from, to = append(from, uint32(i)), append(to, uint32(g))
			}
			part.Resize(groups)
			v := vec.New(typ)
			v.Resize(vec.MaxRows)
			gs := make([]uint32, vec.MaxRows)
			var sel []uint16
			for i := range vec.MaxRows {
				v.Ints[i] = rnd.Int63n(1000) - 500
				gs[i] = uint32(rnd.Intn(groups))
				if rnd.Intn(3) == 0 {
					continue
				}
				sel = append(sel, uint16(i))
				g := mapping[gs[i]]
				if g == left {
					continue
				}
				switch x := v.Ints[i]; {
				case name == "count":
					want[g]++
				case name == "sum" || !seen[g]:
					want[g] += x
				case name == "min":
					want[g] = min(want[g], x)
				default:
					want[g] = max(want[g], x)
				}
				seen[g] = true
			}
			if err := part.Update(gs, sel, []*vec.Vec{v}); err != nil {
				t.Fatal(err)
			}
			if err := total.Merge(part, from, to); err != nil {
				t.Fatal(err)
			}
		}
		out := vec.New(a.T)
		if err := total.Final(0, groups, out); err != nil {
			t.Fatal(err)
		}
		for g := range groups {
			null := out.Null(g)
			if name != "count" && null == seen[uint32(g)] {
				t.Fatalf("%s: group %d null %v", name, g, null)
			}
			if !null && types.Format(a.T, out.Datum(g), nil) != fmt.Sprint(want[uint32(g)]) {
				t.Fatalf("%s: group %d: %s, want %d", name, g, types.Format(a.T, out.Datum(g), nil), want[uint32(g)])
			}
		}
	}
}

func TestStringAgg(t *testing.T) {
	a, err := expr.ResolveAgg("string_agg", []expr.Expr{&expr.Col{T: types.Of(types.Text)},
		&expr.Const{Value: types.NewText(", "), T: types.Of(types.Unknown)}}, true, 0)
	if err != nil {
		t.Fatal(err)
	}
	st, err := New(a)
	if err != nil {
		t.Fatal(err)
	}
	st.Resize(1)
	x, d := vec.New(types.Of(types.Text)), vec.New(types.Of(types.Text))
	words := []string{"b", "a", "b", "c"}
	x.Resize(4)
	d.Resize(4)
	for i, w := range words {
		x.Bytes[i], d.Bytes[i] = []byte(w), []byte(", ")
	}
	if err := st.Update(make([]uint32, 4), []uint16{0, 1, 2, 3}, []*vec.Vec{x, d}); err != nil {
		t.Fatal(err)
	}
	out := vec.New(a.T)
	if err := st.Final(0, 1, out); err != nil {
		t.Fatal(err)
	}
	if got := string(out.Bytes[0]); got != "a, b, c" {
		t.Errorf("string_agg(DISTINCT) = %q", got)
	}
}
