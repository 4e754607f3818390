// Package ctid gives rows the ctid that tools written for PostgreSQL ask for. A row has no place of
// its own here; what stands for one is in two halves.
//
//	(bucket * 1000 + n / 16384, n % 16384 + 1)       n is the session's number of the row's key
//
//	SELECT ctid                   Value    the key's number, given the first time that it is shown
//	ctid = '(3000,7)', IN (…)     Equal    the key columns are those of the key with that number
//	ctid >= '(2000,0)' AND …      Blocks   the parts of the table whose buckets begin in these blocks
//
// The blocks of a bucket are 1,000 whatever it holds, so that ranges of blocks mean the same rows to
// all sessions and servers, as long as the table has the same salt. The planner calls it; internal/session
// keeps the numbers: see Numbers. It calls catalog/part, by which a scan reads ranges of blocks as spans.
// It must never take a ctid for a row that it was not shown for: what the session does not know is an error.
package ctid
