package pgcatalog

import (
	"context"
	"net/netip"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/part"
	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/types"
)

// World is what the session tells beside the catalog's snapshot. Its methods may be
// called by any goroutine of the statement.
type World interface {
	catalog.VirtualWorld
	// Context is the session's.
	Context() context.Context
	// User is the role that the session acts as, and Role its OID; the bootstrap role's for a
	// user without one.
	User() string
	Role() uint32
	Database() string
	// SearchPath lists the schemas that exist, pg_catalog only where the user named it.
	SearchPath() []string
	Settings() []Setting
	// ShowsOptions is saltsql.reloptions.
	ShowsOptions() bool
	// Users lists the names of the server's users that no role is named after.
	Users() []string
	// CancelBackend and TerminateBackend are the functions of these names: 42501; false for a
	// session that is not there, or that has not ended in time.
	CancelBackend(pid int32) (bool, error)
	TerminateBackend(pid int32, wait time.Duration) (bool, error)
	// EachServersLocks shows what the sessions of all servers of the store hold and wait for, those of
	// a server at a time.
	EachServersLocks(ctx context.Context, show func(list []Lock) error) error
	// Blocking lists the process IDs of the sessions that one waits for.
	Blocking(pid int32) []int32
	// Server names this server, as its lease does.
	Server() string
	// Activity lists the sessions of this server; EachServersActivity shows those of all servers of
	// the store, those of a server at a time and this one's first.
	Activity() []Activity
	EachServersActivity(ctx context.Context, show func(server string, list []Activity) error) error
	// Statements lists the shapes of statements that are counted; Forgotten says how often
	// shapes had to make room, and since when is counted.
	Statements() []Statement
	Forgotten() (times int64, since time.Time)
	// EachServersStatements shows those of all servers of the store, some of a server at a time.
	EachServersStatements(ctx context.Context, show func(server string, list []Statement) error) error
	// EachServersHeat shows what servers have counted of the buckets of relations, this one first.
	EachServersHeat(ctx context.Context, want HeatWanted, show func(server string, h *ServerHeat) error) error
	// HeatSamples gives what servers keep of the operations on a table or index since a time.
	HeatSamples(ctx context.Context, id uint32, since time.Time) ([]heat.Sample, error)
	// WhatIf tells what nodes would do with a table's load under other layouts.
	WhatIf(ctx context.Context, q *WhatIf) ([]WhatIfRow, error)
	// SaltAdvice tells what the load of a table calls for.
	SaltAdvice(ctx context.Context, t *catalog.Table) ([]SaltAdvice, error)
	// ResetStatements begins to count anew.
	ResetStatements()
	Prepared() []Prepared
	// Channels lists what the session listens to.
	Channels() []string
	Cursors() []Cursor
	// StoredBytes is what a table or an index of this physical name takes in the store, about.
	StoredBytes(ctx context.Context, physical string) (int64, error)
	// BucketBytes is StoredBytes of one salt bucket.
	BucketBytes(ctx context.Context, t *catalog.Table, bucket int) (int64, error)
	// ExportSnapshot names what the transaction reads, for others to read: see pg_export_snapshot.
	ExportSnapshot(ctx context.Context) (id string, err error)
	// Snapshots says that the store has views of one moment.
	Snapshots() bool
	// Parts cuts a table into n parts: see part.Cut.
	Parts(ctx context.Context, t *catalog.Table, n int64) ([]part.Part, error)
	// EstimatedRows is how many rows a table has, about; below 0 is unknown.
	EstimatedRows(t *catalog.Table) float64
	// ColumnStats is what ANALYZE has kept of a table; nil is nothing.
	ColumnStats(ctx context.Context, t *catalog.Table) (*colstats.Table, error)
	// Updatable says which columns of a view can be written; nil where none can.
	Updatable(v *catalog.View) []bool
	// SequenceState is the last value of a sequence, and whether it has been given out.
	SequenceState(ctx context.Context, sequence uint32) (last int64, called bool, err error)
	// Jobs lists the changes of tables that go on while the tables serve. CancelJob has one
	// end and undo what it did; false where there is none of that ID, 42501 for who does not own
	// its table.
	Jobs(ctx context.Context) ([]catalog.Job, error)
	CancelJob(ctx context.Context, id uint32) (bool, error)
	// IndexAdvice names indexes for statements of users that sees says yes to, the one that would
	// spare most rows first.
	IndexAdvice(sees func(user string) bool) []IndexAdvice
	// Supposed gives the tables that have hypothetical indexes, with them.
	Supposed() []*catalog.Table
	// Reload has the server read its settings again; false where there is none.
	Reload() bool
	// Started is when the server did.
	Started() time.Time
}

// Setting is a run-time parameter.
type Setting struct {
	Name, Value, Default, Doc string
	ReadOnly                  bool
	Context                   string // of what the server was told: postmaster or sighup
	// Superuser says that only superusers may set it.
	Superuser bool
	// Unit is what the number of a size or a time counts.
	Unit string
	// Kind is pg_settings.vartype: bool, enum, integer, real or string.
	Kind string
	// Options are the values of an enum.
	Options []string
	// From is pg_settings.source, where the value is not the default; Reset is what RESET gives.
	From, Reset string
}

// Activity is a session as pg_stat_activity shows it. Zero times are unknown.
type Activity struct {
	PID         int32
	User        string
	Database    string
	Application string
	Client      netip.AddrPort // invalid for one in this process or over a Unix socket
	Server      netip.AddrPort // where the client has connected to
	Started     time.Time
	Transaction time.Time
	QueryStart  time.Time
	Changed     time.Time
	State       string // "active", "idle", "idle in transaction", …
	WaitType    string // wait_event_type: "" is none
	WaitEvent   string
	Query       string
}

// Statement is a shape of statements, with sums over those that came to their end; times are
// in milliseconds. The work is that of those which failed, too. Servers of different versions tell
// each other by these names.
type Statement struct {
	User                                                                      string
	ID                                                                        int64
	Text                                                                      string // "" is too long to be kept
	Calls, Errors, Rows                                                       int64
	Total, Min, Max, StdDev                                                   float64
	StorageCalls, RowsRead, BytesRead, RowsWritten, BucketsRead, SpilledBytes int64
}

// LockKind is what a lock is on.
type LockKind uint8

const (
	LockRelation    LockKind = iota // Lock.Relation
	LockTransaction                 // of the session Lock.Transaction, until it ends
	LockAdvisory                    // of 64 bits, or Two times 32: A and B
)

// Lock is a lock of a session, granted or waited for.
type Lock struct {
	Kind        LockKind
	Session     int64
	PID         int32
	Relation    uint32
	Transaction int64
	A, B        uint32
	Two         bool
	Mode        string
	Granted     bool
	Since       time.Time // it is waited for
}

// Prepared is a prepared statement of the session.
type Prepared struct {
	Name, Text string
	At         time.Time
	Params     []types.T
	FromSQL    bool
}

// Cursor is an open cursor of the session.
type Cursor struct {
	Name, Text   string
	At           time.Time
	Hold, Scroll bool
}
