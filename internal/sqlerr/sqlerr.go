package sqlerr

import (
	"errors"
	"fmt"
)

// Code is a SQLSTATE. It is a struct so that no plain string passes for one.
type Code struct{ state string }

func (c Code) String() string { return c.state }

// State gives the code of five characters, digits and capital letters; ok is false for any other text.
func State(text string) (c Code, ok bool) {
	for _, b := range []byte(text) {
		if (b < '0' || b > '9') && (b < 'A' || b > 'Z') {
			return Code{}, false
		}
	}
	return Code{text}, len(text) == 5
}

// MarshalText lets logs and JSON show the five characters.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.state), nil }

// Severity of an Error or a Notice.
type Severity string

// The severities Postgres sends.
const (
	SeverityError   Severity = "ERROR"
	SeverityFatal   Severity = "FATAL"
	SeverityWarning Severity = "WARNING"
	SeverityNotice  Severity = "NOTICE"
	SeverityInfo    Severity = "INFO"
)

// Error is an error, or a notice, as Postgres tells it to a client. The With
// and At methods change the receiver and return it, for use in one expression.
type Error struct {
	Code       Code
	Severity   Severity // empty means ERROR
	Message    string
	Detail     string
	Hint       string
	Position   int // 1-based, in characters of the user's text; 0 is unknown
	Where      string
	Schema     string
	Table      string
	Column     string
	DataType   string
	Constraint string
	Routine    string // of PostgreSQL's source, where a client goes by it
	Cause      error  // for the log only
}

// New makes an error; format and args are as for fmt.Sprintf.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Notice makes a notice.
func Notice(code Code, format string, args ...any) *Error {
	e := New(code, format, args...)
	e.Severity = SeverityNotice
	return e
}

// Warn makes a WARNING.
func Warn(code Code, format string, args ...any) *Error {
	e := New(code, format, args...)
	e.Severity = SeverityWarning
	return e
}

// Unsupported makes a 0A000 with the sentence that says what to do instead.
func Unsupported(what, instead string) *Error {
	return New(FeatureNotSupported, "%s", what).WithHint("%s", instead)
}

// Internal wraps a fault of ours: XX000, with the cause for the log.
func Internal(cause error, format string, args ...any) *Error {
	e := New(InternalError, format, args...)
	e.Cause = cause
	return e
}

func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// SQLState gives the five characters of the code.
func (e *Error) SQLState() string { return e.Code.state }

// At sets the position if none is set yet.
func (e *Error) At(pos int) *Error {
	if e.Position == 0 {
		e.Position = pos
	}
	return e
}

// WithDetail sets DETAIL.
func (e *Error) WithDetail(format string, args ...any) *Error {
	e.Detail = fmt.Sprintf(format, args...)
	return e
}

// WithHint sets HINT.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// AddWhere says where that is which WHERE tells, if it tells anything: a line for each, from the
// inside out.
func (e *Error) AddWhere(outer string) {
	if e.Where != "" {
		e.Where += "\n"
	}
	e.Where += outer
}

// WithColumn names the table and column the error is about.
func (e *Error) WithColumn(table, column string) *Error {
	e.Table, e.Column = table, column
	return e
}

// InSchema names the schema of the table the error is about.
func (e *Error) InSchema(schema string) *Error {
	e.Schema = schema
	return e
}

// WithConstraint names the constraint the error is about.
func (e *Error) WithConstraint(table, constraint string) *Error {
	e.Table, e.Constraint = table, constraint
	return e
}

// As finds the *Error in err's chain, or nil.
func As(err error) *Error {
	if err == nil {
		return nil // without what errors.As allocates
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// CodeOf gives err's code: the *Error's own, or XX000.
func CodeOf(err error) Code {
	if e := As(err); e != nil {
		return e.Code
	}
	return InternalError
}
