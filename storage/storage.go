package storage

import (
	"context"
	"time"
)

// Store is one open store. All methods are safe for concurrent use.
type Store interface {
	// Caps says what the store can do; the answer never changes.
	Caps() Caps
	Admin() Admin
	// Table gives a handle without I/O; a table that does not exist is
	// reported as CodeNotFound by the first call on the handle.
	Table(name string) Table
	// Snapshot opens a read view of all tables. Stores without
	// Caps.Snapshots answer CodeUnsupported.
	Snapshot(ctx context.Context) (Snapshot, error)
	// Batch starts an atomic write over several rows and tables. Stores
	// without Caps.AtomicBatch answer CodeUnsupported.
	Batch() (Batch, error)
	// Load starts a load of any number of rows of one table, where Batch is bounded by
	// memory. With unique, CommitLoads fails with *DuplicateRowError where two of the rows
	// have one key; without it the last one counts. Stores without Caps.Loads, and tables of
	// a part of a store that has none, answer CodeUnsupported: they are loaded by batches.
	Load(ctx context.Context, table string, unique bool) (Load, error)
	// CommitLoads writes the rows of all loads, which are of this store and of one table each,
	// or none, and ends the loads. They are durable when it returns, unless NoSync lets them
	// be otherwise.
	CommitLoads(ctx context.Context, loads []Load, opts WriteOptions) error
	// Compact merges what a table has in memory and in several layers of files to one, so
	// that reads of it cost less. It writes as many bytes as lie there, and nothing where
	// they lie in one layer already. Where ctx ends, what it has begun goes on in the
	// background. Reads and writes go on beside it. Stores without Caps.Compacts answer
	// CodeUnsupported: they keep their tables in order by themselves.
	Compact(ctx context.Context, table string) error
	// Close releases the store. Open scanners and snapshots are ended first.
	Close() error
}

// Caps says what a store can do beyond the contract's floor.
type Caps struct {
	Name        string // "pebble", "bigtable", "mem": shown by EXPLAIN and logs
	AtomicBatch bool   // Batch commits several rows or none
	Snapshots   bool   // Snapshot works
	Loads       bool   // Load works; goes with AtomicBatch
	Compacts    bool   // Compact works
	Clock       bool   // Clock works: the store has a clock that is not this process's
	// Optimistic says that other processes write the rows that a Batch writes, so that it fails
	// with CodeConflict where one of them has changed since it was read: see Version.
	Optimistic bool
	// BatchRows and BatchBytes are the most that one Batch writes; 0 is no limit.
	BatchRows, BatchBytes int
	// Window is for how long a store with Optimistic keeps rows as they were, and what Batch goes by; 0
	// is for as long as it is asked to.
	Window time.Duration
	// Transactional says that tables whose names end in transact.Mark take part in transactions: see
	// storage/transact.
	Transactional bool
	// Seeks says that ReadSpans and Scanner.Move cost less than another Scan of few rows: an
	// embedded store, which keeps its iterators.
	Seeks bool
	// ScanFanout is how many scans of one statement may run at once.
	// 1 means buckets are read one after another.
	ScanFanout int
	// SmallScanSerial says that scans of few rows are faster one after
	// another than in parallel (an embedded store).
	SmallScanSerial bool
	// MaxKeysPerGet is the most keys one storage call of MultiGet carries.
	MaxKeysPerGet int
	// Exclusive says that one process at a time has the store open, so that
	// what another process left locked is locked by a dead one.
	Exclusive bool
	// ReadOnly says that every write is CodeReadOnly.
	ReadOnly bool
}

// CollectAfter is for how long after its TTL a store without Caps.Snapshots
// keeps a cell, so that a read whose MinTS was stated before, or by another
// clock, does not find a row in part.
const CollectAfter = 24 * time.Hour

// FamilySpec describes a column family. Both bounds are promises to keep, not
// to forget: what exceeds them is removed at some later time and a read must
// not rely on its absence. A reader states Versions and MinTS itself.
type FamilySpec struct {
	Name        string        // [_a-zA-Z0-9][-_.a-zA-Z0-9]*, at most 64 bytes
	MaxVersions int           // 0 means 1
	TTL         time.Duration // 0 keeps cells for ever; else at least 1 ms
}

