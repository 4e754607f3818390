package scan

import "github.com/saltsql/saltsql/storage"

// sparing sizes the pages of a merge of an index's entries of which few are wanted, on a store
// where a page is a call: no more is read than the rows wanted and one row of each bucket, which
// is what a merge of open scans reads.
//
//	16 buckets, 10 rows wanted    one row of each, at once; then of the bucket whose row was
//	                              given out last: at most 16 + 10 rows, in up to 9 calls more
//
// A call is worth more than a few rows: so this is for fewSparing rows at most, and where the
// buckets' own pages would read several times what is wanted.
type sparing struct {
	spare int64 // rows that may be read yet
	later int64 // rows of a page once those wanted have come
}

// fewSparing is how many rows may be wanted of a merge that is sparing.
const fewSparing = 10

// sparing says that a merge of n buckets is.
func (c *Core) sparing(n int) bool {
	return c.n.Of != nil && c.limit > 0 && c.limit <= min(fewSparing, int64(n)) && !c.cx.Stepwise && !c.cx.Caps().SmallScanSerial &&
		c.n.Filter == nil && c.recheck == ExactKey
}

// fetch reads the next rows of a bucket.
func (s *mergeSource) fetch(b *mergeBucket, dst *storage.RowBatch) error {
	sp := s.sparing
	if sp == nil || !b.r.resume { // in a page, or before the first
		return b.r.next(dst)
	}
	wanted := int64(s.wanted - s.given)
	if wanted <= 0 {
		s.sparing, b.r.page = nil, max(b.r.page, sp.later)
		return b.r.next(dst)
	}
	// Each row wanted but the last may use up another bucket's page.
	page := min(max(sp.spare-wanted+1, 1), wanted)
	b.r.page = page
	err := b.r.next(dst)
	if sp.spare -= page; err == nil {
		sp.spare += page - min(int64(dst.Len()), page)
	} else {
		sp.spare += page
	}
	return err
}
