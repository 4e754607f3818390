package servers

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

var resaltKills = flag.Int("resalt.kills", 4, "how often TestResaltKilledServers and TestIndexJobKilledServers kill or stop a server")

// killedRow is what the only writer of a row knows of it.
type killedRow struct {
	acked int // the last value acknowledged; 0 is no row
	begun int // the last value sent, of which nobody knows
}

// TestResaltKilledServers kills or stops one of three servers over one store, again and again,
// while they change the salt of the table that their clients write. What was acknowledged is
// there in the end, on every server, and each change has come to its end.
func TestResaltKilledServers(t *testing.T) {
	seeds.Sometimes(t)
	killServers(t, "CREATE INDEX t_v2 ON t (v); CREATE UNIQUE INDEX t_u ON t (id) INCLUDE (v) SALT_BUCKETS = 3; CREATE INDEX other_v2 ON other (v)", func(r *rand.Rand, table string, rows int) string {
		return fmt.Sprintf("SET saltsql.backfill_rows_per_second = %d; ALTER TABLE %s SET SALT_BUCKETS = %d", rows, table, r.IntN(17))
	})
}

// TestIndexJobKilledServers is TestResaltKilledServers of servers that make and drop indexes.
func TestIndexJobKilledServers(t *testing.T) {
	seeds.Sometimes(t)
	killServers(t, "", func(r *rand.Rand, table string, rows int) string {
		if r.IntN(3) == 0 {
			return fmt.Sprintf("DROP INDEX IF EXISTS %s_v", table)
		}
		return fmt.Sprintf("SET saltsql.backfill_rows_per_second = %d; CREATE UNIQUE INDEX IF NOT EXISTS %s_v ON %s (v, id)", rows, table, table)
	})
}

