package bigtable

import (
	"math"
	"slices"
	"strings"

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
func column(family string, qualifier []byte) filter {
	return columnRange(family, string(qualifier), string(qualifier))
}

// timestamps is the filter of [lo, hi) in µs, 0 being no bound; nil where there
// is none. Cells have whole milliseconds, so bounds may be rounded up, which
// the service asks for.
func timestamps(lo, hi int64) filter {
	if lo == 0 && hi == 0 {
		return nil
	}
	return timestampRange((lo+999)/1000*1000, (hi+999)/1000*1000)
}

// projection is the filter of a projection; exact says that no other column
// passes. nil passes everything. Where it need not be exact, columns that
// follow one another are one range, in which other columns can hardly lie:
// each branch of an interleave costs the server another pass over the row.
func projection(cols []storage.Col, needExact bool) (f filter, exact bool) {
	if len(cols) == 0 {
		return nil, true
	}
	sorted := slices.Clone(cols)
	slices.SortFunc(sorted, compareCols)
	sorted = slices.CompactFunc(sorted, func(a, b storage.Col) bool { return compareCols(a, b) == 0 })
	var filters []filter
	size := 0
	exact = true
	for i := 0; i < len(sorted); {
		j := i + 1
		for !needExact && j < len(sorted) && adjacent(sorted[j-1], sorted[j]) {
			j++
			exact = false
		}
		first, last := &sorted[i], &sorted[j-1]
		size += 2*len(first.Family) + len(first.Qualifier) + len(last.Qualifier) + 16
		filters = append(filters, columnRange(first.Family, string(first.Qualifier), string(last.Qualifier)))
		i = j
	}
	if len(filters) <= maxColumnFilters && size <= maxColumnFilterBytes {
		return interleave(filters), exact
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
	filters, size = nil, 0
	for name, b := range families {
		size += len(name) + len(b.lo) + len(b.hi) + 16
		filters = append(filters, columnRange(name, b.lo, b.hi))
	}
	if len(filters) > maxColumnFilters || size > maxColumnFilterBytes {
		return nil, false
	}
	return interleave(filters), false
}

func compareCols(a, b storage.Col) int {
	if c := strings.Compare(a.Family, b.Family); c != 0 {
		return c
	}
	return strings.Compare(string(a.Qualifier), string(b.Qualifier))
}

// adjacent says that b is the number after a, as qualifiers of one length are
// given to columns.
func adjacent(a, b storage.Col) bool {
	n := len(a.Qualifier)
	if a.Family != b.Family || n == 0 || n != len(b.Qualifier) || a.Qualifier[n-1] == 0xff {
		return false
	}
	return string(a.Qualifier[:n-1]) == string(b.Qualifier[:n-1]) && a.Qualifier[n-1]+1 == b.Qualifier[n-1]
}

// readFilter is the filter of a read request. Collection of old cells may lag
// for a week, so the number of versions is always asked for. Keys only: one
// cell of each row, without its value, so the projection must be exact; so it
// must where the service is to count rows.
func readFilter(req *storage.ScanRequest) (f filter, exact bool) {
	project, exact := projection(req.Project, req.KeysOnly || req.Limit > 0 && req.Filter == nil)
	ts := timestamps(req.MinTS, 0)
	newest := latest(max(1, req.Versions))
	value, alone := hintFilter(req)
	if req.EveryRow { // a hint drops rows by one of the columns
		value, alone = nil, false
	}
	if alone {
		f = chain(ts, project, newest, value)
	} else {
		f = chain(ts, project, newest)
	}
	if req.KeysOnly {
		var one filter
		if exact {
			one = anyCell()
		}
		if alone {
			f = chain(f, one, noValues())
		} else {
			f = chain(ts, project, one, noValues())
		}
	}
	if req.EveryRow && len(req.Project) > 0 {
		// Of a row without the columns, any cell: it is dropped here.
		any := chain(ts, anyCell(), noValues())
		if req.KeysOnly {
			f, exact = any, false
		} else {
			f, exact = condition(chain(ts, project), f, any), false
		}
	}
	if value != nil && !alone {
		h := req.Hint
		f = condition(chain(ts, column(h.Col.Family, h.Col.Qualifier), latest(1), value), f, nil)
	}
	return f, exact
}

// maxHintBytes bounds what a hint adds to a filter.
const maxHintBytes = 4 << 10

// fewMatch is up to which part of the rows a condition on each of them is worth it.
const fewMatch = 0.25

// hintFilter is the filter of the values of a request's hint; nil where it is
// better left to the request's exact filter. Of the only column asked for
// (alone), the filter drops cells, which costs nothing. Otherwise it takes a
// condition on the row, which costs the server another look at each row, and
// half as much again where most rows match: it is worth it where few are known to,
// and, where nothing is known, for an equality.
func hintFilter(req *storage.ScanRequest) (value filter, alone bool) {
	h := req.Hint
	if h == nil || len(h.Lo)+len(h.Hi)+len(h.Col.Qualifier) > maxHintBytes || h.Lo == nil && h.Hi == nil {
		return nil, false
	}
	alone = req.Versions <= 1 && len(req.Project) > 0
	for i := range req.Project {
		alone = alone && compareCols(req.Project[i], h.Col) == 0
	}
	equal := h.Lo != nil && h.Hi != nil && string(h.Lo) == string(h.Hi)
	if !alone && (h.Part > fewMatch || h.Part == 0 && !equal) {
		return nil, false
	}
	return valueRange(h.Lo, h.Hi), alone
}

// condFilter is the filter that finds a cell where cond holds, or, where
// inverted, where it does not.
func condFilter(c *storage.Cond) (f filter, inverted bool) {
	old := timestamps(c.MinTS, 0)
	switch c.Op {
	case storage.RowAbsent, storage.RowPresent:
		return chain(old, anyCell()), c.Op == storage.RowAbsent
	case storage.CellTSEquals:
		if c.Timestamp < c.MinTS {
			return nothing(), false
		}
		return chain(column(c.Family, c.Qualifier), latest(1), timestamps(c.Timestamp, c.Timestamp+1000)), false
	case storage.CellIs:
		at := filter(nil)
		if c.Timestamp != 0 {
			at = timestamps(c.Timestamp, c.Timestamp+1000)
		}
		return chain(column(c.Family, c.Qualifier), old, latest(1), at, valueRange(c.Value, c.Value)), false
	case storage.Untouched:
		touched := chain(family(c.Family), old)
		if c.Timestamp > math.MaxInt64-2000 { // nothing is newer
			return touched, true
		}
		newer := chain(column(c.Other.Family, c.Other.Qualifier), timestamps(max(c.MinTS, c.Timestamp+1000), 0))
		return interleave([]filter{touched, newer}), true
	default:
		return chain(column(c.Family, c.Qualifier), old, latest(1)), c.Op == storage.CellAbsent
	}
}
