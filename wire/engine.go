package wire

import (
	"context"

	"github.com/saltsql/saltsql/internal/copyfmt"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// engine is the part of saltsql.DB that this package uses; tests put another
// behind it. The methods of session, stmt, portal and copyIn are those of
// saltsql.Session, Stmt, Portal and CopyIn, and promise the same.
type engine interface {
	newSession(session.SessionOptions) (engineSession, error)
}

type engineSession interface {
	Split(ctx context.Context, text string) ([]parsed, error)
	PrepareParsed(ctx context.Context, p parsed, paramTypes []types.T) (stmt, error)
	Prepare(ctx context.Context, text string, paramTypes []types.T) (stmt, error)
	SaveStmt(name string, st stmt) error
	NamedStmt(name string) (stmt, error)
	CloseStmt(name string)
	Bind(ctx context.Context, name string, st stmt, params []types.Datum) (portal, error)
	Portal(name string) (portal, error)
	ClosePortal(name string)
	BeginPipeline()
	BeginText()
	EndPipeline(ctx context.Context, ok bool) error
	Fail()
	TxStatus() session.TxStatus
	Setting(name string) (value string, ok bool)
	Timeouts() session.Timeouts
	ReportedSettings() map[string]string
	IOEnv() *types.IOEnv
	Reserve(n int64) error
	ReserveRows(n int64) error // the same, of rows on their way to the client
	Notifications() []session.Notification
	Cancel()
	Terminate(cause error)
	Close()
}

type parsed interface{ Text() string }

type stmt interface {
	Empty() bool
	ParamTypes() []types.T
	Columns() []session.Column
}

type portal interface {
	Columns() []session.Column
	Next(ctx context.Context) (*vec.Batch, error)
	Unread(b *vec.Batch, next int) // gives the rows of the last batch back, from next on, and suspends
	InSteps()                      // before the first Next: rows are taken some at a time
	Suspend()                      // after rows: there may be a pause
	Tag(rows int64) string
	CopyIn() copyIn // nil for what is no COPY FROM STDIN
	CopyOut() *copyfmt.Options
}

type copyIn interface {
	Options() *copyfmt.Options
	Table() string // for messages
	Columns() []session.Column
	IOEnv() *types.IOEnv // for reading the data
	Write(ctx context.Context, rows *vec.Batch, firstLine int64) error
	Finish(ctx context.Context) (tag string, err error)
	Abort(cause error) error
}
