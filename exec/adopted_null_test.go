package exec

import (
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// TestNullInAdoptedKeys: IS NULL and IS NOT NULL of a key column that may be NULL are
// spans: no row beside those wanted is read.
func TestNullInAdoptedKeys(t *testing.T) {
	for name, open := range stores {
		for _, buckets := range []int{0, 4, 16} {
			f := newFixture(t, buckets, withStore(open(t)), withTable(func(tab *catalog.Table) {
				tab.Adopted = true
				tab.Columns[0].NotNull = false
				if buckets == 16 {
					tab.Options.SaltColumns = []string{"host"}
				}
			}))
			f.must(f.insert([]any{nil, 1, 1, 0.5, "x"}, []any{nil, 2, 2, 0.5, "x"}, []any{"a", 1, 3, 0.5, "x"},
				[]any{"a", 2, 4, 0.5, "x"}, []any{"b", 1, 5, 0.5, "x"}))
			isNull := &expr.IsNull{X: f.col("host")}
			for _, tc := range []struct {
				what    string
				terms   []plan.KeyTerm
				recheck expr.Expr
				want    string
				read    int64
			}{
				{"IS NULL", []plan.KeyTerm{term(plan.KeyIsNull, 0)}, isNull, "NULL|2\nNULL|1\n", 2},
				{"IS NULL, then a value", []plan.KeyTerm{term(plan.KeyIsNull, 0), term(plan.KeyEq, 1, lit(2))}, isNull, "NULL|2\n", 1},
				{"IS NULL, then a range", []plan.KeyTerm{term(plan.KeyIsNull, 0), term(plan.KeyLt, 1, lit(2))}, isNull, "NULL|1\n", 1},
				{"IS NOT NULL", []plan.KeyTerm{term(plan.KeyIsNotNull, 0)}, &expr.Not{X: isNull}, "a|2\na|1\nb|1\n", 3},
				{"IS NULL and a value", []plan.KeyTerm{term(plan.KeyIsNull, 0), term(plan.KeyEq, 0, lit("a"))}, isNull, "", 0},
				{"IS NOT NULL and a value", []plan.KeyTerm{term(plan.KeyIsNotNull, 0), term(plan.KeyEq, 0, lit("a"))}, &expr.Not{X: isNull}, "a|2\na|1\n", 2},
				// A text of no bytes is NULL there, and equal to nothing.
				{"no bytes", []plan.KeyTerm{term(plan.KeyEq, 0, lit(""))}, opCall("=", f.col("host"), lit("")), "", 0},
			} {
				s := f.scan("host", "ts")
				s.Key, s.Access, s.Recheck = key(tc.terms...), plan.RangeScan, tc.recheck
				if got := f.must(f.merged(s, plan.Forward)); got != tc.want {
					t.Errorf("%s, %d buckets, %s: got\n%swant\n%s", name, buckets, tc.what, got, tc.want)
				}
				if f.work.RowsRead != tc.read {
					t.Errorf("%s, %d buckets, %s: read %d rows, want %d", name, buckets, tc.what, f.work.RowsRead, tc.read)
				}
				if buckets == 16 && tc.what != "IS NOT NULL" && f.work.Buckets > 1 {
					t.Errorf("%s, %s: %d buckets", name, tc.what, f.work.Buckets)
				}
			}
		}
	}
}
