package scan

import (
	"bytes"
	"sort"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/keyspan"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// seeks lets a scan leave out rows that nobody needs, driven by the rows it sees:
//
//	Distinct   a b | a c | a d … z | b a     behind a b, go on at the end of prefix a
//	Skip       1 5 | 1 6 | 1 7 … | 2 0 | 2 5  c = 5: behind 1 6, go on at 2
//	                                          behind 2 0, go on at 2 5
//	Wanted     the same for whole keys: behind a row between two of the spans wanted,
//	           which are too many to be asked for each, go on at the next
//
// A seek costs a new scan, worth many rows, so it is made only once a run of rows
// at the end of a page was not needed. While few are, pages are small; where
// they are not, pages grow until the rest is one scan, as without seeks. It must see
// the rows that a filter drops: the store must not drop them first.
type seeks struct {
	key      *rowcodec.KeySchema
	prefix   int            // the columns whose values a run of rows shares
	distinct bool           // only the first row of a run is needed
	suffix   []storage.Span // else: what is needed of it, behind the prefix
	page     int64          // rows of the first page, and of the first after a seek
}

// Rows of a page that may end in a seek. A remote store's call costs as much as very
// many rows. Where seeks turn out to be many, each must spare more: the pages, and the
// runs of rows that are worth a seek, grow.
const (
	distinctPage  = 2
	skipPage      = 8
	remotePages   = 8  // times that
	seeksPerStep  = 16 // in a bucket: the page after so many is twice as long
	mostSteps     = 5
	longestUnused = 32 // rows of a run, or a page if that is longer
)

// pageAfter is how many rows to read first after so many seeks in a bucket.
func (s *seeks) pageAfter(sought int) int64 {
	return s.page << min(sought/seeksPerStep, mostSteps)
}

// newSeeks gives nil for a scan that needs all rows of its spans. wanted is
// SpanSet.Wanted of these.
func newSeeks(n *plan.Scan, key *rowcodec.KeySchema, skip *keyspan.Condition, wanted []storage.Span, env *expr.Env, caps *storage.Caps) (*seeks, error) {
	if n.Distinct == 0 && skip == nil && wanted == nil {
		return nil, nil
	}
	s := &seeks{key: key, prefix: n.Distinct, distinct: n.Distinct > 0, page: distinctPage}
	switch {
	case s.distinct:
	case skip == nil:
		s.prefix, s.suffix, s.page = 0, wanted, skipPage
	default:
		s.prefix, s.page = n.SkipFrom, skipPage
		var ok bool
		var err error
		if s.suffix, ok, err = skip.Suffixes(env, n.SkipFrom); err != nil || !ok {
			return nil, err
		}
	}
	if !caps.SmallScanSerial {
		s.page *= remotePages
	}
	return s, nil
}

// target says where to go on behind key: at the key given or, with reverse, below
// it. ok is false where the next row may be needed.
func (s *seeks) target(key []byte, reverse bool) (at []byte, ok bool) {
	prefix, ok := s.key.AppendPrefix(nil, key, s.prefix)
	if !ok {
		return nil, false
	}
	if s.distinct {
		return s.leave(prefix, reverse)
	}
	if !bytes.HasPrefix(key, prefix) {
		return nil, false
	}
	rest := key[len(prefix):]
	// i is the first span that ends behind the row.
	i := sort.Search(len(s.suffix), func(i int) bool {
		return len(s.suffix[i].End) == 0 || bytes.Compare(rest, s.suffix[i].End) < 0
	})
	if i < len(s.suffix) && bytes.Compare(s.suffix[i].Start, rest) <= 0 {
		return nil, false
	}
	switch {
	case reverse && i > 0:
		return append(prefix, s.suffix[i-1].End...), true
	case !reverse && i < len(s.suffix):
		return append(prefix, s.suffix[i].Start...), true
	}
	return s.leave(prefix, reverse)
}

// leave goes past all keys with a prefix.
func (s *seeks) leave(prefix []byte, reverse bool) (at []byte, ok bool) {
	if reverse && len(prefix) > 0 {
		return prefix, true
	}
	if at, ok = rowcodec.PrefixEnd(prefix); !ok {
		return nil, true // nothing is behind, or before: no span is left
	}
	return at, true
}

// seek says where to go on behind the rows of rb; ok is false where it should
// just go on reading.
func (s *seeks) seek(rb *storage.RowBatch, reverse bool, sought int) (at []byte, ok bool) {
	n := rb.Len()
	if at, ok = s.target(rb.Key(n-1), reverse); !ok {
		return nil, false
	}
	before := n - 1 - min(max(n/2, 1), max(longestUnused, int(s.pageAfter(sought))))
	if before < 0 {
		return at, true
	}
	was, ok := s.target(rb.Key(before), reverse)
	return at, ok && bytes.Equal(was, at)
}

// after decides, when a page or a batch has been read into dst, how the reader goes on.
func (r *pageReader) after(dst *storage.RowBatch) error {
	last := dst.Key(dst.Len() - 1)
	at, ok := r.seeks.seek(dst, r.req.Reverse, r.sought/r.width())
	if !ok {
		if r.req.Limit > 0 && r.left <= 0 { // the page is used up
			r.last = append(r.last[:0], last...)
			r.resume = true
			r.page *= 4
			return r.endScan()
		}
		return nil
	}
	r.spans = storage.Resume(r.spans, last, r.req.Reverse)
	if at == nil {
		r.spans = nil
	} else {
		r.spans = rowcodec.From(r.spans, at, r.req.Reverse)
	}
	r.sought++
	r.page, r.resume = r.seeks.pageAfter(r.sought/r.width()), false
	return r.endScan()
}

// width is how many buckets the reader reads.
func (r *pageReader) width() int {
	if r.bucket >= 0 {
		return 1
	}
	return max(len(r.core.set.Buckets), 1)
}
