package servers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/test/bufconn"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// memberLease is that of members of these tests: long enough for a busy machine to renew it.
const memberLease = time.Second

// errDied is what a process that has been killed does no more.
var errDied = storage.Errorf(storage.CodeClosed, "test", "", "the process has died")

// member is a server in this process, on a store of its own over one emulator.
type member struct {
	*saltsql.DB
	store *fault.Store
}

// openMember opens a server of an emulator's store. Both live as long as t.
func openMember(t *testing.T, addr string, lease time.Duration) *member {
	t.Helper()
	return openMemberOf(t, bigtable.Config{Emulator: addr}, lease)
}

// openMemberOf is openMember of a store that is reached as config says.
func openMemberOf(t *testing.T, config bigtable.Config, lease time.Duration) *member {
	t.Helper()
	config.Project, config.Instance = "test", "test"
	st, err := bigtable.Open(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	m := &member{store: fault.Wrap(st)}
	t.Cleanup(func() { _ = m.store.Close() })
	m.DB, err = saltsql.Open(context.Background(), m.store, &saltsql.Options{Logger: harness.Quiet, CatalogRefresh: memberLease / 30, Lease: lease, NoEstimates: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// table gives a table of the schema public as a server knows it; nil where it does not.
func (m *member) table(name string) *catalog.Table {
	r, _ := session.Behind(m.DB).Catalog().Snapshot().Resolve([]string{"public"}, "", name)
	t, _ := r.(*catalog.Table)
	return t
}

// await waits until something has happened.
func await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for start := time.Now(); !happened(); time.Sleep(time.Millisecond) {
		if time.Since(start) > harness.Patience {
			t.Fatalf("%s does not happen", what)
		}
	}
}

// number reads one number.
func number(t *testing.T, db *saltsql.DB, sql string) (n int) {
	t.Helper()
	text, _, err := runOne(db, sql)
	if err == nil {
		_, err = fmt.Sscan(text, &n)
	}
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// TestSaltSwitchAfterStop: a server is stopped when it has read the log of changes for the last
// time and is to make the copy the table. Another takes it for dead, and rows are written. The
// first does not switch to a copy that lacks them when it goes on.
func TestSaltSwitchAfterStop(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	if lost := saltSwitchAfterStop(t); lost != "" {
		t.Error(lost)
	}
}

// TestProtectionsAreMissed: without one of the protections rows are lost, and these tests see it.
func TestProtectionsAreMissed(t *testing.T) {
	seeds.Sometimes(t)
	for _, of := range []struct {
		protection versions.Protection
		lost       func(*testing.T) string
	}{{versions.TheEpoch, saltSwitchAfterStop}, {versions.TheirLease, leaseOfATool}} {
		restore := versions.DoWithout(of.protection)
		if of.lost(t) == "" {
			t.Errorf("without protection %d nothing is lost", of.protection)
		}
		restore()
	}
}

// saltSwitchAfterStop says what is lost.
func saltSwitchAfterStop(t *testing.T) (lost string) {
	ctx, addr := context.Background(), emulator.Start(t)
	a, b := openMember(t, addr, memberLease), openMember(t, addr, memberLease)
	execAll(t, a.DB, "CREATE TABLE t (k INT PRIMARY KEY, v INT)", "INSERT INTO t SELECT i, i FROM generate_series(1, 50) i")
	var drained atomic.Bool
	a.store.Reset()
	a.store.Add(
		fault.Rule{Op: storage.OpScan, Nth: 1 << 30, If: func([]byte) bool {
			if now := b.table("t"); now != nil && now.Frozen && now.Rewrite.State == catalog.RewriteCopying {
				drained.Store(true)
			}
			return false
		}},
		fault.Rule{Op: storage.OpCheckAndMutate, Do: fault.Stop, If: func(key []byte) bool { return drained.Load() && string(key) == versions.RootKey }},
	)
	// So that the job is not done by another before.
	b.store.Add(fault.Rule{Op: storage.OpCheckAndMutate, Times: -1, If: func(key []byte) bool { return strings.HasPrefix(string(key), versions.JobPrefix) }})
	done := make(chan error, 1)
	go func() {
		_, err := a.Exec(ctx, "ALTER TABLE t SET SALT_BUCKETS = 4")
		done <- err
	}()
	await(t, "the stop", func() bool { return a.store.Fired() > 0 })
	execAll(t, b.DB, "CREATE TABLE z (k INT PRIMARY KEY)", "INSERT INTO t SELECT i, i FROM generate_series(51, 80) i")
	a.store.Reset()
	a.store.Resume()
	t.Logf("the first one's statement: %v", <-done)
	b.store.Reset()
	execAll(t, b.DB, "CREATE TABLE zz (k INT PRIMARY KEY)")
	await(t, "the job's end", func() bool { return number(t, b.DB, "SELECT count(*) FROM saltsql.jobs") == 0 })
	if n := number(t, b.DB, "SELECT count(*) FROM t"); n != 80 {
		return fmt.Sprintf("%d of 80 acknowledged rows", n)
	}
	return ""
}

// TestIndexAfterDeath: a server dies between its mark in an entry of an index that another fills
// and the write of the row. The other fills the index when the writes of the dead have landed, and
// does not wait until a mark of any server is too old.
func TestIndexAfterDeath(t *testing.T) {
	t.Parallel()
	ctx, addr := context.Background(), emulator.Start(t)
	a, b := openMember(t, addr, memberLease), openMember(t, addr, memberLease)
	execAll(t, a.DB, "CREATE TABLE t (k INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 0)")
	physical := a.table("t").Physical
	filling := func(m *member) bool {
		ix := m.table("t").IndexByName("t_v")
		return ix != nil && ix.State == catalog.IndexWriteOnly
	}
	var dies atomic.Bool
	a.store.Reset()
	for _, op := range []string{storage.OpMutate, storage.OpCheckAndMutate} {
		a.store.Add(fault.Rule{Op: op, Table: physical, Err: errDied, If: func([]byte) bool {
			if filling(a) {
				dies.Store(true)
			}
			return dies.Load()
		}})
	}
	a.store.Add(fault.Rule{Times: -1, Err: errDied, If: func(key []byte) bool { return dies.Load() || strings.HasPrefix(string(key), versions.JobPrefix) }})
	b.store.Add(fault.Rule{Op: storage.OpScan, Table: physical, Nth: 1 << 30, If: func([]byte) bool {
		for filling(b) && !dies.Load() {
			time.Sleep(time.Millisecond)
		}
		return false
	}})
	go func() {
		for v := 1; !dies.Load(); v++ {
			_, _ = a.Exec(ctx, fmt.Sprintf("UPSERT INTO t VALUES (1, %d)", v))
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, harness.Patience) // half of txn.DefaultGrace
	defer cancel()
	if _, err := b.Exec(ctx, "CREATE INDEX t_v ON t (v)"); err != nil {
		t.Fatal(err)
	}
	if !dies.Load() {
		t.Error("the server did not die")
	}
	checkAll(t, b.DB, "t")
}

// TestIndexBesideDoubt: a server that lives does not know whether a write of a row came to the store,
// whose entry it has marked. Another one that fills the index waits until it cannot land any more, and
// not until a mark of any server is too old.
func TestIndexBesideDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := context.Background(), bufconn.Listen(wireBytes)
		emulator.Serve(t, store)
		a, _ := openOver(t, store, 1, memberLease)
		b, _ := openOver(t, store, 2, memberLease)
		execAll(t, a.DB, "CREATE TABLE t (k INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 0)")
		physical := a.table("t").Physical
		filling := func(m *member) bool {
			ix := m.table("t").IndexByName("t_v")
			return ix != nil && ix.State == catalog.IndexWriteOnly
		}
		var doubt atomic.Bool
		a.store.Reset()
		for _, op := range []string{storage.OpMutate, storage.OpCheckAndMutate} {
			a.store.Add(fault.Rule{Op: op, Table: physical, Times: -1, Err: storage.Errorf(storage.CodeAmbiguous, op, physical, "the answer was lost"), If: func([]byte) bool {
				return filling(a) && doubt.CompareAndSwap(false, true)
			}})
		}
		b.store.Add(fault.Rule{Op: storage.OpScan, Table: physical, Do: fault.Hold, Delay: memberLease / 4, If: func([]byte) bool { return filling(b) }})
		var writer sync.WaitGroup
		writer.Go(func() {
			for v := 1; !doubt.Load(); v++ {
				_, _ = a.Exec(ctx, fmt.Sprintf("UPSERT INTO t VALUES (1, %d)", v))
				time.Sleep(time.Millisecond)
			}
		})
		began := time.Now()
		if _, err := b.Exec(ctx, "CREATE INDEX t_v ON t (v)"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 5*memberLease {
			t.Errorf("it took %v", took)
		}
		writer.Wait() // it has met the doubt
		checkAll(t, b.DB, "t")
	})
}

// TestTruncateOfALostIndex: a server dies within the TRUNCATE of a table that has an index. Another one
// that drops the index cannot end the TRUNCATE before. It is ended later, and the table is written again.
func TestTruncateOfALostIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := context.Background(), bufconn.Listen(wireBytes)
		emulator.Serve(t, store)
		a, _ := openOver(t, store, 1, memberLease)
		b, _ := openOver(t, store, 2, memberLease)
		execAll(t, a.DB, "CREATE TABLE t (k INT PRIMARY KEY, v INT)", "CREATE INDEX t_v ON t (v)", "INSERT INTO t VALUES (1, 1)")
		var died atomic.Bool
		a.store.Reset()
		a.store.Add(fault.Rule{Op: storage.OpTruncate, Err: errDied, If: func([]byte) bool { died.Store(true); return true }},
			fault.Rule{Times: -1, Err: errDied, If: func([]byte) bool { return died.Load() }})
		if _, err := a.Exec(ctx, "TRUNCATE t"); err == nil {
			t.Fatal("it did not die")
		}
		b.store.Add(fault.Rule{Op: storage.OpTruncate, Err: storage.Errorf(storage.CodeInvalidArgument, storage.OpTruncate, "", "not now")})
		execAll(t, b.DB, "DROP INDEX t_v")
		within, cancel := context.WithTimeout(ctx, 10*memberLease)
		defer cancel()
		if _, err := b.Exec(within, "INSERT INTO t VALUES (1, 2)"); err != nil {
			t.Error(err)
		}
	})
}

