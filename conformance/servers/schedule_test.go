package servers

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

var (
	schedules    = flag.Int("schedules", seeds.Amount(24, 200), "how many random schedules TestSchedules runs")
	scheduleSeed = flag.Uint64("schedules.seed", 0, "seed of the first of TestSchedules; 0 takes that of internal/seeds")
)

// A schedule is what happens to a few members of one store: the first makes a statement, and at
// one of its store calls is stopped for up to three leases, or killed, or that call alone is kept
// back so long. The others write all the while, and one of them changes the catalog too.
type schedule struct {
	seed      uint64
	members   int
	statement string // of the first
	meanwhile string // of the second, when something has happened to the first
	how       string // "stop", "hold", "kill"
	at        int    // the store call of the first at which it happens
	pause     time.Duration
}

func (s schedule) String() string {
	return fmt.Sprintf("seed %d: %d members, %q: %s at call %d for %v, meanwhile %q", s.seed, s.members, s.statement, s.how, s.at, s.pause, s.meanwhile)
}

// scheduled are statements that change the table t that is written, or lean on what they change.
var scheduled = []string{
	"ALTER TABLE t SET SALT_BUCKETS = 5",
	"CREATE INDEX t_w ON t (w)",
	"CREATE UNIQUE INDEX t_u ON t (v, k) SALT_BUCKETS = 3",
	"TRUNCATE t",
	"ALTER TABLE t ALTER w SET NOT NULL",
	"ALTER TABLE t ADD COLUMN x INT NOT NULL DEFAULT 7",
	"ALTER TABLE t DROP COLUMN y",
	"DROP INDEX t_v",
	"ALTER TABLE t ALTER y TYPE TEXT",
	"ALTER TABLE t ADD CHECK (w >= 0)",
}

// interfering are statements that need the DDL lease, and put in order what was left before.
var interfering = []string{
	"CREATE TABLE z (k INT PRIMARY KEY)",
	"ALTER TABLE t ADD COLUMN z INT",
	"ALTER TABLE t ALTER w SET NOT NULL",
	"ALTER TABLE t SET SALT_BUCKETS = 3",
	"CREATE INDEX t_z ON t (v) INCLUDE (w)",
	"DROP INDEX t_v",
}

// draw makes a schedule of a seed.
func draw(seed uint64) schedule {
	r := rand.New(rand.NewPCG(seed, 7))
	return schedule{
		seed: seed, members: 2 + r.IntN(3), statement: scheduled[r.IntN(len(scheduled))], meanwhile: interfering[r.IntN(len(interfering))],
		how: []string{"stop", "stop", "hold", "kill"}[r.IntN(4)], at: 1 + r.IntN(70), pause: time.Duration(r.Int64N(int64(3 * memberLease))),
	}
}

// TestSchedules runs random schedules. No acknowledged row is lost, no row is without its entries,
// and no NULL is in a column that takes none.
func TestSchedules(t *testing.T) {
	seed := *scheduleSeed
	if seed == 0 {
		seed = seeds.First(t)
	}
	for i := range uint64(*schedules) {
		s := draw(seed + i)
		t.Run(fmt.Sprint(s.seed), func(t *testing.T) {
			t.Parallel()
			s.run(t)
		})
	}
}

// scheduledRow is what the only writer of a row knows of it. Values that divide by five are the
// row's absence.
type scheduledRow struct {
	acked, sent int
	began       time.Time // the statement that was acknowledged last
}

const (
	scheduledKeys    = 12 // of each writer
	scheduledWriters = 2  // of each member but the first
)