// TableSpec describes a table to create or alter.
type TableSpec struct {
	Name     string // [-_.a-zA-Z0-9], 1 to 50 bytes
	Families []FamilySpec
	Splits   [][]byte // initial split keys: advice that a store may ignore
}

// Admin changes tables. Calls on Bigtable take seconds and are rate-limited:
// do not poll with them.
type Admin interface {
	// CreateTable answers CodeAlreadyExists where the table exists.
	CreateTable(ctx context.Context, spec TableSpec) error
	// AlterTable adds the families the table lacks and sets TTL and versions
	// of those it has. It drops no family.
	AlterTable(ctx context.Context, spec TableSpec) error
	// DropTable answers CodeNotFound where the table does not exist.
	DropTable(ctx context.Context, name string) error
	// Truncate removes all rows and keeps families and splits.
	Truncate(ctx context.Context, name string) error
	// Tables lists the tables by name, sorted.
	Tables(ctx context.Context) ([]TableSpec, error)
}

// Table reads and writes rows of one table.
type Table interface {
	// Scan starts a scan. The scanner must be closed.
	Scan(ctx context.Context, req *ScanRequest) (Scanner, error)
	// MultiGet appends the rows of keys that exist to dst, in key order,
	// without duplicates. keys must be sorted and distinct. The projection,
	// filter, versions, timestamps and snapshot of req apply; its spans,
	// limit and direction do not. It returns the storage calls it took. On an
	// error dst holds no row of this call. A nil req reads all of a row.
	MultiGet(ctx context.Context, keys [][]byte, req *ScanRequest, dst *RowBatch) (calls int, err error)
	// ReadSpans fills dst as the first call of Next does of a Scan with the same request, which
	// has neither Filter nor Hint, and with no row where that gives io.EOF. ended says that
	// surely no row is left behind those given. See Caps.Seeks and FirstRows.
	ReadSpans(ctx context.Context, req *ScanRequest, dst *RowBatch) (did ScanStats, ended bool, err error)
	// Mutate applies mutations, each row atomically, in the order given for
	// rows of one key. It returns nil, or a *PartialError that says which rows
	// were not written, or another *Error when nothing was. Rows of one key
	// become one atomic change. The caller must not change rows before it
	// returns. A write whose answer was lost is not made again: it is found in
	// the store by its timestamp, or is CodeAmbiguous.
	Mutate(ctx context.Context, rows []RowMutation, opts WriteOptions) error
	// CheckAndMutate tests cond on one row and applies Then or Else
	// atomically with the test. It never retries; where an answer was lost and
	// the write is not found in the store it is CodeAmbiguous. So nobody else may
	// write the same cells: their timestamps are the writer's own, or their values
	// name the writer.
	CheckAndMutate(ctx context.Context, m *CondMutation) (matched bool, err error)
	// Clock gives what the store's own clock shows: a time, in whole milliseconds, of while it
	// was asked. It is the timestamp that the store has given to col of the row key, which is for
	// this alone, and for any number of callers at once. Stores without Caps.Clock answer
	// CodeUnsupported.
	Clock(ctx context.Context, key []byte, col Col) (time.Time, error)
	// Increment adds delta to the number in a cell, which is 8 bytes big-endian, or 0 where there is
	// none, and gives the sum. The cell's timestamp is the store's affair. Where an answer was lost
	// it is CodeAmbiguous: it may have added.
	Increment(ctx context.Context, key []byte, col Col, delta int64) (sum int64, err error)
	// Tablets gives the table's current pieces within span, with sizes where
	// the store knows them. They move at any time.
	Tablets(ctx context.Context, span Span) ([]Tablet, error)
	// Split cuts span into at least one piece and most (at least 1) at most, for scans that
	// read them in parallel: contiguous, ascending, together the span. They hold about as
	// much each, as far as the store can tell for the price of few reads; for less than
	// Sample costs it tells less.
	Split(ctx context.Context, span Span, most int) ([]Span, error)
	// Sample tells where the rows lie at the cost of few reads. It cuts span into contiguous
	// pieces, at keys, so that no piece holds much more than 1/most of the rows, as far as the
	// store can tell; most is at least 1, and there are at most most pieces where the store
	// chooses them itself. A store that is told pieces by its service gives those. An empty
	// span has none. Writes under way may be counted or not.
	Sample(ctx context.Context, span Span, most int) (*TableSample, error)
	// DeleteSpan removes all rows of span. It is not atomic with reads; a store
	// that does it row by row may fail having removed some.
	DeleteSpan(ctx context.Context, span Span) error
}

