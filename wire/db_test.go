package wire

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

func mustExec(t testing.TB, conn *pgx.Conn, sql string, args ...any) pgconn.CommandTag {
	t.Helper()
	tag, err := conn.Exec(testContext(t), sql, args...)
	if err != nil {
		t.Fatalf("%.200s: %v", sql, err)
	}
	return tag
}

func TestDBTypesThroughPgx(t *testing.T) {
	_, addr, _ := tcpServer(t, Config{})
	for _, mode := range []string{"simple_protocol", "exec", "cache_describe", "cache_statement"} {
		t.Run(mode, func(t *testing.T) {
			conn := connect(t, addr, "sslmode=disable&default_query_exec_mode="+mode)
			mustExec(t, conn, `create table if not exists v (id int8 primary key, i2 int2, i4 int4, f4 float4, f8 float8,
				n numeric, b bool, s text, bin bytea, d date, ts timestamp, tz timestamptz, u uuid, j jsonb)`)
			mustExec(t, conn, "delete from v")
			day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
			at := time.Date(2024, 2, 29, 12, 34, 56, 789000, time.UTC)
			num := pgtype.Numeric{}
			if err := num.Scan("-123456.789000"); err != nil {
				t.Fatal(err)
			}
			uuid := pgtype.UUID{Bytes: [16]byte{1, 2, 3}, Valid: true}
			mustExec(t, conn, "insert into v values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14)",
				int64(math.MaxInt64), int16(-7), int32(math.MinInt32), float32(1.25), math.Pi, num, true, "é'\"\\", []byte{0, 255, 1},
				pgtype.Date{Time: day, Valid: true}, at, at, uuid, `{"a": 1}`)
			mustExec(t, conn, "insert into v (id) values ($1)", int64(math.MinInt64))
			var (
				id  int64
				i2  *int16
				i4  *int32
				f4  *float32
				f8  *float64
				n   pgtype.Numeric
				b   *bool
				s   *string
				bin []byte
				d   pgtype.Date
				ts  *time.Time
				tz  *time.Time
				u   pgtype.UUID
				j   map[string]any
			)
			row := conn.QueryRow(testContext(t), "select * from v where id = $1", int64(math.MaxInt64))
			if err := row.Scan(&id, &i2, &i4, &f4, &f8, &n, &b, &s, &bin, &d, &ts, &tz, &u, &j); err != nil {
				t.Fatal(err)
			}
			text, _ := n.Value()
			if id != math.MaxInt64 || *i2 != -7 || *i4 != math.MinInt32 || *f4 != 1.25 || *f8 != math.Pi || strings.TrimRight(fmt.Sprint(text), "0") != "-123456.789" ||
				!*b || *s != "é'\"\\" || string(bin) != "\x00\xff\x01" || !d.Time.Equal(day) || !ts.Equal(at) || !tz.Equal(at) ||
				u != uuid || fmt.Sprint(j) != "map[a:1]" {
				t.Error(id, *i2, *i4, *f4, *f8, text, *b, *s, bin, d, ts, tz, u, j)
			}
			row = conn.QueryRow(testContext(t), "select * from v where id = $1", int64(math.MinInt64))
			if err := row.Scan(&id, &i2, &i4, &f4, &f8, &n, &b, &s, &bin, &d, &ts, &tz, &u, &j); err != nil {
				t.Fatal(err)
			}
			if i2 != nil || n.Valid || s != nil || bin != nil || ts != nil || u.Valid {
				t.Error("NULLs:", i2, n, s, bin, ts, u)
			}
		})
	}
}

// TestDBBadInput: each is refused in its own way, and the session goes on.
func TestDBBadInput(t *testing.T) {
	_, addr, _ := tcpServer(t, Config{})
	conn := connect(t, addr, "sslmode=disable&default_query_exec_mode=simple_protocol")
	mustExec(t, conn, "create table t (a int primary key, b text)")
	if _, err := conn.Exec(testContext(t), "select '"+strings.Repeat("x", 10<<20)+"'"); err != nil {
		t.Error("10 MB statement:", err)
	}
	if _, err := conn.Exec(testContext(t), "select "+strings.Repeat("(", 10000)+"1"+strings.Repeat(")", 10000)); code(err) != "54001" {
		t.Error("10,000 parentheses:", err)
	}
	data := strings.Builder{}
	for i := 1; i < 70000; i++ {
		fmt.Fprintf(&data, "%d\tx\n", i)
	}
	data.WriteString("seventy\tx\n70001\tx\n")
	_, err := conn.PgConn().CopyFrom(testContext(t), strings.NewReader(data.String()), "copy t from stdin")
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "22P02" || e.Where != `COPY t, line 70000, column a: "seventy"` {
		t.Error("line 70000:", err)
	}
	var n int
	if err := conn.QueryRow(testContext(t), "select count(*) from t").Scan(&n); err != nil || n != 0 {
		t.Error("rows after a failed COPY:", n, err)
	}
}

