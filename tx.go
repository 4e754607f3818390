package saltsql

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/session"
)

// TxStatus is a session's transaction state.
type TxStatus byte

// The transaction states.
const (
	TxIdle   = TxStatus(session.TxIdle)   // no transaction block
	TxActive = TxStatus(session.TxActive) // in a block
	TxFailed = TxStatus(session.TxFailed) // in a block that has failed: only its end is taken
)

// String says the state in a word.
func (t TxStatus) String() string {
	switch t {
	case TxActive:
		return "active"
	case TxFailed:
		return "failed"
	}
	return "idle"
}

// TxStatus gives the transaction state.
func (s *Session) TxStatus() TxStatus { return TxStatus(s.s.TxStatus()) }

// TxOptions are for InTx; nil means the session's defaults.
type TxOptions struct {
	Isolation sql.IsolationLevel // default: default_transaction_isolation
	ReadOnly  bool
	// Attempts is how often a transaction is tried that another one got in the way of;
	// default 10.
	Attempts int
}

// begin is the statement that begins a block.
func begin(isolation sql.IsolationLevel, readOnly bool) (string, error) {
	text := "BEGIN"
	switch isolation {
	case sql.LevelDefault:
	case sql.LevelReadUncommitted, sql.LevelReadCommitted:
		text += " ISOLATION LEVEL READ COMMITTED"
	case sql.LevelRepeatableRead, sql.LevelSnapshot:
		text += " ISOLATION LEVEL REPEATABLE READ"
	case sql.LevelSerializable:
		text += " ISOLATION LEVEL SERIALIZABLE"
	default:
		return "", errors.New("saltsql: isolation level " + isolation.String() + " is not supported")
	}
	if readOnly {
		text += " READ ONLY"
	}
	return text, nil
}

// InTx runs f in a transaction of a session of its own. See Session.InTx.
func (db *DB) InTx(ctx context.Context, opts *TxOptions, f func(*Session) error) error {
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.InTx(ctx, opts, func() error { return f(s) })
}

// InTx begins a transaction, runs f, and commits, or rolls back if f gives an error or
// panics. Where another transaction got in the way (40001, 40P01) it is tried again, after
// a short while, so f may run several times. f must use no other session for what belongs
// to the transaction, and must not end it.
func (s *Session) InTx(ctx context.Context, opts *TxOptions, f func() error) error {
	var o TxOptions
	if opts != nil {
		o = *opts
	}
	if o.Attempts <= 0 {
		o.Attempts = 10
	}
	if s.TxStatus() != TxIdle {
		return errors.New("saltsql: InTx within a transaction: use SAVEPOINT there")
	}
	text, err := begin(o.Isolation, o.ReadOnly)
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		err := s.tryTx(ctx, text, f)
		if err == nil || attempt == o.Attempts || !mayRetry(err) {
			return err
		}
		wait := time.Duration(rand.Int64N(int64(time.Millisecond) << min(attempt, 6)))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}

func (s *Session) tryTx(ctx context.Context, begin string, f func() error) (err error) {
	if _, err := s.Exec(ctx, begin); err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // f gave an error, or panics
			_, rerr := s.Exec(context.WithoutCancel(ctx), "ROLLBACK")
			if err == nil {
				err = rerr
			}
		}
	}()
	if err := f(); err != nil {
		return err
	}
	switch s.TxStatus() {
	case TxIdle:
		done = true
		return errors.New("saltsql: the transaction of InTx was ended within it")
	case TxFailed:
		return &Error{Code: "25P02", Severity: "ERROR", Message: "current transaction is aborted, and InTx cannot commit it",
			Hint: "Return the error of the statement that failed, or ROLLBACK TO a savepoint."}
	}
	done = true
	_, err = s.Exec(ctx, "COMMIT")
	if err != nil && s.TxStatus() != TxIdle {
		_, _ = s.Exec(context.WithoutCancel(ctx), "ROLLBACK")
	}
	return err
}

// mayRetry says that a transaction failed for another's sake.
func mayRetry(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

// Tag is a command tag, such as "INSERT 0 3" or "CREATE TABLE".
type Tag string

// RowsAffected is the number at the end of the tag: the rows written, or read. It is 0
// where the tag has none.
func (t Tag) RowsAffected() int64 {
	n, err := strconv.ParseInt(string(t[strings.LastIndexByte(string(t), ' ')+1:]), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
