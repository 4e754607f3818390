package session

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/copyfmt"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
)

// runningDB is a DB with a log to look at.
func runningDB(t *testing.T) (*DB, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	db := openDB(t, &Options{NoEstimates: true, PlanCache: -1, Logger: slog.New(slog.NewTextHandler(log, nil))})
	return db, log
}

// noticing opens a session that calls on for each notice.
func noticing(t *testing.T, db *DB, on func()) *Session {
	t.Helper()
	s, err := db.NewSession(SessionOptions{Notice: func(*sqlerr.Error) { on() }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// runAll runs a text to its end.
func runAll(s *Session, text string) error {
	ctx := context.Background()
	list, err := s.Split(ctx, text)
	if err != nil {
		return err
	}
	for _, parsed := range list {
		st, err := s.PrepareParsed(ctx, parsed, nil)
		if err != nil {
			return err
		}
		p, err := s.Bind(ctx, "", st, nil)
		if err != nil {
			return err
		}
		for err == nil {
			_, err = p.Next(ctx)
		}
		p.Release()
		if err != io.EOF {
			return err
		}
	}
	return nil
}

var longName = strings.Repeat("n", 100)

// TestPanics: a panic in any part of a statement's life is its XX000 with a record in the log,
// and the session goes on.
func TestPanics(t *testing.T) {
	db, log := runningDB(t)
	broken := false
	s := noticing(t, db, func() {
		if broken {
			panic("broken on purpose")
		}
	})
	if err := runAll(s, "CREATE TABLE t (k INT PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"parsing":   "SELECT 1 AS " + longName,
		"planning":  "SELECT /*+ NOSUCHHINT(t) */ k FROM t",
		"execution": "COMMIT",
		"EXPLAIN":   "EXPLAIN SELECT /*+ NOSUCHHINT(t) */ k FROM t",
		"COPY":      "COPY (SELECT /*+ NOSUCHHINT(t) */ k FROM t) TO STDOUT",
		"PREPARE":   "PREPARE p AS SELECT /*+ NOSUCHHINT(t) */ k FROM t",
	} {
		log.Reset()
		broken = true
		err := runAll(s, text)
		broken = false
		if sqlerr.CodeOf(err) != sqlerr.InternalError || !strings.Contains(log.String(), "broken on purpose") {
			t.Errorf("%s: %v, log %q", name, err, log)
		}
		_ = s.EndPipeline(context.Background(), false)
		if err := runAll(s, "SELECT 1"); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
		if s.running != nil {
			t.Errorf("after %s a statement runs", name)
		}
	}
}

// TestCopyPanics is TestPanics of the methods by which rows come.
func TestCopyPanics(t *testing.T) {
	db, log := runningDB(t)
	s := noticing(t, db, func() {})
	if err := runAll(s, "CREATE TABLE t (k INT PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	st, err := s.Prepare(ctx, "COPY t FROM STDIN", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Bind(ctx, "", st, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := p.CopyIn()
	if err := in.Write(ctx, vec.NewBatch(nil), (*copyfmt.Lines)(nil)); sqlerr.CodeOf(err) != sqlerr.InternalError || log.Len() == 0 {
		t.Error(err, log)
	}
	p.Close()
	if err := runAll(s, "SELECT 1"); err != nil {
		t.Error(err)
	}
}

// TestPlanningIsStopped: while a statement is planned it is seen, canceled and timed as while it
// runs. Hints that mean nothing give a notice in the middle of planning.
func TestPlanningIsStopped(t *testing.T) {
	db, _ := runningDB(t)
	var seen Activity
	var s *Session
	cancel := false
	s = noticing(t, db, func() {
		seen = db.Sessions()[0]
		if cancel {
			db.Cancel(s.ID())
		}
	})
	if err := runAll(s, "CREATE TABLE t (k INT PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"SELECT /*+ NOSUCHHINT(t) */ k FROM t",
		"INSERT INTO t SELECT /*+ NOSUCHHINT(t) */ k FROM t",
		"EXPLAIN SELECT /*+ NOSUCHHINT(t) */ k FROM t",
		"COPY (SELECT /*+ NOSUCHHINT(t) */ k FROM t) TO STDOUT",
		"PREPARE p AS SELECT /*+ NOSUCHHINT(t) */ k FROM t",
		"BEGIN; DECLARE c CURSOR FOR SELECT /*+ NOSUCHHINT(t) */ k FROM t; ROLLBACK",
		"CREATE TABLE u AS SELECT /*+ NOSUCHHINT(t) */ k FROM t",
	} {
		for _, cancel = range []bool{false, true} {
			seen = Activity{}
			err := runAll(s, text)
			if want := map[bool]sqlerr.Code{true: sqlerr.QueryCanceled}[cancel]; sqlerr.CodeOf(err) != want && (cancel || err != nil) {
				t.Errorf("%s: canceled %v: %v", text, cancel, err)
			}
			if !seen.Running || !strings.Contains(text, seen.Query) || !strings.Contains(seen.Query, "NOSUCHHINT") {
				t.Errorf("%s: shown as %+v while it is planned", text, seen)
			}
			cancel = false
			_ = runAll(s, "ROLLBACK; DEALLOCATE ALL; DROP TABLE IF EXISTS u")
			_ = s.EndPipeline(context.Background(), true)
		}
	}
}

// TestFoldingIsStopped: what takes long at planning is stopped by statement_timeout.
func TestFoldingIsStopped(t *testing.T) {
	db, _ := runningDB(t)
	s := noticing(t, db, func() {})
	slow := "regexp_replace(repeat('a', 300000), 'a.*b|a', 'x', 'g')"
	for _, text := range []string{
		"SELECT " + slow,
		"EXPLAIN SELECT " + slow,
		"COPY (SELECT " + slow + ") TO STDOUT",
		"VALUES (" + slow + ")",
		"PREPARE p AS SELECT $1::text; EXECUTE p(" + slow + ")",
		"BEGIN; DECLARE c CURSOR FOR SELECT " + slow,
	} {
		if err := runAll(s, "SET statement_timeout = '30ms'"); err != nil {
			t.Fatal(err)
		}
		if err := runAll(s, text); sqlerr.CodeOf(err) != sqlerr.QueryCanceled || !strings.Contains(fmt.Sprint(err), "statement timeout") {
			t.Errorf("%s: %v", text, err)
		}
		_ = runAll(s, "ROLLBACK; RESET statement_timeout; DEALLOCATE ALL")
		_ = s.EndPipeline(context.Background(), true)
	}
}
