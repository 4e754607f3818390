package bigtable

import (
	"cloud.google.com/go/bigtable"

	"github.com/saltsql/saltsql/storage"
)

// maxRowSetBytes is the size at which a set of spans goes out as several
// requests: the service refuses requests over 512 KB.
const maxRowSetBytes = 400 << 10

// rowSets gives the row sets of spans in the order of reading, each small enough for one
// request.
func rowSets(spans []storage.Span, reverse bool) []bigtable.RowSet {
	var sets []bigtable.RowSet
	var ranges bigtable.RowRangeList
	size := 0
	flush := func() {
		if len(ranges) == 1 {
			sets = append(sets, ranges[0])
		} else if len(ranges) > 1 {
			sets = append(sets, ranges)
		}
		ranges, size = nil, 0
	}
	for i := range spans {
		sp := &spans[i]
		if reverse {
			sp = &spans[len(spans)-1-i]
		}
		if sp.Empty() {
			continue
		}
		n := len(sp.Start) + len(sp.End) + 16
		if size > 0 && size+n > maxRowSetBytes {
			flush()
		}
		size += n
		ranges = append(ranges, bigtable.NewRange(string(sp.Start), string(sp.End)))
	}
	flush()
	return sets
}
