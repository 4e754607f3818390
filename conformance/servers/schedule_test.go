package servers

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/test/bufconn"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
	"github.com/saltsql/saltsql/storage/storagetest/lossy"
	"github.com/saltsql/saltsql/storage/txn"
)

var (
	schedules    = flag.Int("schedules", seeds.Amount(20, 500), "how many random schedules TestSchedules runs")
	scheduleSeed = flag.Uint64("schedules.seed", 0, "seed of the first of TestSchedules; 0 takes that of internal/seeds")
	// schedulesAtOnce run side by side: each has a time of its own, and waits for nothing.
	schedulesAtOnce = flag.Int("schedules.parallel", runtime.GOMAXPROCS(0), "how many schedules run at once")
)

// scheduledBefore are seeds of schedules that have found a fault.
var scheduledBefore = []uint64{
	1002411, // a TRUNCATE of an index that is gone was never ended, and the table stayed frozen
}

// TestSchedulesBefore runs the schedules that have found a fault.
func TestSchedulesBefore(t *testing.T) {
	t.Cleanup(txn.TestGrace(scheduledGrace))
	var ts traces
	for _, seed := range scheduledBefore {
		for range 4 { // what runs at one moment is not drawn from a seed
			for _, what := range draw(t, &ts, seed).run(t) {
				t.Error(what)
			}
		}
	}
}

// TestSchedules runs random schedules. No acknowledged row is lost, no row is without its entries,
// no NULL is in a column that takes none, and no value of a sequence is given twice.
func TestSchedules(t *testing.T) {
	t.Cleanup(txn.TestGrace(scheduledGrace))
	seed := *scheduleSeed
	if seed == 0 {
		seed = seeds.First(t)
	}
	var ts traces
	each(*schedules, func(i int) {
		t.Run(fmt.Sprint(seed+uint64(i)), func(t *testing.T) {
			for _, what := range draw(t, &ts, seed+uint64(i)).run(t) {
				t.Error(what)
			}
		})
	})
}

// each does something for 0 to n-1, schedulesAtOnce at a time.
func each(n int, do func(i int)) {
	var all sync.WaitGroup
	var next atomic.Int64
	for range *schedulesAtOnce {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
}

// scheduledRow is what the only writer of a row knows of it. Values that divide by five are the
// row's absence.
type scheduledRow struct {
	acked, sent int
	began       time.Time // the statement that was acknowledged last
}

const (
	// scheduledGrace is for how long CREATE INDEX waits for writes of a server that was killed: longer
	// than any write here takes.
	scheduledGrace   = 40 * time.Second
	scheduledKeys    = 12 // of each writer
	scheduledWriters = 2  // of each member
	scheduledOnce    = 1_000_000
	scheduledEnd     = time.Hour             // for what a closed member ends by and by
	scheduledPause   = 60 * time.Millisecond // at most, between the writes of one
)

// findings are what a schedule has lost.
type findings struct {
	mu   sync.Mutex
	list []string
}

func (f *findings) add(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, fmt.Sprintf(format, args...))
}

// run carries the schedule out, and says what it has lost. Its time is its own (testing/synctest): it
// goes on where all wait, so that leases cost nothing, and no machine is too slow for one.
func (s schedule) run(t *testing.T) (lost []string) {
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { time.Sleep(scheduledEnd) })
		lost = s.carryOut(t)
	})
	return lost
}

