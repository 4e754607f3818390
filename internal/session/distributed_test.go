package session_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/session/sessiontest"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/txn"
)

// TestDistributed: transactional tables of a store that changes one row at a time, beside others, as
// two sessions see them.
func TestDistributed(t *testing.T) {
	store := mem.New(mem.WithoutBatches())
	sessions := map[string]*session.Session{}
	db, err := session.Open(context.Background(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, n := range []string{"a", "b"} {
		s, err := db.NewSession(session.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		sessions[n] = s
	}
	const conflict = "could not serialize access due to concurrent update"
	for _, tt := range []struct{ line, want string }{
		{"a CREATE TABLE t (k int PRIMARY KEY, v int, w text UNIQUE) WITH (TRANSACTIONAL = true, SALT_BUCKETS = 4)", ""},
		{"a CREATE TABLE bad (k int PRIMARY KEY) WITH (TRANSACTIONAL = true, VERSIONS = 3)", "ERROR VERSIONS above 1 is not supported with TRANSACTIONAL = true"},
		{"a INSERT INTO t SELECT g, g % 3, 'w' || g FROM generate_series(1, 20) g", ""},
		{"a CREATE INDEX t_v ON t (v)", ""}, // filled
		{"a CREATE TABLE p (k int PRIMARY KEY, v int)", ""},
		{"a SELECT count(*), sum(v) FROM t", "|20|21"},
		{"a INSERT INTO t VALUES (21, 1, 'w3')", `ERROR duplicate key value violates unique constraint "t_w_key"`},
		// Undone, and committed together.
		{"a BEGIN", ""},
		{"a UPDATE t SET v = v + 10 WHERE k <= 5", ""},
		{"a DELETE FROM t WHERE k = 7", ""},
		{"a SELECT count(*), sum(v) FROM t", "|19|70"},
		{"b SELECT count(*), sum(v) FROM t", "|20|21"},
		{"a ROLLBACK", ""},
		{"a BEGIN", ""},
		{"a UPDATE t SET v = v + 10 WHERE k <= 5", ""},
		{"a INSERT INTO t VALUES (30, 30, 'x')", ""},
		{"a COMMIT", ""},
		{"b SELECT count(*), sum(v) FROM t", "|21|101"},
		{"b SELECT k FROM t WHERE v = 11 ORDER BY k", "|1 |4"},
		// A snapshot, and the first to commit wins.
		{"b BEGIN ISOLATION LEVEL REPEATABLE READ", ""},
		{"b SELECT v FROM t WHERE k = 30", "|30"},
		{"a UPDATE t SET v = 31 WHERE k = 30", ""},
		{"b SELECT v FROM t WHERE k = 30", "|30"},
		{"b UPDATE t SET v = 32 WHERE k = 30", "ERROR " + conflict},
		{"b ROLLBACK", ""},
		// With other tables.
		{"b INSERT INTO p SELECT k, v FROM t WHERE k < 4", ""},
		{"b SELECT * FROM p", "|1|11 |2|12 |3|10"},
		{"b BEGIN", ""},
		{"b UPDATE t SET v = 0 WHERE k = 1", ""},
		{"b INSERT INTO p VALUES (9, 9)", `ERROR writing table "p" in a transaction that reads or writes transactional tables is not supported on this store`},
		{"b ROLLBACK", ""},
		{"b BEGIN", ""},
		{"b INSERT INTO p VALUES (9, 9)", ""},
		{"b SELECT v FROM t WHERE k = 1", "|11"},
		{"b UPDATE t SET v = 0 WHERE k = 1", `ERROR writing table "t" in a transaction that has written other tables is not supported on this store`},
		{"b ROLLBACK", ""},
		{"b BEGIN", ""},
		{"b TRUNCATE t", ""},
		{"b SELECT count(*) FROM t", "|0"},
		{"a SELECT count(*) FROM t", "|21"},
		{"b ROLLBACK", ""},
		// Temporary tables go with either.
		{"b CREATE TEMP TABLE tmp (k int PRIMARY KEY, v text)", ""},
		{"b INSERT INTO tmp SELECT k, w FROM t WHERE k < 3", ""},
		{"b UPDATE t SET w = tmp.v || '!' FROM tmp WHERE tmp.k = t.k", ""},
		{"b UPDATE tmp SET v = t.w FROM t WHERE tmp.k = t.k", ""},
		{"b SELECT * FROM tmp", "|1|w1! |2|w2!"},
		// Other ways to write, and to change the table.
		{"b INSERT INTO t VALUES (30, 1, 'z') ON CONFLICT (k) DO UPDATE SET v = t.v + 1", ""},
		{"b SELECT v FROM t WHERE k = 30", "|32"},
		{"b UPSERT INTO t VALUES (31, 1, 'q')", ""},
		{"b DELETE FROM t WHERE k > 10", ""},
		{"b ALTER TABLE t SET SALT_BUCKETS = 7", ""},
		{"b ALTER TABLE t ADD COLUMN s serial", ""},
		{"b ALTER TABLE t ALTER COLUMN v TYPE bigint", ""},
		{"b SELECT count(*), max(v), max(s) FROM t", "|10|12|10"},
		{"b CHECK TABLE t", "|t|10|0|0|0|0|0| |t_w_key|10|0|0|0|0|0| |t_v|10|0|0|0|0|0|"},
		{"b CREATE INDEX p_v ON p (v)", ""},
		{"b CHECK TABLE p", "|p|3|0|0|0|0|0| |p_v|3|0|0|0|0|0|"},
		{"b DROP TABLE t", ""},
	} {
		name, text, _ := strings.Cut(tt.line, " ")
		rows, err := sessiontest.Rows(sessions[name], text)
		got := strings.Join(rows, " ")
		if err != nil {
			got = "ERROR " + err.Error()
		}
		if got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.line, got, tt.want)
		}
	}
}

// TestMarksBesideDistributed: an entry of another table that a write has left behind is looked up, also in
// a statement about a transactional table.
func TestMarksBesideDistributed(t *testing.T) {
	ctx, store := context.Background(), mem.New(mem.WithoutBatches())
	db, err := session.Open(ctx, store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.NewSession(session.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := func(sql string) string {
		t.Helper()
		rows, err := sessiontest.Rows(s, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return strings.Join(rows, " ")
	}
	run("CREATE TABLE p (k int PRIMARY KEY, v int) SALT_BUCKETS = 0")
	run("CREATE INDEX p_v ON p (v)")
	run("CREATE TABLE d (k int PRIMARY KEY) TRANSACTIONAL = true")
	run("INSERT INTO p VALUES (1, 5), (2, 5)")
	run("INSERT INTO d VALUES (1)")
	var p *catalog.Table
	for _, table := range db.Catalog().Snapshot().Tables() {
		if table.Name == "p" {
			p = table
		}
	}
	// As if row 2 were deleted by a server that died before it settled the entry.
	keys := func(name string) (out [][]byte) {
		err := storage.EachBatch(ctx, store.Table(name), &storage.ScanRequest{Spans: []storage.Span{{}}}, func(b *storage.RowBatch) error {
			for i := range b.Len() {
				out = append(out, bytes.Clone(b.Key(i)))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	write := func(name string, key []byte, m storage.Mutation) {
		if err := store.Table(name).Mutate(ctx, []storage.RowMutation{{Key: key, Mutations: []storage.Mutation{m}}}, storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	row, entry := keys(p.Physical)[1], keys(p.Indexes[0].Physical)[1]
	now := time.Now().UnixMilli() * 1000
	write(p.Indexes[0].Physical, entry, storage.Mutation{Op: storage.SetCell, Family: storage.LeaveFamily, Qualifier: txn.MarkOf(now, row), Timestamp: now})
	write(p.Physical, row, storage.Mutation{Op: storage.DeleteRow})
	const sql = "SELECT /*+ INDEX(p p_v) */ p.k FROM p, d WHERE p.v = 5 ORDER BY p.k"
	if plan := run("EXPLAIN " + sql); !strings.Contains(plan, "p_v") {
		t.Fatal(plan)
	}
	if got := run(sql); got != "|1" {
		t.Errorf("rows %q", got)
	}
}
