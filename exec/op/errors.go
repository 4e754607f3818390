package op

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// Causes of a statement's context: what a client is told when it ends.
var (
	ErrUserCancel       = sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request")
	ErrStatementTimeout = sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to statement timeout")
)

// MapError gives an error its SQLSTATE and Postgres's words. tables are those
// the statement names, by which the store's tables get their SQL names. An
// error that has a SQLSTATE stays as it is; nil stays nil.
func MapError(ctx context.Context, err error, tables []*catalog.Table) error {
	if err == nil {
		return nil
	}
	if e := sqlerr.As(err); e != nil {
		return e
	}
	var ce *txn.CommitError
	if errors.As(err, &ce) {
		e := SQLError(ctx, ce.Err, tables)
		return PartlyWritten(e, int64(ce.Written))
	}
	return SQLError(ctx, err, tables)
}

// PartlyWritten says how much of a write that is not atomic was done.
func PartlyWritten(e *sqlerr.Error, written int64) *sqlerr.Error {
	c := *e
	what := fmt.Sprintf("%d rows were written before the error and stay written: this store is not atomic over rows.", written)
	return (&c).WithDetail("%s", JoinText(e.Detail, what))
}

// SQLError gives an error of a store or a transaction its SQLSTATE.
func SQLError(ctx context.Context, err error, tables []*catalog.Table) *sqlerr.Error {
	if e := sqlerr.As(err); e != nil {
		return e
	}
	if e := ofTxn(err); e != nil {
		e.Cause = err
		return e
	}
	code := storage.CodeOf(err)
	switch {
	case code == storage.CodeCanceled && ctx != nil && ctx.Err() == nil:
		// Nobody has canceled the statement: the server's lease was over before its write was sent.
		e := sqlerr.New(sqlerr.CannotConnectNow, "this server has lost touch with the catalog").
			WithHint("It works again by itself when the store answers.")
		e.Cause = err
		return e
	case code == storage.CodeCanceled || code == storage.CodeUnknown && errors.Is(err, context.Canceled):
		return ended(ctx, err, ErrUserCancel)
	case code == storage.CodeDeadlineExceeded && ctx != nil && ctx.Err() != nil,
		code == storage.CodeUnknown && errors.Is(err, context.DeadlineExceeded):
		return ended(ctx, err, ErrStatementTimeout)
	}
	var se *storage.Error
	if !errors.As(err, &se) {
		return sqlerr.Internal(err, "internal error: %v", err)
	}
	e := ofStorage(se, tables)
	e.Cause = err
	return e
}

// ended tells why a context ended.
func ended(ctx context.Context, err error, usual *sqlerr.Error) *sqlerr.Error {
	e := *usual
	if ctx != nil {
		if cause := sqlerr.As(context.Cause(ctx)); cause != nil {
			e = *cause
		} else if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			e = *ErrStatementTimeout
		}
	}
	e.Cause = err
	return &e
}

func ofTxn(err error) *sqlerr.Error {
	var full *txn.BufferFullError
	switch {
	case errors.Is(err, txn.ErrDeadlock):
		return sqlerr.New(sqlerr.DeadlockDetected, "deadlock detected").
			WithHint("Roll back and run the transaction again; writing rows in the same order in all transactions avoids deadlocks.")
	case errors.Is(err, txn.ErrLockTimeout):
		return sqlerr.New(sqlerr.LockNotAvailable, "canceling statement due to lock timeout")
	case errors.Is(err, txn.ErrSerialization):
		return sqlerr.New(sqlerr.SerializationFailure, "could not serialize access due to concurrent update").
			WithHint("Run the transaction again.")
	case errors.Is(err, txn.ErrEnded):
		return sqlerr.New(sqlerr.NoActiveSQLTransaction, "the transaction has ended")
	case errors.As(err, &full):
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "transaction holds more than %d bytes of writes", full.Max).
			WithHint("Commit more often, write fewer rows per statement, or raise saltsql.max_transaction_size.")
	}
	return nil
}

