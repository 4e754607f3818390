package saltsql

import (
	"context"
	"fmt"
	"io"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// Rows streams the result of one statement. Close it; it is not safe for
// concurrent use.
type Rows struct {
	s      *Session
	p      *Portal
	owned  bool // the session was made for this query
	ctx    context.Context
	batch  *vec.Batch
	next   int
	row    int
	n      int64
	err    error
	closed bool
}

// Query runs one statement in a session of its own. Args are the values of $1,
// $2, …, by the rules of database/sql: bool, integers, floats, string, []byte, time.Time
// and types of these kinds, pointers to them, nil, driver.Valuer; and also
// time.Duration, *big.Int, *big.Float and *big.Rat, [16]byte for a uuid, slices for
// arrays, and what encoding/json takes for json and jsonb. A String method is not asked.
func (db *DB) Query(ctx context.Context, text string, args ...any) (*Rows, error) {
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		return nil, err
	}
	r, err := s.Query(ctx, text, args...)
	if err != nil {
		s.Close()
		return nil, err
	}
	r.owned = true
	return r, nil
}

// Exec runs one statement in a session of its own and gives its command tag
// ("INSERT 0 3").
func (db *DB) Exec(ctx context.Context, text string, args ...any) (tag string, err error) {
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		return "", err
	}
	defer s.Close()
	return s.Exec(ctx, text, args...)
}

// Query runs one statement. No other may run in the session until the Rows is closed.
func (s *Session) Query(ctx context.Context, text string, args ...any) (*Rows, error) {
	var st *Stmt
	var err error
	if p := s.db.plans.shaped(text); p != nil && len(args) == 0 {
		st, err = s.PrepareParsed(ctx, p, nil)
	} else {
		st, err = s.Prepare(ctx, text, nil)
	}
	if err != nil {
		s.settle()
		return nil, err
	}
	return s.QueryStmt(ctx, st, args...)
}

// QueryStmt is Query of a prepared statement.
func (s *Session) QueryStmt(ctx context.Context, st *Stmt, args ...any) (*Rows, error) {
	if st.Empty() {
		return nil, sqlerr.New(sqlerr.SyntaxError, "the statement is empty")
	}
	if len(args) != len(st.ParamTypes()) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "wrong number of arguments").
			WithDetail("The statement has %d parameters but %d arguments were given.", len(st.ParamTypes()), len(args))
	}
	if s.tx.status == TxFailed && !endsTransaction(st.st.Utility) { // whatever the arguments are
		return nil, errInFailedTransaction()
	}
	params := make([]types.Datum, len(args))
	for i, a := range args {
		d, err := toDatum(a, st.params[i], s.IOEnv())
		if err != nil {
			err = ofArgument(err, i+1)
			s.failed(err)
			s.settle()
			return nil, err
		}
		params[i] = d
	}
	p, err := s.Bind(ctx, "", st, params)
	if err != nil {
		s.settle()
		return nil, err
	}
	if p.CopyIn() != nil || p.CopyOut() != nil {
		s.ClosePortal("")
		return nil, sqlerr.Unsupported("COPY is not a query", "Use Session.CopyFrom, or the Postgres protocol.")
	}
	return &Rows{s: s, p: p, ctx: ctx}, nil
}

// ofArgument says which argument an error is about.
func ofArgument(err error, number int) error {
	e := sqlerr.As(err)
	if e == nil {
		return fmt.Errorf("saltsql: argument $%d: %w", number, err)
	}
	if e.Where != "" {
		return err
	}
	of := *e
	of.Where = fmt.Sprintf("argument $%d", number)
	return &of
}

// Exec runs one statement to its end and gives its command tag. Rows it
// returns are dropped.
func (s *Session) Exec(ctx context.Context, text string, args ...any) (tag string, err error) {
	r, err := s.Query(ctx, text, args...)
	if err != nil {
		return "", err
	}
	for r.Next() {
	}
	r.Close()
	return r.Tag(), r.Err()
}

// ofContext lets errors.Is find the caller's context where it was what canceled the
// statement.
func ofContext(ctx context.Context, err error) error {
	e := sqlerr.As(err)
	if e == nil || e.Code != sqlerr.QueryCanceled || ctx.Err() == nil {
		return err
	}
	c := *errCanceled
	c.Cause = context.Cause(ctx)
	return &c
}

// Columns describes the result.
func (r *Rows) Columns() []Column { return r.p.Columns() }

// Next moves to the next row; false at the end or after an error.
func (r *Rows) Next() bool {
	if r.err != nil || r.closed {
		return false
	}
	for r.batch == nil || r.next >= r.batch.Rows() {
		r.batch, r.err = r.p.Next(r.ctx)
		r.next = 0
		if r.err != nil {
			r.batch = nil
			r.err = ofContext(r.ctx, r.err)
			r.s.settle()
			return false
		}
	}
	r.row = r.batch.Row(r.next)
	r.next++
	r.n++
	return true
}

// Value gives column i of the current row: nil, bool, int64, float64, []byte
// (bytea), time.Time (dates and timestamps), or a string with the value's text.
func (r *Rows) Value(i int) any {
	v := r.batch.Cols[i]
	return toGo(v.Datum(r.row), v.Type, r.s.IOEnv())
}

// Text gives column i of the current row as Postgres prints it; "" for NULL.
func (r *Rows) Text(i int) string {
	v := r.batch.Cols[i]
	if v.Null(r.row) {
		return ""
	}
	return string(vec.AppendText(nil, v, r.row, r.s.IOEnv()))
}

// Null says that column i of the current row is NULL.
func (r *Rows) Null(i int) bool { return r.batch.Cols[i].Null(r.row) }

// Scan stores the current row in dest: one pointer, sql.Scanner or *any per column. NULL needs a
// pointer to a pointer, a sql.Null, a *[]byte or a *any.
func (r *Rows) Scan(dest ...any) error {
	if len(dest) != len(r.batch.Cols) {
		return sqlerr.New(sqlerr.SyntaxError, "Scan has %d destinations for %d columns", len(dest), len(r.batch.Cols))
	}
	for i, d := range dest {
		if err := assign(d, r.Value(i)); err != nil {
			return err
		}
	}
	return nil
}

// Err is what ended Next before the last row, if anything did.
func (r *Rows) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// Tag is the command tag, once Next has returned false without an error.
func (r *Rows) Tag() string {
	if r.err != io.EOF {
		return ""
	}
	return r.p.Tag(r.n)
}

// Close ends the statement. It is idempotent and gives Err.
func (r *Rows) Close() error {
	if !r.closed {
		r.closed = true
		if r.s.portals[r.p.name] == r.p {
			r.s.ClosePortal(r.p.name)
		}
		if r.owned {
			r.s.Close()
		}
	}
	return r.Err()
}
