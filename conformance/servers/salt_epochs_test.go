package servers

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
)

// TestEpochsUnderLoad opens salt epochs of a table to which eight writers append, on all servers, while others read
// it: no row is lost or given twice, and nobody is refused but to try again (40001).
func TestEpochsUnderLoad(t *testing.T) {
	for _, store := range []string{"mem", "pebble", "bigtable"} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			dbs := openServers(t, store)
			execAll(t, dbs[0], "CREATE TABLE t (host TEXT, seq BIGINT, w INT, PRIMARY KEY (host, seq))", "CREATE INDEX by_seq ON t (seq)",
				"INSERT INTO t VALUES ('h', 0, -1)")
			for _, db := range dbs {
				awaitTable(t, db, "t")
			}
			l := &growingLog{}
			stop := make(chan struct{})
			wait := l.run(t, dbs, stop)
			for i, salt := range []string{"SALT_BUCKETS = 4", "SALT_BUCKETS = 8, SALT_COLUMNS = (host)", "SALT_BUCKETS = 0", "SALT_BUCKETS = 16"} {
				for from := l.acked.Load(); l.acked.Load() < from+40 && !t.Failed(); { // each epoch gets rows
					execAll(t, dbs[0], "SELECT 1")
				}
				execAll(t, dbs[i%len(dbs)], fmt.Sprintf("ALTER TABLE t SET %s FORWARD", salt))
			}
			for from := l.acked.Load(); l.acked.Load() < from+40 && !t.Failed(); {
				execAll(t, dbs[0], "SELECT 1")
			}
			close(stop)
			wait()
			want := fmt.Sprintf("%d|%d", l.acked.Load()+1, l.sum.Load())
			for _, db := range dbs {
				if got := l.read(t, db, "SELECT count(*), sum(seq) FROM t"); got != want {
					t.Errorf("there are %s rows and their sum, want %s", got, want)
				}
			}
			checkAll(t, dbs[0], "t")
			execAll(t, dbs[0], "ALTER TABLE t SET SALT_BUCKETS = 2")
			if got := l.read(t, dbs[0], "SELECT count(*), sum(seq) FROM t"); got != want {
				t.Errorf("in one layout there are %s rows and their sum, want %s", got, want)
			}
			checkAll(t, dbs[0], "t")
			t.Logf("%d rows, %d statements tried again", l.acked.Load(), l.again.Load())
		})
	}
}

// growingLog is what writers know of a table whose rows have growing numbers.
type growingLog struct {
	next, acked, sum, again atomic.Int64
}

// run has eight writers and two readers at work until stop is closed.
func (l *growingLog) run(t *testing.T, dbs []*saltsql.DB, stop <-chan struct{}) (wait func()) {
	ctx := context.Background()
	var wg sync.WaitGroup
	for i := range 10 {
		s, err := dbs[i%len(dbs)].NewSession(saltsql.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			defer s.Close()
			for !t.Failed() {
				select {
				case <-stop:
					return
				default:
				}
				if i >= 8 {
					before := l.acked.Load()
					rows, _, err := harness.Run(ctx, s, fmt.Sprintf("SELECT count(*) >= %d, count(DISTINCT seq) = count(*) FROM t", before+1))
					if err != nil || *rows[0][0] != "t" || *rows[0][1] != "t" {
						t.Errorf("reader %d, of %d rows: %v %v", i, before, rows, err)
					}
					continue
				}
				n := l.next.Add(1)
				for {
					_, err := s.Exec(ctx, fmt.Sprintf("INSERT INTO t VALUES ('h%d', %d, %d)", n%5, n, i))
					if err == nil {
						l.sum.Add(n)
						l.acked.Add(1)
						break
					}
					if harness.SQLState(err) != "40001" {
						t.Errorf("writer %d: %v", i, err)
						return
					}
					l.again.Add(1)
				}
			}
		})
	}
	return wg.Wait
}

func (l *growingLog) read(t *testing.T, db *saltsql.DB, sql string) string {
	s, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, _, err := harness.Run(context.Background(), s, sql)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join([]string{*rows[0][0], *rows[0][1]}, "|")
}