func ofStorage(se *storage.Error, tables []*catalog.Table) *sqlerr.Error {
	var e *sqlerr.Error
	t := tableOf(se.Table, tables)
	name := se.Table
	if t != nil {
		name = t.Name
	}
	switch se.Code {
	case storage.CodeNotFound:
		if of := ofIndex(se.Table, tables); of != nil {
			return catalog.ErrAltered(of.Name)
		}
		e = sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", name).
			WithDetail("The store has no such table: %s.", se.Error())
	case storage.CodeAlreadyExists:
		e = sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", name)
	case storage.CodeTooLarge:
		e = tooLarge(se, name, t)
	case storage.CodeReadOnly:
		e = sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot write: %s", text(se)).
			WithHint("Open the store without ReadOnly.")
	case storage.CodeUnsupported:
		e = sqlerr.New(sqlerr.FeatureNotSupported, "%s", text(se))
	case storage.CodeUnavailable:
		e = sqlerr.New(sqlerr.CannotConnectNow, "the store is not available: %s", text(se)).
			WithHint("The call that failed changed nothing: try again.")
	case storage.CodeThrottled:
		e = sqlerr.New(sqlerr.ConfigurationLimitExceeded, "the store is limiting the rate of requests: %s", text(se)).
			WithHint("%s", retryHint(se.RetryAfter))
	case storage.CodeAmbiguous:
		e = sqlerr.New(sqlerr.StatementCompletionUnknown, "it is not known whether a write to %q happened: %s", name, text(se)).
			WithHint("Read the row before you write it again.")
	case storage.CodeDeadlineExceeded:
		e = sqlerr.New(sqlerr.CannotConnectNow, "the store did not answer in time: %s", text(se))
	case storage.CodePermissionDenied:
		e = sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for table %s", name).WithDetail("%s", text(se))
	case storage.CodeCorruption:
		e = sqlerr.New(sqlerr.DataCorrupted, "stored data of %q is damaged: %s", name, text(se))
	case storage.CodeClosed:
		e = sqlerr.New(sqlerr.AdminShutdown, "the store is closed")
	case storage.CodeFault:
		e = sqlerr.New(sqlerr.IOError, "%s", text(se))
	case storage.CodeDiskFull:
		e = sqlerr.New(sqlerr.DiskFull, "%s", text(se))
	case storage.CodeConflict:
		return ofTxn(txn.ErrSerialization)
	case storage.CodeTooOld:
		e = sqlerr.New(sqlerr.SnapshotTooOld, "snapshot too old").WithDetail("%s", text(se))
	case storage.CodeTooManyFiles:
		e = sqlerr.New(sqlerr.InsufficientResources, "%s", text(se))
	default:
		e = sqlerr.New(sqlerr.InternalError, "internal error: %s", se.Error())
	}
	if se.Hint != "" {
		e.Hint = se.Hint
	}
	if t != nil {
		e.Schema, e.Table = t.Schema, t.Name
	}
	return e
}

func text(se *storage.Error) string {
	if se.Msg == "" && se.Cause != nil {
		return se.Cause.Error()
	}
	return se.Msg
}

func retryHint(after time.Duration) string {
	if after > 0 {
		return fmt.Sprintf("The call that failed changed nothing: try again in %v.", after)
	}
	return "The call that failed changed nothing: try again later."
}

func tooLarge(se *storage.Error, name string, t *catalog.Table) *sqlerr.Error {
	if se.Limit == "" {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "%s", text(se))
	}
	e := sqlerr.New(sqlerr.ProgramLimitExceeded, "%s of %d %s exceeds the limit of %d %[3]s", se.Limit, se.Size, se.Unit, se.Max)
	if name != "" {
		e.Message += fmt.Sprintf(" in table %q", name)
	}
	if t == nil || se.Col.Family == "" {
		return e
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.KeyPos < 0 && c.Family == se.Col.Family && string(c.Qualifier) == string(se.Col.Qualifier) {
			e.Message += fmt.Sprintf(", column %q", c.Name)
			e.Column = c.Name
		}
	}
	return e
}

func tableOf(physical string, tables []*catalog.Table) *catalog.Table {
	for _, t := range tables {
		if t.StoredIn(physical) {
			return t
		}
	}
	return nil
}

// ofIndex gives the table that has, or had when the statement began, an index in a storage table.
func ofIndex(physical string, tables []*catalog.Table) *catalog.Table {
	for _, t := range tables {
		if slices.ContainsFunc(t.Indexes, func(ix catalog.Index) bool { return ix.Physical == physical }) {
			return t
		}
	}
	return nil
}

// JoinText puts one sentence behind another.
func JoinText(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}
