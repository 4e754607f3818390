package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/random"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble"
	"github.com/saltsql/saltsql/storage/storagetest/tablets"
)

// randomEngine is one database that runs random statements: a DB, or what
// speaks the protocol at dsn.
type randomEngine struct {
	name    string
	variant variant
	db      *saltsql.DB
	dsn     string
	schema  string // of the protocol's engines, which may share a database
	fixed   bool   // without table options
	indexed bool   // with indexes, beside the table
	epochs  bool   // with salt that changes for new rows
	often   int    // takes part in one of so many seeds
	phase   uint64 // which of them: the seed modulo often
	reopen  func() (*saltsql.DB, error)
	tablets *tablets.Cluster
	seed    uint64 // of the tablets' moves
	spent   time.Duration
}

func (e *randomEngine) isPostgres() bool { return e.name == "PostgreSQL" }

// randomConn runs statements as texts or prepared; nil is NULL.
type randomConn interface {
	text(ctx context.Context, sql string, page uint32) (rows [][]*string, tag string, err error)
	prepare(ctx context.Context, name, sql string, oids []uint32) error
	execute(ctx context.Context, name string, args []*string, page uint32) (rows [][]*string, tag string, err error)
	close(ctx context.Context)
}

// randomRun is one session with its table.
type randomRun struct {
	// apart: from here on its answers are no longer PostgreSQL's, and not compared.
	apart bool
	*randomEngine
	ddl      string
	conn     randomConn
	prepared map[string]error
	stmts    []random.Statement // those that are prepared
}

func (r *randomRun) String() string { return r.name }

func (e *randomEngine) start(ctx context.Context, ddl string) (*randomRun, error) {
	run := &randomRun{randomEngine: e, ddl: ddl, prepared: map[string]error{}}
	if e.tablets != nil {
		e.tablets.Restart(e.seed)
	}
	var err error
	if e.db == nil {
		run.conn, err = dial(ctx, e.dsn, e.schema)
	} else {
		err = run.session(map[string]string{})
	}
	if err != nil {
		return run, err
	}
	_, _, err = run.conn.text(ctx, "DROP TABLE IF EXISTS r", 0)
	for _, sql := range strings.Split(ddl, nextDDL) {
		if err == nil {
			_, _, err = run.conn.text(ctx, sql, 0)
		}
	}
	return run, err
}

// nextDDL stands between the statements that make a table.
const nextDDL = ";\n"

// session starts one with settings on the engine's DB.
func (r *randomRun) session(settings map[string]string) error {
	settings["saltsql.rules"] = "on"
	if r.variant.rulesOff {
		settings["saltsql.rules"] = "off"
	}
	s, err := r.db.NewSession(saltsql.SessionOptions{Settings: settings})
	if err != nil {
		return err
	}
	r.conn, r.prepared = newEmbedded(s), map[string]error{}
	return nil
}

// reopened closes the store and opens it again: rows have gone to files. The
// new session has the settings of the old.
func (r *randomRun) reopened(ctx context.Context) error {
	if e, ok := r.conn.(*embedded); ok && e.s.TxStatus() != saltsql.TxIdle {
		return nil // what is left of a script, when it is made smaller
	}
	settings := map[string]string{}
	for _, name := range []string{"timezone", "work_mem", "saltsql.max_streams", "saltsql.full_scan", "saltsql.hints"} {
		rows, _, err := r.conn.text(ctx, "SHOW "+name, 0)
		if err != nil {
			return err
		}
		settings[name] = *rows[0][0]
	}
	r.conn.close(ctx)
	db, err := r.reopen()
	if err != nil {
		return err
	}
	r.db = db
	if err := r.session(settings); err != nil {
		return err
	}
	for _, st := range r.stmts {
		r.prepared[st.Name] = r.conn.prepare(ctx, st.Name, st.SQL(), st.OIDs)
	}
	return nil
}

