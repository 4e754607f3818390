package saltsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
)

// Connector makes database/sql connections to db, without a socket:
//
//	sqldb := sql.OpenDB(db.Connector())
//
// Placeholders are $1, $2, …. Closing the sql.DB does not close db.
func (db *DB) Connector() driver.Connector {
	return db.ConnectorWith(SessionOptions{ApplicationName: "database/sql"})
}

// ConnectorWith is Connector with options for each connection's session. Several
// connections may call Notice at once.
func (db *DB) ConnectorWith(opts SessionOptions) driver.Connector { return connector{db, opts} }

type connector struct {
	db   *DB
	opts SessionOptions
}

func (c connector) Connect(context.Context) (driver.Conn, error) {
	s, err := c.db.NewSession(c.opts)
	if err != nil {
		return nil, err
	}
	return &Conn{s}, nil
}

func (c connector) Driver() driver.Driver { return noDriver{} }

// noDriver exists because driver.Connector asks for one: a DB has no name to
// open it by.
type noDriver struct{}

func (noDriver) Open(string) (driver.Conn, error) {
	return nil, errors.New("saltsql: use sql.OpenDB(db.Connector())")
}

// Conn is a connection of database/sql, which calls its methods. A program meets it in
// sql.Conn.Raw, where it gives the Session for what database/sql has no words for:
//
//	err := conn.Raw(func(c any) error {
//		_, err := c.(*saltsql.Conn).Session().CopyFrom(ctx, "COPY metrics FROM STDIN", r)
//		return err
//	})
type Conn struct{ s *Session }

var (
	_ driver.Conn               = (*Conn)(nil)
	_ driver.ConnBeginTx        = (*Conn)(nil)
	_ driver.ConnPrepareContext = (*Conn)(nil)
	_ driver.QueryerContext     = (*Conn)(nil)
	_ driver.ExecerContext      = (*Conn)(nil)
	_ driver.SessionResetter    = (*Conn)(nil)
	_ driver.Validator          = (*Conn)(nil)
	_ driver.NamedValueChecker  = (*Conn)(nil)
	_ driver.Pinger             = (*Conn)(nil)
)

// Session gives the connection's session. Do not close it.
func (c *Conn) Session() *Session { return c.s }

// Close implements driver.Conn.
func (c *Conn) Close() error { c.s.Close(); return nil }

// Ping implements driver.Pinger.
func (c *Conn) Ping(context.Context) error {
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	return nil
}

// IsValid implements driver.Validator.
func (c *Conn) IsValid() bool { return !c.s.s.Ended() }

// Prepare implements driver.Conn.
func (c *Conn) Prepare(text string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), text)
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *Conn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	st, err := c.s.Prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	return &driverStmt{c, st}, nil
}

// Begin implements driver.Conn.
func (c *Conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx implements driver.ConnBeginTx.
func (c *Conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	text, err := begin(sql.IsolationLevel(o.Isolation), o.ReadOnly)
	if err != nil {
		return nil, err
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
		err = &Error{Code: "25P02", Severity: "ERROR", Message: "current transaction is aborted, commands ignored until end of transaction block"}
	}
	return err
}

func (t driverTx) Rollback() error {
	_, err := t.s.Exec(context.Background(), "ROLLBACK")
	return err
}

// ResetSession refuses to reuse a connection inside a transaction, and one whose session
// has ended.
func (c *Conn) ResetSession(context.Context) error {
	if c.s.TxStatus() != TxIdle || !c.IsValid() {
		return driver.ErrBadConn
	}
	return nil
}

// CheckNamedValue lets every Go value through: what it becomes depends on the parameter's
// type.
func (c *Conn) CheckNamedValue(nv *driver.NamedValue) error {
	if nv.Name != "" {
		return errors.New("saltsql: named parameters are not supported: use $1, $2, …")
	}
	return nil
}

// QueryContext implements driver.QueryerContext.
func (c *Conn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	r, err := c.s.Query(ctx, text, values(args)...)
	if err != nil {
		return nil, err
	}
	return &driverRows{r}, nil
}

// ExecContext implements driver.ExecerContext.
func (c *Conn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	tag, err := c.s.Exec(ctx, text, values(args)...)
	if err != nil {
		return nil, err
	}
	return result(tag.RowsAffected()), nil
}

func values(args []driver.NamedValue) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a.Value
	}
	return out
}

// driverStmt is a prepared statement, which is planned anew after DDL as other statements
// of a Session are.
type driverStmt struct {
	c  *Conn
	st *Stmt
}

func (s *driverStmt) Close() error  { return nil }
func (s *driverStmt) NumInput() int { return len(s.st.st.ParamTypes()) }

func (s *driverStmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), named(args))
}

func (s *driverStmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), named(args))
}

func named(args []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, a := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return out
}

func (s *driverStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	r, err := s.st.Query(ctx, values(args)...)
	if err != nil {
		return nil, err
	}
	return &driverRows{r}, nil
}

func (s *driverStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	tag, err := s.st.Exec(ctx, values(args)...)
	if err != nil {
		return nil, err
	}
	return result(tag.RowsAffected()), nil
}

// result is the number of rows written.
type result int64

func (result) LastInsertId() (int64, error) {
	return 0, errors.New("saltsql: there is no last insert id: use RETURNING")
}

func (r result) RowsAffected() (int64, error) { return int64(r), nil }

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
