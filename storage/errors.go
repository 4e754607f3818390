package storage

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Code classifies a storage error.
type Code uint8

const (
	CodeUnknown Code = iota
	CodeNotFound
	CodeAlreadyExists
	CodeInvalidArgument
	CodeTooLarge         // a limit of the service: Limit and Size are set
	CodeUnsupported      // the store cannot do this: see Caps
	CodeUnavailable      // nothing happened; safe to retry
	CodeThrottled        // nothing happened; retry after RetryAfter
	CodeAmbiguous        // a write may or may not have happened
	CodeCanceled         // the context was canceled
	CodeDeadlineExceeded // the context's or the adapter's own deadline passed
	CodePermissionDenied
	CodeCorruption
	CodeClosed
	CodeFault        // the store has failed and answers nothing any more: its process must end
	CodeDiskFull     // nothing happened: too little space is left for writes
	CodeTooManyFiles // the process or the machine has no file handle left
	CodeReadOnly     // nothing happened: the store was opened for reading only
	CodeConflict     // nothing happened: a row has changed since it was read
	CodeTooOld       // a snapshot is older than what the store keeps
	Codes            // how many there are
)

var codeNames = [...]string{
	"unknown", "not found", "already exists", "invalid argument", "too large", "unsupported",
	"unavailable", "throttled", "ambiguous", "canceled", "deadline exceeded", "permission denied",
	"corruption", "closed", "fault", "disk full", "too many files", "read only", "conflict", "too old",
}

func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return "code " + strconv.Itoa(int(c))
}

// Error is a storage error. exec turns it into a SQLSTATE.
type Error struct {
	Code       Code
	Op         string // "scan", "mutate", …
	Table      string
	Msg        string
	Limit      string        // CodeTooLarge: the name of the limit ("row key", "cell", …)
	Max, Size  int64         // CodeTooLarge, with Limit
	Unit       string        // of Max and Size: "bytes", "changes"
	Row        int           // CodeTooLarge, CodeInvalidArgument: index into the rows given
	Col        Col           // the column concerned, where there is one
	RetryAfter time.Duration // CodeThrottled
	Hint       string        // what the user can do, where known
	Cause      error
}

func (e *Error) Error() string {
	s := e.Msg
	if s == "" && e.Cause != nil {
		s = e.Cause.Error()
	}
	if e.Table != "" {
		return fmt.Sprintf("storage: %s %s: %s", e.Op, e.Table, s)
	}
	return fmt.Sprintf("storage: %s: %s", e.Op, s)
}

func (e *Error) Unwrap() error { return e.Cause }

// RowError is the failure of one row of a Mutate call.
type RowError struct {
	Index int // into the rows given
	Err   *Error
}

// PartialError says that some rows of a Mutate call were not written, or may
// not have been (CodeAmbiguous). The rows it does not list were.
type PartialError struct {
	Rows    []RowError // ascending by Index
	Written int        // rows known to be written
}

func (e *PartialError) Error() string {
	return fmt.Sprintf("storage: %d rows failed, %d written; first: %v", len(e.Rows), e.Written, e.Rows[0].Err)
}

func (e *PartialError) Unwrap() error { return e.Rows[0].Err }

// CodeOf gives the code of the outermost *Error in err's chain, or CodeUnknown.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeUnknown
}

// Errorf makes an error with a formatted message; a %w argument becomes its
// Cause.
func Errorf(code Code, op, table, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Op: op, Table: table, Msg: err.Error(), Cause: errors.Unwrap(err)}
}

// CtxError turns a context's error into CodeCanceled or CodeDeadlineExceeded.
func CtxError(op, table string, err error) *Error {
	code := CodeCanceled
	if errors.Is(err, context.DeadlineExceeded) {
		code = CodeDeadlineExceeded
	}
	return &Error{Code: code, Op: op, Table: table, Cause: err}
}

// Unsupported is what a store answers to a call outside its Caps.
func Unsupported(store, op, what string) *Error {
	return &Error{Code: CodeUnsupported, Op: op, Msg: fmt.Sprintf("the %s store has no %s", store, what)}
}

// IsRetryable says that nothing happened and that the same call may succeed
// later.
func IsRetryable(err error) bool {
	c := CodeOf(err)
	return c == CodeUnavailable || c == CodeThrottled
}