// run carries the schedule out and holds what is left against what the writers were told.
func (s schedule) run(t *testing.T) {
	ctx := context.Background()
	addr := emulator.Start(t)
	stores, dbs := make([]*fault.Store, s.members), make([]*saltsql.DB, s.members)
	for i := range dbs {
		m := openMember(t, addr, memberLease)
		stores[i], dbs[i] = m.store, m.DB
	}
	again(t, dbs[0], "CREATE TABLE IF NOT EXISTS t (k INT PRIMARY KEY, v INT NOT NULL, w INT, y INT DEFAULT 5) SALT_BUCKETS = 2")
	again(t, dbs[0], "CREATE INDEX IF NOT EXISTS t_v ON t (v)")
	rows := make([][scheduledKeys]scheduledRow, (s.members-1)*scheduledWriters)
	nulls := s.seed%3 == 0
	var writers sync.WaitGroup
	done := make(chan struct{})
	for w := range rows {
		r := rand.New(rand.NewPCG(s.seed, uint64(100+w)))
		db := dbs[1+w%(s.members-1)]
		writers.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
				}
				i := r.IntN(scheduledKeys)
				row, key := &rows[w][i], w*scheduledKeys+i
				row.sent++
				value := fmt.Sprint(row.sent)
				if nulls && r.IntN(4) == 0 {
					value = "NULL"
				}
				sql := fmt.Sprintf("UPSERT INTO t (k, v, w) VALUES (%d, %d, %s)", key, row.sent, value)
				if row.sent%5 == 0 {
					sql = fmt.Sprintf("DELETE FROM t WHERE k = %d", key)
				}
				began := time.Now()
				if _, err := db.Exec(ctx, sql); err == nil {
					row.acked, row.began = row.sent, began
				}
			}
		})
	}
	// Something happens to the first.
	rule := fault.Rule{Nth: s.at, Do: fault.Stop}
	switch s.how {
	case "hold":
		rule.Do, rule.Delay = fault.Hold, s.pause
	case "kill":
		rule.Do, rule.Err, rule.Times = fault.FailBefore, errDied, -1
	}
	stores[0].Reset()
	stores[0].Add(rule)
	var own, others time.Time // when the statements had their answers
	var ownErr, othersErr error
	var statements sync.WaitGroup
	statements.Go(func() {
		_, ownErr = dbs[0].Exec(ctx, s.statement)
		own = time.Now()
	})
	for start := time.Now(); stores[0].Fired() == 0 && time.Since(start) < 4*memberLease; {
		time.Sleep(time.Millisecond)
	}
	happened := time.Now()
	statements.Go(func() {
		_, othersErr = dbs[1].Exec(ctx, s.meanwhile)
		others = time.Now()
	})
	time.Sleep(s.pause)
	stores[0].Resume()
	statements.Wait()
	// What was left is put in order, and jobs come to their ends.
	again(t, dbs[1], "CREATE TABLE IF NOT EXISTS last (k INT PRIMARY KEY)")
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		jobs, _, err := runOne(dbs[1], "SELECT job_id, state, command, server FROM saltsql.jobs")
		if err == nil && jobs == "" {
			break
		}
		if time.Since(start) > harness.Patience {
			t.Fatalf("%v: the job does not end: %s, %v", s, jobs, err)
		}
	}
	close(done)
	writers.Wait()
	// TRUNCATE may have removed what was written before it ended, or before another was told
	// that the catalog is in order.
	var emptied time.Time
	if s.statement == "TRUNCATE t" {
		emptied = own
		if s.how == "kill" {
			emptied = happened
		} else if ownErr != nil && others.Before(own) {
			emptied = others
		}
	}
	s.check(t, dbs[1], rows, emptied)
	if t.Failed() {
		t.Logf("%v: it said %v, and the other %v", s, ownErr, othersErr)
	}
}

// again makes a statement until it is made: on a machine that is busy a server may lose its lease.
func again(t *testing.T, db *saltsql.DB, sql string) {
	t.Helper()
	await(t, sql, func() bool {
		_, err := db.Exec(context.Background(), sql)
		return err == nil
	})
}

// check holds what a server gives against what the writers were told. Rows that were written
// before emptied may be gone.
func (s schedule) check(t *testing.T, db *saltsql.DB, rows [][scheduledKeys]scheduledRow, emptied time.Time) {
	ctx := context.Background()
	answer, err := db.Query(ctx, "SELECT k, v FROM t")
	if err != nil {
		t.Fatalf("%v: %v", s, err)
	}
	got := map[int]int{}
	for answer.Next() {
		var k, v int64
		if err := answer.Scan(&k, &v); err != nil {
			t.Fatal(err)
		}
		if _, twice := got[int(k)]; twice {
			t.Errorf("%v: row %d twice", s, k)
		}
		got[int(k)] = int(v)
	}
	if err := answer.Close(); err != nil {
		t.Errorf("%v: %v", s, err)
	}
	for w := range rows {
		for i, row := range rows[w] {
			v, there := got[w*scheduledKeys+i]
			ok := !there && row.began.Before(emptied)
			for n := row.acked; n <= row.sent; n++ {
				gone := n%5 == 0
				ok = ok || gone && !there || !gone && there && v == n
			}
			if !ok {
				t.Errorf("%v: row %d is %d, %v; acknowledged was %d, sent %d", s, w*scheduledKeys+i, v, there, row.acked, row.sent)
			}
		}
	}
	sess, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer sess.Close()
	checked, _, err := harness.Run(ctx, sess, "CHECK TABLE t ALL")
	if err != nil {
		t.Errorf("%v: %v", s, err)
	}
	for _, r := range checked {
		if *r[2] != "0" || *r[3] != "0" {
			t.Errorf("%v: %s of %s rows: %s missing, %s wrong: %s", s, *r[0], *r[1], *r[2], *r[3], *r[6])
		}
	}
	nulls, _, err := runOne(db, "SELECT count(*) FROM t WHERE w IS NULL AND EXISTS (SELECT 1 FROM information_schema.columns WHERE table_name = 't' AND column_name = 'w' AND is_nullable = 'NO')")
	if err != nil || strings.TrimSpace(nulls) != "0" {
		t.Errorf("%v: NULLs in a column that takes none: %s, %v", s, nulls, err)
	}
	ps, err := session.Behind(db).Catalog().Check(ctx)
	if err != nil {
		t.Errorf("%v: %v", s, err)
	}
	for _, p := range ps {
		if !p.Pending {
			t.Errorf("%v: %v", s, p)
		}
	}
}
