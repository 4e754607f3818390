package bigtable

import (
	"regexp"
	"slices"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

// filter is a filter of the service.
type filter = *bigtablepb.RowFilter

// chain lets pass what passes all of filters, of which nil is none.
func chain(filters ...filter) filter {
	filters = slices.DeleteFunc(filters, func(f filter) bool { return f == nil })
	switch len(filters) {
	case 0:
		return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_PassAllFilter{PassAllFilter: true}}
	case 1:
		return filters[0]
	}
	return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_Chain_{Chain: &bigtablepb.RowFilter_Chain{Filters: filters}}}
}

// interleave lets pass what passes any of filters.
func interleave(filters []filter) filter {
	if len(filters) == 1 {
		return filters[0]
	}
	return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_Interleave_{Interleave: &bigtablepb.RowFilter_Interleave{Filters: filters}}}
}

// condition lets pass what passes then of rows in which a cell passes test, and what passes
// otherwise of the others; nil is nothing there.
func condition(test, then, otherwise filter) filter {
	return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_Condition_{Condition: &bigtablepb.RowFilter_Condition{
		PredicateFilter: test, TrueFilter: then, FalseFilter: otherwise}}}
}

// columnRange lets columns of a family pass from first to last.
func columnRange(family, first, last string) filter {
	return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_ColumnRangeFilter{ColumnRangeFilter: &bigtablepb.ColumnRange{FamilyName: family,
		StartQualifier: &bigtablepb.ColumnRange_StartQualifierClosed{StartQualifierClosed: []byte(first)},
		EndQualifier:   &bigtablepb.ColumnRange_EndQualifierClosed{EndQualifierClosed: []byte(last)}}}}
}

// family lets the cells of a family pass.
func family(name string) filter {
	return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: regexp.QuoteMeta(name)}}
}

// valueRange lets values pass from lo to hi; nil is no bound.
func valueRange(lo, hi []byte) filter {
	r := &bigtablepb.ValueRange{}
	if lo != nil {
		r.StartValue = &bigtablepb.ValueRange_StartValueClosed{StartValueClosed: lo}
	}
	if hi != nil {
		r.EndValue = &bigtablepb.ValueRange_EndValueClosed{EndValueClosed: hi}
	}
	return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_ValueRangeFilter{ValueRangeFilter: r}}
}

// timestampRange lets cells of [lo, hi) pass, which are whole milliseconds; 0 is no bound.
func timestampRange(lo, hi int64) filter {
	return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_TimestampRangeFilter{
		TimestampRangeFilter: &bigtablepb.TimestampRange{StartTimestampMicros: lo, EndTimestampMicros: hi}}}
}

// latest lets n cells of each column pass, the newest.
func latest(n int) filter {
	return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_CellsPerColumnLimitFilter{CellsPerColumnLimitFilter: int32(n)}}
}

// anyCell lets one cell of each row pass.
func anyCell() filter {
	return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_CellsPerRowLimitFilter{CellsPerRowLimitFilter: 1}}
}

// noValues takes the values from cells.
func noValues() filter {
	return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_StripValueTransformer{StripValueTransformer: true}}
}

// nothing lets no cell pass.
func nothing() filter {
	return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_BlockAllFilter{BlockAllFilter: true}}
}
