package goapi

import (
	"context"
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/govalue"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
)

// Rows streams the result of one statement. Close it, and do not copy it once it was read; it
// is not safe for concurrent use, nor beside its session's other Rows. Those may be open
// meanwhile.
type Rows struct {
	s      *session.Session
	p      *session.Portal // nil once it is closed
	st     *session.Stmt
	cols   []session.Column
	ctx    context.Context
	batch  *vec.Batch
	next   int
	row    int // -1: on no row
	n      int64
	err    error
	tag    string // once it is closed, where it was at its end
	owned  bool   // the session was made for this query
	closed bool
}

// QueryAlone runs one statement in a session of its own. Args are the values of $1,
// $2, …, by the rules of database/sql: bool, integers, floats, string, []byte, time.Time
// and types of these kinds, pointers to them, nil, driver.Valuer; and also
// time.Duration, *big.Int, *big.Float and *big.Rat, [16]byte for a uuid, slices for
// arrays, and what encoding/json takes for json and jsonb. A String method is not asked.
func QueryAlone(ctx context.Context, db *session.DB, text string, args ...any) (Rows, error) {
	s, err := db.NewSession(session.SessionOptions{})
	if err != nil {
		return Rows{}, err
	}
	r, err := Query(ctx, s, text, args...)
	if err != nil {
		s.Close()
		return Rows{}, err
	}
	r.owned = true
	return r, nil
}

// ExecAlone runs one statement in a session of its own and gives its command tag
// ("INSERT 0 3").
func ExecAlone(ctx context.Context, db *session.DB, text string, args ...any) (tag string, err error) {
	s, err := db.NewSession(session.SessionOptions{})
	if err != nil {
		return "", err
	}
	defer s.Close()
	return Exec(ctx, s, text, args...)
}

// Query runs one statement: one that writes to its end, others up to their first rows.
// Errors up to there are Query's, later ones those of Rows.
func Query(ctx context.Context, s *session.Session, text string, args ...any) (Rows, error) {
	st, err := s.PrepareText(ctx, text, len(args) > 0)
	if err != nil {
		s.Settle()
		return Rows{}, err
	}
	st.Reshape() // nobody has seen its columns
	return QueryStmt(ctx, s, st, args...)
}

// QueryStmt is Query of a prepared statement.
func QueryStmt(ctx context.Context, s *session.Session, st *session.Stmt, args ...any) (Rows, error) {
	if st.Empty() {
		return Rows{}, sqlerr.New(sqlerr.SyntaxError, "the statement is empty")
	}
	if len(args) != len(st.ParamTypes()) {
		return Rows{}, sqlerr.New(sqlerr.SyntaxError, "wrong number of arguments").
			WithDetail("The statement has %d parameters but %d arguments were given.", len(st.ParamTypes()), len(args))
	}
	if len(args) == 0 {
		args = nil
	}
	p, err := s.BindValues(ctx, st, args)
	if err != nil {
		s.Settle()
		return Rows{}, err
	}
	if p.CopyIn() != nil || p.CopyOut() != nil {
		p.Close()
		return Rows{}, sqlerr.Unsupported("COPY is not a query", "Use Session.CopyFrom, or the Postgres protocol.")
	}
	r := Rows{s: s, p: p, st: st, ctx: ctx, row: -1}
	if r.fetch(); r.Err() != nil {
		return Rows{}, r.Close()
	}
	r.cols = p.Columns() // they stand from here on
	return r, nil
}

// Exec runs a text to its end and gives the command tag of its last statement. Rows are
// dropped. Several statements take no arguments and are one transaction, but for blocks
// that they begin or end themselves, as in a simple query of the protocol.
func Exec(ctx context.Context, s *session.Session, text string, args ...any) (tag string, err error) {
	list, err := s.Split(ctx, text)
	switch {
	case err != nil:
		s.Settle()
		return "", err
	case len(list) == 0:
		return "", sqlerr.New(sqlerr.SyntaxError, "the statement is empty")
	case len(list) == 1:
		return execParsed(ctx, s, list[0], args)
	case len(args) > 0:
		err := failed(s, sqlerr.New(sqlerr.SyntaxError, "cannot insert multiple commands into a prepared statement").
			WithHint("Several statements in one text take no arguments."))
		s.Settle()
		return "", err
	}
	s.ForgetFailure() // it is not part of this
	s.BeginPipeline()
	for _, p := range list {
		if tag, err = execParsed(ctx, s, p, nil); err != nil {
			break
		}
	}
	if ended := s.EndPipeline(ctx, err == nil); err == nil {
		err = ended
	}
	if err != nil {
		return "", err
	}
	return tag, nil
}