// TestDBClientLeaves: an open transaction is rolled back, its locks are free.
func TestDBClientLeaves(t *testing.T) {
	_, addr, _ := tcpServer(t, Config{})
	conn := connect(t, addr, "sslmode=disable")
	mustExec(t, conn, "create table t (a int primary key, b int)")
	mustExec(t, conn, "insert into t values (1, 1)")
	gone := connect(t, addr, "sslmode=disable")
	mustExec(t, gone, "begin")
	mustExec(t, gone, "update t set b = 2 where a = 1")
	gone.PgConn().Conn().Close()
	mustExec(t, conn, "update t set b = b + 10 where a = 1")
	var b int
	if err := conn.QueryRow(testContext(t), "select b from t").Scan(&b); err != nil || b != 11 {
		t.Error(b, err)
	}
}

// TestDBCancel stops a statement that waits for a lock, by request and by timeout.
func TestDBCancel(t *testing.T) {
	_, addr, _ := tcpServer(t, Config{})
	holder, waiter := connect(t, addr, "sslmode=disable"), connect(t, addr, "sslmode=disable")
	mustExec(t, holder, "create table t (a int primary key, b int)")
	mustExec(t, holder, "insert into t values (1, 1)")
	mustExec(t, holder, "begin")
	mustExec(t, holder, "update t set b = 2 where a = 1")
	done := make(chan error, 1)
	go func() {
		_, err := waiter.Exec(context.Background(), "update t set b = 3 where a = 1")
		done <- err
	}()
	waitFor(t, func() bool {
		waiter.PgConn().CancelRequest(testContext(t))
		return len(done) > 0
	})
	if err := <-done; code(err) != "57014" || !strings.Contains(err.Error(), "user request") {
		t.Error(err)
	}
	mustExec(t, waiter, "set statement_timeout = '50ms'")
	_, err := waiter.Exec(testContext(t), "update t set b = 3 where a = 1")
	if code(err) != "57014" || !strings.Contains(err.Error(), "statement timeout") {
		t.Error(err)
	}
	mustExec(t, waiter, "set statement_timeout = 0")
	mustExec(t, holder, "commit")
	mustExec(t, waiter, "update t set b = 3 where a = 1")
}

func TestTextHasNoParameters(t *testing.T) {
	_, addr, _ := tcpServer(t, Config{})
	conn := connect(t, addr, "sslmode=disable")
	for _, sql := range []string{"select $1", "select 1; select 1 limit $1", "values ($1)"} {
		if _, err := conn.PgConn().Exec(testContext(t), sql).ReadAll(); code(err) != "42P02" {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if _, err := conn.PgConn().Exec(testContext(t), "prepare p as select $1::int; execute p (0)").ReadAll(); err != nil {
		t.Error(err)
	}
}

// DDL in a block commits by itself: a rollback says that it stays.
func TestRollbackTellsOfDDL(t *testing.T) {
	_, addr, _ := tcpServer(t, Config{})
	var notices []string
	cfg, err := pgx.ParseConfig("postgres://u:secret@" + addr + "/d?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		notices = append(notices, n.Severity+" "+n.Code+" "+n.Message)
	}
	conn, err := pgx.ConnectConfig(testContext(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	for _, test := range []struct{ run, want string }{
		{"create table t (a text primary key)", ""},
		{"begin; truncate t; rollback", ""},
		{"begin; drop table t; rollback", ""},
		{"begin; truncate t; commit", ""},
		{"begin; create table u (a text primary key); select nope; commit", ""},
		{"create table u (a text primary key); select nope", ""},
		{"create table u (a text primary key)", ""},
		{"drop table u; select nope", ""},
		{"drop table u", ""},
		{"begin; comment on table t is 'x'; savepoint s; alter table t add column b int; rollback to s", ""},
		{"rollback", ""},
		{"begin; comment on table t is 'x'; savepoint s; create table v (a text primary key); alter table t add check (a <> 'q'); rollback to s", "WARNING 01000 CREATE TABLE was not rolled back; WARNING 01000 ALTER TABLE was not rolled back"},
		{"rollback", "WARNING 01000 COMMENT was not rolled back"},
		{"begin; rollback", ""},
	} {
		notices = nil
		for _, sql := range strings.SplitAfter(test.run, "nope;") {
			conn.Exec(testContext(t), sql, pgx.QueryExecModeSimpleProtocol)
		}
		if got := strings.Join(notices, "; "); got != test.want {
			t.Errorf("%s: %q, not %q", test.run, got, test.want)
		}
	}
}
