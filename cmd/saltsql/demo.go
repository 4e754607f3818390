package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/demodata"
)

const demoIntro = `
saltsql demo loads real data into a temporary embedded store, runs three queries
with their plans and work counters, draws where the writes of a log go, and then
serves the tables to psql until Ctrl-C. The store is removed at the end.`

// demoQueries show what salting costs and does not cost.
var demoQueries = []struct{ title, sql string }{
	{"A point read: all key columns are bound, so the bucket is derived and one row is read.",
		`SELECT * FROM metrics
WHERE source = 'realAWSCloudwatch' AND series = 'ec2_cpu_utilization_24ae8d' AND ts = '2014-02-14 14:30:00'`},
	{"A range in key order: every bucket is read a little way, and the buckets are merged. Nothing is sorted.",
		`SELECT ts, value FROM metrics
WHERE source = 'realKnownCause' AND series = 'nyc_taxi' AND ts < '2015-01-01'
ORDER BY ts DESC LIMIT 5`},
	{"An aggregate: each bucket is summed up by itself, in parallel, and the parts are combined.",
		`SELECT date_trunc('month', ts) AS month, count(*) AS readings, round(avg(value)::numeric, 2) AS mean, max(value) AS peak
FROM metrics WHERE source = 'realAWSCloudwatch'
GROUP BY month ORDER BY month`},
}

func demo(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	fs := newFlags("demo", demoIntro, stdout)
	exit := fs.Bool("exit", false, "end after the maps instead of serving")
	listen := fs.String("listen", "127.0.0.1:5433", "`HOST:PORT` to serve on")
	console := fs.String("console", "127.0.0.1:0", "loopback `HOST:PORT` of the console, for a browser; a port of 0 is any that is free")
	if err := parseFlags(fs, args, stderr); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "saltsql-demo-")
	if err != nil {
		return err
	}
	defer func() {
		if rmErr := os.RemoveAll(dir); err == nil {
			err = rmErr
		}
	}()
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, err := openStore(ctx, "pebble:"+filepath.Join(dir, "store"), memoryPlan{}, 0, log)
	if err != nil {
		return err
	}
	defer store.Close()
	db, err := saltsql.Open(ctx, store, &saltsql.Options{Logger: log, TrackStatements: 1000})
	if err != nil {
		return err
	}
	defer db.Close()

	s, err := db.NewSession(saltsql.SessionOptions{ApplicationName: "saltsql demo"})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := loadDemo(ctx, s, stdout); err != nil {
		return err
	}
	for _, q := range demoQueries {
		fmt.Fprintf(stdout, "\n-- %s\n%s;\n\n", q.title, q.sql)
		if err := printQuery(ctx, s, stdout, q.sql); err != nil {
			return err
		}
		if err := printPlan(ctx, s, stdout, q.sql); err != nil {
			return err
		}
	}
	if err := drawLogs(ctx, log, stdout); err != nil {
		return err
	}
	if *exit {
		return nil
	}
	return serveDB(ctx, db, serveConfig{listen: *listen, console: *console, store: "a temporary store", auth: "trust"}, stdout, log)
}

func loadDemo(ctx context.Context, s *saltsql.Session, out io.Writer) error {
	fmt.Fprintln(out, "Loading real data into a temporary embedded store:")
	for _, set := range demodata.All {
		if _, err := s.Exec(ctx, set.DDL); err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		r, err := set.Open()
		if err != nil {
			return err
		}
		p := newProgress(r, out, set.Name, set.Rows)
		n, err := s.CopyFrom(ctx, fmt.Sprintf("COPY %s (%s) FROM STDIN WITH (FORMAT csv, HEADER)", set.Name, strings.Join(set.Columns, ", ")), p)
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		p.end(n)
	}
	return nil
}

func printPlan(ctx context.Context, s *saltsql.Session, out io.Writer, query string) error {
	fmt.Fprintln(out)
	return printLines(ctx, s, out, "EXPLAIN ANALYZE "+query)
}

// printLines prints a query's rows of one text each.
func printLines(ctx context.Context, s *saltsql.Session, out io.Writer, query string) error {
	rows, err := s.Query(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		fmt.Fprintf(out, "  %s\n", rows.Value(0))
	}
	return rows.Err()
}
