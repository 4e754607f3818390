package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
)

// openObserved makes a DB that counts statements, and logs to out.
func openObserved(t *testing.T, store string, out *bytes.Buffer, settings map[string]string) *saltsql.DB {
	t.Helper()
	s := harness.Stores[store](t)
	log := harness.Quiet
	if out != nil {
		log = slog.New(slog.NewJSONHandler(out, nil))
	}
	db, err := saltsql.Open(context.Background(), s, &saltsql.Options{Logger: log, TrackStatements: 5000, Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db.Close()
		s.Close()
	})
	return db
}

// TestStatStatements asks pg_stat_statements what statements did, by each protocol.
func TestStatStatements(t *testing.T) {
	for _, store := range []string{"mem", "pebble", "bigtable"} {
		for _, salt := range harness.Salts {
			t.Run(variant{store: store, salt: salt}.String(), func(t *testing.T) {
				ctx := context.Background()
				host, port := harness.Serve(t, openObserved(t, store, nil, nil))
				c := harness.Connect(t, host, port)
				harness.MustExec(t, c, fmt.Sprintf("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR) SALT_BUCKETS = %d", salt))
				harness.MustExec(t, c, "INSERT INTO t VALUES (1, 'secret'), (2, 'x'), (3, 'y')")
				harness.MustExec(t, c, "insert into t values (4, 'secret')")
				for i := range 5 {
					if _, err := c.Exec(ctx, fmt.Sprintf("SELECT b FROM t WHERE a = %d", i), pgx.QueryExecModeSimpleProtocol); err != nil {
						t.Fatal(err)
					}
					if _, err := c.Exec(ctx, "SELECT count(*) FROM t WHERE a > $1", i); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := c.Exec(ctx, "INSERT INTO t VALUES (1, 'again')"); err == nil {
					t.Error("a key twice")
				}
				if _, err := c.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"a", "b"}, pgx.CopyFromRows([][]any{{int32(10), "z"}, {int32(11), "z"}})); err != nil {
					t.Fatal(err)
				}
				buckets := max(salt, 1)
				for _, want := range []struct {
					text                                string
					calls, errors, rows, written, reads int64
				}{
					{"INSERT INTO t VALUES ($1, $2) /*, ... */", 2, 1, 4, 4, 0},
					{"SELECT b FROM t WHERE a = $1", 5, 0, 4, 0, 5},
					{"SELECT count(*) FROM t WHERE a > $1", 5, 0, 5, 0, int64(5 * buckets)},
					{`copy "t" ( "a", "b" ) from stdin binary`, 1, 0, 2, 2, 0},
				} {
					var calls, errors, rows, written, bucketsRead int64
					var total, least, mean, most float64
					err := c.QueryRow(ctx, `SELECT calls, errors, rows, rows_written, buckets, total_exec_time, min_exec_time, mean_exec_time, max_exec_time
						FROM pg_stat_statements WHERE query = $1`, want.text).Scan(&calls, &errors, &rows, &written, &bucketsRead, &total, &least, &mean, &most)
					if err != nil {
						t.Errorf("%s: %v", want.text, err)
						continue
					}
					if calls != want.calls || errors != want.errors || rows != want.rows || written != want.written {
						t.Errorf("%s: %d calls, %d errors, %d rows, %d written; want %+v", want.text, calls, errors, rows, written, want)
					}
					if salt > 0 && want.reads > 0 && bucketsRead != want.reads {
						t.Errorf("%s: %d buckets were read, want %d", want.text, bucketsRead, want.reads)
					}
					if least <= 0 || least > mean || mean > most || total < most {
						t.Errorf("%s: times %v, %v, %v, %v", want.text, least, mean, most, total)
					}
				}
				var leaks int
				if err := c.QueryRow(ctx, "SELECT count(*) FROM pg_stat_statements WHERE query LIKE '%' || $1 || '%'", "secret").Scan(&leaks); err != nil || leaks > 0 {
					t.Errorf("%d shapes hold a constant: %v", leaks, err)
				}
				var left int
				if _, err := c.Exec(ctx, "SELECT pg_stat_statements_reset()"); err != nil {
					t.Fatal(err)
				}
				if err := c.QueryRow(ctx, "SELECT count(*) FROM pg_stat_statements WHERE query LIKE 'INSERT%'").Scan(&left); err != nil || left > 0 {
					t.Errorf("%d shapes are left after a reset: %v", left, err)
				}
			})
		}
	}
}

// TestSlowLog holds what the log of slow statements says and what it does not, and how much of it
// there is.
func TestSlowLog(t *testing.T) {
	ctx := context.Background()
	var out bytes.Buffer
	db := openObserved(t, "mem", &out, map[string]string{"log_min_duration_statement": "0"})
	s, err := db.NewSession(saltsql.SessionOptions{User: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, text := range []string{
		"CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR) SALT_BUCKETS = 4", "INSERT INTO t VALUES (1, 'secret')", "SELECT * FROM t WHERE b = 'secret'",
	} {
		if _, err := s.Exec(ctx, text); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var line struct {
		Msg, Statement, User, Plan              string
		Rows, RowsRead, Buckets, Calls, Storage int64
		DurationMS                              float64
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(lines[len(lines)-1], "_", "")), &line); err != nil {
		t.Fatal(err)
	}
	if line.Msg != "slow statement" || line.Statement != "SELECT * FROM t WHERE b = $1" || line.User != "ann" || len(line.Plan) != 16 || line.Rows != 1 || line.RowsRead != 1 || line.Buckets != 4 || line.DurationMS <= 0 {
		t.Errorf("the line says %s", lines[len(lines)-1])
	}
	if strings.Contains(out.String(), "secret") {
		t.Error("a constant is in the log")
	}
	out.Reset()
	for range 1000 {
		if _, err := s.Exec(ctx, "SELECT 1"); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(out.String(), "slow statement"); n < 50 || n > 500 {
		t.Errorf("%d lines tell of 1000 statements", n)
	}
	out.Reset()
	if _, err := s.Exec(ctx, "SET log_min_duration_statement = '1h'; SELECT 1"); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "SELECT") {
		t.Errorf("a statement that is not slow is in the log: %s", out.String())
	}
	if _, err := s.Exec(ctx, "RESET log_min_duration_statement"); err != nil {
		t.Fatal(err)
	}
	if v, _ := s.Setting("log_min_duration_statement"); v != "0" {
		t.Errorf("RESET gives %q, not what the server begins with", v)
	}
}
