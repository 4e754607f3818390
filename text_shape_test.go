package saltsql

import (
	"context"
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/mem"
)

func TestTextShape(t *testing.T) {
	for _, tt := range []struct{ text, shape, kinds string }{
		{"SELECT v FROM t WHERE k = 17 AND n<5", "SELECT v FROM t WHERE k = $1 AND n<$2", "44"},
		{"select v from t where (k >= 3000000000) or k <> 007 ;", "select v from t where (k >= $1) or k <> $2 ;", "84"},
		{"SELECT 'a = 1', \"b = 2\", 'it''s = 3' FROM t WHERE k = 4 ORDER BY 1 LIMIT 5", "SELECT 'a = 1', \"b = 2\", 'it''s = 3' FROM t WHERE k = $1 ORDER BY 1 LIMIT 5", "4"},
		{"SELECT k = 5 FROM t", "", ""},
		{"SELECT * FROM t WHERE k = 5 + 3", "", ""},
		{"SELECT * FROM t WHERE k = -5", "", ""},
		{"SELECT * FROM t WHERE k = 5.0", "", ""},
		{"SELECT * FROM t WHERE k = .5", "", ""},
		{"SELECT * FROM t WHERE k = 5e3", "", ""},
		{"SELECT * FROM t WHERE k = 99999999999999999999", "", ""},
		{"SELECT * FROM t WHERE k = 5 -- and more", "", ""},
		{"SELECT /*+ SKIP_SCAN(t) */ * FROM t WHERE k = 5", "", ""},
		{"SELECT * FROM t WHERE k = 5; DELETE FROM t", "", ""},
		{"SELECT * FROM t WHERE k = $1 AND n = 5", "", ""},
		{"SELECT E'\\' = 1' FROM t WHERE k = 5", "", ""},
		{"SELECT E' = 1' FROM t WHERE k = 5", "", ""},
		{"SELECT * FROM t WHERE v = 'open AND k = 5", "", ""},
		{"SELECT * FROM t WHERE d = '1'::int AND k = 5", "", ""},
		{"SELECT * FROM t LIMIT 5", "", ""},
		{"UPDATE t SET n = 5 WHERE k = 5", "", ""},
		{"EXPLAIN SELECT * FROM t WHERE k = 5", "", ""},
		{"SELECT * FROM é WHERE k = 5", "", ""},
		{"SELECT * FROM t WHERE k = 1 OR k = 1 OR k = 1 OR k = 1 OR k = 1 OR k = 1 OR k = 1 OR k = 1 OR k = 1", "", ""},
	} {
		var l literals
		if !l.cut(tt.text) {
			if tt.shape != "" {
				t.Errorf("%s: nothing cut out", tt.text)
			}
			continue
		}
		if got := l.shape(tt.text); got != tt.shape || string(l.kinds[:l.n]) != tt.kinds {
			t.Errorf("%s:\n got %s %s", tt.text, got, l.kinds[:l.n])
		}
	}
}

// TestShapedTexts runs texts of one shape, which must answer as each by itself,
// while the catalog and settings change.
func TestShapedTexts(t *testing.T) {
	ctx := context.Background()
	st := mem.New()
	defer st.Close()
	db, err := Open(ctx, st, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	exec := func(sql string) {
		t.Helper()
		if _, err := s.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	answer := func(sql string) string {
		t.Helper()
		r, err := s.Query(ctx, sql)
		if err != nil {
			return fmt.Sprintf("%s at %d", sqlerr.CodeOf(err), sqlerr.As(err).Position)
		}
		out := ""
		for r.Next() {
			out += r.Text(0) + " "
		}
		if err := r.Close(); err != nil {
			return sqlerr.CodeOf(err).String()
		}
		return out
	}
	if got := answer("SELECT v FROM t WHERE k = 1"); got != "42P01 at 15" {
		t.Errorf("before: %s", got)
	}
	if got := answer("SELECT v FROM t WHERE k = 22"); got != "42P01 at 15" {
		t.Errorf("before: %s", got)
	}
	exec("CREATE TABLE t (k BIGINT PRIMARY KEY, v INT) SALT_BUCKETS = 4")
	exec("INSERT INTO t SELECT g, g * 2 FROM generate_series(1, 100) AS g")
	exec("INSERT INTO t VALUES (5000000000, 7)")
	for _, k := range []int64{1, 50, 100, 101, 5_000_000_000, 2} {
		want := map[bool]string{true: fmt.Sprint(k*2, " ")}[k <= 100]
		if k > 101 {
			want = "7 "
		}
		if got := answer(fmt.Sprintf("SELECT v FROM t WHERE k = %d", k)); got != want {
			t.Errorf("k = %d: %q, want %q", k, got, want)
		}
		if got := answer(fmt.Sprintf("SELECT v FROM t WHERE k = %d AND x = 1", k)); got[:5] != "42703" {
			t.Errorf("unknown column: %s", got)
		}
		// With parameters this is another statement, and an error.
		if got := answer(fmt.Sprintf("SELECT (v = %d) FROM t GROUP BY (v = %d) ORDER BY (v = %d) LIMIT 1", k, k, k)); got != "f " {
			t.Errorf("grouping: %s", got)
		}
	}
	shaped := false
	for sh := range s.shaped {
		shaped = shaped || sh.st.Load().Text == "SELECT v FROM t WHERE k = $1"
	}
	if !shaped {
		t.Error("no text was run by its shape")
	}
	exec("ALTER TABLE t ADD COLUMN x INT")
	exec("UPDATE t SET x = 3 WHERE k = 3")
	if got := answer("SELECT v FROM t WHERE k = 3 AND x = 3"); got != "6 " {
		t.Errorf("after ALTER: %s", got)
	}
	exec("DROP TABLE t")
	if got := answer("SELECT v FROM t WHERE k = 12345"); got != "42P01 at 15" {
		t.Errorf("after DROP: %s", got)
	}
}
