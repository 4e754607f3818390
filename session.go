package saltsql

import (
	"context"
	"io"
	"iter"

	"github.com/saltsql/saltsql/internal/goapi"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// SessionOptions describe one client.
type SessionOptions struct {
	User            string // default "saltsql"
	Database        string // default "saltsql"
	ApplicationName string
	// Settings are run-time parameters to set at start ("timezone", …).
	Settings map[string]string
	// Notice is called with each notice, during the call that causes it.
	Notice func(*Notice)
	// Waiting is called with a notice of what the call waits for, on the call's
	// goroutine, for who can show it while it goes on waiting; nil takes Notice.
	Waiting func(*Notice)
}

func (o *SessionOptions) inward() session.SessionOptions {
	in := session.SessionOptions{User: o.User, Database: o.Database, ApplicationName: o.ApplicationName, Settings: o.Settings}
	tell := func(to func(*Notice)) func(*sqlerr.Error) {
		if to == nil {
			return nil
		}
		return func(e *sqlerr.Error) { to(noticeOf(e)) }
	}
	in.Notice, in.Waiting = tell(o.Notice), tell(o.Waiting)
	return in
}

// Session is one client's state: settings, transaction, prepared statements. Its methods
// are not safe for concurrent use, except Cancel and ID.
//
// A transaction block is BEGIN … COMMIT by Exec, or InTx. Outside of a block each statement
// is a transaction.
type Session struct{ s *session.Session }

// ID tells the session in DB.Sessions and DB.Cancel.
func (s *Session) ID() int64 { return s.s.ID() }

// Query runs one statement: one that writes to its end, others up to their first rows.
// Errors up to there are Query's, later ones those of Rows.
//
// Args are the values of $1, $2, …, by the rules of database/sql: bool, integers, floats,
// string, []byte, time.Time and types of these kinds, pointers to them, nil, driver.Valuer;
// and also time.Duration, *big.Int, *big.Float and *big.Rat, [16]byte for a uuid, slices
// for arrays, and what encoding/json takes for json and jsonb. A String method is not
// asked.
func (s *Session) Query(ctx context.Context, text string, args ...any) (*Rows, error) {
	r, err := goapi.Query(ctx, s.s, text, args...)
	if err != nil {
		return nil, outward(err)
	}
	return &Rows{r: r}, nil
}

// Exec runs a text to its end and gives the command tag of its last statement. Rows are
// dropped. Several statements take no arguments and are one transaction, but for blocks
// that they begin or end themselves.
func (s *Session) Exec(ctx context.Context, text string, args ...any) (Tag, error) {
	tag, err := goapi.Exec(ctx, s.s, text, args...)
	return Tag(tag), outward(err)
}

// Prepare parses and plans one statement. Types declare those of its parameters, from $1
// on; what is not declared, or the zero Type, is inferred.
func (s *Session) Prepare(ctx context.Context, text string, declared ...Type) (*Stmt, error) {
	var kinds []types.T
	for _, t := range declared {
		kinds = append(kinds, t.t)
	}
	st, err := s.s.Prepare(ctx, text, kinds)
	if err != nil {
		return nil, outward(err)
	}
	st.Reshape()
	return &Stmt{s, st}, nil
}

// CopyFrom runs a COPY … FROM STDIN statement with the data of r, in the format that the
// statement says, and gives the number of rows written. In a transaction block the rows
// are part of it.
//
//	COPY metrics FROM STDIN (FORMAT csv, HEADER, UPSERT)
func (s *Session) CopyFrom(ctx context.Context, text string, r io.Reader) (rows int64, err error) {
	rows, err = goapi.CopyFrom(ctx, s.s, text, r)
	return rows, outward(err)
}

// CopyRows is CopyFrom of Go values, by the rules of Query's arguments, one for each column
// that the statement names:
//
//	s.CopyRows(ctx, "COPY metrics (host, ts, cpu) FROM STDIN", rows)
//
// An error that the rows come with ends them; CopyRows gives it, and writes nothing. On a
// store whose transactions are not atomic, loads outside of a block commit now and then,
// and what was committed stays.
func (s *Session) CopyRows(ctx context.Context, text string, rows iter.Seq2[[]any, error]) (n int64, err error) {
	n, err = goapi.CopyRows(ctx, s.s, text, rows)
	return n, outward(err)
}

// CopyTo runs a COPY … TO STDOUT statement, writes its data to w and gives the number of
// rows.
func (s *Session) CopyTo(ctx context.Context, text string, w io.Writer) (rows int64, err error) {
	rows, err = goapi.CopyTo(ctx, s.s, text, w)
	return rows, outward(err)
}

// Setting gives a run-time parameter's value; ok is false if there is none. SET changes it.
func (s *Session) Setting(name string) (value string, ok bool) { return s.s.Setting(name) }

// Cancel makes the running statement fail with 57014. It may be called from any goroutine
// and does nothing when no statement runs.
func (s *Session) Cancel() { s.s.Cancel() }

// Close rolls back and releases everything.
func (s *Session) Close() { s.s.Close() }
