package plannertest

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/goapi"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/planner/bind"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/storage/mem"
)

// Statement is a statement of a file that can be bound and has no parameters.
type Statement struct {
	*testing.T // of its file
	Text       string
	Tree       *tree.Statement
	Context    *query.Context
	conn       *conn
}

// Bind binds it anew.
func (s *Statement) Bind() *logical.Statement {
	bound, err := bind.Statement(s.Context, s.Tree)
	if err != nil {
		s.Fatalf("%s\ndoes not bind a second time: %v", s.Text, err)
	}
	return bound
}

// Wrong fails the file's test for this statement.
func (s *Statement) Wrong(format string, args ...any) {
	s.Helper()
	s.Errorf(format+"\n%s", append(args, s.Text)...)
}

// Run runs a text in the statement's session, as the statement is about to be. It fails in
// a transaction, which a fault would end.
func (s *Statement) Run(text string) (rows [][]*string, err error) {
	if s.conn.s.TxStatus() != session.TxIdle {
		return nil, errors.New("the session is in a transaction")
	}
	rows, _, err = s.conn.run(context.Background(), text)
	return rows, err
}

// Each calls f with every statement of every file that reads or writes rows, before it
// runs, or with those of a part of the files (internal/seeds). It says whether that was all, and
// fails where they are fewer than atLeast.
func Each(t *testing.T, atLeast int, f func(*Statement)) (all bool) {
	files, err := filepath.Glob("../../conformance/testdata/*.slt") // of a test in a room of the planner
	if err != nil {
		t.Fatal(err)
	}
	n, read := 0, 0
	for i := range seeds.Part(t, len(files), seeds.Whole) {
		path := files[i]
		read++
		if filepath.Base(path) == "pg_temporary.slt" {
			continue // its tables are a session's own: the DB's catalog does not know them
		}
		file, err := slt.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".slt"), func(t *testing.T) {
			db, err := session.Open(context.Background(), mem.New(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			faults, _ := slt.Run(context.Background(), file, &engine{db: db, each: func(s *Statement) {
				n++
				s.T = t
				f(s)
			}})
			for _, fault := range faults {
				t.Error(fault)
			}
		})
	}
	all = read == len(files)
	if all && n < atLeast {
		t.Errorf("%d statements only, not %d: the files are not read as they are", n, atLeast)
	}
	return all
}

// engine runs a file on salted tables.
type engine struct {
	db   *session.DB
	each func(*Statement)
}

func (e *engine) Names() []string { return []string{"saltsql", "mem", "salted"} }
func (e *engine) Salt() string    { return "SALT_BUCKETS = 4" }
func (e *engine) Buckets() int    { return 4 }
func (e *engine) Desc() uint      { return 0 }
func (e *engine) RulesOff() bool  { return false }

func (e *engine) Open(context.Context) (slt.Conn, error) {
	s, err := e.db.NewSession(session.SessionOptions{})
	if err != nil {
		return nil, err
	}
	return &conn{e, s}, nil
}

type conn struct {
	engine *engine
	s      *session.Session
}

func (c *conn) Close() { c.s.Close() }

func (c *conn) Exec(ctx context.Context, text string) ([][]*string, string, error) {
	if s := c.statement(text); s != nil {
		c.engine.each(s)
	}
	return c.run(ctx, text)
}

// statement gives what Each is about; nil of another statement.
func (c *conn) statement(text string) *Statement {
	stmts, err := dialect.Parse(text)
	if err != nil || len(stmts) != 1 || stmts[0].DML == nil || stmts[0].NumParams > 0 {
		return nil
	}
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	path, zone := []string{"public"}, time.UTC
	if name, ok := c.s.Setting("timezone"); ok {
		if z, err := time.LoadLocation(name); err == nil {
			zone = z
		}
	}
	s := &Statement{Text: text, Tree: stmts[0], conn: c, Context: &query.Context{
		Catalog: c.engine.db.Catalog().Snapshot(), SearchPath: path,
		Env: &expr.Env{Now: now, StmtTime: now, TimeZone: zone, SearchPath: path, Names: c.s.IOEnv().Names, IO: *c.s.IOEnv()},
	}}
	if _, err := bind.Statement(s.Context, s.Tree); err != nil {
		return nil
	}
	return s
}

func (c *conn) run(ctx context.Context, text string) (out [][]*string, tag string, err error) {
	r, err := goapi.Query(ctx, c.s, text)
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	for r.Next() {
		row := make([]*string, len(r.Columns()))
		for i := range row {
			if !r.Null(i) {
				s := r.Text(i)
				row[i] = &s
			}
		}
		out = append(out, row)
	}
	return out, r.Tag(), r.Err()
}
