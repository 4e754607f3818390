package saltsql

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

type base struct {
	Host string
	Skip string `db:"-"`
}

type metric struct {
	base
	At      time.Time `db:"ts"`
	CPULoad *float64
	Tags    []string
	Doc     map[string]int
}

type pair struct{ A, B int }

// TestCollect reads values, structs and maps of each kind, and is refused what is not the
// query's.
func TestCollect(t *testing.T) {
	ctx := context.Background()
	db, s := openSession(t, SessionOptions{})
	mustExec(t, s, "CREATE TABLE m (host TEXT, ts TIMESTAMPTZ, cpu_load FLOAT8, tags TEXT[], doc JSONB, PRIMARY KEY (host, ts))",
		`INSERT INTO m VALUES ('a', '2024-01-01', 0.5, '{x,y}', '{"n": 1}'), ('b', '2024-01-02', NULL, NULL, NULL)`)
	all, err := All[metric](ctx, db, "SELECT * FROM m ORDER BY host")
	if err != nil || len(all) != 2 || all[0].Host != "a" || !all[0].At.Equal(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)) || *all[0].CPULoad != 0.5 ||
		fmt.Sprint(all[0].Tags, all[0].Doc) != "[x y] map[n:1]" || all[1].CPULoad != nil || all[1].Tags != nil {
		t.Errorf("%+v %v", all, err)
	}
	if ts, err := One[time.Time](ctx, s, "SELECT max(ts) FROM m"); err != nil || ts.Day() != 2 {
		t.Error(ts, err)
	}
	if p, err := One[pair](ctx, s, `SELECT '{"A": 1, "B": 2}'::jsonb`); err != nil || p != (pair{1, 2}) {
		t.Error(p, err)
	}
	if m, err := One[map[string]any](ctx, s, "SELECT host, cpu_load FROM m WHERE host = $1", "b"); err != nil || fmt.Sprint(m) != "map[cpu_load:<nil> host:b]" {
		t.Error(m, err)
	}
	if v, err := One[sql.Null[string]](ctx, s, "SELECT NULL::text"); err != nil || v.Valid {
		t.Error(v, err)
	}
	if _, err := One[int](ctx, s, "SELECT 1 WHERE false"); err != sql.ErrNoRows {
		t.Error(err)
	}
	n := 0
	for v, err := range Each[int](ctx, s, "SELECT g FROM generate_series(1, 100000) g") {
		if err != nil {
			t.Fatal(err)
		}
		if n++; v != n {
			t.Fatal(v)
		}
		if n == 5000 {
			break // which ends the query
		}
	}
	if s.s.Portals() != 0 {
		t.Error("the query goes on")
	}
	for text, want := range map[string]string{
		"SELECT 1 AS a, 2 AS b, 3 AS c":                                          `no field for column "c"`,
		"SELECT 1 AS a, 2 AS a":                                                  `is that of columns "a" and "a"`,
		"SELECT 1 AS a, 2 AS b FROM m":                                           "more than one row",
		"SELECT 1 AS a, NULL::int AS b":                                          "cannot scan NULL",
		"SELECT 1 AS a, 'x' AS b":                                                "cannot scan",
		"SELECT 1 AS a, 2 AS b FROM absent":                                      `"absent" does not exist`,
		"SELECT 1 / (host = 'a')::int AS a, 2 AS b FROM m ORDER BY host LIMIT 2": "division by zero",
	} {
		if v, err := One[pair](ctx, s, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %v", text, v, err)
		}
	}
	if v, err := One[pair](ctx, s, "SELECT 1 AS _a, 2 AS b"); err != nil || v != (pair{1, 2}) {
		t.Error(v, err)
	}
}

// TestColumnTypes: what database/sql is told of columns, and the Type of each.
func TestColumnTypes(t *testing.T) {
	ctx := context.Background()
	db, s := openSession(t, SessionOptions{})
	h := sql.OpenDB(db.Connector())
	defer h.Close()
	mustExec(t, s, "CREATE TABLE t (k BIGINT PRIMARY KEY, n NUMERIC(10,2) NOT NULL, v VARCHAR(7), a INT[])", "INSERT INTO t VALUES (1, 1, 'x', '{1}')")
	told := func(text string) (out []string) {
		t.Helper()
		rows, err := h.Query(text)
		if err != nil {
			t.Fatal(text, err)
		}
		defer rows.Close()
		cols, err := rows.ColumnTypes()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cols {
			line := c.DatabaseTypeName() + " " + c.ScanType().String()
			if n, ok := c.Length(); ok && n < math.MaxInt64 {
				line += fmt.Sprintf(" length %d", n)
			}
			if p, s, ok := c.DecimalSize(); ok {
				line += fmt.Sprintf(" (%d,%d)", p, s)
			}
			if null, ok := c.Nullable(); ok {
				line += fmt.Sprintf(" null %t", null)
			}
			out = append(out, line)
		}
		return out
	}
	for text, want := range map[string]string{
		"SELECT * FROM t": "INT8 int64 null false; NUMERIC string (10,2) null false; VARCHAR string length 7 null true; _INT4 string null true",
		"SELECT k + 1, n FROM t WHERE k = 1 ORDER BY n DESC LIMIT 1": "INT8 int64; NUMERIC string (10,2) null false",
		"SELECT max(n), count(*) FROM t":                             "NUMERIC string; INT8 int64",
		"SELECT l.k, r.n FROM t l LEFT JOIN t r ON r.k = l.k + 1":    "INT8 int64; NUMERIC string (10,2)",
		"SELECT now(), true, 1::int2, 0.5::real, 'x'::bytea":         "TIMESTAMPTZ time.Time; BOOL bool; INT2 int16; FLOAT4 float32; BYTEA []uint8",
	} {
		if got := strings.Join(told(text), "; "); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	st, err := s.Prepare(ctx, "SELECT a, n FROM t WHERE v = $1 AND k = $2")
	if err != nil {
		t.Fatal(err)
	}
	cols, params := st.Columns(), st.Params()
	elem, isArray := cols[0].Type.Elem()
	p, sc, ok := cols[1].Type.Precision()
	if !isArray || elem.Name() != "int4" || cols[0].Type.String() != "integer[]" || cols[0].Type.OID() != 1007 || p != 10 || sc != 2 || !ok || cols[1].Table == 0 || cols[1].Number != 2 ||
		fmt.Sprint(params) != "[character varying bigint]" && fmt.Sprint(params) != "[text bigint]" {
		t.Errorf("%+v %v", cols, params)
	}
	for _, name := range []string{"numeric(10,2)", "text[]", "character varying(7)", "timestamp with time zone"} {
		if typ, err := ParseType(name); err != nil || typ.String() != name {
			t.Error(name, typ, err)
		}
	}
	if _, err := ParseType("nothing"); err == nil {
		t.Error("a type that is none is read")
	}
	if typ, ok := TypeOfOID(20); !ok || typ.Name() != "int8" {
		t.Error(typ, ok)
	}
}
