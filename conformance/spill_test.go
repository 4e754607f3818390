package conformance

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
)

var (
	spillRows    = flag.Int("spill.rows", seeds.Amount(20_000, 60_000), "rows that TestSpills sorts, joins and groups; with 5000000, set -spill.mem to 64MB")
	spillMemory  = flag.String("spill.mem", "1MB", "work_mem of TestSpills")
	spillCancels = flag.Int("spill.cancels", seeds.Amount(8, 20), "statements that TestSpills cancels")
)

// spilling are statements that hold far more than work_mem; s is the rows of spillSource.
var spilling = []struct {
	name, sql string
	ordered   bool
}{
	{"sort", "SELECT id, t FROM s ORDER BY t DESC, id", true},
	{"hash join", "SELECT x.id, y.id, y.t FROM s x JOIN s y ON x.id = y.a", false},
	{"full join", "SELECT x.id, x.t, y.id FROM s x FULL JOIN s y ON x.id = y.a + 1000 AND x.g < 900", false},
	{"anti join", "SELECT id, t FROM s x WHERE NOT EXISTS (SELECT FROM s y WHERE y.t = x.t AND y.g <> 7)", false},
	{"groups", "SELECT t, count(*), sum(id), max(a) FROM s GROUP BY t", false},
	{"few large groups", "SELECT g % 3, count(DISTINCT t), max(t), sum(a) FROM s GROUP BY 1", false},
	{"window", "SELECT id, sum(a) OVER (PARTITION BY g ORDER BY t), row_number() OVER (ORDER BY t DESC, id) FROM s", false},
	{"window of one partition", "SELECT id, lag(t) OVER w, count(*) OVER (ORDER BY a ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING) FROM s WINDOW w AS (ORDER BY a)", false},
	{"distinct", "SELECT DISTINCT t, g FROM s", false},
	{"sets", "SELECT t, a FROM s EXCEPT SELECT t, id FROM s UNION ALL (SELECT t, g FROM s INTERSECT SELECT t, g FROM s WHERE a % 3 > 0)", false},
	{"a query of two names", "WITH w AS MATERIALIZED (SELECT t, id FROM s) SELECT x.t, y.id FROM w x JOIN w y ON x.id = y.id + 1", false},
}

// spillSource is n rows: ids, their permutation, 1,000 groups and texts of 32 bytes.
func spillSource(n int) string {
	return fmt.Sprintf("WITH s AS NOT MATERIALIZED (SELECT i AS id, (i::bigint * 7919 %% %d)::int AS a, i %% 1000 AS g, md5(i::text) AS t FROM generate_series(1, %d) i) ", n, n)
}

// TestSpills has statements run whose rows do not fit into work_mem: they give what
// PostgreSQL gives. Cancelled at any moment they leave no file, goroutine or byte.
func TestSpills(t *testing.T) {
	seeds.Sometimes(t)
	ctx := context.Background()
	temp := t.TempDir()
	db, err := saltsql.Open(ctx, harness.Stores["mem"](t), &saltsql.Options{Logger: harness.Quiet, TempDir: temp, Memory: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	host, port := harness.Serve(t, db)
	dsn := fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", host, port)
	pg := pgConnect(t, pgtest.Start(t))
	c := pgConnect(t, dsn)
	for _, conn := range []*pgconn.PgConn{pg, c} {
		if _, err := conn.Exec(ctx, "SET work_mem = '"+*spillMemory+"'").ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	took := map[string]time.Duration{}
	for _, q := range spilling {
		sql := spillSource(*spillRows) + q.sql
		if rest, ok := strings.CutPrefix(q.sql, "WITH "); ok {
			sql = strings.TrimSuffix(spillSource(*spillRows), " ") + ", " + rest
		}
		want, theirs, err := digest(ctx, pg, sql, q.ordered)
		if err != nil {
			t.Fatalf("%s: PostgreSQL: %v", q.name, err)
		}
		got, ours, err := digest(ctx, c, sql, q.ordered)
		if err != nil || got != want {
			t.Errorf("%s gives %s, %v; PostgreSQL %s", q.name, got, err, want)
		}
		took[sql] = ours
		t.Logf("%-24s %s, %v, PostgreSQL %v", q.name, want, ours.Round(time.Millisecond), theirs.Round(time.Millisecond))
	}
	runtime.GC()
	goroutines, files, held := runtime.NumGoroutine(), openFiles(t, temp), session.Behind(db).Memory().Used()
	r := rand.New(rand.NewPCG(*harness.Seed, 9))
	cancelled := 0
	for i := 0; i < *spillCancels; {
		for sql, whole := range took {
			if i++; i > *spillCancels {
				break
			}
			one, err := pgconn.Connect(ctx, dsn)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := one.Exec(ctx, "SET work_mem = '"+*spillMemory+"'").ReadAll(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(time.Duration(r.Int64N(int64(whole))), func() { _ = one.CancelRequest(ctx) })
			if _, _, err = digest(ctx, one, sql, false); err != nil {
				if !strings.Contains(err.Error(), "57014") {
					t.Errorf("%v: %s", err, sql)
				}
				cancelled++
			}
			timer.Stop()
			one.Close(ctx)
		}
	}
	t.Logf("%d of %d were cancelled", cancelled, *spillCancels)
	if cancelled == 0 {
		t.Error("none was cancelled")
	}
	var left string
	for until := time.Now().Add(harness.Patience); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		left = ""
		if g := runtime.NumGoroutine(); g > goroutines {
			left += fmt.Sprintf("%d goroutines, of %d before; ", g, goroutines)
		}
		if f := openFiles(t, temp); f > files {
			left += fmt.Sprintf("%d files, of %d before; ", f, files)
		}
		if m := session.Behind(db).Memory().Used(); m > held {
			left += fmt.Sprintf("%d bytes, of %d before; ", m, held)
		}
		if left == "" {
			return
		}
	}
	t.Errorf("%d cancelled statements left %s", cancelled, left)
}

// digest runs a query and gives how many rows it has and a hash of them, of their order too
// where that is asked for.
func digest(ctx context.Context, c *pgconn.PgConn, sql string, ordered bool) (string, time.Duration, error) {
	began := time.Now()
	rows, sum := 0, uint64(0)
	r := c.Exec(ctx, sql)
	for r.NextResult() {
		for rr := r.ResultReader(); rr.NextRow(); rows++ {
			h := fnv.New64a()
			if ordered {
				_ = binary.Write(h, binary.LittleEndian, sum)
			}
			for _, v := range rr.Values() {
				h.Write([]byte{byte(len(v))})
				h.Write(v)
			}
			if ordered {
				sum = h.Sum64()
			} else {
				sum += h.Sum64()
			}
		}
	}
	err := r.Close()
	return fmt.Sprintf("%d rows, %016x", rows, sum), time.Since(began), err
}

// openFiles counts files of dir that are there or still open.
func openFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return nil
	})
	open, _ := os.ReadDir("/proc/self/fd") // elsewhere there is none
	for _, f := range open {
		if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && strings.HasPrefix(to, dir) {
			n++
		}
	}
	return n
}
