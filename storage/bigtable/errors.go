package bigtable

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/saltsql/saltsql/storage"
)

func errClosed(op, table string) *storage.Error {
	return storage.Errorf(storage.CodeClosed, op, table, "the store is closed")
}

// readError gives the error of a request that changes nothing.
func (c *call) readError(err error) error {
	if err == nil {
		return nil
	}
	var se *storage.Error
	switch {
	case errors.As(err, &se):
		return err
	case c.caller.Err() != nil:
		return storage.CtxError(c.op, c.table, c.caller.Err())
	case c.s.life.Err() != nil:
		return errClosed(c.op, c.table)
	}
	return c.classify(err)
}

// writeError gives the error of a request that may have changed something:
// where it is not sure that the service refused it, it is CodeAmbiguous.
func (c *call) writeError(err error) *storage.Error {
	var se *storage.Error
	if errors.As(err, &se) {
		return se
	}
	e := c.classify(err)
	if inDoubt(e) {
		e.Code = storage.CodeAmbiguous
	}
	return e
}

// inDoubt says that a write with this answer may have happened, or may yet.
func inDoubt(e *storage.Error) bool {
	switch e.Code {
	case storage.CodeUnknown, storage.CodeUnavailable, storage.CodeCanceled, storage.CodeDeadlineExceeded, storage.CodeAmbiguous:
		return true
	}
	return false
}

// classify reads the gRPC status of an error.
func (c *call) classify(err error) *storage.Error {
	e := &storage.Error{Op: c.op, Table: c.table, Cause: err}
	st := status.Convert(err)
	e.Msg = st.Message()
	e.RetryAfter, _ = retryAfter(st)
	switch st.Code() {
	case codes.NotFound:
		e.Code = storage.CodeNotFound
	case codes.AlreadyExists:
		e.Code = storage.CodeAlreadyExists
	case codes.InvalidArgument, codes.OutOfRange:
		e.Code = storage.CodeInvalidArgument
	case codes.FailedPrecondition:
		e.Code = storage.CodeInvalidArgument
	case codes.Unimplemented:
		e.Code = storage.CodeUnsupported
	case codes.PermissionDenied, codes.Unauthenticated:
		e.Code = storage.CodePermissionDenied
	case codes.Unavailable, codes.Aborted:
		e.Code = storage.CodeUnavailable
	case codes.ResourceExhausted:
		e.Code = storage.CodeThrottled
		if strings.Contains(e.Msg, "larger than max") { // gRPC's own, before the service
			e.Code, e.Limit, e.Max = storage.CodeTooLarge, "message", maxMessageBytes
		}
	case codes.Canceled:
		e.Code = storage.CodeCanceled
	case codes.DeadlineExceeded:
		e.Code = storage.CodeDeadlineExceeded
	case codes.DataLoss:
		e.Code = storage.CodeCorruption
	}
	if errors.Is(err, context.DeadlineExceeded) {
		e.Code, e.Cause = storage.CodeDeadlineExceeded, errNoAnswer
	}
	return e
}

// errNoAnswer is the end of the time that the store gives a call. It is not a
// context.DeadlineExceeded: that is the caller's.
var errNoAnswer = errors.New("no answer in the time of one call")

// retryAfter is for how long the service wants to be left alone, where it has told.
func retryAfter(st *status.Status) (d time.Duration, told bool) {
	for _, detail := range st.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return info.GetRetryDelay().AsDuration(), true
		}
	}
	return 0, false
}

// transactionHint explains a refused conditional write, which on the service
// is mostly the fault of the app profile.
func (c *call) transactionHint(e *storage.Error) *storage.Error {
	switch status.Code(e.Cause) {
	case codes.FailedPrecondition, codes.InvalidArgument, codes.PermissionDenied:
	default:
		return e
	}
	profile := "the instance's default app profile"
	if name := c.s.config.AppProfile; name != "" {
		profile = fmt.Sprintf("app profile %q", name)
	}
	e.Hint = "INSERT, UPDATE and counters need single-cluster routing with single-row transactions, which " + profile +
		" may not have: allow them there (gcloud bigtable app-profiles update), or name another profile by app_profile in the store URL."
	return e
}
