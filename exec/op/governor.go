package op

import (
	"math/rand/v2"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// root is the context of the whole execution.
func (cx *Context) root() *Context {
	for cx.parent != nil {
		cx = cx.parent
	}
	return cx
}

// Undecodable counts a row that is left out: see Settings.SkipUndecodable.
func (cx *Context) Undecodable() {
	cx.root().undecodable.Add(1)
}

// SampleSeed is drawn once for an execution: each run of a part of it samples the same rows of a
// table, as in PostgreSQL.
func (cx *Context) SampleSeed() uint64 {
	cx = cx.root()
	if cx.sampleSeed.Load() == 0 {
		cx.sampleSeed.CompareAndSwap(0, rand.Uint64()|1)
	}
	return cx.sampleSeed.Load()
}

// tellUndecodable says, where the execution ends, how many rows were left out.
func (cx *Context) tellUndecodable() {
	if n := cx.undecodable.Swap(0); n > 0 && cx.parent == nil {
		cx.SendNotice(sqlerr.Notice(sqlerr.Warning, "rows that could not be decoded were left out: %d", n).
			WithHint("SET saltsql.skip_undecodable = off makes the first of them an error that names its row key and column."))
	}
}

// Scanned counts rows that have been read, in spans and by key, by all of the statement,
// and ends it over Settings.MaxScanRows: 54000.
func (cx *Context) Scanned(n int64) error {
	limit := cx.Settings.MaxScanRows
	if limit <= 0 {
		return nil
	}
	if cx.root().rowsScanned.Add(n) > limit {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "the statement read more than %d rows, which saltsql.max_scan_rows allows", limit)
	}
	return nil
}
