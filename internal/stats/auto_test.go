package stats_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/stats"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestAutoAnalyze has what columns hold found out without ANALYZE: at the first look at a table,
// and again when much has changed, within bounds and not for small tables.
func TestAutoAnalyze(t *testing.T) {
	store := mem.New()
	db, err := session.Open(context.Background(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := &estimated{t: t, store: store, db: db}
	if e.s, err = db.NewSession(session.SessionOptions{}); err != nil {
		t.Fatal(err)
	}
	defer e.close()
	db.Estimates().SetDeadlines(time.Minute)
	e.run("CREATE TABLE m (k INT PRIMARY KEY, v INT)")
	e.run("CREATE TABLE small (k INT PRIMARY KEY, v INT)")
	e.run("INSERT INTO m SELECT g, g % 4 FROM generate_series(1, 5000) AS x(g)")
	e.run("INSERT INTO small SELECT g, g FROM generate_series(1, 900) AS x(g)")
	values := func() string {
		return fmt.Sprint(e.lines("SELECT n_distinct::text FROM pg_stats WHERE tablename = 'm' AND attname = 'v'"))
	}
	if got := values(); got != "[]" {
		t.Errorf("nobody has looked at m, and pg_stats says %s", got)
	}
	e.lines("EXPLAIN SELECT * FROM m, small WHERE m.v = small.v") // it waits
	if got := values(); got != "[4]" {
		t.Errorf("pg_stats says %s", got)
	}
	if got := e.lines("SELECT count(*)::text FROM pg_stats WHERE tablename = 'small'")[0]; got != "0" {
		t.Errorf("a small table has %s analyzed columns", got)
	}
	calls, rows := db.Estimates().Work()
	if most := 2*stats.MaxWork() + stats.MaxAnalyzeWork(); calls > most || rows > most+2*colstats.SampleRows {
		t.Errorf("%d calls and %d rows", calls, rows)
	}

	version := db.Estimates().Version()
	db.Estimates().Forward(2 * time.Minute)
	e.run("UPDATE m SET v = k % 7 WHERE k <= 500") // a tenth is not worth it
	e.lines("EXPLAIN SELECT * FROM m WHERE v = 1")
	if got := values(); got != "[4]" {
		t.Errorf("pg_stats says %s after a few writes", got)
	}
	e.run("UPDATE m SET v = k % 8")
	e.lines("EXPLAIN SELECT * FROM m WHERE v = 1")
	if got := values(); got != "[8]" {
		t.Errorf("pg_stats says %s after many writes", got)
	}
	if db.Estimates().Version() == version {
		t.Error("plans stay as they were")
	}
}

// TestNoAutoAnalyze leaves columns to ANALYZE, also for entries of indexes.
func TestNoAutoAnalyze(t *testing.T) {
	e := openEstimated(t, mem.New())
	defer e.close()
	e.run("CREATE TABLE m (k INT PRIMARY KEY, v INT)")
	e.run("CREATE INDEX ON m (v)")
	e.run("INSERT INTO m SELECT g, g FROM generate_series(1, 5000) AS x(g)")
	e.lines("EXPLAIN SELECT * FROM m WHERE v = 3")
	if got := fmt.Sprint(e.lines("SELECT attname FROM pg_stats")); got != "[]" {
		t.Errorf("pg_stats has %s", got)
	}
	e.run("ANALYZE m")
	if got := fmt.Sprint(e.lines("SELECT attname FROM pg_stats ORDER BY 1")); got != "[k v]" {
		t.Errorf("pg_stats has %s", got)
	}
}