// Snapshot is a read view; pass it in ScanRequest.Snapshot. Close it soon:
// it keeps old data alive.
type Snapshot interface {
	Close() error
}

// Batch gathers writes over tables and commits them atomically. It is for one
// goroutine.
type Batch interface {
	// Mutate adds rows, in order after those added before. The caller must not
	// change them before Close.
	Mutate(table string, rows []RowMutation) error
	// Commit applies the batch, all or nothing, and leaves it empty.
	Commit(ctx context.Context, opts WriteOptions) error
	// Close drops what was not committed. It is idempotent.
	Close() error
}

// Span is the half-open key range [Start, End). An empty End means no upper
// bound.
type Span struct {
	Start, End []byte
}

// Col names a cell column.
type Col struct {
	Family    string
	Qualifier []byte
}

// ScanRequest says what to read. The caller must not change it, nor the bytes
// it points to, until the scanner is closed.
type ScanRequest struct {
	Spans []Span // sorted, disjoint; empty list reads nothing
	// Project names the columns wanted; empty reads every column. An adapter
	// may return more columns, but a row that has none of these does not
	// appear, on any store: to see a row whose columns are all NULL, project
	// its marker cell too, or say EveryRow.
	Project []Col
	// EveryRow has the rows appear that have none of Project: without cells, unless an
	// adapter returns more. Rows must still have a cell that the timestamps let be seen.
	EveryRow bool
	// KeysOnly says that no values are wanted: rows come with their keys, and
	// with any or no cells, whose values may be empty. Which rows appear is
	// still decided by Project and the timestamps.
	KeysOnly bool
	// ValuesOnly says that neither the names nor the timestamps of cells are
	// wanted, only the latest value of each column of Project, which has no
	// column twice. An adapter may then fill batches of columns
	// (RowBatch.Columns), or go on with cells: each batch tells.
	ValuesOnly bool
	// NoKeys says that keys are not wanted: rows may come with empty ones.
	NoKeys bool
	// Filter, where set, is exact and runs before a row is copied: a row for
	// which it answers false does not appear, and does not count to Limit. It
	// may ask for projected columns only, and with KeysOnly for none. Its
	// arguments are valid during the call. It may run on another goroutine
	// than Next's caller, but not on two at once, nor after Close, and must not
	// call the store. An error ends the scan and comes out of Next as it is.
	Filter func(key []byte, row RowView) (bool, error)
	Hint   *Hint // advisory; no row that satisfies it may be dropped
	// Limit is an exact number of rows at most; 0 means no limit. Fewer rows are all there
	// are, also where rows are deleted while they are read.
	Limit int64
	// Reverse gives rows in descending key order; Spans stay ascending.
	Reverse bool
	// MinTS hides cells that are older, in µs since the Unix epoch; 0 is no
	// bound. A row without another cell is not there.
	MinTS int64
	// Versions of each cell at most; 0 means 1, the latest.
	Versions int
	// Snapshot, where set, is one of the same store's, still open.
	Snapshot Snapshot
	// BatchRows is how many rows one Next fills at most; 0 means MaxBatchRows.
	BatchRows int
	// WithVersion has each row that was ever committed come with a cell of Version, also one that
	// is not there any more, which has nothing else and does not count to Limit. Stores without
	// Caps.Optimistic ignore it.
	WithVersion bool
}

// MaxBatchRows is the most rows a scanner puts into a RowBatch, and
// MaxBatchBytes the size of keys and cells at which it stops filling one (the
// last row may go over it).
const (
	MaxBatchRows  = 1024
	MaxBatchBytes = 4 << 20
)

// Hint is a declarative predicate on one column's latest value that an adapter
// may use to drop rows that surely do not match: Lo <= value <= Hi bytewise; a nil bound
// is open. A row without the cell does not match.
type Hint struct {
	Col    Col
	Lo, Hi []byte
	// Part is about the part of the rows that match; 0 is not known.
	Part float64
	// And are hints on other columns, which hold of the same rows. An adapter may look at
	// any of them or at none; theirs are ignored.
	And []Hint
}