// TestTruncateRepair: a server dies within the TRUNCATE of a table that has an index. Another
// ends it before it lets anybody write the table.
func TestTruncateRepair(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	ctx, addr := context.Background(), emulator.Start(t)
	a, b, c := openMember(t, addr, memberLease), openMember(t, addr, memberLease), openMember(t, addr, memberLease)
	execAll(t, a.DB, "CREATE TABLE t (k INT PRIMARY KEY, v INT)", "CREATE INDEX t_v ON t (v)", "INSERT INTO t SELECT i, i FROM generate_series(1, 50) i")
	var dies atomic.Bool
	a.store.Reset()
	a.store.Add(
		fault.Rule{Op: storage.OpTruncate, Err: errDied, If: func([]byte) bool { dies.Store(true); return true }},
		fault.Rule{Times: -1, Err: errDied, If: func([]byte) bool { return dies.Load() }},
	)
	if _, err := a.Exec(ctx, "TRUNCATE t"); err == nil {
		t.Fatal("the server did not die")
	}
	await(t, "the news of it", func() bool { return b.table("t").Truncating && c.table("t").Truncating })
	b.store.Reset()
	b.store.Add(fault.Rule{Op: storage.OpTruncate, Times: -1, Do: fault.Hold, Delay: memberLease / 4})
	written := make(chan error, 1)
	go func() {
		_, err := c.Exec(ctx, "INSERT INTO t SELECT i, i FROM generate_series(101, 120) i")
		written <- err
	}()
	execAll(t, b.DB, "CREATE TABLE z (k INT PRIMARY KEY)")
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if n, m := number(t, b.DB, "SELECT count(*) FROM t"), number(t, b.DB, "SELECT /*+ INDEX(t t_v) */ count(*) FROM t WHERE v > 0"); n != 20 || m != 20 {
		t.Errorf("%d of 20 acknowledged rows, %d by the index", n, m)
	}
}

