package saltsql

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Error is an error as PostgreSQL tells it to a client. Every error of a statement is one,
// through database/sql too:
//
//	var e *saltsql.Error
//	if errors.As(err, &e) && e.Code == "23505" {
//
// errors.Is finds the cause where there is one: context.Canceled, an error of a
// driver.Valuer or of a reader that COPY reads.
type Error struct {
	Code       string // the SQLSTATE, five characters
	Severity   string // ERROR, FATAL
	Message    string
	Detail     string
	Hint       string
	Position   int // in the statement's text, in characters from 1; 0 is unknown
	Where      string
	Schema     string
	Table      string
	Column     string
	DataType   string
	Constraint string

	inner *sqlerr.Error
}

// Error gives the message.
func (e *Error) Error() string { return e.Message }

// SQLState gives the code, for those who ask for it by this method.
func (e *Error) SQLState() string { return e.Code }

// Unwrap gives what caused the error.
func (e *Error) Unwrap() error {
	if e.inner == nil {
		return nil
	}
	return e.inner
}

// Notice is what the engine has to say beside a result. It has the fields of an Error; its
// Severity is WARNING, NOTICE or INFO.
type Notice Error

// outward gives an error of the engine as an Error. Others stay as they are.
func outward(err error) error {
	if err == nil {
		return nil
	}
	e := sqlerr.As(err)
	if e == nil {
		return err
	}
	return errorOf(e)
}

func errorOf(e *sqlerr.Error) *Error {
	severity := e.Severity
	if severity == "" {
		severity = sqlerr.SeverityError
	}
	return &Error{
		Code: e.SQLState(), Severity: string(severity), Message: e.Message, Detail: e.Detail, Hint: e.Hint, Position: e.Position,
		Where: e.Where, Schema: e.Schema, Table: e.Table, Column: e.Column, DataType: e.DataType, Constraint: e.Constraint, inner: e,
	}
}

func noticeOf(e *sqlerr.Error) *Notice { return (*Notice)(errorOf(e)) }
