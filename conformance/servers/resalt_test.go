package servers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// busyTable is a table t (k, v, pad) that writers write and readers read at once. Each key
// has one writer, which counts its writes; every fifth deletes the row. What a reader
// finds must be a write that was not superseded when it began, nor begun after it ended.
type busyTable struct {
	keys   int
	begun  []atomic.Int64 // by key: the number of the write that began last
	acked  []atomic.Int64 // and of the last that was acknowledged
	writes atomic.Int64
	reads  atomic.Int64
	again  atomic.Int64 // statements answered by 40001
	hints  []string     // of the reads, by turns; nil is none
}

const (
	busyWriters = 8
	busyReaders = 4
)

func newBusyTable(keys int) *busyTable {
	return &busyTable{keys: keys, begun: make([]atomic.Int64, keys), acked: make([]atomic.Int64, keys)}
}

// serveBusy opens the servers of a store of that kind over a table t with keys rows, a tenth of
// them on Bigtable's emulator; ddl is what the table has beside.
func serveBusy(t *testing.T, store string, keys int, ddl ...string) ([]*saltsql.DB, *busyTable) {
	t.Helper()
	if store == "bigtable" {
		keys /= 10
	}
	dbs := openServers(t, store)
	execAll(t, dbs[0], append([]string{"CREATE TABLE t (k INT PRIMARY KEY, v INT NOT NULL, pad TEXT) SALT_BUCKETS = 4"}, ddl...)...)
	b := newBusyTable(keys)
	b.fill(t, dbs[0])
	for _, db := range dbs {
		awaitTable(t, db, "t")
	}
	return dbs, b
}

func deletes(n int64) bool { return n > 0 && n%5 == 0 }

// fits says that a read which began when lo was acknowledged and ended when hi had begun may
// give v, or no row.
func fits(lo, hi int64, there bool, v int64) bool {
	if there {
		return v >= lo && v <= hi && !deletes(v)
	}
	for n := lo; n <= hi; n++ {
		if deletes(n) {
			return true
		}
	}
	return false
}

