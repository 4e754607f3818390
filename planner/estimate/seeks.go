package estimate

import "github.com/saltsql/saltsql/planner/plan"

// SeeksPay says whether to visit each value of the first prefix key columns by a seek, rather
// than to read all rows of a scan's span, if it is known how many there are. A seek takes
// the time of Estimator.SeekRows rows and gives a few of the rows wanted; reading on
// gives them all the same. Where nothing is known it is tried: the scan itself finds out
// how often seeking pays, and stops.
func SeeksPay(by Known, s *plan.Scan, prefix int) bool {
	if by.SkipScan || by.Estimator == nil {
		return true
	}
	if Few(by, s.Table) {
		return false
	}
	sp, ok := KeySpread(by, s)
	if !ok || prefix >= len(sp.Runs) {
		return true
	}
	cost := sp.Runs[prefix] * by.Estimator.SeekRows()
	if s.Distinct == 0 {
		cost += sp.Rows * filterPart(by, s)
	}
	return cost < sp.Rows
}
