package bench

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql"
)

// drain runs a prepared statement to its end and gives the number of rows.
func drain(b *testing.B, st *saltsql.Stmt) int {
	ctx := context.Background()
	rows, err := st.Query(ctx)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for rows.Next() {
		n++
	}
	if err := rows.Close(); err != nil {
		b.Fatal(err)
	}
	return n
}

func prepare(b *testing.B, s *saltsql.Session, sql string) *saltsql.Stmt {
	st, err := s.Prepare(context.Background(), sql)
	if err != nil {
		b.Fatal(err)
	}
	return st
}

// BenchmarkAggregate filters and adds up a million rows on all processors.
func BenchmarkAggregate(b *testing.B) {
	queries := []namedQuery{
		{"half", "SELECT sum(n), count(*) FROM t WHERE n < 500"},
		{"few", "SELECT sum(n), count(*) FROM t WHERE n = 7"},
		{"count", "SELECT count(*) FROM t"},
	}
	for _, written := range []bool{false, true} {
		name := "salt-16"
		if written { // before each, so that it is read by Pebble's iterators
			name = "written"
		}
		b.Run(name, func(b *testing.B) {
			db := openDB(b, b.TempDir())
			load(b, db, "t", 16, rows)
			s := session(b, db)
			write := prepare(b, s, "UPDATE t SET n = n WHERE k = 1")
			for _, q := range queries {
				b.Run(q.name, func(b *testing.B) {
					st := prepare(b, s, q.sql)
					b.ReportAllocs()
					report := reportCPU(b)
					for b.Loop() {
						if written {
							drain(b, write)
						}
						drain(b, st)
					}
					report()
				})
			}
		})
	}
	b.Run("pebble-iterators", func(b *testing.B) {
		db := bare(b, b.TempDir(), rows)
		settle(b, db)
		defer reportCPU(b)()
		for b.Loop() {
			if n := iterate(b, db, 16); n != rows {
				b.Fatal(n)
			}
		}
	})
	b.Run("postgres", func(b *testing.B) { onPostgres(b, queries) })
}

type namedQuery struct{ name, sql string }

// onPostgres runs queries on a million rows in PostgreSQL, by two workers each.
func onPostgres(b *testing.B, queries []namedQuery) { askPostgres(b, postgres(b, rows), queries) }

// askPostgres runs queries in PostgreSQL, by two workers each, and reports the processor
// time of its processes.
func askPostgres(b *testing.B, c *pgx.Conn, queries []namedQuery) {
	ctx := context.Background()
	for _, set := range []string{"max_parallel_workers_per_gather = 2", "jit = off"} {
		if _, err := c.Exec(ctx, "SET "+set); err != nil {
			b.Fatal(err)
		}
	}
	used := servingTime(c)
	for _, q := range queries {
		b.Run(q.name, func(b *testing.B) {
			was := used()
			for b.Loop() {
				if _, err := c.Exec(ctx, q.sql); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((used()-was).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}

// iterate passes all rows in so many pieces with bare iterators, one for each
// processor, and counts them. It is the floor of an aggregate over a table.
func iterate(b *testing.B, db *pebble.DB, pieces int) int {
	var taken, count atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			it, err := db.NewIter(nil)
			if err != nil {
				b.Error(err)
				return
			}
			n, bytes := 0, 0
			for i := int(taken.Add(1)) - 1; i < pieces; i = int(taken.Add(1)) - 1 {
				it.SetBounds(bareKey(nil, rows*i/pieces), bareKey(nil, rows*(i+1)/pieces))
				for it.First(); it.Valid(); it.Next() {
					n++
					bytes += len(it.Key()) + len(it.Value())
				}
			}
			count.Add(int64(n))
			if err := it.Close(); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	return int(count.Load())
}

// BenchmarkTop reads the first 1,000 of 100,000 rows in key order: merged from
// the buckets' own order, and by sorting all rows, as where there is no merge.
func BenchmarkTop(b *testing.B) {
	db := openDB(b, b.TempDir())
	load(b, db, "t", 16, 100_000)
	for _, limit := range []int{10, 1000} {
		for _, rules := range []string{"on", "off"} {
			name := map[string]string{"on": "merge", "off": "sort"}[rules]
			b.Run(fmt.Sprintf("%d/%s", limit, name), func(b *testing.B) {
				s := session(b, db)
				if _, err := s.Exec(context.Background(), "SET saltsql.rules = "+rules); err != nil {
					b.Fatal(err)
				}
				st := prepare(b, s, fmt.Sprintf("SELECT k, n FROM t ORDER BY k LIMIT %d", limit))
				b.ReportAllocs()
				for b.Loop() {
					if n := drain(b, st); n != limit {
						b.Fatal(n)
					}
				}
			})
		}
	}
}
