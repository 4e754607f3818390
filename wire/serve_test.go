package wire

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/mem"
)

// patience bounds what a test waits for that must come.
const patience = 5 * time.Minute

// Statements that tests of the protocol send.
const (
	okSQL    = "reset work_mem" // nothing but its tag: RESET
	sleepSQL = "select pg_sleep(600)"
)

// rowsSQL gives n rows: i int4, and t varchar(10), which is NULL in every third.
func rowsSQL(n int) string {
	return fmt.Sprintf("select i, case when i %% 3 <> 0 then ('t' || i)::varchar(10) end as t from generate_series(1, %d) i", n)
}

// testDB is a DB over a store in memory that faults can be put into.
type testDB struct {
	*saltsql.DB
	store *fault.Store
}

func openDB(t testing.TB) *testDB {
	t.Helper()
	store := fault.Wrap(mem.New())
	db, err := saltsql.Open(context.Background(), store, &saltsql.Options{Logger: quiet(), NoEstimates: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db.Close()
		store.Close()
	})
	return &testDB{db, store}
}

// run executes statements that must succeed.
func (db *testDB) run(t testing.TB, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, err := db.Exec(context.Background(), text); err != nil {
			t.Fatal(text, err)
		}
	}
}

// column gives the only column of a query, as text.
func (db *testDB) column(t testing.TB, text string) (vals []string) {
	t.Helper()
	rows, err := db.Query(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		vals = append(vals, v)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return vals
}

// working says that some session runs a statement.
func (db *testDB) working() bool {
	for _, s := range db.Sessions() {
		if s.Running {
			return true
		}
	}
	return false
}

// serveDB serves a DB in memory on a listener. When the test ends it is closed, and seen to
// leave no session behind.
func serveDB(t testing.TB, cfg Config, ln net.Listener) (*Server, *testDB) {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = quiet()
	}
	db := openDB(t)
	srv := NewServer(db.DB, cfg)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	t.Cleanup(func() {
		srv.Close()
		if err := <-served; err != ErrServerClosed {
			t.Errorf("Serve: %v", err)
		}
		if open := db.Sessions(); len(open) > 0 {
			t.Errorf("sessions left open: %+v", open)
		}
	})
	return srv, db
}

// tcpServer serves a DB in memory on a free port of loopback; see serveDB.
func tcpServer(t testing.TB, cfg Config) (srv *Server, addr string, db *testDB) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv, db = serveDB(t, cfg, ln)
	return srv, ln.Addr().String(), db
}
