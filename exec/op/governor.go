package op

import "github.com/saltsql/saltsql/internal/sqlerr"

// Scanned counts rows that have been read, in spans and by key, by all of the statement,
// and ends it over Settings.MaxScanRows: 54000.
func (cx *Context) Scanned(n int64) error {
	limit := cx.Settings.MaxScanRows
	if limit <= 0 {
		return nil
	}
	for cx.parent != nil {
		cx = cx.parent
	}
	if cx.rowsScanned.Add(n) > limit {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "the statement read more than %d rows, which saltsql.max_scan_rows allows", limit)
	}
	return nil
}
