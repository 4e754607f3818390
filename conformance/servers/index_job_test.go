package servers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
)

// TestIndexWhileServing makes indexes, drops them, and fails to make UNIQUE ones, while eight
// writers and four readers work.
func TestIndexWhileServing(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	for store := range harness.Stores {
		t.Run(store, func(t *testing.T) {
			dbs, b := serveBusy(t, store, 4000)
			db := dbs[0]
			if store == "bigtable" {
				b.hints = []string{"/*+ NO_INDEX(t) */"} // no snapshot: a row whose entry moves may be read twice
			}
			execAll(t, db, "INSERT INTO t VALUES (1000001, 0, 'twice'), (1000002, 0, 'twice')")
			stop := make(chan struct{})
			wait := b.run(t, dbs, stop)
			p := newPace(b)
			rated := func(sql string) error { return execRated(db, p.rate(), sql) }
			p.during(t, "CREATE INDEX t_v ON t (v) INCLUDE (pad)", rated)
			p.during(t, "CREATE UNIQUE INDEX CONCURRENTLY t_u ON t (pad, k) SALT_BUCKETS = 3", rated)
			for _, sql := range []string{"CREATE UNIQUE INDEX t_twice ON t (pad) WHERE pad LIKE 'tw%'", "CREATE UNIQUE INDEX CONCURRENTLY t_twice ON t (pad) WHERE pad LIKE 'tw%'"} {
				err := execRated(db, p.rate(), sql)
				var e *saltsql.Error
				if harness.SQLState(err) != "23505" || !errors.As(err, &e) || e.Message != `could not create unique index "t_twice"` || e.Detail != "Key (pad)=(twice) is duplicated." {
					t.Errorf("%s: %v", sql, err)
				}
			}
			execAll(t, db, "DROP INDEX t_v", "DELETE FROM t WHERE k = 1000001")
			for _, sql := range []string{"CREATE UNIQUE INDEX t_twice ON t (pad) WHERE pad LIKE 'tw%'", "ALTER TABLE t ADD CONSTRAINT t_c UNIQUE (v, k)", "CREATE INDEX t_v ON t (v)"} {
				p.during(t, sql, rated)
			}
			p.log(t)
			close(stop)
			wait()
			t.Logf("%d writes, %d reads, %d repeated by 40001", b.writes.Load(), b.reads.Load(), b.again.Load())
			b.final(t, dbs)
			names, _, err := runOne(db, "SELECT indexrelid::regclass::text || indisvalid FROM pg_index WHERE indrelid = 't'::regclass ORDER BY 1")
			if err != nil || names != "t_ctrue t_pkeytrue t_twicetrue t_utrue t_vtrue " {
				t.Errorf("%q %v", names, err)
			}
			for _, db := range dbs {
				checkAll(t, db, "t")
			}
			for _, ix := range []string{"t_v", "t_u", "t_c"} {
				by, _, err := runOne(db, fmt.Sprintf("SELECT /*+ INDEX(t %s) */ count(*), sum(v), sum(k) FROM t WHERE v >= 0 AND pad >= ''", ix))
				scan, _, serr := runOne(db, "SELECT /*+ NO_INDEX(t) */ count(*), sum(v), sum(k) FROM t WHERE v >= 0 AND pad >= ''")
				if by != scan || err != nil || serr != nil {
					t.Errorf("%s: %q by the index, %q without; %v, %v", ix, by, scan, err, serr)
				}
			}
		})
	}
}

// execRated runs a statement of a session whose jobs do so many rows a second: CONCURRENTLY takes no
// other statement beside it.
func execRated(db *saltsql.DB, rows int, sql string) error {
	s, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Exec(context.Background(), fmt.Sprintf("SET saltsql.backfill_rows_per_second = %d", rows)); err != nil {
		return err
	}
	_, err = s.Exec(context.Background(), sql)
	return err
}