// RowView shows one row's cells during a filter call.
type RowView interface {
	// Get gives the latest value of a column.
	Get(family string, qualifier []byte) (value []byte, ok bool)
}

// Scanner streams the rows of one scan.
type Scanner interface {
	// Next resets dst and fills it with at least one row, or returns io.EOF.
	// Rows are in key order. What dst held before is overwritten.
	// After an error it returns that error again.
	Next(dst *RowBatch) error
	// Move has Next go on with spans, which lie within those of the request and are
	// sorted as they are, for at most limit rows; 0 means no limit. It is not to be
	// called beside Next. The caller must not change spans until it moves on. A scan that
	// cannot move answers CodeUnsupported, and is as it was: see Caps.Seeks.
	Move(spans []Span, limit int64) error
	// Ended says that surely no row is left in the spans of the scan, or of the last Move,
	// though Next has not said io.EOF yet.
	Ended() bool
	// Stats may be called at any time, also after Close.
	Stats() ScanStats
	// Close cancels the scan and waits for its goroutines. It is idempotent.
	Close() error
}

// ScanStats counts the work of one scan.
type ScanStats struct {
	Calls    int64 // requests to the store (iterator seeks on an embedded store)
	RowsRead int64 // rows the store handed over, before Filter
	Bytes    int64 // key and value bytes of those rows
}

// Tablet is one contiguous piece of a table.
type Tablet struct {
	Span  Span
	Bytes int64 // estimated; -1 where unknown
}

// WriteOptions say how a write is made.
type WriteOptions struct {
	// NoSync lets the store acknowledge before the write is durable.
	NoSync bool
	// Calls, where set, is added the requests that a Batch takes to commit, those behind the answer
	// among them, by a store for which that is not one.
	Calls *int64
}

// MutationOp is the kind of a Mutation.
type MutationOp uint8

const (
	SetCell      MutationOp = iota // Family, Qualifier, Timestamp, Value
	DeleteCell                     // Family, Qualifier: all versions
	DeleteFamily                   // Family: all its cells
	DeleteRow                      // all cells of the row
)

// Mutation is one change of one row.
type Mutation struct {
	Op        MutationOp
	Family    string
	Qualifier []byte
	Timestamp int64 // µs since the Unix epoch, a multiple of 1000; chosen by the caller, for each write of a row another, by which it is known
	Value     []byte
	// Latest says of SetCell that the cell is to be the latest of its column:
	// cells of Timestamp and later, which came by a clock that is ahead of the
	// caller's, are deleted first: another server's, or this one's before it was
	// started anew.
	Latest bool
}

// RowMutation is an atomic list of changes of one row, applied in order.
type RowMutation struct {
	Key       []byte
	Mutations []Mutation
}

// CondOp is the kind of a Cond.
type CondOp uint8

const (
	RowAbsent CondOp = iota // the row has no cell
	RowPresent
	CellAbsent // the column has no cell
	CellPresent
	CellTSEquals // the latest cell has timestamp Timestamp
	CellIs       // the latest cell has value Value, and timestamp Timestamp where that is not 0
	Untouched    // Family has no cell, and column Other none that is newer than Timestamp
)

// Cond is a test on one row.
type Cond struct {
	Op        CondOp
	Family    string
	Qualifier []byte
	Timestamp int64
	Value     []byte // of CellIs
	Other     Col    // of Untouched
	// MinTS makes cells older than it (µs) count as absent: what a TTL has
	// expired and the store has not collected yet. 0 is no bound.
	MinTS int64
}

// CondMutation applies Then if Cond holds, else Else (either may be empty).
type CondMutation struct {
	Key        []byte
	Cond       Cond
	Then, Else []Mutation
	WriteOptions
}

type essentialKey struct{}

// Essential marks the writes made under the context as ones that a store goes on
// to take where it refuses others for lack of space: small ones without which no
// space could be freed, such as the catalog's.
func Essential(ctx context.Context) context.Context {
	return context.WithValue(ctx, essentialKey{}, true)
}

// IsEssential says whether Essential made the context or one it came from.
func IsEssential(ctx context.Context) bool { return ctx.Value(essentialKey{}) != nil }