// carryOut carries the schedule out and holds what is left against what the writers were told.
func (s schedule) carryOut(t *testing.T) []string {
	ctx := context.Background()
	network := bufconn.Listen(wireBytes)
	emulator.Serve(t, network)
	stores, dbs, proxies := make([]*fault.Store, s.members), make([]*member, s.members), make([]*lossy.Proxy, s.members)
	for i := range dbs {
		lease := memberLease
		if s.hasty && i == 0 { // whose lease is the store's
			lease *= 3
		}
		dbs[i], proxies[i] = openOver(t, network, s.seed+uint64(i), lease)
		stores[i] = dbs[i].store
	}
	again(t, dbs[0].DB, "CREATE TABLE IF NOT EXISTS t (k INT PRIMARY KEY, v INT NOT NULL, w INT, y INT DEFAULT 5) SALT_BUCKETS = 2")
	again(t, dbs[0].DB, "CREATE INDEX IF NOT EXISTS t_v ON t (v)")
	again(t, dbs[0].DB, "CREATE SEQUENCE IF NOT EXISTS q CACHE 3")
	var lost findings
	w := writers{rows: make([][scheduledKeys]scheduledRow, s.members*scheduledWriters), drawn: map[string]bool{}, done: make(chan struct{}), happened: make(chan struct{})}
	w.once = make([][]*scheduledRow, len(w.rows))
	for i := range w.rows {
		r := rand.New(rand.NewPCG(s.seed, uint64(100+i)))
		done := w.done
		if i%s.members == 0 {
			done = w.happened // what the first has begun then is to be found as it was left
		}
		w.all.Go(func() { w.write(dbs[i%s.members].DB, i, r, s.nulls(), done, &lost) })
	}
	if s.lossy {
		for i, p := range proxies {
			p.Set(lossy.Faults{Seed: s.seed + uint64(i), Lose: 300, Drop: 500, Delay: 1, Wait: 2 * scheduledWay})
		}
	}
	if s.idle {
		for _, st := range stores[1:] {
			st.Add(fault.Rule{Op: storage.OpCheckAndMutate, Times: -1, If: func(key []byte) bool { return strings.HasPrefix(string(key), versions.JobPrefix) }})
		}
	}
	if s.slow {
		stores[1].Add(fault.Rule{Op: storage.OpTruncate, Times: -1, Do: fault.Hold, Delay: memberLease / 4},
			fault.Rule{Op: storage.OpCheckAndMutate, Times: -1, Do: fault.Hold, Delay: memberLease / 20, If: func(key []byte) bool { return string(key) == versions.RootKey }})
	}
	// Something happens to the first.
	physical := dbs[0].table("t").Physical
	stores[0].Reset()
	stores[0].Add(s.rules(physical)...)
	var own, others time.Time // when the statements had their answers
	var ownErr, othersErr error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, ownErr = dbs[0].Exec(ctx, s.statement)
		own = time.Now()
	}()
	for over := false; stores[0].Fired() == 0 && !over; {
		select {
		case <-ended:
			over = true
		case <-time.After(time.Millisecond):
		}
	}
	happened := time.Now()
	close(w.happened)
	second := make(chan struct{})
	go func() {
		defer close(second)
		_, othersErr = dbs[1].Exec(ctx, s.meanwhile)
		others = time.Now()
	}()
	if s.after {
		select {
		case <-second:
		case <-time.After(6 * memberLease):
		}
	}
	time.Sleep(s.pause)
	stores[0].Resume()
	<-ended
	<-second
	if s.how != "kill" {
		stores[0].Reset()
		stores[0].Resume()
	}
	for i, p := range proxies {
		p.Set(lossy.Faults{})
		if i > 0 {
			stores[i].Reset()
		}
	}
	// What was left is put in order, and jobs come to their ends.
	again(t, dbs[1].DB, "CREATE TABLE IF NOT EXISTS last (k INT PRIMARY KEY)")
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		jobs, _, err := runOne(dbs[1].DB, "SELECT job_id, state, command, server FROM saltsql.jobs")
		if err == nil && jobs == "" {
			break
		}
		if time.Since(start) > harness.Patience {
			lost.add("the job does not end: %s, %v", jobs, err)
			break
		}
	}
	stores[0].Resume() // a call may have met the rule as it was taken away
	close(w.done)
	w.all.Wait()
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
	s.check(t, dbs[1].DB, &w, emptied, &lost)
	if len(lost.list) > 0 {
		lost.add("%v: it said %v, and the other %v", s, ownErr, othersErr)
	}
	return lost.list
}

