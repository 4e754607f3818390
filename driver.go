package saltsql

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Connector makes database/sql connections to db, without a socket:
//
//	sqldb := sql.OpenDB(db.Connector())
//
// Placeholders are $1, $2, …. Closing the sql.DB does not close db.
func (db *DB) Connector() driver.Connector { return connector{db} }

type connector struct{ db *DB }

func (c connector) Connect(context.Context) (driver.Conn, error) {
	s, err := c.db.NewSession(SessionOptions{ApplicationName: "database/sql"})
	if err != nil {
		return nil, err
	}
	return &conn{s: s}, nil
}

func (c connector) Driver() driver.Driver { return noDriver{} }

// noDriver exists because driver.Connector asks for one: a DB has no name to
// open it by.
type noDriver struct{}

func (noDriver) Open(string) (driver.Conn, error) {
	return nil, fmt.Errorf("saltsql: use sql.OpenDB(db.Connector())")
}

type conn struct{ s *Session }

var (
	_ driver.Conn               = (*conn)(nil)
	_ driver.ConnBeginTx        = (*conn)(nil)
	_ driver.ConnPrepareContext = (*conn)(nil)
	_ driver.QueryerContext     = (*conn)(nil)
	_ driver.ExecerContext      = (*conn)(nil)
	_ driver.SessionResetter    = (*conn)(nil)
	_ driver.NamedValueChecker  = (*conn)(nil)
)

func (c *conn) Close() error { c.s.Close(); return nil }

func (c *conn) Prepare(text string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), text)
}

func (c *conn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	st, err := c.s.Prepare(ctx, text, nil)
	if err != nil {
		return nil, err
	}
	return &stmt{c, st}, nil
}

func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	text := "BEGIN"
	switch o.Isolation {
	case 0:
	case 1, 2:
		text += " ISOLATION LEVEL READ COMMITTED"
	case 4, 5:
		text += " ISOLATION LEVEL REPEATABLE READ"
	case 6:
		text += " ISOLATION LEVEL SERIALIZABLE"
	default:
		return nil, fmt.Errorf("saltsql: isolation level %d is not supported", o.Isolation)
	}
	if o.ReadOnly {
		text += " READ ONLY"
	}
	if _, err := c.s.Exec(ctx, text); err != nil {
		return nil, err
	}
	return driverTx{c.s}, nil
}

type driverTx struct{ s *Session }

func (t driverTx) Commit() error {
	tag, err := t.s.Exec(context.Background(), "COMMIT")
	if err == nil && tag == "ROLLBACK" {
		err = errInFailedTransaction()
	}
	return err
}

func (t driverTx) Rollback() error {
	_, err := t.s.Exec(context.Background(), "ROLLBACK")
	return err
}

// ResetSession refuses to reuse a connection inside a transaction.
func (c *conn) ResetSession(context.Context) error {
	if c.s.TxStatus() != TxIdle {
		return driver.ErrBadConn
	}
	return nil
}

// CheckNamedValue lets every Go value through: toDatum knows the parameter's type.
func (c *conn) CheckNamedValue(nv *driver.NamedValue) error {
	if nv.Name != "" {
		return fmt.Errorf("saltsql: named parameters are not supported: use $1, $2, …")
	}
	return nil
}

func (c *conn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	r, err := c.s.Query(ctx, text, values(args)...)
	if err != nil {
		return nil, err
	}
	return &driverRows{r}, nil
}

func (c *conn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	tag, err := c.s.Exec(ctx, text, values(args)...)
	if err != nil {
		return nil, err
	}
	return result(tag), nil
}

func values(args []driver.NamedValue) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a.Value
	}
	return out
}

type stmt struct {
	c  *conn
	st *Stmt
}

func (s *stmt) Close() error  { return nil }
func (s *stmt) NumInput() int { return len(s.st.params) }

func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), named(args))
}

func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), named(args))
}

func named(args []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, a := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return out
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	r, err := s.c.s.QueryStmt(ctx, s.st, values(args)...)
	if err != nil {
		return nil, err
	}
	return &driverRows{r}, nil
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	r, err := s.c.s.QueryStmt(ctx, s.st, values(args)...)
	if err != nil {
		return nil, err
	}
	for r.Next() {
	}
	if err := r.Close(); err != nil {
		return nil, err
	}
	return result(r.Tag()), nil
}

type driverRows struct{ r *Rows }

func (d *driverRows) Columns() []string {
	var names []string
	for _, c := range d.r.Columns() {
		names = append(names, c.Name)
	}
	return names
}

func (d *driverRows) Close() error { return d.r.Close() }

func (d *driverRows) Next(dest []driver.Value) error {
	if !d.r.Next() {
		if err := d.r.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	for i := range dest {
		dest[i] = d.r.Value(i)
	}
	return nil
}

func (d *driverRows) ColumnTypeDatabaseTypeName(i int) string {
	return strings.ToUpper(d.r.Columns()[i].Type.String())
}

// result is a command tag: its last word is the number of rows.
type result string

func (result) LastInsertId() (int64, error) {
	return 0, fmt.Errorf("saltsql: there is no last insert id: use RETURNING")
}

func (r result) RowsAffected() (int64, error) {
	n, err := strconv.ParseInt(string(r[strings.LastIndexByte(string(r), ' ')+1:]), 10, 64)
	if err != nil {
		return 0, nil
	}
	return n, nil
}