// TestIndexJobCanceled cancels the making of indexes: nothing is left over. What would store
// the rows elsewhere meanwhile is refused; what is right meanwhile is done.
func TestIndexJobCanceled(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	for store := range harness.Stores {
		t.Run(store, func(t *testing.T) {
			dbs := openServers(t, store)
			db := dbs[0]
			execAll(t, db, "CREATE TABLE t (k INT PRIMARY KEY, v INT NOT NULL, pad TEXT) SALT_BUCKETS = 4",
				"INSERT INTO t SELECT i, i, 'p' FROM generate_series(1, 2000) i")
			for _, db := range dbs {
				awaitTable(t, db, "t")
			}
			ended := make(chan error, 1)
			begin := func(sql string) string {
				go func() {
					ended <- execRated(db, 100, sql)
				}()
				for start := time.Now(); time.Since(start) < harness.Patience; time.Sleep(20 * time.Millisecond) {
					job, _, err := runOne(dbs[len(dbs)-1], "SELECT table_name, command, state, rows_per_second FROM saltsql.jobs WHERE rows_done > 0")
					if err != nil {
						t.Fatal(err)
					}
					if job != "" {
						return job
					}
				}
				t.Fatal("no job began")
				return ""
			}
			if job := begin("CREATE INDEX CONCURRENTLY t_v ON t (v)"); job != "t CREATE INDEX CONCURRENTLY filling 100 " {
				t.Errorf("saltsql.jobs: %q", job)
			}
			progress, _, err := runOne(db, "SELECT relid::regclass, index_relid::regclass, command, phase, tuples_done > 0 FROM pg_stat_progress_create_index")
			if err != nil || progress != "t t_v CREATE INDEX CONCURRENTLY building index: scanning table t " {
				t.Errorf("pg_stat_progress_create_index: %q, %v", progress, err)
			}
			for _, c := range [][2]string{
				{"ALTER TABLE t SET SALT_BUCKETS = 3", "55006"},
				{"CREATE TABLE f (a INT REFERENCES t (v))", "42830"},
				{"ALTER TABLE t ADD CONSTRAINT u UNIQUE USING INDEX t_v", "55000"},
				{"INSERT INTO t VALUES (1, 2, 'again') ON CONFLICT (v) DO NOTHING", "42P10"},
				{"ALTER TABLE t ADD COLUMN plain INT", "00000"},
				{"UPDATE t SET v = -v WHERE k % 3 = 0", "00000"},
				{"ALTER TABLE t RENAME TO renamed", "00000"}, {"ALTER TABLE renamed RENAME TO t", "00000"},
				{"ALTER INDEX t_v RENAME TO t_w", "00000"},
			} {
				if _, err := db.Exec(context.Background(), c[0]); err == nil && c[1] != "00000" || err != nil && harness.SQLState(err) != c[1] {
					t.Errorf("%s: %v", c[0], err)
				}
			}
			if done, _, err := runOne(dbs[len(dbs)-1], "SELECT saltsql.cancel_job(job_id) FROM saltsql.jobs"); done != "t " || err != nil {
				t.Errorf("cancel_job: %q, %v", done, err)
			}
			if err := <-ended; harness.SQLState(err) != "57014" {
				t.Errorf("canceled job: %v", err)
			}
			for what, end := range map[string]string{"dropped": "DROP INDEX t_v", "its column dropped": "ALTER TABLE t DROP COLUMN plain", "truncated": "TRUNCATE t"} {
				begin("CREATE INDEX t_v ON t (plain, v)")
				execAll(t, db, end)
				if err := <-ended; what != "truncated" && harness.SQLState(err) != "57014" || what == "truncated" && err != nil {
					t.Errorf("%s meanwhile: %v", what, err)
				}
				execAll(t, db, "DROP INDEX IF EXISTS t_v", "ALTER TABLE t ADD COLUMN IF NOT EXISTS plain INT", "UPSERT INTO t (k, v, pad) SELECT i, i, 'p' FROM generate_series(1, 2000) i")
			}
			names, _, err := runOne(db, "SELECT indexrelid::regclass FROM pg_index WHERE indrelid = 't'::regclass")
			if err != nil || strings.TrimSpace(names) != "t_pkey" {
				t.Errorf("%q %v", names, err)
			}
			checkAll(t, db, "t")
			begin("CREATE INDEX t_v ON t (v)")
			execAll(t, db, "DROP TABLE t")
			if err := <-ended; harness.SQLState(err) != "57014" {
				t.Errorf("table dropped meanwhile: %v", err)
			}
		})
	}
}

// TestAlterTypeWhileServing writes a table's rows anew, with its indexes, while eight writers and
// four readers work: writes wait, reads do not.
func TestAlterTypeWhileServing(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	for store := range harness.Stores {
		t.Run(store, func(t *testing.T) {
			dbs, b := serveBusy(t, store, 2000, "CREATE INDEX t_v ON t (v) INCLUDE (pad)")
			b.hints = []string{"/*+ NO_INDEX(t) */"}
			stop := make(chan struct{})
			wait := b.run(t, dbs, stop)
			execAll(t, dbs[0], "ALTER TABLE t ALTER v TYPE BIGINT", "ALTER TABLE t ALTER k TYPE BIGINT, ALTER v TYPE INT USING v::int", "ALTER TABLE t ALTER pad TYPE VARCHAR(9)")
			close(stop)
			wait()
			t.Logf("%d writes, %d reads, %d repeated by 40001", b.writes.Load(), b.reads.Load(), b.again.Load())
			b.final(t, dbs)
			for _, db := range dbs {
				checkAll(t, db, "t")
			}
		})
	}
}
