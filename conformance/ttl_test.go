package conformance

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	core "github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/pebble"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// stillClock stands until it is moved.
type stillClock struct{ ms atomic.Int64 }

func newStillClock() *stillClock {
	c := &stillClock{}
	c.ms.Store(time.Now().UnixMilli())
	return c
}

func (c *stillClock) now() time.Time { return time.UnixMilli(c.ms.Load()) }

func (c *stillClock) add(d time.Duration) { c.ms.Add(d.Milliseconds()) }

// ttlStore is a store whose clock is moved by hand. late is for how long after
// its TTL it keeps a cell at least.
type ttlStore struct {
	storage.Store
	clock *stillClock
	late  time.Duration
}

func openTTLStore(t *testing.T, kind string) (ttlStore, *saltsql.DB) {
	t.Helper()
	ctx := context.Background()
	s := ttlStore{clock: newStillClock()}
	var err error
	switch kind {
	case "mem":
		s.Store = mem.New(mem.WithClock(s.clock.now))
	case "pebble":
		s.Store, err = pebble.Open("store", &pebble.Options{FS: vfs.NewMem(), CacheBytes: 1 << 20, Logger: harness.Quiet, Now: s.clock.now, SweepInterval: time.Millisecond})
	case "bigtable":
		s.late = storage.CollectAfter
		s.Store, err = bigtable.Open(ctx, bigtable.Config{Project: "p", Instance: "i", Emulator: emulator.Start(t)})
	}
	if err != nil {
		t.Fatal(err)
	}
	if s.Store.Caps().Clock {
		clocked := fault.Wrap(s.Store)
		clocked.SetClock(s.clock.now)
		s.Store = clocked
	}
	t.Cleanup(func() { _ = s.Store.Close() })
	db, err := saltsql.Open(ctx, s.Store, &saltsql.Options{Logger: harness.Quiet, Now: s.clock.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return s, db
}

// collect removes what the store may: each cell that is past its TTL, or not,
// by chance.
func (s ttlStore) collect(t *testing.T, table *storageTable, r *rand.Rand) {
	t.Helper()
	if table.ttl == 0 {
		return
	}
	ctx := context.Background()
	tb := s.Table(table.name)
	sc, err := tb.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Close()
	oldest := s.clock.now().Add(-table.ttl - s.late).UnixMicro()
	var rows []storage.RowMutation
	for rb := new(storage.RowBatch); sc.Next(rb) == nil; {
		for i := range rb.Len() {
			row := storage.RowMutation{Key: slices.Clone(rb.Key(i))}
			for j := range rb.NumCells(i) {
				if c := rb.Cell(i, j); c.Timestamp < oldest && r.IntN(2) == 0 {
					row.Mutations = append(row.Mutations, storage.Mutation{Op: storage.DeleteCell, Family: c.Family, Qualifier: slices.Clone(c.Qualifier)})
				}
			}
			if len(row.Mutations) > 0 {
				rows = append(rows, row)
			}
		}
	}
	if err := tb.Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// storageTable is a table as the store has it.
type storageTable struct {
	name string
	ttl  time.Duration
}

// TestTTLOfPartRows: an UPDATE renews the row and not only what it sets.
func TestTTLOfPartRows(t *testing.T) {
	for _, kind := range []string{"mem", "pebble", "bigtable"} {
		t.Run(kind, func(t *testing.T) {
			ctx := context.Background()
			s, db := openTTLStore(t, kind)
			session, err := db.NewSession(saltsql.SessionOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			must := func(sql string) string {
				t.Helper()
				rows, _, err := harness.Run(ctx, session, sql)
				if err != nil {
					t.Fatalf("%s: %v", sql, err)
				}
				return rowsText(rows)
			}
			must("CREATE TABLE t (k INT PRIMARY KEY, a INT NOT NULL, b INT) TTL = 100")
			must("INSERT INTO t VALUES (1, 10, 1), (2, 20, 2)")
			s.clock.add(60 * time.Second)
			must("UPDATE t SET b = 7 WHERE k = 1")
			must("UPSERT INTO t (k, b) VALUES (2, 8)")
			s.clock.add(60 * time.Second)
			if got := must("SELECT * FROM t ORDER BY k"); got != "1|10|7\n2|20|8\n" {
				t.Fatalf("at 120 s: %q", got)
			}
			s.clock.add(60 * time.Second)
			if got := must("SELECT * FROM t ORDER BY k"); got != "" {
				t.Fatalf("at 180 s: %q", got)
			}
			if got := must("EXPLAIN UPSERT INTO t (k, b) VALUES (2, 8)"); !strings.Contains(got, "read first, whole rows for their TTL") {
				t.Error(got)
			}
			if got := must("EXPLAIN UPSERT INTO t VALUES (2, 8, 8)"); !strings.Contains(got, "Write: blind") {
				t.Error(got)
			}
		})
	}
}

func rowsText(rows [][]*string) string {
	var b strings.Builder
	for _, row := range rows {
		for i, v := range row {
			if i > 0 {
				b.WriteByte('|')
			}
			if v == nil {
				b.WriteString("NULL")
			} else {
				b.WriteString(*v)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// ttlRow is a row of the model; nil is NULL.
type ttlRow struct {
	vals [4]*string // a, b, c, d
	at   int64      // ms, of its last write
}

// ttlModel runs statements on a table and on a map, whose rows live by one rule:
// TTL after the last write.
type ttlModel struct {
	t       *testing.T
	r       *rand.Rand
	s       ttlStore
	db      *saltsql.DB
	session *saltsql.Session
	table   *storageTable
	notNull bool // a
	rows    map[int]ttlRow
	log     []string
}

var ttlColumns = [4]string{"a", "b", "c", "d"}

// TestTTLRandom: writes of all kinds at random times, collections, changes of the
// TTL; no read sees half a row, one too many or one too few. The store
// removes what it may of expired rows, cell by cell.
func TestTTLRandom(t *testing.T) {
	kinds := []string{"mem", "pebble", "bigtable"}
	all := []string{"", "SALT_BUCKETS = 4", "IMMUTABLE_ROWS = true", "VERSIONS = 3", "IMMUTABLE_ROWS = true, VERSIONS = 2", "COLUMN_ENCODED_BYTES = 0"}
	for n := range seeds.Part(t, len(kinds)*len(all), seeds.Whole) {
		kind, i := kinds[n/len(all)], n%len(all)
		options, steps := all[i], 400
		if kind == "bigtable" {
			steps = 250
		}
		t.Run(kind+"/"+options, func(t *testing.T) {
			seed := seeds.First(t) + uint64(i)
			m := &ttlModel{t: t, r: rand.New(rand.NewPCG(seed, 1)), rows: map[int]ttlRow{}, notNull: i%2 == 0}
			m.s, m.db = openTTLStore(t, kind)
			var err error
			if m.session, err = m.db.NewSession(saltsql.SessionOptions{}); err != nil {
				t.Fatal(err)
			}
			defer m.session.Close()
			defer func() {
				if t.Failed() {
					t.Log(strings.Join(m.log[max(0, len(m.log)-60):], "\n"))
				}
			}()
			constraint := ""
			if m.notNull {
				constraint = " NOT NULL"
			}
			with := []string{"TTL = 100"}
			if options != "" {
				with = append(with, options)
			}
			m.exec("CREATE TABLE t (k INT PRIMARY KEY, a TEXT" + constraint + ", b TEXT, f.c TEXT, g.d TEXT) " + strings.Join(with, ", "))
			m.table = &storageTable{core.Behind(m.db).Catalog().Snapshot().Table("public", "t").Physical, 100 * time.Second}
			for range steps {
				m.step()
				m.check()
			}
		})
	}
}

// exec runs a statement and gives its error where the model expects one of code want.
func (m *ttlModel) exec(sql string, want ...sqlerr.Code) bool {
	m.t.Helper()
	m.log = append(m.log, fmt.Sprintf("%d ms: %s", m.s.clock.ms.Load()%1e7, sql))
	var err error
	if data, ok := strings.CutPrefix(sql, "COPY "); ok {
		head, body, _ := strings.Cut(data, "\n")
		_, err = m.session.CopyFrom(context.Background(), "COPY "+head, strings.NewReader(body))
	} else {
		_, _, err = harness.Run(context.Background(), m.session, sql)
	}
	if err != nil && !slices.Contains(want, sqlerr.CodeOf(err)) {
		m.t.Fatalf("%s: %v", sql, err)
	}
	return err == nil
}

func (m *ttlModel) value(col int) *string {
	if m.r.IntN(4) == 0 && (col > 0 || !m.notNull) {
		return nil
	}
	v := fmt.Sprint(m.r.IntN(1000))
	return &v
}

func literal(v *string) string {
	if v == nil {
		return "NULL"
	}
	return "'" + *v + "'"
}

func (m *ttlModel) whole() (row ttlRow, list string) {
	for i := range row.vals {
		row.vals[i] = m.value(i)
		list += ", " + literal(row.vals[i])
	}
	row.at = m.s.clock.ms.Load()
	return row, list
}

// purge forgets rows that have expired.
func (m *ttlModel) purge() {
	if m.table.ttl > 0 {
		maps.DeleteFunc(m.rows, func(_ int, r ttlRow) bool { return m.s.clock.ms.Load()-r.at > m.table.ttl.Milliseconds() })
	}
}

func (m *ttlModel) step() {
	k := m.r.IntN(8)
	old, there := m.rows[k]
	now := m.s.clock.ms.Load()
	set := func(col int, v *string) {
		old.vals[col], old.at = v, now
		m.rows[k] = old
	}
	switch n := m.r.IntN(20); n {
	case 0, 1, 2, 3:
		// Never a whole TTL of 100 s, 1,000 s or a day apart.
		d := time.Duration(m.r.IntN(14)) * 3 * time.Second
		if m.r.IntN(10) == 0 {
			d = time.Duration(m.r.IntN(100)) * time.Hour
		}
		m.s.clock.add(d)
		m.purge()
	case 4, 5:
		m.log = append(m.log, "collect")
		m.s.collect(m.t, m.table, m.r)
	case 6:
		row, list := m.whole()
		if m.exec(fmt.Sprintf("INSERT INTO t VALUES (%d%s)", k, list), sqlerr.UniqueViolation) == there {
			m.t.Fatalf("INSERT: the row is there: %v", there)
		}
		if !there {
			m.rows[k] = row
		}
	case 7:
		row, list := m.whole()
		m.exec(fmt.Sprintf("INSERT INTO t VALUES (%d%s) ON CONFLICT (k) DO UPDATE SET b = excluded.b", k, list))
		if set(1, row.vals[1]); !there {
			m.rows[k] = row
		}
	case 8:
		row, list := m.whole()
		m.exec(fmt.Sprintf("UPSERT INTO t VALUES (%d%s)", k, list))
		m.rows[k] = row
	case 9, 10:
		col := m.r.IntN(4)
		v := m.value(col)
		if m.notNull && col > 0 && !there {
			m.exec(fmt.Sprintf("UPSERT INTO t (k, %s) VALUES (%d, %s)", ttlColumns[col], k, literal(v)), sqlerr.NotNullViolation)
			break
		}
		m.exec(fmt.Sprintf("UPSERT INTO t (k, %s) VALUES (%d, %s)", ttlColumns[col], k, literal(v)))
		set(col, v)
	case 11:
		row, list := m.whole()
		m.exec(fmt.Sprintf("UPSERT INTO t VALUES (%d%s) ON DUPLICATE KEY UPDATE c = 'dup'", k, list))
		dup := "dup"
		if set(2, &dup); !there {
			m.rows[k] = row
		}
	case 12, 13:
		col := m.r.IntN(4)
		v := m.value(col)
		m.exec(fmt.Sprintf("UPDATE t SET %s = %s WHERE k = %d", ttlColumns[col], literal(v), k))
		if there {
			set(col, v)
		}
	case 14:
		m.exec("UPDATE t SET d = coalesce(d, '') || 'x' WHERE b IS NOT NULL")
		for k, r := range m.rows {
			if r.vals[1] != nil {
				d := "x"
				if r.vals[3] != nil {
					d = *r.vals[3] + "x"
				}
				r.vals[3], r.at = &d, now
				m.rows[k] = r
			}
		}
	case 15:
		to := m.r.IntN(8)
		_, taken := m.rows[to]
		m.exec(fmt.Sprintf("UPDATE t SET k = %d, b = 'moved' WHERE k = %d", to, k), sqlerr.UniqueViolation)
		if moved := "moved"; there && (to == k || !taken) {
			delete(m.rows, k)
			old.vals[1], old.at = &moved, now
			m.rows[to] = old
		}
	case 16:
		m.exec(fmt.Sprintf("DELETE FROM t WHERE k = %d", k))
		delete(m.rows, k)
	case 17:
		v := "block"
		m.exec("BEGIN")
		row, list := m.whole()
		m.exec(fmt.Sprintf("UPSERT INTO t VALUES (%d%s)", k, list))
		m.exec(fmt.Sprintf("UPSERT INTO t (k, b) VALUES (%d, '%s')", k, v))
		m.exec(fmt.Sprintf("UPDATE t SET c = '%s' WHERE k = %d", v, k))
		if m.r.IntN(3) == 0 {
			m.exec("ROLLBACK")
			break
		}
		m.exec("COMMIT")
		row.vals[1], row.vals[2] = &v, &v
		m.rows[k] = row
	case 18:
		v := fmt.Sprint(m.r.IntN(100))
		if m.notNull && !there {
			break
		}
		m.exec(fmt.Sprintf("COPY t (k, d) FROM STDIN WITH (UPSERT)\n%d\t%s\n", k, v))
		set(3, &v)
	case 19:
		ttl := []time.Duration{0, 100 * time.Second, 1000 * time.Second}[m.r.IntN(3)]
		if ttl == 0 {
			m.exec("ALTER TABLE t RESET (TTL)")
		} else {
			m.exec(fmt.Sprintf("ALTER TABLE t SET (TTL = %d)", int(ttl.Seconds())))
		}
		m.table.ttl = ttl
		m.purge()
	}
}

// check reads the table in several ways.
func (m *ttlModel) check() {
	m.t.Helper()
	ctx := context.Background()
	var want, keys strings.Builder
	for _, k := range slices.Sorted(maps.Keys(m.rows)) {
		fmt.Fprintf(&want, "%d", k)
		fmt.Fprintf(&keys, "%d\n", k)
		for _, v := range m.rows[k].vals {
			if v == nil {
				want.WriteString("|NULL")
			} else {
				want.WriteString("|" + *v)
			}
		}
		want.WriteByte('\n')
	}
	k := m.r.IntN(8)
	point := ""
	if row, ok := m.rows[k]; ok {
		point = "NULL\n"
		if row.vals[2] != nil {
			point = *row.vals[2] + "\n"
		}
	}
	for _, q := range []struct{ sql, want string }{
		{"SELECT * FROM t ORDER BY k", want.String()},
		{"SELECT k FROM t ORDER BY k", keys.String()},
		{"SELECT count(*) FROM t", fmt.Sprintln(len(m.rows))},
		{fmt.Sprintf("SELECT c FROM t WHERE k = %d", k), point},
	} {
		rows, _, err := harness.Run(ctx, m.session, q.sql)
		if err != nil {
			m.t.Fatalf("%s: %v", q.sql, err)
		}
		if got := rowsText(rows); got != q.want {
			m.t.Fatalf("%s:\n%swant\n%s", q.sql, got, q.want)
		}
	}
}

// TestTTLOfLiftedRows: rows whose cells have several timestamps, with and without
// a marker cell, are whole from the moment that their table has a TTL.
func TestTTLOfLiftedRows(t *testing.T) {
	const day = 24 * time.Hour
	for _, kind := range []string{"mem", "pebble", "bigtable"} {
		t.Run(kind, func(t *testing.T) {
			ctx := context.Background()
			s, db := openTTLStore(t, kind)
			session, err := db.NewSession(saltsql.SessionOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			m := &ttlModel{t: t, s: s, db: db, session: session}
			m.exec("CREATE TABLE t (k INT PRIMARY KEY, a INT NOT NULL, f.b INT)")
			m.exec("INSERT INTO t VALUES (1, 10, 1), (2, 20, 2), (3, 30, NULL)")
			table := &storageTable{core.Behind(db).Catalog().Snapshot().Table("public", "t").Physical, 2 * day}
			liftRows(t, s, table.name)
			all := "1|10|1\n2|20|2\n3|30|NULL\n"
			r := rand.New(rand.NewPCG(1, 1))
			look := func(when, want string) {
				t.Helper()
				rows, _, err := harness.Run(ctx, session, "SELECT * FROM t ORDER BY k")
				if err != nil {
					t.Fatal(err)
				}
				if got := rowsText(rows); got != want {
					t.Fatalf("%s: %q, want %q", when, got, want)
				}
			}
			look("lifted", all)
			m.exec("ALTER TABLE t SET (TTL = 172800)")
			for range 4 {
				s.collect(t, table, r)
			}
			look("with a TTL", all)
			s.clock.add(day)
			s.collect(t, table, r)
			look("a day later", all)
			m.exec("UPDATE t SET b = 5 WHERE k = 2")
			s.clock.add(day)
			s.collect(t, table, r)
			look("two days later", "2|20|5\n")
		})
	}
}

// liftRows gives each row's cells timestamps that lie three days apart, the newest
// an hour ago, and takes the marker cell from every second row.
func liftRows(t *testing.T, s ttlStore, table string) {
	t.Helper()
	ctx := context.Background()
	tb := s.Table(table)
	sc, err := tb.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Close()
	var rows []storage.RowMutation
	for rb := new(storage.RowBatch); sc.Next(rb) == nil; {
		for i := range rb.Len() {
			row := storage.RowMutation{Key: slices.Clone(rb.Key(i)), Mutations: []storage.Mutation{{Op: storage.DeleteRow}}}
			at := s.clock.now().Add(-time.Hour)
			for j := range rb.NumCells(i) {
				c := rb.Cell(i, j)
				if string(c.Value) == "x" && len(rows)%2 == 1 {
					continue
				}
				row.Mutations = append(row.Mutations, storage.Mutation{Op: storage.SetCell, Family: c.Family,
					Qualifier: slices.Clone(c.Qualifier), Timestamp: at.UnixMilli() * 1000, Value: slices.Clone(c.Value)})
				at = at.Add(-72 * time.Hour)
			}
			rows = append(rows, row)
		}
	}
	if err := tb.Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// TestTTLOfLongStatements: where a store has no snapshots, a statement that reads
// for longer than expired rows are kept fails rather than show a part of one.
func TestTTLOfLongStatements(t *testing.T) {
	ctx := context.Background()
	s, db := openTTLStore(t, "bigtable")
	session, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	m := &ttlModel{t: t, s: s, db: db, session: session}
	m.exec("CREATE TABLE t (k INT PRIMARY KEY, a INT NOT NULL) TTL = 100")
	m.exec("INSERT INTO t SELECT g, g FROM generate_series(1, 4000) g")
	for _, step := range []struct {
		wait time.Duration
		want sqlerr.Code
	}{{storage.CollectAfter - time.Hour, sqlerr.Code{}}, {storage.CollectAfter + time.Hour, sqlerr.SnapshotTooOld}} {
		m.exec("UPSERT INTO t SELECT g, g FROM generate_series(1, 4000) g")
		rows, err := session.Query(ctx, "SELECT * FROM t")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for ; rows.Next(); n++ {
			if n == 0 {
				s.clock.add(step.wait)
			}
		}
		err = rows.Err()
		rows.Close()
		if step.want == (sqlerr.Code{}) {
			if err != nil || n != 4000 {
				t.Fatalf("%d rows: %v", n, err)
			}
		} else if sqlerr.CodeOf(err) != step.want {
			t.Fatalf("%d rows: %v", n, err)
		}
	}
}