func execParsed(ctx context.Context, s *session.Session, p *session.Parsed, args []any) (tag string, err error) {
	st, err := s.PrepareParsed(ctx, p, nil)
	if err != nil {
		s.Settle()
		return "", err
	}
	st.Passing()
	r, err := QueryStmt(ctx, s, st, args...)
	if err != nil {
		return "", err
	}
	for r.Next() {
	}
	r.Close()
	return r.Tag(), r.Err()
}

// failed tells the session of an error that it did not give.
func failed(s *session.Session, err error) error {
	s.Fail()
	return err
}

// ofContext lets errors.Is find the caller's context where it was what canceled the
// statement.
func ofContext(ctx context.Context, err error) error {
	e := sqlerr.As(err)
	if e == nil || e.Code != sqlerr.QueryCanceled || ctx.Err() == nil {
		return err
	}
	c := *op.ErrUserCancel
	c.Cause = context.Cause(ctx)
	return &c
}

// Columns describes the result.
func (r *Rows) Columns() []session.Column { return r.cols }

// Nullable says whether column i may be NULL; known is false where the plan does not tell.
func (r *Rows) Nullable(i int) (nullable, known bool) { return r.st.Nullable(i) }

// Next moves to the next row; false at the end or after an error.
func (r *Rows) Next() bool {
	for !r.closed && r.err == nil && (r.batch == nil || r.next >= r.batch.Rows()) {
		r.fetch()
	}
	if r.closed || r.err != nil {
		r.row = -1
		return false
	}
	r.row = r.batch.Row(r.next)
	r.next++
	r.n++
	return true
}

// fetch gets the next rows.
func (r *Rows) fetch() {
	r.next = 0
	if r.batch, r.err = r.p.Next(r.ctx); r.err != nil {
		r.batch = nil
		r.err = ofContext(r.ctx, r.err)
		r.s.Settle()
	}
}

// Value gives column i of the current row: nil, bool, int64, float64, []byte
// (bytea), time.Time (dates and timestamps), or a string with the value's text. It is nil
// before the first Next and after the last.
func (r *Rows) Value(i int) any {
	if r.Null(i) {
		return nil
	}
	v := r.batch.Cols[i]
	return govalue.FromDatum(v.Datum(r.row), v.Type, r.s.IOEnv())
}

// Text gives column i of the current row as Postgres prints it; "" for NULL.
func (r *Rows) Text(i int) string {
	if r.Null(i) {
		return ""
	}
	v := r.batch.Cols[i]
	return string(vec.AppendText(nil, v, r.row, r.s.IOEnv()))
}

// Null says that column i of the current row is NULL, or that there is no current row.
func (r *Rows) Null(i int) bool { return r.row < 0 || r.batch.Cols[i].Null(r.row) }

// Scan stores the current row in dest: one pointer, sql.Scanner or *any per column. NULL needs a
// pointer to a pointer, a sql.Null, a *[]byte or a *any.
func (r *Rows) Scan(dest ...any) error {
	if r.row < 0 {
		return sqlerr.New(sqlerr.InvalidCursorState, "Scan is called before Next, or after the last row")
	}
	if len(dest) != len(r.batch.Cols) {
		return sqlerr.New(sqlerr.SyntaxError, "Scan has %d destinations for %d columns", len(dest), len(r.batch.Cols))
	}
	for i, d := range dest {
		v := r.batch.Cols[i]
		if err := govalue.Scan(d, v.Datum(r.row), v.Type, r.s.IOEnv()); err != nil {
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
	if r.closed {
		return r.tag
	}
	return r.p.Tag(r.n)
}

// Close ends the statement. It is idempotent and gives Err.
func (r *Rows) Close() error {
	if !r.closed {
		r.tag = r.Tag()
		r.closed, r.row, r.batch = true, -1, nil
		r.p.Release()
		r.p = nil
		if r.owned {
			r.s.Close()
		}
	}
	return r.Err()
}
