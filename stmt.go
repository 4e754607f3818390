package saltsql

import (
	"context"

	"github.com/saltsql/saltsql/internal/goapi"
	"github.com/saltsql/saltsql/internal/session"
)

// MaxStatementSize is the longest text of statements in bytes: 54000 beyond it.
const MaxStatementSize = session.MaxStatementSize

// Stmt is a prepared statement of one session. It may run many times, and is planned anew
// where tables or settings have changed since; then its Columns and Params may be others.
type Stmt struct {
	s  *Session
	st *session.Stmt
}

// Query runs the statement as Session.Query does.
func (st *Stmt) Query(ctx context.Context, args ...any) (*Rows, error) {
	r, err := goapi.QueryStmt(ctx, st.s.s, st.st, args...)
	if err != nil {
		return nil, outward(err)
	}
	return &Rows{r: r}, nil
}

// Exec runs the statement to its end and gives its command tag. Rows are dropped.
func (st *Stmt) Exec(ctx context.Context, args ...any) (Tag, error) {
	r, err := st.Query(ctx, args...)
	if err != nil {
		return "", err
	}
	for r.Next() {
	}
	return r.Tag(), r.Close()
}

// Text is the statement as written.
func (st *Stmt) Text() string { return st.st.Text() }

// Params are the types of $1, $2, …
func (st *Stmt) Params() []Type {
	var out []Type
	for _, t := range st.st.ParamTypes() {
		out = append(out, Type{t})
	}
	return out
}

// Columns describes the rows; nil for statements that return none.
func (st *Stmt) Columns() []Column { return columnsOf(st.st.Columns()) }