// killServers kills servers of which clients make changes of tables, each of about so many rows;
// indexes makes those that the tables have besides.
func killServers(t *testing.T, indexes string, change func(r *rand.Rand, table string, rows int) string) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	ctx := context.Background()
	seed := seeds.First(t)
	rng := rand.New(rand.NewPCG(seed, 1))
	const lease = 2 * time.Second
	t.Setenv("BIGTABLE_EMULATOR_HOST", emulator.Start(t))
	start := func() *harness.Process {
		return harness.Start(t, testInstance, "--catalog-refresh", "50ms", "--lease", lease.String())
	}
	servers := make([]atomic.Pointer[harness.Process], 3)
	for i := range servers {
		servers[i].Store(start())
	}
	admin := servers[0].Load().Connect(t)
	harness.MustExec(t, admin, "CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL) SALT_BUCKETS = 4")
	harness.MustExec(t, admin, "CREATE TABLE other (id INT PRIMARY KEY, v INT NOT NULL)")
	if indexes != "" {
		harness.MustExec(t, admin, indexes)
	}
	harness.MustExec(t, admin, "INSERT INTO other SELECT i, 1 FROM generate_series(1, 300) i")

	const writers, each = 6, 40
	rows := make([][each]killedRow, writers)
	stop := make(chan struct{})
	stopped := func() bool {
		select {
		case <-stop:
			return true
		default:
			return t.Failed()
		}
	}
	var wg sync.WaitGroup
	var writes, salts atomic.Int64
	connect := func(r *rand.Rand) *pgx.Conn {
		for !stopped() {
			p := servers[r.IntN(len(servers))].Load()
			c, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable connect_timeout=2", p.Host, p.Port))
			if err == nil {
				return c
			}
			time.Sleep(20 * time.Millisecond)
		}
		return nil
	}
	for w := range writers {
		r := rand.New(rand.NewPCG(seed, uint64(10+w)))
		wg.Go(func() {
			var c *pgx.Conn
			for !stopped() {
				if c == nil {
					if c = connect(r); c == nil {
						return
					}
				}
				i := r.IntN(each)
				row := &rows[w][i]
				row.begun = max(row.begun, row.acked) + 1
				sql := fmt.Sprintf("UPSERT INTO t VALUES (%d, %d)", w*each+i, row.begun)
				if row.begun%4 == 0 {
					sql = fmt.Sprintf("DELETE FROM t WHERE id = %d", w*each+i)
				}
				_, err := c.Exec(ctx, sql)
				switch state := harness.SQLState(err); {
				case err == nil:
					row.acked = row.begun
					writes.Add(1)
				case state == "40001" || state == "40003" || state == "42P01" || state == "57P03" || state == "08006":
				case state != "":
					t.Errorf("%s: %v", sql, err)
				default: // the server died
					c.Close(ctx)
					c = nil
				}
			}
			if c != nil {
				c.Close(ctx)
			}
		})
	}
	for i := range 2 {
		r := rand.New(rand.NewPCG(seed, uint64(50+i)))
		wg.Go(func() {
			table, n := []string{"t", "other"}[i], []int{240, 300}[i]
			var c *pgx.Conn
			for !stopped() {
				if c == nil {
					if c = connect(r); c == nil {
						return
					}
				}
				sql := change(r, table, n)
				short, cancel := context.WithTimeout(ctx, harness.Patience)
				_, err := c.Exec(short, sql)
				cancel()
				if err == nil {
					salts.Add(1)
				} else if harness.SQLState(err) == "" {
					c.Close(ctx)
					c = nil
				}
				time.Sleep(10 * time.Millisecond)
			}
			if c != nil {
				c.Close(ctx)
			}
		})
	}
	for range *resaltKills {
		time.Sleep(time.Duration(rng.IntN(2500)) * time.Millisecond)
		i := rng.IntN(len(servers))
		if rng.IntN(2) == 0 {
			// It goes on when its lease is over, in the middle of what it was doing.
			servers[i].Load().Pause(t, lease*3/2)
			continue
		}
		servers[i].Load().Kill()
		servers[i].Store(start())
	}
	time.Sleep(3 * time.Second)
	close(stop)
	wg.Wait()
	last := servers[rng.IntN(len(servers))].Load().Connect(t)
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		var jobs int
		if err := last.QueryRow(ctx, "SELECT count(*)::int FROM saltsql.jobs").Scan(&jobs); err != nil {
			t.Fatal(err)
		}
		if jobs == 0 {
			break
		}
		if time.Since(begun) > harness.Patience {
			t.Fatalf("%d jobs have not ended", jobs)
		}
	}
	for i := range servers {
		c := servers[i].Load().Connect(t)
		got, err := killedRows(ctx, c)
		for begun := time.Now(); harness.SQLState(err) == "40001" && time.Since(begun) < harness.Patience; { // the last job ended just now
			got, err = killedRows(ctx, c)
		}
		if err != nil {
			t.Fatal(err)
		}
		for w := range rows {
			for k, row := range rows[w] {
				v, there := got[w*each+k]
				ok := false
				for n := row.acked; n <= row.begun; n++ {
					gone := n%4 == 0
					ok = ok || gone != there && (gone || n == v)
				}
				if !ok {
					t.Errorf("server %d, row %d: %d, %v; acknowledged was %d, sent up to %d", i, w*each+k, v, there, row.acked, row.begun)
				}
			}
		}
		for _, table := range []string{"t", "other"} {
			check, err := c.Query(ctx, "CHECK TABLE "+table+" ALL")
			if err != nil {
				t.Fatal(err)
			}
			for check.Next() {
				vals, err := check.Values()
				if err != nil {
					t.Fatal(err)
				}
				if s := fmt.Sprintf("%v %v %v", vals[2], vals[3], vals[5]); s != "0 0 0" { // stale are marks of a server that was killed
					t.Errorf("server %d: CHECK TABLE %s: %v", i, table, vals)
				}
			}
			if err := check.Err(); err != nil {
				t.Error(err)
			}
			sums := map[string]string{}
			for _, hint := range []string{"NO_INDEX(" + table + ")", "INDEX(" + table + " " + table + "_v2)", "INDEX(" + table + " " + table + "_u)"} {
				var sum string
				if err := c.QueryRow(ctx, "SELECT /*+ "+hint+" */ concat_ws(' ', count(*), sum(v), sum(id)) FROM "+table+" WHERE v >= 0 AND id >= 0").Scan(&sum); err != nil {
					t.Error(err)
				}
				sums[sum] += hint + " "
			}
			if len(sums) != 1 {
				t.Errorf("server %d: %v", i, sums)
			}
		}
		var n int
		if err := c.QueryRow(ctx, "SELECT sum(v)::int FROM other").Scan(&n); err != nil || n != 300 {
			t.Errorf("other: %d, %v", n, err)
		}
	}
	for i := range servers {
		servers[i].Load().Stop(t)
	}
	st, err := bigtable.Open(ctx, bigtable.Config{Project: "test", Instance: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	c, err := live.Open(ctx, st, live.Serving(st), live.OpenOptions{Lease: lease})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		ps, err := c.Check(ctx)
		if err == nil && len(ps) == 0 {
			break
		}
		if time.Since(begun) > harness.Patience {
			t.Errorf("the catalog: %v %v", ps, err)
			break
		}
	}
	t.Logf("%d kills and stops, %d writes acknowledged, %d changes", *resaltKills, writes.Load(), salts.Load())
	if salts.Load() == 0 || writes.Load() < 100 {
		t.Error("hardly anything was tested")
	}
}

// killedRows reads the table whose servers were killed.
func killedRows(ctx context.Context, c *pgx.Conn) (map[int]int, error) {
	got := map[int]int{}
	read, err := c.Query(ctx, "SELECT id, v FROM t ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer read.Close()
	for read.Next() {
		var id, v int
		if err := read.Scan(&id, &v); err != nil {
			return nil, err
		}
		got[id] = v
	}
	return got, read.Err()
}
