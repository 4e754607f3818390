package bigtable

import (
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"github.com/saltsql/saltsql/storage"
)

// maxRowSetBytes is the size at which a set of spans goes out as several
// requests: the service refuses requests over 512 KB.
const maxRowSetBytes = 400 << 10

// nextSpans cuts spans, none of which is empty, into what the next request reads and the others.
func nextSpans(spans []storage.Span, reverse bool) (now, later []storage.Span) {
	size := 0
	for i := range spans {
		sp := &spans[i]
		if reverse {
			sp = &spans[len(spans)-1-i]
		}
		n := len(sp.Start) + len(sp.End) + 16
		if size > 0 && size+n > maxRowSetBytes {
			if reverse {
				return spans[len(spans)-i:], spans[:len(spans)-i]
			}
			return spans[:i], spans[i:]
		}
		size += n
	}
	return spans, nil
}

// rangeSet is what a request reads; nil is nothing.
func rangeSet(spans []storage.Span) *bigtablepb.RowSet {
	if len(spans) == 0 {
		return nil
	}
	set := &bigtablepb.RowSet{RowRanges: make([]*bigtablepb.RowRange, len(spans))}
	for i, sp := range spans {
		r := &bigtablepb.RowRange{}
		if len(sp.Start) > 0 {
			r.StartKey = &bigtablepb.RowRange_StartKeyClosed{StartKeyClosed: sp.Start}
		}
		if len(sp.End) > 0 {
			r.EndKey = &bigtablepb.RowRange_EndKeyOpen{EndKeyOpen: sp.End}
		}
		set.RowRanges[i] = r
	}
	return set
}