func (r *randomRun) close(ctx context.Context) {
	if r.conn == nil {
		return
	}
	_, _, _ = r.conn.text(ctx, "ROLLBACK", 0)
	_, _, _ = r.conn.text(ctx, "DROP TABLE IF EXISTS r", 0)
	r.conn.close(ctx)
}

const skip = "(not for this engine)"

// answer is what a statement gave, in a form that compares.
func (r *randomRun) answer(ctx context.Context, st random.Statement) string {
	ctx, cancel := context.WithTimeout(ctx, harness.Patience)
	defer cancel()
	start := time.Now()
	defer func() { r.spent += time.Since(start) }()
	if r.tablets != nil {
		r.tablets.Move()
	}
	sql := st.SQL()
	switch {
	case st.Reopen && r.reopen == nil:
		return skip
	case st.Reopen:
		if err := r.reopened(ctx); err != nil {
			return "error " + state(err) + ": " + err.Error()
		}
		return skip
	case st.Ours && r.isPostgres():
		return skip
	case st.Ours:
		if _, _, err := r.conn.text(ctx, sql, 0); err != nil && state(err) != "25P02" {
			return "error " + state(err) + ": " + err.Error()
		}
		return skip
	case st.Analyze && !r.isPostgres():
		return form(st, func() ([][]*string, string, error) { return analyzed(ctx, r.conn, sql) })
	case st.Plain != nil && r.isPostgres():
		for _, sql := range st.Plain {
			if _, _, err := r.conn.text(ctx, sql, 0); err != nil {
				return "error " + state(err) + report(err)
			}
		}
		return "done"
	case st.Name == "":
		return form(st, func() ([][]*string, string, error) { return r.conn.text(ctx, sql, st.Page) })
	}
	err, known := r.prepared[st.Name]
	if !known || err != nil {
		err = r.conn.prepare(ctx, st.Name, sql, st.OIDs)
		r.prepared[st.Name] = err
		r.stmts = append(r.stmts, st)
	}
	// An error may come when the statement is prepared or when it runs, and it
	// ends a transaction: the values after it are left out.
	if err != nil {
		return "values 1:\nerror " + state(err) + report(err)
	}
	var out []string
	for i, set := range st.Sets {
		a := form(st, func() ([][]*string, string, error) { return r.conn.execute(ctx, st.Name, set, st.Page) })
		out = append(out, fmt.Sprintf("values %d:", i+1), a)
		if strings.HasPrefix(a, "error ") {
			break
		}
	}
	return strings.Join(out, "\n")
}

// analyzed runs a query under EXPLAIN ANALYZE. It gives as many rows as the plan
// says that there were.
func analyzed(ctx context.Context, c randomConn, sql string) ([][]*string, string, error) {
	rows, tag, err := c.text(ctx, "EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) "+sql, 0)
	if err != nil {
		return nil, tag, err
	}
	var lines []string
	for _, row := range rows {
		lines = append(lines, *row[0])
	}
	var plans []struct {
		Plan struct {
			Rows *int `json:"Actual Rows"`
		}
	}
	if err := json.Unmarshal([]byte(strings.Join(lines, "\n")), &plans); err != nil {
		return nil, tag, err
	}
	if len(plans) != 1 || plans[0].Plan.Rows == nil {
		return nil, tag, fmt.Errorf("no Actual Rows in %s", strings.Join(lines, "\n"))
	}
	return make([][]*string, *plans[0].Plan.Rows), tag, nil
}

// state is an error's SQLSTATE. What a type of ours refuses is a constraint on
// PostgreSQL, which lacks the type.
func state(err error) string {
	var pe *pgconn.PgError
	if errors.As(err, &pe) && strings.HasPrefix(pe.ConstraintName, random.RangeCheck) {
		return "22003" // numeric_value_out_of_range
	}
	var se interface{ SQLState() string }
	if errors.As(err, &se) {
		return se.SQLState()
	}
	return err.Error()
}

