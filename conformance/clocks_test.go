package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// clockServer is one of several DBs over one emulator, with a clock of its own.
type clockServer struct {
	db     *saltsql.DB
	main   *saltsql.Session
	before atomic.Pointer[func()] // called once, before the next compare-and-set
}

// openClockServers opens a DB for each clock. The store's own shows what the first does.
func openClockServers(t *testing.T, clocks ...func() time.Time) []*clockServer {
	t.Helper()
	ctx := context.Background()
	addr := emulator.Start(t)
	var all []*clockServer
	for _, now := range clocks {
		store, err := bigtable.Open(ctx, bigtable.Config{Project: "p", Instance: "i", Emulator: addr})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		s, clocked := &clockServer{}, fault.Wrap(store)
		clocked.SetClock(clocks[0])
		s.db, err = saltsql.Open(ctx, hookedStore{clocked, s}, &saltsql.Options{Logger: harness.Quiet, Now: now, CatalogRefresh: 20 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.db.Close() })
		s.main = s.session(t)
		all = append(all, s)
	}
	return all
}

func (s *clockServer) session(t *testing.T) *saltsql.Session {
	t.Helper()
	session, err := s.db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	return session
}

func (s *clockServer) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := s.main.Exec(context.Background(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// want compares the first column of a query's first row, as text.
func (s *clockServer) want(t *testing.T, sql, want string) {
	t.Helper()
	rows, err := s.main.Query(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	got := "no row"
	if rows.Next() {
		if got = rows.Text(0); rows.Null(0) {
			got = "NULL"
		}
	}
	if rows.Err() != nil || got != want {
		t.Fatalf("%s: %s, want %s (%v)", sql, got, want, rows.Err())
	}
}

// hookedStore calls its server's hook before a compare-and-set of a row.
type hookedStore struct {
	storage.Store
	s *clockServer
}

func (h hookedStore) Table(name string) storage.Table {
	return hookedTable{h.Store.Table(name), h.s}
}

type hookedTable struct {
	storage.Table
	s *clockServer
}

func (h hookedTable) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	if m.Cond.Op == storage.CellTSEquals && m.Key[0] >= 0x80 { // not the catalog's
		if f := h.s.before.Swap(nil); f != nil {
			(*f)()
		}
	}
	return h.Table.CheckAndMutate(ctx, m)
}

// TestClocksOneMillisecond: three servers whose clocks stand still at one time.
// What one reads and changes by compare-and-set, another writes blindly in
// between, and the write that was read came in the very millisecond.
func TestClocksOneMillisecond(t *testing.T) {
	still := time.UnixMilli(time.Now().UnixMilli())
	now := func() time.Time { return still }
	s := openClockServers(t, now, now, now)
	s[0].exec(t, "CREATE TABLE t (k INT PRIMARY KEY, n INT, s TEXT, w INT)")
	for k := range 30 {
		writes := []string{
			"UPSERT INTO t VALUES ($1, 100, 'whole', 1)",
			"UPSERT INTO t (k, n) VALUES ($1, 100)",
			"UPSERT INTO t (k, n, s) VALUES ($1, 100, NULL)",
		}
		s[0].exec(t, writes[k%3], k)
		hook := func() {
			s[2].exec(t, fmt.Sprintf("UPSERT INTO t (k, n, s) VALUES ($1, %d, NULL)", 200+k), k)
		}
		s[1].before.Store(&hook)
		s[1].exec(t, "UPDATE t SET n = n + 1, w = 7 WHERE k = $1", k)
		for _, by := range s {
			by.want(t, fmt.Sprintf("SELECT n || ' ' || w FROM t WHERE k = %d", k), fmt.Sprintf("%d 7", 201+k))
		}
	}
}

// TestClocksThatDiffer: what is written through the server with the slow clock
// is the latest, as if one clock had given all timestamps, whatever kind of
// write it is.
func TestClocksThatDiffer(t *testing.T) {
	seeds.Sometimes(t)
	s := openClockServers(t, time.Now,
		func() time.Time { return time.Now().Add(4 * time.Second) },
		func() time.Time { return time.Now().Add(-2 * time.Second) })
	for i, options := range []string{"", "IMMUTABLE_ROWS = true", "VERSIONS = 3", "SALT_BUCKETS = 4, TTL = 1000"} {
		t.Run(options, func(t *testing.T) {
			table := fmt.Sprintf("t%d", i)
			s[0].exec(t, fmt.Sprintf("CREATE TABLE %s (k INT PRIMARY KEY, n INT DEFAULT 5, s TEXT, CHECK (n < 1000000)) %s", table, options))
			clockRound(t, s, table, i == 1 || i == 3, rand.New(rand.NewPCG(uint64(i), 7)))
		})
	}
}

func clockRound(t *testing.T, s []*clockServer, table string, whole bool, r *rand.Rand) {
	type row struct{ n, s string }
	rows := map[int]row{}
	for i := range 250 {
		by, k, n := s[r.IntN(len(s))], r.IntN(3), r.IntN(100)
		old, there := rows[k]
		number := 0
		if there && old.n != "NULL" {
			fmt.Sscan(old.n, &number)
		}
		switch r.IntN(9) {
		case 0:
			by.exec(t, "UPSERT INTO "+table+" VALUES ($1, $2, 'whole')", k, n)
			rows[k] = row{fmt.Sprint(n), "whole"}
		case 1, 2:
			by.exec(t, "UPSERT INTO "+table+" (k, n) VALUES ($1, $2)", k, n)
			if !there {
				old.s = "NULL"
			}
			rows[k] = row{fmt.Sprint(n), old.s}
		case 3:
			by.exec(t, "UPSERT INTO "+table+" (k, n, s) VALUES ($1, NULL, $2)", k, fmt.Sprint(i))
			rows[k] = row{"NULL", fmt.Sprint(i)}
		case 4:
			by.exec(t, "UPDATE "+table+" SET n = n + 1 WHERE k = $1", k)
			if there && old.n != "NULL" {
				rows[k] = row{fmt.Sprint(number + 1), old.s}
			}
		case 5:
			by.exec(t, "INSERT INTO "+table+" VALUES ($1, 1, 'new') ON CONFLICT (k) DO UPDATE SET s = 'again'", k)
			if !there {
				old, rows[k] = row{"1", "new"}, row{"1", "new"}
				break
			}
			rows[k] = row{old.n, "again"}
		case 6:
			by.exec(t, "BEGIN")
			by.exec(t, "UPSERT INTO "+table+" (k, n) VALUES ($1, $2)", k, n)
			by.want(t, fmt.Sprintf("SELECT n FROM %s WHERE k = %d", table, k), fmt.Sprint(n))
			other := s[(r.IntN(2)+1+indexOf(s, by))%len(s)]
			other.exec(t, "UPSERT INTO "+table+" (k, n, s) VALUES ($1, 77, 'between')", k)
			_, err := by.main.Exec(context.Background(), "COMMIT")
			rows[k] = row{fmt.Sprint(n), "between"}
			if whole { // written whole: a part of it is a compare-and-set
				if sqlerr.CodeOf(err) != sqlerr.SerializationFailure {
					t.Fatalf("COMMIT: %v", err)
				}
				err, rows[k] = nil, row{"77", "between"}
			}
			if err != nil {
				t.Fatal(err)
			}
		case 7:
			by.exec(t, "UPDATE "+table+" SET s = 'set' WHERE k = $1", k)
			if there {
				rows[k] = row{old.n, "set"}
			}
		default:
			by.exec(t, "DELETE FROM "+table+" WHERE k = $1", k)
			delete(rows, k)
		}
		want := "no row"
		if now, ok := rows[k]; ok {
			want = now.n + " " + now.s
		}
		for _, reader := range s {
			reader.want(t, fmt.Sprintf("SELECT coalesce(n::text, 'NULL') || ' ' || coalesce(s, 'NULL') FROM %s WHERE k = %d", table, k), want)
		}
	}
}

func indexOf(s []*clockServer, x *clockServer) int {
	for i := range s {
		if s[i] == x {
			return i
		}
	}
	return -1
}

// TestClocksIncrements: sessions on three servers, whose clocks show the same
// few milliseconds, count one row up while others write other columns of it
// blindly. No increment is lost, and the last blind write of each is there.
func TestClocksIncrements(t *testing.T) {
	coarse := func(ahead time.Duration) func() time.Time {
		return func() time.Time { return time.Now().Add(ahead).Truncate(20 * time.Millisecond) }
	}
	for _, ahead := range []time.Duration{0, time.Second} {
		s := openClockServers(t, coarse(0), coarse(ahead), coarse(-ahead))
		s[0].exec(t, "CREATE TABLE t (k INT PRIMARY KEY, n INT NOT NULL, a0 INT, a1 INT, a2 INT)")
		s[0].exec(t, "INSERT INTO t VALUES (1, 0)")
		const times = 40
		var wg sync.WaitGroup
		run := func(session *saltsql.Session, sql func(i int) string) {
			wg.Go(func() {
				for i := range times {
					if _, err := session.Exec(context.Background(), sql(i)); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		s[0].exec(t, "CREATE TABLE u (k INT PRIMARY KEY, n INT, a0 INT, a1 INT, a2 INT)")
		s[0].exec(t, "INSERT INTO u VALUES (1, 0)")
		for i, server := range s {
			run(server.session(t), func(int) string { return "UPDATE t SET n = n + 1 WHERE k = 1" })
			run(server.session(t), func(int) string { return "UPDATE u SET n = n + 1 WHERE k = 1" })
			run(server.session(t), func(v int) string { return fmt.Sprintf("UPSERT INTO u (k, a%d) VALUES (1, %d)", i, v) })
		}
		wg.Wait()
		for _, server := range s {
			server.want(t, "SELECT n FROM t WHERE k = 1", fmt.Sprint(len(s)*times))
			server.want(t, "SELECT n || ' ' || a0 || ' ' || a1 || ' ' || a2 FROM u WHERE k = 1",
				fmt.Sprintf("%d %d %d %d", len(s)*times, times-1, times-1, times-1))
		}
	}
}

// TestClockOfTheStore: a server whose clock is wrong by that of the store's service is refused, and one
// whose clock is a little wrong is not.
func TestClockOfTheStore(t *testing.T) {
	ctx := context.Background()
	addr := emulator.Start(t)
	for _, off := range []time.Duration{-time.Hour, -time.Minute, -time.Second, time.Second, time.Minute, time.Hour} {
		store, err := bigtable.Open(ctx, bigtable.Config{Project: "p", Instance: "i", Emulator: addr})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		db, err := saltsql.Open(ctx, store, &saltsql.Options{Logger: harness.Quiet, Now: func() time.Time { return time.Now().Add(off) }})
		if db != nil {
			defer db.Close()
		}
		if refused := sqlerr.CodeOf(err) == sqlerr.CannotConnectNow; refused != (off.Abs() > time.Second) || !refused && err != nil {
			t.Errorf("off by %v: %v", off, err)
		}
	}
}