// writers write rows of their own all the while, and draw from a sequence.
type writers struct {
	all            sync.WaitGroup
	done, happened chan struct{}
	rows           [][scheduledKeys]scheduledRow
	once           [][]*scheduledRow // of each, numbered from scheduledOnce times its own number, counted from 1
	mu             sync.Mutex
	drawn          map[string]bool
}

// write is one of them.
func (w *writers) write(db *saltsql.DB, which int, r *rand.Rand, nulls bool, done chan struct{}, lost *findings) {
	for {
		select {
		case <-done:
			return
		case <-time.After(time.Duration(r.Int64N(int64(scheduledPause)))):
		}
		if r.IntN(8) == 0 {
			w.draw(db, lost)
			continue
		}
		// One of two rows is written once: what becomes of it nobody covers up.
		var row *scheduledRow
		i := r.IntN(scheduledKeys)
		key := which*scheduledKeys + i
		if row = &w.rows[which][i]; r.IntN(2) == 0 {
			key, row = scheduledOnce*(which+1)+len(w.once[which]), new(scheduledRow)
			w.once[which] = append(w.once[which], row)
		}
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
		if _, err := db.Exec(context.Background(), sql); err == nil {
			row.acked, row.began = row.sent, began
		}
	}
}

// draw takes a value of the sequence, which nobody else has.
func (w *writers) draw(db *saltsql.DB, lost *findings) {
	v, _, err := runOne(db, "SELECT nextval('q')")
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.drawn[v] {
		lost.add("the sequence gave %s twice", v)
	}
	w.drawn[v] = true
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
func (s schedule) check(t *testing.T, db *saltsql.DB, w *writers, emptied time.Time, lost *findings) {
	ctx := context.Background()
	sess, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer sess.Close()
	// On a busy machine a server loses touch now and then, and nothing by it.
	read := func(sql string) (rows [][]*string) {
		for try := 0; ; try++ {
			rows, _, err := harness.Run(ctx, sess, sql)
			if err == nil || harness.SQLState(err) != "57P03" || try == 100 {
				if err != nil {
					lost.add("%s: %v", sql, err)
				}
				return rows
			}
			time.Sleep(memberLease / 100)
		}
	}
	got := map[int]int{}
	for _, r := range read("SELECT k, v FROM t") {
		k, _ := strconv.Atoi(*r[0])
		v, _ := strconv.Atoi(*r[1])
		if _, twice := got[k]; twice {
			lost.add("row %d twice", k)
		}
		got[k] = v
	}
	held := func(k int, row *scheduledRow) {
		v, there := got[k]
		ok := !there && row.began.Before(emptied)
		for n := row.acked; n <= row.sent; n++ {
			gone := n%5 == 0
			ok = ok || gone && !there || !gone && there && v == n
		}
		if !ok {
			lost.add("row %d is %d, %v; acknowledged was %d, sent %d", k, v, there, row.acked, row.sent)
		}
	}
	for i := range w.rows {
		for k := range w.rows[i] {
			held(i*scheduledKeys+k, &w.rows[i][k])
		}
		for k, row := range w.once[i] {
			held(scheduledOnce*(i+1)+k, row)
		}
	}
	for _, r := range read("CHECK TABLE t ALL") {
		if *r[2] != "0" || *r[3] != "0" {
			lost.add("%s of %s rows: %s missing, %s wrong: %s", *r[0], *r[1], *r[2], *r[3], *r[6])
		}
	}
	for _, r := range read("SELECT count(*) FROM t WHERE w IS NULL AND EXISTS (SELECT 1 FROM information_schema.columns WHERE table_name = 't' AND column_name = 'w' AND is_nullable = 'NO')") {
		if *r[0] != "0" {
			lost.add("%s NULLs in a column that takes none", *r[0])
		}
	}
	ps, err := session.Behind(db).Catalog().Check(ctx)
	if err != nil {
		lost.add("%v", err)
	}
	for _, p := range ps {
		if !p.Pending {
			lost.add("%v", p)
		}
	}
}