// TestLeaseIsTheStores: a tool with a shorter lease of its own takes that of the store, and does
// not take a server for dead that pauses for longer than the tool's.
func TestLeaseIsTheStores(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	if lost := leaseOfATool(t); lost != "" {
		t.Error(lost)
	}
}

// leaseOfATool says what is lost.
func leaseOfATool(t *testing.T) (lost string) {
	ctx, addr := context.Background(), emulator.Start(t)
	a, b := openMember(t, addr, time.Minute), openMember(t, addr, memberLease/2)
	execAll(t, a.DB, "CREATE TABLE t (k INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 1)")
	a.store.Reset()
	a.store.Add(fault.Rule{Op: storage.OpMutate, Table: a.table("t").Physical, Do: fault.Stop},
		fault.Rule{Op: storage.OpCheckAndMutate, Table: a.table("t").Physical, Do: fault.Stop})
	written, altered := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := a.Exec(ctx, "UPSERT INTO t VALUES (2, NULL)")
		written <- err
	}()
	await(t, "the stop", func() bool { return a.store.Fired() > 0 })
	go func() {
		_, err := b.Exec(ctx, "ALTER TABLE t ALTER v SET NOT NULL")
		altered <- err
	}()
	time.Sleep(2 * memberLease)
	a.store.Resume()
	err, aerr := <-written, <-altered
	if n := number(t, b.DB, "SELECT count(*) FROM t WHERE v IS NULL"); n > 0 && aerr == nil || err == nil && n == 0 {
		return fmt.Sprintf("%d NULLs; the write: %v, SET NOT NULL: %v", n, err, aerr)
	}
	return ""
}

