package catalog

import (
	"slices"
	"time"

	"github.com/saltsql/saltsql/storage/spliced"
)

// Rewrite is a copy of a table's rows in the making, under another salt, while the table is
// read and written:
//
//	planned   the storage tables of copy and log are made; nobody touches them
//	copying   every write of the table puts its rows' keys into a change log; the job copies
//	          all rows, piece by piece, and reads those of the log again
//	(switch)  writes wait; the job does what the log still holds; the table's storage is the
//	          copy from then on
//	retired   the old rows stay until no statement reads them
//
// Statements read the old rows until the switch, and the copy has one writer: the job. So no
// two writes of the copy can overtake each other, whoever dies where, and a row is right in
// the copy because it was read after the last write of it that the log tells of. A write
// stands in the log before it is made, and is forgotten there only once it has ended and its
// row was read again; writes whose server died are looked at when nobody writes. That is all
// that is asked of a store: neither several rows at once, nor locks, nor clocks.
//
// REFRESH MATERIALIZED VIEW goes the same way, without a log: its copy is made of the query's rows.
//
// Between planned and copying, and at the switch, no write is under way: see quiesce.
// What was planned before is refused then (40001). A reader that has not seen the switch
// reads rows that nobody has changed since, for writes wait until all servers have.
type Rewrite struct {
	// ID names the job: its row, and saltsql.jobs.
	ID       uint32
	State    RewriteState
	Physical string // the copy
	Log      string // "" where nobody writes the table: see Refreshes
	// Indexes are the copies of a materialized view's indexes, by their IDs.
	Indexes map[uint32]string
	// Empty says that the copy gets no rows: WITH NO DATA.
	Empty bool

	SaltBuckets int
	SaltColumns []string
	// Rate is how many rows are copied in a second, at most; 0 is no limit.
	Rate    int
	Started time.Time
}

// RewriteState says how far a Rewrite is.
type RewriteState uint8

const (
	RewritePlanned RewriteState = iota
	RewriteCopying
)

var RewriteStateNames = []string{"planned", "copying"}

// String names the state as saltsql.jobs does.
func (s RewriteState) String() string { return RewriteStateNames[s] }

// Retired is a storage table that statements planned under a catalog older than Version
// may still read.
type Retired struct {
	Physical string `json:"physical"`
	Version  uint64 `json:"version"`
}

// Retire keeps storage tables, which the catalog has no more from version on, until no statement
// reads them.
func (t *Table) Retire(version uint64, physical ...string) {
	t.Retired = slices.Clone(t.Retired)
	for _, name := range physical {
		t.Retired = append(t.Retired, Retired{Physical: name, Version: version})
	}
}

// Storages lists the storage tables of a table beside its own and its indexes'.
func (t *Table) Storages() (names []string) {
	if r := t.Rewrite; r != nil {
		names = append(names, r.Copies()...)
	}
	for _, r := range t.Retired {
		names = append(names, spliced.Tables(r.Physical)...)
	}
	return names
}

// Rewritten is the table as the switch leaves it.
func (t *Table) Rewritten() (*Table, error) {
	cp, r := t.Clone(), t.Rewrite
	cp.Physical, cp.Options.SaltBuckets, cp.Options.SaltColumns = r.Physical, r.SaltBuckets, r.SaltColumns
	cp.Rewrite, cp.Epochs = nil, nil
	return cp, cp.Finish()
}

// Jobs lists the IDs of the jobs that the table has, whether or not they have begun.
func (t *Table) Jobs() (ids []uint32) {
	if t.Rewrite != nil {
		ids = append(ids, t.Rewrite.ID)
	}
	for i := range t.Indexes {
		if t.Indexes[i].Build != nil {
			ids = append(ids, t.Indexes[i].ID)
		}
	}
	return ids
}

// Reshaped lists the tables with jobs, or with retired storage.
func (s *Snapshot) Reshaped() []*Table { return s.reshaped }

// ChangeLog names the change log that writes of a storage table are put into; "" is none.
func (s *Snapshot) ChangeLog(physical string) string { return s.logs[physical] }

// Job is a change of a table that goes on while the table serves.
type Job struct {
	ID      uint32
	Table   *Table
	Index   *Index // that is filled; nil where the salt changes
	What    string // the command
	State   string
	Rows    int64 // copied so far
	Again   int64 // of those written meanwhile, read again
	Rate    int   // rows a second at most; 0 is no limit
	Started time.Time
	Owner   string // the server that is at work; "" is none
	PID     int    // of the session that waits for it, on this server; 0 is none
}
