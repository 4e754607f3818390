package saltsql

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"
)

func mustExec(t *testing.T, s *Session, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, err := s.Exec(context.Background(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

// TestErrors: an error has all its fields, whichever way a program came to it.
func TestErrors(t *testing.T) {
	ctx := context.Background()
	db, s := openSession(t, SessionOptions{})
	h := sql.OpenDB(db.Connector())
	defer h.Close()
	mustExec(t, s, "CREATE TABLE t (k INT PRIMARY KEY, n INT NOT NULL, CONSTRAINT positive CHECK (n > 0))", "INSERT INTO t VALUES (1, 1)")
	prepared := func(text string) error {
		st, err := s.Prepare(ctx, text)
		if err == nil {
			_, err = st.Exec(ctx)
		}
		return err
	}
	inTx := func(text string) error {
		return db.InTx(ctx, nil, func(s *Session) error { _, err := s.Exec(ctx, text); return err })
	}
	ways := map[string]func(text string) error{
		"session":            func(text string) error { _, err := s.Exec(ctx, text); return err },
		"db":                 func(text string) error { _, err := db.Exec(ctx, text); return err },
		"several":            func(text string) error { _, err := s.Exec(ctx, "SELECT 1; "+text); return err },
		"prepared":           prepared,
		"transaction":        inTx,
		"database/sql":       func(text string) error { _, err := h.Exec(text); return err },
		"database/sql query": func(text string) error { return h.QueryRow(text).Scan(new(any)) },
		"database/sql prepared": func(text string) error {
			st, err := h.Prepare(text)
			if err == nil {
				_, err = st.Exec()
				st.Close()
			}
			return err
		},
	}
	for text, want := range map[string]Error{
		"INSERT INTO t VALUES (1, 1)":    {Code: "23505", Message: `duplicate key value violates unique constraint "t_pkey"`, Detail: "Key (k)=(1) already exists.", Schema: "public", Table: "t", Constraint: "t_pkey"},
		"INSERT INTO t VALUES (2, NULL)": {Code: "23502", Table: "t", Column: "n", Schema: "public"},
		"INSERT INTO t VALUES (2, -1)":   {Code: "23514", Table: "t", Constraint: "positive", Schema: "public"},
		"SELECT m FROM t":                {Code: "42703", Message: `column "m" does not exist`, Position: 8},
		"LISTEN x":                       {Code: "0A000", Hint: "Connect over the protocol; wire.Server.Dial does within the process."},
	} {
		for name, run := range ways {
			err := run(text)
			var e *Error
			if !errors.As(err, &e) {
				t.Errorf("%s, %s: %T %v", name, text, err, err)
				continue
			}
			pos := want.Position
			if name == "several" && pos > 0 {
				pos += len("SELECT 1; ")
			}
			if e.Code != want.Code || e.SQLState() != want.Code || e.Severity != "ERROR" || want.Message != "" && e.Message != want.Message ||
				want.Detail != "" && e.Detail != want.Detail || want.Hint != "" && e.Hint != want.Hint ||
				e.Table != want.Table || e.Column != want.Column || e.Constraint != want.Constraint || e.Schema != want.Schema || e.Position != pos {
				t.Errorf("%s, %s: %+v", name, text, *e)
			}
		}
	}
}

// TestSeveralStatements: a text of several statements is one transaction, but for the
// blocks in it.
func TestSeveralStatements(t *testing.T) {
	ctx := context.Background()
	_, s := openSession(t, SessionOptions{})
	count := func() int {
		t.Helper()
		n, err := One[int](ctx, s, "SELECT count(*) FROM t")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	tag, err := s.Exec(ctx, "CREATE TABLE t (k INT PRIMARY KEY); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2), (3);")
	if err != nil || tag != "INSERT 0 2" || tag.RowsAffected() != 2 || count() != 3 {
		t.Fatal(tag, err)
	}
	var e *Error
	if _, err := s.Exec(ctx, "INSERT INTO t VALUES (4); INSERT INTO t VALUES (1); INSERT INTO t VALUES (5)"); !errors.As(err, &e) || e.Code != "23505" || count() != 3 {
		t.Error(err, count())
	}
	if _, err := s.Exec(ctx, "INSERT INTO t VALUES (4); COMMIT; INSERT INTO t VALUES (1)"); !errors.As(err, &e) || e.Code != "23505" || count() != 4 {
		t.Error(err, count())
	}
	if s.TxStatus() != TxIdle {
		t.Error(s.TxStatus())
	}
	if _, err := s.Exec(ctx, "BEGIN; INSERT INTO t VALUES (6)"); err != nil || s.TxStatus() != TxActive {
		t.Error(err, s.TxStatus())
	}
	if _, err := s.Exec(ctx, "INSERT INTO t VALUES (7); ROLLBACK; INSERT INTO t VALUES (8)"); err != nil || count() != 5 {
		t.Error(err, count())
	}
	if _, err := s.Exec(ctx, "SELECT $1::int; SELECT 1", 1); !errors.As(err, &e) || e.Code != "42601" {
		t.Error(err)
	}
	// A statement that failed by itself before has no part in it.
	_, _ = s.Exec(ctx, "INSERT INTO t VALUES (1)")
	if _, err := s.Exec(ctx, "INSERT INTO t VALUES (10); INSERT INTO t VALUES (11)"); err != nil || count() != 7 {
		t.Error(err, count())
	}
}

// TestStatementsFollowDDL: a prepared statement has the columns and the parameters that
// its text has now.
func TestStatementsFollowDDL(t *testing.T) {
	ctx := context.Background()
	db, s := openSession(t, SessionOptions{})
	h := sql.OpenDB(db.Connector())
	defer h.Close()
	mustExec(t, s, "CREATE TABLE t (k INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 2)")
	native, err := s.Prepare(ctx, "SELECT * FROM t WHERE v = $1")
	if err != nil {
		t.Fatal(err)
	}
	std, err := h.Prepare("SELECT * FROM t WHERE v = $1")
	if err != nil {
		t.Fatal(err)
	}
	check := func(arg any, want string) {
		t.Helper()
		rows, err := native.Query(ctx, arg)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for rows.Next() {
			got += fmt.Sprint(rows.Values())
		}
		if err := rows.Close(); err != nil || got != want || len(native.Columns()) != strings.Count(want, " ")+1 {
			t.Errorf("native: %s %v, want %s", got, err, want)
		}
		r, err := std.Query(arg)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		cols, _ := r.Columns()
		if !r.Next() || len(cols) != strings.Count(want, " ")+1 {
			t.Errorf("database/sql: %v %v", cols, r.Err())
		}
	}
	check(2, "[1 2]")
	mustExec(t, s, "ALTER TABLE t ADD COLUMN w INT")
	check(2, "[1 2 <nil>]")
	mustExec(t, s, "DROP TABLE t", "CREATE TABLE t (k INT PRIMARY KEY, v TEXT)", "INSERT INTO t VALUES (1, 'two')")
	check("two", "[1 two]")
	if got := native.Params()[0].String(); got != "text" {
		t.Error(got)
	}
	mustExec(t, s, "DROP TABLE t")
	var e *Error
	if _, err := native.Query(ctx, 1); !errors.As(err, &e) || e.Code != "42P01" {
		t.Error(err)
	}
}

// TestRetries: InTx tries a transaction again that another got in the way of, and no other.
func TestRetries(t *testing.T) {
	ctx := context.Background()
	db, s := openSession(t, SessionOptions{})
	mustExec(t, s, "CREATE TABLE t (k INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 0)")
	tries := 0
	err := db.InTx(ctx, &TxOptions{Isolation: sql.LevelRepeatableRead}, func(tx *Session) error {
		tries++
		if _, err := One[int](ctx, tx, "SELECT n FROM t WHERE k = 1"); err != nil {
			return err
		}
		if tries == 1 {
			mustExec(t, s, "UPDATE t SET n = n + 10 WHERE k = 1")
		}
		_, err := tx.Exec(ctx, "UPDATE t SET n = n + 1 WHERE k = 1")
		return err
	})
	if n, _ := One[int](ctx, db, "SELECT n FROM t"); err != nil || n != 11 || tries != 2 {
		t.Errorf("%v, n is %d after %d tries", err, n, tries)
	}
	tries = 0
	mine := errors.New("mine")
	if err := db.InTx(ctx, nil, func(tx *Session) error {
		tries++
		mustExec(t, tx, "UPDATE t SET n = 99")
		return mine
	}); err != mine || tries != 1 {
		t.Error(err, tries)
	}
	for name, f := range map[string]func(*Session) error{
		"swallowed": func(tx *Session) error { _, _ = tx.Exec(ctx, "SELECT nope"); return nil },
		"ended":     func(tx *Session) error { _, err := tx.Exec(ctx, "ROLLBACK"); return err },
		"nested":    func(tx *Session) error { return tx.InTx(ctx, nil, func() error { return nil }) },
	} {
		if err := db.InTx(ctx, nil, f); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	func() {
		defer func() { _ = recover() }()
		_ = s.InTx(ctx, nil, func() error { mustExec(t, s, "UPDATE t SET n = 98"); panic("x") })
	}()
	if n, _ := One[int](ctx, db, "SELECT n FROM t"); n != 11 || s.TxStatus() != TxIdle {
		t.Error(n, s.TxStatus())
	}
	tries = 0
	if err := s.InTx(ctx, &TxOptions{Attempts: 3}, func() error { tries++; return &Error{Code: "40001"} }); err == nil || tries != 3 {
		t.Error(err, tries)
	}
	if err := s.InTx(ctx, &TxOptions{ReadOnly: true}, func() error { _, err := s.Exec(ctx, "DELETE FROM t"); return err }); err == nil {
		t.Error("a read-only transaction wrote")
	}
}

func numbered(n int, bad error) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for i := range n {
			if !yield([]any{i, fmt.Sprint("v", i), time.Unix(int64(i), 0), []string{"a", fmt.Sprint(i)}}, nil) {
				return
			}
		}
		if bad != nil {
			yield(nil, bad)
		}
	}
}

// TestCopy loads rows and text, natively and under a transaction of database/sql, and reads
// them back.
func TestCopy(t *testing.T) {
	ctx := context.Background()
	db, s := openSession(t, SessionOptions{})
	mustExec(t, s, "CREATE TABLE t (k INT PRIMARY KEY, v TEXT, at TIMESTAMPTZ, a TEXT[])")
	count := func(q Querier) int {
		t.Helper()
		n, err := One[int](ctx, q, "SELECT count(*) FROM t")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	const rows = 5000
	if n, err := s.CopyRows(ctx, "COPY t FROM STDIN", numbered(rows, nil)); n != rows || err != nil || count(s) != rows {
		t.Fatal(n, err)
	}
	var out bytes.Buffer
	if n, err := s.CopyTo(ctx, "COPY (SELECT k, v, a FROM t WHERE k IN (7, 4999) ORDER BY k) TO STDOUT (FORMAT csv, HEADER)", &out); n != 2 || err != nil ||
		out.String() != "k,v,a\n7,v7,\"{a,7}\"\n4999,v4999,\"{a,4999}\"\n" {
		t.Error(n, err, out.String())
	}
	mine := errors.New("no more")
	var e *Error
	for name, do := range map[string]func() error{
		"an error of the rows": func() error { _, err := s.CopyRows(ctx, "COPY t FROM STDIN (UPSERT)", numbered(3, mine)); return err },
		"a key twice":          func() error { _, err := s.CopyRows(ctx, "COPY t FROM STDIN", numbered(3, nil)); return err },
		"too few values":       func() error { _, err := s.CopyRows(ctx, "COPY t (k) FROM STDIN", numbered(3, nil)); return err },
		"a format": func() error {
			_, err := s.CopyRows(ctx, "COPY t FROM STDIN (FORMAT csv)", numbered(3, nil))
			return err
		},
		"the other direction": func() error { _, err := s.CopyRows(ctx, "COPY t TO STDOUT", numbered(3, nil)); return err },
		"no COPY":             func() error { _, err := s.CopyTo(ctx, "SELECT 1", &out); return err },
		"a bad value": func() error {
			_, err := s.CopyRows(ctx, "COPY t (k) FROM STDIN", func(yield func([]any, error) bool) { yield([]any{"x"}, nil) })
			return err
		},
		"a writer that fails": func() error { _, err := s.CopyTo(ctx, "COPY t TO STDOUT", brokenWriter{}); return err },
		"a reader that fails": func() error { _, err := s.CopyFrom(ctx, "COPY t FROM STDIN", brokenReader{}); return err },
	} {
		err := do()
		switch name {
		case "an error of the rows":
			if !errors.Is(err, mine) {
				t.Errorf("%s: %v", name, err)
			}
		case "a writer that fails", "a reader that fails":
			if !errors.Is(err, errBroken) {
				t.Errorf("%s: %v", name, err)
			}
		default:
			if !errors.As(err, &e) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if count(s) != rows || s.TxStatus() != TxIdle {
			t.Fatalf("%s: %d rows, %v", name, count(s), s.TxStatus())
		}
	}

	// In a transaction of database/sql, and rolled back with it.
	h := sql.OpenDB(db.Connector())
	defer h.Close()
	conn, err := h.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Raw(func(c any) error {
		s := c.(*Conn).Session()
		n, err := s.CopyFrom(ctx, "COPY t (k, v) FROM STDIN", strings.NewReader("10000\tx\n10001\ty\n"))
		if n != 2 || count(s) != rows+2 {
			t.Error(n, count(s))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil || count(s) != rows {
		t.Error(err, count(s))
	}
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }

// TestSessions: the DB tells what each session does, and cancels it.
func TestSessions(t *testing.T) {
	ctx := context.Background()
	db, s := openSession(t, SessionOptions{User: "ann", ApplicationName: "one"})
	other, err := db.NewSession(SessionOptions{User: "bob"})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	mustExec(t, other, "SET application_name = 'two'", "BEGIN")
	ended := make(chan error)
	go func() {
		_, err := s.Exec(ctx, "SELECT pg_sleep(60)")
		ended <- err
	}()
	for {
		if list := db.Sessions(); list[0].Running {
			if a, b := list[0], list[1]; len(list) != 2 || a.ID != s.ID() || a.User != "ann" || a.ApplicationName != "one" || a.Query != "SELECT pg_sleep(60)" || a.QueryStart.IsZero() ||
				b.User != "bob" || b.ApplicationName != "two" || b.Tx != TxActive || b.Running || b.Query != "BEGIN" {
				t.Errorf("%+v", list)
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
	if st := db.Stats(); st.Sessions != 2 || st.Running != 1 || st.MemoryLimit == 0 {
		t.Errorf("%+v", st)
	}
	if db.Cancel(1<<40) || !db.Cancel(s.ID()) {
		t.Error("Cancel takes the wrong session")
	}
	var e *Error
	if err := <-ended; !errors.As(err, &e) || e.Code != "57014" {
		t.Error(err)
	}
	was := db.Stats()
	for range 10 {
		if _, err := One[int](ctx, s, "SELECT 1"); err != nil {
			t.Fatal(err)
		}
	}
	if is := db.Stats(); is.PlanHits < was.PlanHits+9 || is.PlanMisses != was.PlanMisses+1 {
		t.Errorf("%+v, before %+v", is, was)
	}
}