// TestSystemSettings: ALTER SYSTEM changes the lease of a store for those that open it from then
// on, whatever they were told; each goes by one as long as it runs.
func TestSystemSettings(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	ctx, addr := context.Background(), emulator.Start(t)
	a := openMember(t, addr, time.Minute)
	shows := func(m *member, want string) {
		t.Helper()
		got, _, err := runOne(m.DB, "SELECT concat_ws(' ', current_setting('saltsql.lease'), current_setting('saltsql.catalog_refresh'))")
		if got = strings.TrimSpace(got); err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	conn, err := a.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	refused := func(sql, code string) {
		t.Helper()
		var e interface{ SQLState() string }
		if _, err := conn.Exec(ctx, sql); !errors.As(err, &e) || e.SQLState() != code {
			t.Errorf("%s: %v, want %s", sql, err, code)
		}
	}
	before := number(t, a.DB, "SELECT setting::int FROM pg_settings WHERE name = 'saltsql.catalog_refresh'")
	refresh := time.Duration(before) * time.Millisecond
	shows(a, "1min "+refresh.String())
	execAll(t, a.DB, "ALTER SYSTEM SET saltsql.lease = '45s'")
	shows(a, "1min "+refresh.String())
	shows(openMember(t, addr, 10*time.Second), "45s "+refresh.String())
	execAll(t, a.DB, "ALTER SYSTEM SET saltsql.catalog_refresh TO 2000", "ALTER SYSTEM RESET saltsql.lease")
	shows(openMember(t, addr, 10*time.Second), "30s 2s")
	refused("ALTER SYSTEM SET saltsql.lease = '1s'", "22023")
	refused("ALTER SYSTEM SET saltsql.lease = '5s'", "22023") // shorter than four refreshes
	refused("ALTER SYSTEM SET saltsql.lease = 'soon'", "22023")
	refused("ALTER SYSTEM SET work_mem = '4MB'", "0A000")
	refused("ALTER SYSTEM SET nosuch = 1", "42704")
	refused("SET saltsql.lease = '1min'", "55P02")
	execAll(t, a.DB, "ALTER SYSTEM RESET ALL", "CREATE ROLE one LOGIN")
	refused("BEGIN; ALTER SYSTEM RESET ALL", "25001")
	for _, sql := range []string{"ROLLBACK", "SET ROLE one"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	refused("ALTER SYSTEM RESET ALL", "42501")
}

// TestFirstPassword: of servers that start at once on an empty store one sets the first password.
func TestFirstPassword(t *testing.T) {
	t.Parallel()
	ctx, addr := context.Background(), emulator.Start(t)
	var members [4]*member
	for i := range members {
		members[i] = openMember(t, addr, memberLease)
	}
	var all sync.WaitGroup
	var sets atomic.Int32
	for i, m := range members {
		all.Go(func() {
			set, err := session.Behind(m.DB).Catalog().FirstPassword(ctx, fmt.Sprint("verifier ", i))
			if err != nil {
				t.Error(err)
			}
			if set {
				sets.Add(1)
			}
		})
	}
	all.Wait()
	if n, of := sets.Load(), number(t, members[0].DB, "SELECT count(rolpassword) FROM pg_authid"); n != 1 || of != 1 {
		t.Errorf("%d servers have set a password, %d roles have one", n, of)
	}
}

// TestObserversChangeNothing: check, doctor and export read a store beside servers, one of which
// has died in the middle of a change, and leave all as it is.
func TestObserversChangeNothing(t *testing.T) {
	seeds.Sometimes(t)
	ctx, addr := context.Background(), emulator.Start(t)
	t.Setenv("BIGTABLE_EMULATOR_HOST", addr)
	a := openMember(t, addr, memberLease)
	execAll(t, a.DB, "CREATE TABLE t (k INT PRIMARY KEY, v INT)", "CREATE TABLE u (k INT PRIMARY KEY, v INT)", "CREATE INDEX u_v ON u (v)",
		"INSERT INTO t SELECT i, i FROM generate_series(1, 50) i")
	var dies atomic.Bool
	a.store.Reset()
	a.store.Add(
		fault.Rule{Op: storage.OpScan, Table: a.table("t").Physical, Err: errDied, If: func([]byte) bool {
			if now := a.table("t"); now.Rewrite != nil && now.Rewrite.State == catalog.RewriteCopying {
				dies.Store(true)
			}
			return dies.Load()
		}},
		fault.Rule{Times: -1, Err: errDied, If: func([]byte) bool { return dies.Load() }},
	)
	if _, err := a.Exec(ctx, "ALTER TABLE t SET SALT_BUCKETS = 4"); err == nil {
		t.Fatal("the server did not die")
	}
	time.Sleep(2 * memberLease)
	before := systemRows(t, addr)
	for _, args := range [][]string{{"check", "--store", testInstance}, {"doctor", "--store", testInstance}, {"export", "--store", testInstance, t.TempDir() + "/out"}} {
		out, status := harness.Command(t, args...)
		if status == 2 {
			t.Errorf("%s: status %d, %s", args[0], status, out)
		}
		after := systemRows(t, addr)
		for k, v := range before {
			if after[k] != v {
				t.Errorf("%s: row %q was %s, is %s", args[0], k, v, after[k])
			}
		}
		for k := range after {
			if _, was := before[k]; !was {
				t.Errorf("%s: row %q is new", args[0], k)
			}
		}
		before = after
	}
}

// systemRows reads all rows of the catalog's table.
func systemRows(t *testing.T, addr string) map[string]string {
	t.Helper()
	st, err := bigtable.Open(context.Background(), bigtable.Config{Project: "test", Instance: "test", Emulator: addr})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	rows := map[string]string{}
	err = storage.EachBatch(context.Background(), st.Table(versions.SystemTable), &storage.ScanRequest{Spans: []storage.Span{{}}}, func(b *storage.RowBatch) error {
		for i := range b.Len() {
			text := ""
			for j := range b.NumCells(i) {
				text += fmt.Sprintf("%s@%d=%q ", b.Cell(i, j).Qualifier, b.Cell(i, j).Timestamp, b.Cell(i, j).Value)
			}
			rows[string(b.Key(i))] = text
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