// run keeps writers and readers at work until stop is closed. dbs are servers of one store.
func (b *busyTable) run(t *testing.T, dbs []*saltsql.DB, stop <-chan struct{}) (wait func()) {
	ctx := context.Background()
	var wg sync.WaitGroup
	stopped := func() bool {
		select {
		case <-stop:
			return true
		default:
			return t.Failed()
		}
	}
	open := func(i int) *saltsql.Session {
		s, err := dbs[i%len(dbs)].NewSession(saltsql.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for w := range busyWriters {
		s, r := open(w), rand.New(rand.NewPCG(1, uint64(w)))
		wg.Go(func() {
			defer s.Close()
			for !stopped() {
				k := w + busyWriters*r.IntN(b.keys/busyWriters)
				if err := b.write(ctx, s, r, k); err != nil {
					t.Errorf("writer %d, key %d: %v", w, k, err)
				}
			}
		})
	}
	for i := range busyReaders {
		s, r := open(i+1), rand.New(rand.NewPCG(2, uint64(i)))
		wg.Go(func() {
			defer s.Close()
			for n := 0; !stopped(); n++ {
				if err := b.read(ctx, s, r, n); err != nil {
					t.Errorf("reader %d: %v", i, err)
				}
			}
		})
	}
	return wg.Wait
}

// write makes the next write of a key, until it is acknowledged.
func (b *busyTable) write(ctx context.Context, s *saltsql.Session, r *rand.Rand, k int) error {
	n := b.begun[k].Add(1)
	there := !deletes(n - 1)
	sql := fmt.Sprintf("UPSERT INTO t (k, v, pad) VALUES (%d, %d, 'p')", k, n)
	want := int64(1)
	switch {
	case deletes(n):
		sql = fmt.Sprintf("DELETE FROM t WHERE k = %d", k)
	case there && r.IntN(2) == 0:
		sql = fmt.Sprintf("UPDATE t SET v = v + 1 WHERE k = %d", k)
	case there && r.IntN(2) == 0: // two conditional writes in one statement
		sql = fmt.Sprintf("INSERT INTO t VALUES (%d, %d, 'c'), (%d, 0, 'beside') ON CONFLICT (k) DO UPDATE SET v = excluded.v", k, n, -1-k)
		want = 2
	case !there && r.IntN(2) == 0:
		sql = fmt.Sprintf("INSERT INTO t VALUES (%d, %d, 'i')", k, n)
	}
	block := r.IntN(6) == 0
	for {
		tag, err := b.exec(ctx, s, sql, block)
		if err == nil {
			if tag.RowsAffected() != want {
				return fmt.Errorf("%s: %d rows", sql, tag.RowsAffected())
			}
			b.acked[k].Store(n)
			b.writes.Add(1)
			return nil
		}
		if harness.SQLState(err) != "40001" {
			return fmt.Errorf("%s: %w", sql, err)
		}
		b.again.Add(1)
	}
}

func (b *busyTable) exec(ctx context.Context, s *saltsql.Session, sql string, block bool) (saltsql.Tag, error) {
	if !block {
		return s.Exec(ctx, sql)
	}
	if _, err := s.Exec(ctx, "BEGIN"); err != nil {
		return "", err
	}
	tag, err := s.Exec(ctx, sql)
	if err != nil {
		_, _ = s.Exec(ctx, "ROLLBACK")
		return tag, err
	}
	_, err = s.Exec(ctx, "COMMIT")
	return tag, err
}

// read reads one row, a range in key order, or all.
func (b *busyTable) read(ctx context.Context, s *saltsql.Session, r *rand.Rand, n int) error {
	from := r.IntN(b.keys)
	to := from + 1
	switch {
	case n%50 == 0:
		from, to = 0, b.keys
	case n%5 == 0:
		to = min(from+20, b.keys)
	}
	lo := make([]int64, to-from)
	for i := range lo {
		lo[i] = b.acked[from+i].Load()
	}
	hint := ""
	if len(b.hints) > 0 {
		hint = b.hints[n%len(b.hints)]
	}
	sql := fmt.Sprintf("SELECT %s k, v FROM t WHERE k >= %d AND k < %d ORDER BY k", hint, from, to)
	if to == from+1 {
		sql = fmt.Sprintf("SELECT %s k, v FROM t WHERE k = %d", hint, from)
	}
	got := map[int]int64{}
	rows, err := s.Query(ctx, sql)
	if err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	last := -1
	for rows.Next() {
		var k, v int64
		if err := rows.Scan(&k, &v); err != nil {
			return err
		}
		if int(k) <= last {
			return fmt.Errorf("%s: %d after %d", sql, k, last)
		}
		last = int(k)
		got[last] = v
	}
	if err := rows.Close(); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	for i := range lo {
		v, there := got[from+i]
		if hi := b.begun[from+i].Load(); !fits(lo[i], hi, there, v) {
			return fmt.Errorf("%s: key %d: %d, %v; writes %d to %d may be seen", sql, from+i, v, there, lo[i], hi)
		}
	}
	b.reads.Add(1)
	return nil
}

// fill makes the table's first rows.
func (b *busyTable) fill(t *testing.T, db *saltsql.DB) {
	t.Helper()
	execAll(t, db, fmt.Sprintf("INSERT INTO t SELECT i, 0, 'first' FROM generate_series(0, %d) i", b.keys-1))
}

// final compares the table with what was acknowledged, once nobody writes.
func (b *busyTable) final(t *testing.T, dbs []*saltsql.DB) {
	t.Helper()
	for _, db := range dbs {
		s, err := db.NewSession(saltsql.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.read(context.Background(), s, rand.New(rand.NewPCG(3, 3)), 0); err != nil {
			t.Error(err)
		}
		s.Close()
	}
}

func execAll(t *testing.T, db *saltsql.DB, list ...string) {
	t.Helper()
	for _, sql := range list {
		if _, err := db.Exec(context.Background(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// openServers opens three servers over one emulator, or one over another store.
func openServers(t *testing.T, store string) []*saltsql.DB {
	if store != "bigtable" {
		return []*saltsql.DB{harness.Open(t, store)}
	}
	addr := emulator.Start(t)
	var dbs []*saltsql.DB
	for range 3 {
		st, err := bigtable.Open(context.Background(), bigtable.Config{Project: "p", Instance: "i", Emulator: addr})
		if err != nil {
			t.Fatal(err)
		}
		db, err := saltsql.Open(context.Background(), st, &saltsql.Options{Logger: harness.Quiet, CatalogRefresh: 20 * time.Millisecond, NoEstimates: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = db.Close()
			_ = st.Close()
		})
		dbs = append(dbs, db)
	}
	return dbs
}

// checkAll has CHECK TABLE find nothing, and no storage of before left over.
func checkAll(t *testing.T, db *saltsql.DB, table string) {
	t.Helper()
	s, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, _, err := harness.Run(context.Background(), s, "CHECK TABLE "+table+" ALL")
	if err != nil {
		t.Errorf("CHECK TABLE: %v", err)
	}
	for _, r := range rows {
		if *r[2] != "0" || *r[3] != "0" || *r[4] != "0" || *r[5] != "0" {
			t.Errorf("CHECK TABLE: %s of %s rows: %s missing, %s wrong, %s stale, %s duplicates: %s", *r[0], *r[1], *r[2], *r[3], *r[4], *r[5], *r[7])
		}
	}
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		ps, err := session.Behind(db).Catalog().Check(context.Background())
		if err == nil && len(ps) == 0 {
			return
		}
		if time.Since(start) > harness.Patience {
			t.Errorf("the catalog: %v, %v", ps, err)
			return
		}
	}
}

// TestResaltWhileServing changes SALT_BUCKETS from 4 to 16 to 5 and to none while eight
// writers and four readers work.
func TestResaltWhileServing(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	for store := range harness.Stores {
		t.Run(store, func(t *testing.T) {
			dbs, b := serveBusy(t, store, 4000, "CREATE INDEX ON t (v)", "CREATE UNIQUE INDEX t_kv ON t (k) INCLUDE (v) SALT_BUCKETS = 3")
			b.hints = []string{"/*+ NO_INDEX(t) */", "/*+ INDEX(t t_kv) */", "/*+ INDEX(t t_kv) */"}
			stop := make(chan struct{})
			wait := b.run(t, dbs, stop)
			p := newPace(b)
			for _, n := range []string{"SALT_BUCKETS = 16", "(SALT_BUCKETS = 5, SALT_COLUMNS = (k))", "SALT_BUCKETS = 0", "(SALT_BUCKETS = 5)"} {
				p.during(t, "ALTER TABLE t SET "+n, func(sql string) error { return execRated(dbs[0], p.rate(), sql) })
			}
			p.log(t)
			close(stop)
			wait()
			t.Logf("%d writes, %d reads, %d repeated by 40001", b.writes.Load(), b.reads.Load(), b.again.Load())
			b.final(t, dbs)
			text, _, err := runOne(dbs[0], "SHOW CREATE TABLE t")
			if err != nil || !strings.Contains(text, "SALT_BUCKETS = 5") {
				t.Errorf("%v %v", text, err)
			}
			for _, db := range dbs {
				checkAll(t, db, "t")
			}
		})
	}
}

func runOne(db *saltsql.DB, sql string) (text, tag string, err error) {
	s, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		return "", "", err
	}
	defer s.Close()
	rows, tag, err := harness.Run(context.Background(), s, sql)
	for _, r := range rows {
		for _, c := range r {
			if c != nil {
				text += *c + " "
			}
		}
	}
	return text, tag, err
}

// awaitTable waits until a server knows a table.
func awaitTable(t *testing.T, db *saltsql.DB, table string) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		_, err := db.Exec(context.Background(), "SELECT count(*) FROM "+table)
		if err == nil {
			return
		}
		if time.Since(start) > harness.Patience {
			t.Fatal(err)
		}
	}
}

// TestResaltCanceled cancels changes of salt, by the statement's context and by
// saltsql.cancel_job: the table is as it was, and nothing is left over.
func TestResaltCanceled(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	for store := range harness.Stores {
		t.Run(store, func(t *testing.T) {
			dbs := openServers(t, store)
			db := dbs[0]
			execAll(t, db, "CREATE TABLE t (k INT PRIMARY KEY, v INT NOT NULL, pad TEXT) SALT_BUCKETS = 4")
			b := newBusyTable(2000)
			b.fill(t, db)
			for _, db := range dbs {
				awaitTable(t, db, "t")
			}
			stop := make(chan struct{})
			wait := b.run(t, dbs, stop)
			slow := "SET saltsql.backfill_rows_per_second = 100; ALTER TABLE t SET SALT_BUCKETS = 9"

			ended := make(chan error, 1)
			begin := func(ctx context.Context) { // and wait until rows are copied
				t.Helper()
				go func() {
					_, err := db.Exec(ctx, slow)
					ended <- err
				}()
				job := ""
				for start := time.Now(); job == "" && time.Since(start) < harness.Patience; time.Sleep(20 * time.Millisecond) {
					var err error
					if job, _, err = runOne(db, "SELECT job_id, table_name, state, rows_per_second FROM saltsql.jobs WHERE rows_done > 0"); err != nil {
						t.Error(err)
					}
				}
				if !strings.HasSuffix(job, " t copying 100 ") {
					t.Errorf("saltsql.jobs: %q", job)
				}
			}
			ctx, cancel := context.WithCancel(context.Background())
			begin(ctx)
			cancel()
			if err := <-ended; harness.SQLState(err) != "57014" {
				t.Errorf("canceled: %v", err)
			}
			begin(context.Background())
			refused := map[string]string{
				"ALTER TABLE t SET SALT_BUCKETS = 3":   "55006",
				"ALTER TABLE t SET TTL = 1000":         "55006",
				"ALTER TABLE t ADD COLUMN other.c INT": "55006",
				"ALTER TABLE t ADD COLUMN plain INT":   "00000",
			}
			if len(dbs) > 1 { // alone, a server does it
				refused["TRUNCATE t"] = "55006"
			}
			for sql, code := range refused {
				if _, err := db.Exec(context.Background(), sql); err == nil && code != "00000" || err != nil && harness.SQLState(err) != code {
					t.Errorf("%s: %v", sql, err)
				}
			}
			if done, _, err := runOne(dbs[len(dbs)-1], "SELECT saltsql.cancel_job(job_id) FROM saltsql.jobs"); done != "t " || err != nil {
				t.Errorf("cancel_job: %q, %v", done, err)
			}
			if err := <-ended; harness.SQLState(err) != "57014" {
				t.Errorf("canceled job: %v", err)
			}
			close(stop)
			wait()
			b.final(t, dbs)
			text, _, err := runOne(db, "SHOW CREATE TABLE t")
			if err != nil || !strings.Contains(text, "SALT_BUCKETS = 4") {
				t.Errorf("%v %v", text, err)
			}
			checkAll(t, db, "t")
			execAll(t, db, "DROP TABLE t")
		})
	}
}

// TestCheckWhileSaltChanges has CHECK TABLE find nothing of a table that is written while its
// salt changes, and repair nothing that is right.
func TestCheckWhileSaltChanges(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	for store := range harness.Stores {
		t.Run(store, func(t *testing.T) {
			dbs, b := serveBusy(t, store, 1000, "CREATE INDEX t_v ON t (v) INCLUDE (pad)", "CREATE UNIQUE INDEX t_kv ON t (k) INCLUDE (v) SALT_BUCKETS = 3")
			b.hints = []string{"/*+ NO_INDEX(t) */", "/*+ INDEX(t t_kv) */"}
			stop := make(chan struct{})
			wait := b.run(t, dbs, stop)
			salted := make(chan error, 1)
			go func() {
				for n := range 6 {
					if _, err := dbs[0].Exec(context.Background(), fmt.Sprintf("ALTER TABLE t SET SALT_BUCKETS = %d", n*3%7)); err != nil {
						salted <- err
						return
					}
				}
				salted <- nil
			}()
			checks := 0
			for over := false; !over; {
				select {
				case err := <-salted:
					if err != nil {
						t.Error(err)
					}
					over = true
				default:
				}
				sql := "CHECK TABLE t ALL"
				if checks%2 == 1 {
					sql += " REPAIR"
				}
				checks++
				s, err := dbs[len(dbs)-1].NewSession(saltsql.SessionOptions{})
				if err != nil {
					t.Fatal(err)
				}
				rows, _, err := harness.Run(context.Background(), s, sql)
				s.Close()
				if err != nil && harness.SQLState(err) != "40001" {
					t.Errorf("%s: %v", sql, err)
				}
				for _, r := range rows {
					if *r[2] != "0" || *r[3] != "0" || *r[4] != "0" || *r[5] != "0" {
						t.Errorf("%s: %s of %s rows: %s missing, %s wrong, %s stale, %s duplicates: %s", sql, *r[0], *r[1], *r[2], *r[3], *r[4], *r[5], *r[7])
					}
				}
			}
			close(stop)
			wait()
			t.Logf("%d checks, %d writes, %d reads", checks, b.writes.Load(), b.reads.Load())
			b.final(t, dbs)
			checkAll(t, dbs[0], "t")
		})
	}
}
