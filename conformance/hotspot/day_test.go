package hotspot

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/conformance/hotspot/sim"
	"github.com/saltsql/saltsql/internal/saltmodel"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/session/sessiontest"
	"github.com/saltsql/saltsql/storage/mem"
)

// day is a log without salt on a simulated cluster, whose clock is the server's.
type day struct {
	*testing.T
	cluster *saltmodel.Cluster
	s       *session.Session
	last    int // row that was written
}

// dayScale is how many rows each row stands for.
const dayScale = 4

func (d *day) run(sql string) []string {
	d.Helper()
	rows, err := sessiontest.Rows(d.s, sql)
	if err != nil {
		d.Fatalf("%s: %v", sql, err)
	}
	return rows
}

// write fills the log for a time of the cluster, and gives the rows in a second.
func (d *day) write(long time.Duration) float64 {
	d.Helper()
	const rows = 2000
	from, first := d.cluster.Stats().Elapsed, d.last
	for d.cluster.Stats().Elapsed < from+long {
		d.run(fmt.Sprintf("UPSERT INTO log SELECT g, g FROM generate_series(%d, %d) g", d.last+1, d.last+rows))
		d.last += rows
	}
	return float64(d.last-first) * dayScale / (d.cluster.Stats().Elapsed - from).Seconds()
}

// whatIf gives the rate that saltsql.what_if predicts.
func (d *day) whatIf(args string, nodes int) float64 {
	d.Helper()
	rows := d.run(fmt.Sprintf("SELECT of_nodes FROM saltsql.what_if('log', %s) OFFSET 1", args))
	of, err := strconv.ParseFloat(strings.Trim(rows[0], "|"), 64)
	if err != nil {
		d.Fatal(err)
	}
	return of * float64(nodes) * 14_000
}

// TestDay is a day in the life of a log without salt on 16 nodes: after a quarter of an hour
// saltsql.advice names it, its DDL is run while the log is written, and the rate is what was predicted.
func TestDay(t *testing.T) {
	seeds.Sometimes(t)
	const nodes = 16
	cluster := saltmodel.NewCluster(saltmodel.Options{Nodes: nodes, Scale: dayScale})
	store := sim.Wrap(mem.New(), cluster)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	db, err := session.Open(context.Background(), store, &session.Options{Now: func() time.Time { return start.Add(cluster.Stats().Elapsed) }})
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.NewSession(session.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	defer db.Close()
	defer s.Close()
	d := &day{T: t, cluster: cluster, s: s}
	d.run("CREATE TABLE log (id bigint PRIMARY KEY, v bigint) SALT_BUCKETS = 0")
	d.run(fmt.Sprintf("SET saltsql.advice_nodes = %d", nodes))

	advised, rate := []string(nil), 0.0
	for minute := 1; advised == nil; minute++ {
		if minute > 16 {
			t.Fatal("nothing is advised after a quarter of an hour")
		}
		d.run("TRUNCATE log") // the test's memory is small
		rate = d.write(time.Minute)
		advised = d.run("SELECT rule, ddl FROM saltsql.advice WHERE table_name = 'log'")
		if minute < 14 && advised != nil {
			t.Fatalf("after %d minutes %q is advised", minute, advised)
		}
	}
	if len(advised) != 1 || !strings.HasPrefix(advised[0], "|growing|ALTER TABLE log SET SALT_BUCKETS = 16 FORWARD ON (id)") {
		t.Fatalf("%q is advised", advised)
	}
	d.diagonal()
	told := d.whatIf("0", nodes)
	then := d.whatIf("16", nodes)
	t.Logf("%.0f rows a second, told are %.0f, and %.0f with salt", rate, told, then)
	if told < 0.9*rate || told > 1.1*rate {
		t.Errorf("%.0f rows a second are written, told are %.0f", rate, told)
	}
	d.run(strings.TrimPrefix(advised[0], "|growing|"))
	rate = d.write(20 * time.Second)
	t.Logf("%.0f rows a second with salt", rate)
	if rate < 0.85*then || rate > 1.15*then {
		t.Errorf("%.0f rows a second are written with salt, told were %.0f", rate, then)
	}
	if rows := d.run("SELECT rule FROM saltsql.advice WHERE table_name = 'log'"); rows != nil {
		t.Errorf("once the salt is there, %q is advised", rows)
	}
}

// diagonal: the map of a log without salt shows that each minute's writes are behind those of the minute
// before.
func (d *day) diagonal() {
	d.Helper()
	rows := d.run(`SELECT min(quantile), max(quantile) FROM saltsql.heatmap WHERE table_name = 'log' AND quantile IS NOT NULL AND writes > 0 AND at IS NOT NULL GROUP BY at ORDER BY at`)
	d.Logf("the ranges of keys that are written, by minutes: %q", rows)
	last := -1
	for _, row := range rows {
		var least, most int
		if _, err := fmt.Sscanf(row, "|%d|%d", &least, &most); err != nil {
			d.Fatal(err)
		}
		if least < last {
			d.Errorf("writes go back to range %d of keys, from %d", least, last)
		}
		last = most
	}
	if len(rows) < 12 || last < 100 {
		d.Errorf("%d minutes and %d ranges of keys are in the map", len(rows), last)
	}
}
