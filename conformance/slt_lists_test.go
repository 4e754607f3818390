package conformance

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/seeds"
)

// arrayOf writes {0,step,2·step,…} of n numbers.
func arrayOf(n, step int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",%d", i*step)
	}
	return "'{" + strings.TrimPrefix(b.String(), ",") + "}'"
}

// TestLongLists: long lists of values are read with few calls, and few rows beside
// those that are wanted.
func TestLongLists(t *testing.T) {
	seeds.Sometimes(t)
	const rows = 30_000
	variants := []variant{{"pebble", 0, false}, {"pebble", 16, false}, {"pebble", 256, false}, {"mem", 16, false}}
	for i := range seeds.Part(t, len(variants), seeds.Whole) {
		v := variants[i]
		ctx := context.Background()
		e := engine{v, v.open(t)}
		c, err := e.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		check := func(r slt.Record) {
			t.Helper()
			if _, err := slt.Check(ctx, e, c, &r); err != nil {
				t.Errorf("%s: %.600v", v, err)
			}
		}
		check(slt.Record{Kind: "ok", SQL: "CREATE TABLE one (a INT PRIMARY KEY, v INT) ${SALT}"})
		check(slt.Record{Kind: "ok", SQL: fmt.Sprintf("UPSERT INTO one SELECT g, g FROM generate_series(0, %d) AS g", rows-1)})
		check(slt.Record{Kind: "ok", SQL: "CREATE TABLE two (a INT, b INT, v INT, PRIMARY KEY (a, b)) ${SALT}"})
		check(slt.Record{Kind: "ok", SQL: fmt.Sprintf("UPSERT INTO two SELECT g / 10, g %% 10, g FROM generate_series(0, %d) AS g", rows-1)})
		check(slt.Record{Kind: "ok", SQL: "PREPARE ones (int[]) AS SELECT count(*), sum(v), min(v), max(v) FROM one WHERE a = ANY ($1)"})
		check(slt.Record{Kind: "ok", SQL: "PREPARE twos (int[]) AS SELECT count(*), min(v), max(v) FROM two WHERE a = ANY ($1)"})
		check(slt.Record{Kind: "ok", SQL: "PREPARE pairs (int[], int[]) AS SELECT count(*), min(v), max(v) FROM two WHERE a = ANY ($1) AND b = ANY ($2)"})

		// Full keys: a call for each hundred of them, no row more.
		for _, m := range []int{1, 100, 10_000, 20_000} {
			step := rows / m
			if m == 1 {
				step = 0
			}
			last := step * (m - 1)
			check(slt.Record{Kind: "query", SQL: "EXECUTE ones(" + arrayOf(m, step) + ")", Want: []string{fmt.Sprintf("%d|%d|0|%d", m, m*last/2, last)}})
			check(slt.Record{Kind: "work", SQL: "EXECUTE ones(" + arrayOf(m, step) + ")", Conds: []slt.Cond{
				{Counter: "rows_read", Op: "=", N: int64(m)}, {Counter: "storage_calls", Op: "<=", N: int64((m + 99) / 100), Each: 1}}})
		}
		// More than there are, and more than are read one by one.
		check(slt.Record{Kind: "query", SQL: "EXECUTE ones(" + arrayOf(50_000, 2) + ")", Want: []string{"15000|224985000|0|29998"}})
		check(slt.Record{Kind: "query", SQL: "EXECUTE ones(" + arrayOf(120_000, 1) + ")", Want: []string{"30000|449985000|0|29999"}})

		// A prefix: at most 16,384 spans in all buckets, the rows between sought over.
		check(slt.Record{Kind: "query", SQL: "EXECUTE twos(" + arrayOf(1500, 2) + ")", Want: []string{"15000|0|29989"}})
		check(slt.Record{Kind: "work", SQL: "EXECUTE twos(" + arrayOf(1500, 2) + ")", Conds: []slt.Cond{
			{Counter: "rows_read", Op: "<=", N: rows}, {Counter: "storage_calls", Op: "<=", N: 18_000}}})
		check(slt.Record{Kind: "query", SQL: "EXECUTE twos(" + arrayOf(10_000, 7) + ")", Want: []string{"4290|0|29969"}})
		check(slt.Record{Kind: "query", SQL: "EXECUTE pairs(" + arrayOf(3000, 3) + ", " + arrayOf(5, 4) + ")", Want: []string{"3000|0|29978"}})
		check(slt.Record{Kind: "query", SQL: "EXECUTE pairs(" + arrayOf(3000, 1) + ", " + arrayOf(50, 1) + ")", Want: []string{"30000|0|29999"}})

		// What is read counts for the session's bound, point by point too.
		check(slt.Record{Kind: "ok", SQL: "SET saltsql.max_scan_rows = 100"})
		check(slt.Record{Kind: "query", SQL: "EXECUTE ones(" + arrayOf(100, 1) + ")", Want: []string{"100|4950|0|99"}})
		check(slt.Record{Kind: "error", SQL: "EXECUTE ones(" + arrayOf(101, 1) + ")", Code: "54000", Message: "read more than 100 rows"})
	}
}

// TestEveryKeyIsFound reads each of 1,000 keys: one row, one bucket, one call.
func TestEveryKeyIsFound(t *testing.T) {
	for _, salt := range harness.Salts {
		v := variant{"pebble", salt, false}
		ctx := context.Background()
		e := engine{v, v.open(t)}
		c, err := e.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for _, sql := range []string{
			"CREATE TABLE ints (k INT PRIMARY KEY, v INT) " + e.Salt(),
			"UPSERT INTO ints SELECT g, g + 10 FROM generate_series(0, 999) AS g",
			"PREPARE one (int) AS SELECT v FROM ints WHERE k = $1",
		} {
			if _, _, err := c.Exec(ctx, sql); err != nil {
				t.Fatal(err)
			}
		}
		for k := range 1000 {
			r := slt.Record{Kind: "query", SQL: fmt.Sprintf("EXECUTE one(%d)", k), Want: []string{fmt.Sprint(k + 10)}}
			if _, err := slt.Check(ctx, e, c, &r); err != nil {
				t.Fatal(v, k, err)
			}
			if k%50 != 0 {
				continue
			}
			r = slt.Record{Kind: "work", SQL: r.SQL, Conds: []slt.Cond{{Counter: "rows_read", Op: "=", N: 1}, {Counter: "storage_calls", Op: "=", N: 1}, {Counter: "with", Node: "Point Read"}}}
			if _, err := slt.Check(ctx, e, c, &r); err != nil {
				t.Fatal(v, k, err)
			}
		}
	}
}
