package wire

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// toClient turns any error into what the client may know. What is not a
// *sqlerr.Error is a fault of ours: the client learns that there was one, the log
// learns which.
func (c *conn) toClient(err error) *sqlerr.Error {
	e := sqlerr.As(err)
	if e == nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		if e = sqlerr.As(c.state.err()); e == nil {
			e = sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request")
		}
	}
	if e == nil {
		c.log.Error("internal error", "error", err)
		return sqlerr.New(sqlerr.InternalError, "internal error")
	}
	switch level := logLevel(e); {
	case level > slog.LevelDebug:
		c.log.Log(context.Background(), level, e.Message, "sqlstate", e.SQLState(), "cause", e.Cause)
	case e.Cause != nil:
		c.log.Debug("statement failed", "error", e.Message, "sqlstate", e.SQLState(), "cause", e.Cause)
	default:
		c.log.Debug("statement failed", "error", e.Message, "sqlstate", e.SQLState())
	}
	return e
}

// logLevel says who has to do with an error, by its class. What the statement
// did, whatever lay below it (a value too large, a lost race, a cancel), is the
// client's; damage, faults of ours and a store that is lost are the operator's,
// and so is one that is full or holds back.
func logLevel(e *sqlerr.Error) slog.Level {
	below := e.Cause != nil
	switch class := e.SQLState()[:2]; {
	case class == "XX":
		return slog.LevelError
	case below && (class == "08" || e.Code == sqlerr.CannotConnectNow || e.Code == sqlerr.StatementCompletionUnknown):
		return slog.LevelError
	case below && (class == "53" || class == "58"):
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// errorResponse is the only maker of ErrorResponse.
func errorResponse(e *sqlerr.Error) *pgproto3.ErrorResponse {
	severity := e.Severity
	if severity != sqlerr.SeverityFatal {
		severity = sqlerr.SeverityError
	}
	return fields(e, severity)
}

func noticeResponse(e *sqlerr.Error) *pgproto3.NoticeResponse {
	severity := e.Severity
	if severity == "" || severity == sqlerr.SeverityError || severity == sqlerr.SeverityFatal {
		severity = sqlerr.SeverityNotice
	}
	return (*pgproto3.NoticeResponse)(fields(e, severity))
}

func fields(e *sqlerr.Error, severity sqlerr.Severity) *pgproto3.ErrorResponse {
	m := &pgproto3.ErrorResponse{
		Severity:            string(severity),
		SeverityUnlocalized: string(severity),
		Code:                e.SQLState(),
		Message:             clean(e.Message),
		Detail:              clean(e.Detail),
		Hint:                clean(e.Hint),
		Where:               clean(e.Where),
		SchemaName:          clean(e.Schema),
		TableName:           clean(e.Table),
		ColumnName:          clean(e.Column),
		DataTypeName:        clean(e.DataType),
		ConstraintName:      clean(e.Constraint),
		Routine:             clean(e.Routine),
	}
	if e.Position > 0 && e.Position <= math.MaxInt32 {
		m.Position = int32(e.Position)
	}
	return m
}

// clean keeps a text from ending its field early.
func clean(s string) string { return strings.ReplaceAll(s, "\x00", "") }
