package saltsql

import (
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// Options configure a DB. A nil *Options and zero fields mean the defaults.
type Options struct {
	// Logger takes what an operator should know; default slog.Default().
	Logger *slog.Logger
	// PlanCache is how many plans are kept for reuse; default 1,000, negative keeps none.
	PlanCache int
	// ReadOnly opens the store to be read: what writes is refused (25006). On a store that several
	// servers share the DB writes nothing but a lease, so that nothing is removed that it reads.
	ReadOnly bool
	// CatalogRefresh is how often the catalog is read for changes other
	// servers made, on stores that several may share; default 1 s.
	CatalogRefresh time.Duration
	// Lease is how long a server that has died keeps changes of the catalog waiting; default 30 s.
	// On a store that several servers share it and CatalogRefresh are those of the first.
	Lease time.Duration
	// Peers is where other servers of a store on Bigtable ask this one of its sessions, and have them
	// cancelled and notified: HOST:PORT, which it tells them by way of the store. A port of 0 is any
	// that is free; a host of all addresses tells the first that is not the loopback's. Who asks
	// must have the store. Empty, the default, opens no door.
	Peers string
	// TempDir is where sorts and hashes over their memory budget spill;
	// default os.TempDir().
	TempDir string
	// Memory is how many bytes all statements and sessions may hold together, of sorts,
	// groups, lists, texts and open portals; one statement may hold half of it. Default a
	// fifth of the machine's or the cgroup's memory, negative no limit. What is refused
	// gets 53200. The store's caches are beside it.
	Memory int64
	// NoEstimates keeps planning from looking at the sizes of tables: nothing is read in
	// the background, and plans do not change as tables grow.
	NoEstimates bool
	// NoAutoAnalyze leaves it to ANALYZE to look at what columns hold. Without it, tables of 1000
	// rows and more are sampled in the background: at first, and after a fifth of their rows
	// has changed.
	NoAutoAnalyze bool
	// TrackStatements is how many shapes of statements are counted, for pg_stat_statements and
	// metrics, in up to 16 MB; default 0 counts nothing.
	TrackStatements int
	// HeatMemory is how many bytes the counters of saltsql.bucket_skew and saltsql.heatmap may take; default 64 MB,
	// negative counts nothing.
	HeatMemory int64
	// Settings are the run-time parameters that sessions begin with, in the place of the defaults;
	// those of SessionOptions win.
	Settings map[string]string
	// Tracer, where set, makes OpenTelemetry's spans of statements: those that it samples, below
	// the span of the context that Query and its like are given, or of the traceparent in a
	// comment of the statement, as sqlcommenter writes it.
	Tracer trace.Tracer
	// Now is the clock; default time.Now. For tests.
	Now func() time.Time
}