// form runs a statement and gives its rows, or its tag, or the SQLSTATE of its
// error.
func form(st random.Statement, run func() ([][]*string, string, error)) string {
	rows, tag, err := run()
	switch {
	case err != nil:
		return "error " + state(err) + report(err)
	case st.Plain != nil:
		return "done"
	case !st.Query:
		return tag
	case st.Count:
		return fmt.Sprint(len(rows), " rows")
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		var cells []string
		for _, v := range row {
			if v == nil {
				cells = append(cells, "NULL")
			} else {
				cells = append(cells, fmt.Sprintf("%q", *v))
			}
		}
		lines[i] = strings.Join(cells, " ")
	}
	if !st.Ordered {
		slices.Sort(lines)
	}
	return strings.Join(lines, "\n")
}

// openReopening makes a DB on a store that can be closed and opened again.
func openReopening(t testing.TB) (*saltsql.DB, func() (*saltsql.DB, error)) {
	fs := vfs.NewMem()
	var db *saltsql.DB
	var store storage.Store
	shut := func() error {
		if db == nil {
			return nil
		}
		err := errors.Join(db.Close(), store.Close())
		db = nil
		return err
	}
	open := func() (*saltsql.DB, error) {
		if err := shut(); err != nil {
			return nil, err
		}
		s, err := pebble.Open("store", &pebble.Options{FS: fs, CacheBytes: 16 << 20, Logger: harness.Quiet})
		if err != nil {
			return nil, err
		}
		store = s
		db, err = saltsql.Open(context.Background(), store, &saltsql.Options{Logger: harness.Quiet})
		return db, err
	}
	first, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := shut(); err != nil {
			t.Error(err)
		}
	})
	return first, open
}

// embedded is a session without a socket.
type embedded struct {
	s      *saltsql.Session
	stmts  map[string]*saltsql.Stmt
	params map[string][]saltsql.Type // as they were when the statements were prepared
}

func newEmbedded(s *saltsql.Session) *embedded {
	return &embedded{s: s, stmts: map[string]*saltsql.Stmt{}, params: map[string][]saltsql.Type{}}
}

// followed says that DDL has changed the types of a prepared statement's parameters: in process
// its values are of the new ones, where PostgreSQL keeps the types that it told.
func (r *randomRun) followed(st random.Statement) bool {
	c, ok := r.conn.(*embedded)
	if !ok || c.stmts[st.Name] == nil {
		return false
	}
	return !slices.Equal(c.params[st.Name], c.stmts[st.Name].Params())
}

func (c *embedded) close(context.Context) { c.s.Close() }

func (c *embedded) text(ctx context.Context, sql string, _ uint32) ([][]*string, string, error) {
	return sessionConn{c.s}.Exec(ctx, sql)
}

func (c *embedded) prepare(ctx context.Context, name, sql string, oids []uint32) error {
	var declared []saltsql.Type
	for _, oid := range oids {
		t, _ := saltsql.TypeOfOID(oid)
		declared = append(declared, t)
	}
	st, err := c.s.Prepare(ctx, sql, declared...)
	c.stmts[name] = st
	if err == nil {
		c.params[name] = st.Params()
	}
	return err
}

func (c *embedded) execute(ctx context.Context, name string, args []*string, _ uint32) ([][]*string, string, error) {
	vals := make([]any, len(args))
	for i, a := range args {
		if a != nil {
			vals[i] = *a
		}
	}
	rows, err := c.stmts[name].Query(ctx, vals...)
	if err != nil {
		return nil, "", err
	}
	return harness.ReadRows(rows)
}

// dial connects to an engine that speaks the protocol.
func dial(ctx context.Context, dsn, schema string) (*protocol, error) {
	c, err := pgconn.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	if schema == "" {
		schema = "random"
	}
	_, err = c.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+schema+"; SET search_path = "+schema+"; SET timezone = 'UTC'").ReadAll()
	return &protocol{c}, err
}

// report is for the reader of a fault: answers compare without it.
func report(err error) string { return reportMark + strings.ReplaceAll(err.Error(), "\n", " ") }

const reportMark = " -- "
