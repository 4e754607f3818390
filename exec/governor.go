package exec

import "github.com/saltsql/saltsql/internal/sqlerr"

// scanned counts rows that have been read, in spans and by key, by all of the statement,
// and ends it over Settings.MaxScanRows: 54000.
func (cx *Context) scanned(n int64) error {
	limit := cx.Settings.MaxScanRows
	if limit <= 0 {
		return nil
	}
	if cx.rowsScanned.Add(n) > limit {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "the statement read more than %d rows, which saltsql.max_scan_rows allows", limit)
	}
	return nil
}
