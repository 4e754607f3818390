package wire

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestLogLevel: what a statement did is not the operator's, even where the store
// said so.
func TestLogLevel(t *testing.T) {
	for _, tt := range []struct {
		code          sqlerr.Code
		alone, caused slog.Level
	}{
		{sqlerr.InternalError, slog.LevelError, slog.LevelError},
		{sqlerr.DataCorrupted, slog.LevelError, slog.LevelError},
		{sqlerr.CannotConnectNow, slog.LevelDebug, slog.LevelError},
		{sqlerr.StatementCompletionUnknown, slog.LevelDebug, slog.LevelError},
		{sqlerr.ConfigurationLimitExceeded, slog.LevelDebug, slog.LevelWarn},
		{sqlerr.ProgramLimitExceeded, slog.LevelDebug, slog.LevelDebug},
		{sqlerr.NumericValueOutOfRange, slog.LevelDebug, slog.LevelDebug},
		{sqlerr.UniqueViolation, slog.LevelDebug, slog.LevelDebug},
		{sqlerr.UndefinedTable, slog.LevelDebug, slog.LevelDebug},
		{sqlerr.SerializationFailure, slog.LevelDebug, slog.LevelDebug},
		{sqlerr.DeadlockDetected, slog.LevelDebug, slog.LevelDebug},
		{sqlerr.QueryCanceled, slog.LevelDebug, slog.LevelDebug},
		{sqlerr.FeatureNotSupported, slog.LevelDebug, slog.LevelDebug},
		{sqlerr.AdminShutdown, slog.LevelDebug, slog.LevelDebug},
	} {
		e := sqlerr.New(tt.code, "x")
		if got := logLevel(e); got != tt.alone {
			t.Errorf("%s: %v, want %v", tt.code, got, tt.alone)
		}
		e.Cause = errors.New("below")
		if got := logLevel(e); got != tt.caused {
			t.Errorf("%s with a cause: %v, want %v", tt.code, got, tt.caused)
		}
	}
}
