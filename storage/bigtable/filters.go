package bigtable

import (
	"slices"
	"strings"

	"cloud.google.com/go/bigtable"

	"github.com/saltsql/saltsql/storage"
)

// The service refuses a filter over 20,480 bytes. Bounds below keep far away
// from that: a projection of more columns, or longer ones, is sent as one range
// of columns for each family, and what comes too much is dropped here.
const (
	maxColumnFilters     = 16
	maxColumnFilterBytes = 8 << 10
)

// column is the filter of exactly one column.
func column(family string, qualifier []byte) bigtable.Filter {
	q := string(qualifier)
	return bigtable.ColumnRangeFilter(family, q, q+"\x00")
}

// timestamps is the filter of [lo, hi) in µs, 0 being no bound; nil where there
// is none. Cells have whole milliseconds, so bounds may be rounded up, which
// the service asks for.
func timestamps(lo, hi int64) bigtable.Filter {
	if lo == 0 && hi == 0 {
		return nil
	}
	up := func(ts int64) bigtable.Timestamp { return bigtable.Timestamp((ts + 999) / 1000 * 1000) }
	return bigtable.TimestampRangeFilterMicros(up(lo), up(hi))
}

// projection is the filter of a projection; exact says that no other column
// passes. nil passes everything.
func projection(cols []storage.Col) (f bigtable.Filter, exact bool) {
	if len(cols) == 0 {
		return nil, true
	}
	size := 0
	for i := range cols {
		size += 2 * (len(cols[i].Family) + len(cols[i].Qualifier) + 8)
	}
	if len(cols) <= maxColumnFilters && size <= maxColumnFilterBytes {
		sorted := slices.Clone(cols)
		slices.SortFunc(sorted, compareCols)
		sorted = slices.CompactFunc(sorted, func(a, b storage.Col) bool { return compareCols(a, b) == 0 })
		filters := make([]bigtable.Filter, len(sorted))
		for i, c := range sorted {
			filters[i] = column(c.Family, c.Qualifier)
		}
		return interleave(filters), true
	}
	type bounds struct{ lo, hi string }
	families := map[string]bounds{}
	for _, c := range cols {
		q := string(c.Qualifier)
		b, ok := families[c.Family]
		if !ok {
			b = bounds{q, q}
		}
		families[c.Family] = bounds{min(b.lo, q), max(b.hi, q)}
	}
	var filters []bigtable.Filter
	size = 0
	for name, b := range families {
		size += len(name) + len(b.lo) + len(b.hi) + 16
		filters = append(filters, bigtable.ColumnRangeFilter(name, b.lo, b.hi+"\x00"))
	}
	if len(filters) > maxColumnFilters || size > maxColumnFilterBytes {
		return nil, false
	}
	return interleave(filters), false
}

func interleave(filters []bigtable.Filter) bigtable.Filter {
	if len(filters) == 1 {
		return filters[0]
	}
	return bigtable.InterleaveFilters(filters...)
}

func chain(filters ...bigtable.Filter) bigtable.Filter {
	filters = slices.DeleteFunc(filters, func(f bigtable.Filter) bool { return f == nil })
	if len(filters) == 1 {
		return filters[0]
	}
	return bigtable.ChainFilters(filters...)
}

func compareCols(a, b storage.Col) int {
	if c := strings.Compare(a.Family, b.Family); c != 0 {
		return c
	}
	return strings.Compare(string(a.Qualifier), string(b.Qualifier))
}

// readFilter is the filter of a read request. Collection of old cells may lag
// for a week, so the number of versions is always asked for. Keys only: one
// cell of each row, without its value, so the projection must be exact.
func readFilter(req *storage.ScanRequest) (f bigtable.Filter, exact bool) {
	project, exact := projection(req.Project)
	ts := timestamps(req.MinTS, req.MaxTS)
	if req.KeysOnly {
		var one bigtable.Filter
		if exact {
			one = bigtable.CellsPerRowLimitFilter(1)
		}
		return chain(ts, project, one, bigtable.StripValueFilter()), exact
	}
	return chain(ts, project, bigtable.LatestNFilter(max(1, req.Versions))), exact
}

// condFilter is the filter that finds a cell where cond holds, or, where
// inverted, where it does not.
func condFilter(c *storage.Cond) (f bigtable.Filter, inverted bool) {
	old := timestamps(c.MinTS, 0)
	switch c.Op {
	case storage.RowAbsent, storage.RowPresent:
		return chain(old, bigtable.CellsPerRowLimitFilter(1)), c.Op == storage.RowAbsent
	case storage.CellEquals:
		var lo []byte // nil: the empty value is the least
		if len(c.Value) > 0 {
			lo = c.Value
		}
		hi := append(slices.Clone(c.Value), 0)
		return chain(column(c.Family, c.Qualifier), old, bigtable.LatestNFilter(1), bigtable.ValueRangeFilter(lo, hi)), false
	case storage.CellTSEquals:
		if c.Timestamp < c.MinTS {
			return bigtable.BlockAllFilter(), false
		}
		return chain(column(c.Family, c.Qualifier), bigtable.LatestNFilter(1), timestamps(c.Timestamp, c.Timestamp+1000)), false
	default:
		return chain(column(c.Family, c.Qualifier), old, bigtable.LatestNFilter(1)), c.Op == storage.CellAbsent
	}
}
