package expr

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/types"
)

// Env is all that an expression may know of the world: one per statement
// execution. It is read-only during the execution.
type Env struct {
	Ctx         context.Context
	Mem         *memory.Account // books what values take; nil has no limit
	Params      []types.Datum   // $1 is Params[0]
	Now         time.Time       // start of the transaction: now(), CURRENT_TIMESTAMP
	StmtTime    time.Time       // start of the statement: statement_timestamp()
	TimeZone    *time.Location
	User        string // current_user
	SessionUser string
	Database    string
	SearchPath  []string
	BackendPID  int32
	// Session answers functions over the session (current_setting, set_config,
	// pg_backend_pid, nextval, …); nil where there is none.
	Session SessionFuncs
	// Names resolves regclass; nil where there is no catalog.
	Names types.NameResolver
	// IO is how text is printed (float digits, bytea_output); TimeZone, Now and
	// Names above take the place of its own.
	IO types.IOEnv
}

// TextIO gives the settings of text input and output. It is a copy, so that
// parallel parts of one execution do not share it.
func (e *Env) TextIO() *types.IOEnv {
	io := e.IO
	io.TimeZone, io.Now, io.Names = e.Zone(), e.Now, e.Names
	return &io
}

// Zone is the session's time zone; UTC, where nobody says.
func (e *Env) Zone() *time.Location {
	if e.TimeZone == nil {
		return time.UTC
	}
	return e.TimeZone
}

// TxTime is the start of the transaction; now, where nobody says.
func (e *Env) TxTime() time.Time {
	if e.Now.IsZero() {
		return time.Now()
	}
	return e.Now
}

// SessionFuncs is what expressions may ask of the session.
type SessionFuncs interface {
	// Setting gives a run-time parameter, ok false if there is none.
	Setting(name string) (value string, ok bool)
	// MaySee says of a parameter that the session's role may not be shown it.
	MaySee(name string) error
	// SetSetting is set_config.
	SetSetting(name, value string, local bool) error
	// NextVal draws up to n values, at least one, of the sequence with that OID: first,
	// first+step, … got of them. 2200H where it has ended.
	NextVal(ctx context.Context, sequence uint32, n int) (first, step int64, got int, err error)
	// NextBlock draws n values that follow each other and gives the first: 2200H where
	// the sequence has fewer, 0A000 where it cycles.
	NextBlock(ctx context.Context, sequence uint32, n int) (first int64, err error)
	// RowIDs gives n hidden keys that no server of the store gives again: first,
	// first+step, …
	RowIDs(n int) (first, step int64)
	// CurrVal is the value this session last drew: 55000 if none.
	CurrVal(sequence uint32) (int64, error)
	// LastVal is CurrVal of the sequence this session last drew from.
	LastVal() (int64, error)
	// SetVal sets a sequence; called says that value has been drawn. 22003 outside
	// the sequence's bounds.
	SetVal(ctx context.Context, sequence uint32, value int64, called bool) error
	// SequenceState is the value last taken from a sequence's row, and whether it has
	// been given out.
	SequenceState(ctx context.Context, sequence uint32) (last int64, called bool, err error)
	// AdvisoryLock takes an advisory lock for the session, or where xact is set for its
	// transaction; false where it is not free and wait is not asked for.
	AdvisoryLock(ctx context.Context, key AdvisoryKey, shared, xact, wait bool) (bool, error)
	// AdvisoryUnlock gives a lock of the session back; false where it has none.
	AdvisoryUnlock(key AdvisoryKey, shared bool) bool
	AdvisoryUnlockAll()
	// Notify sends a notification at the end of the transaction: 22023 for a channel or a
	// payload that is none.
	Notify(channel, payload string) error
	// NotificationUsage is how much of the room for notifications is taken, from 0 to 1.
	NotificationUsage() float64
	// SerialSequence is the qualified name of the sequence that a column owns, ""
	// for none: 42P01, 42703.
	SerialSequence(table, column string) (string, error)
}

// AdvisoryKey names an advisory lock: one of 64 bits, or two of 32, which are never the
// same lock.
type AdvisoryKey struct {
	A, B int32
	Two  bool
}
