package scan

import (
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// An unsalted table has no buckets to be read in parallel, so where many rows are wanted in
// no order it is cut into pieces, which a gatherSource reads as it reads buckets:
//
//	span   first pieceRows rows | piece | piece | piece | …
//	       the consumer           workers, each into its sink
//
// Only rows that go into sinks come so, whose consumer, an aggregation or a Top N, tells
// nobody in which order they came. What a client gets row by row stays in key order.

const (
	// pieceRows is how many rows are read one after another before it is worth to ask the
	// store for pieces.
	pieceRows = 8 * storage.MaxBatchRows
	// piecesPerWorker is how many pieces there are for each scan that may run at once, so
	// that workers end at about the same time though pieces differ.
	piecesPerWorker = 8
	// mostPieces bounds them.
	mostPieces = 256
)

// Feed gives every row of the scan to a sink, in parallel where there are many.
func (s *scan) Feed(newSink func() (op.Sink, error)) error {
	serial, ok := s.src.(*serialSource)
	if !ok || !s.inPieces() {
		return op.FeedFrom(s.Next, newSink)
	}
	g := &gatherSource{core: s.Core, serial: serial, enough: pieceRows, pieces: true, hint: s.req.Hint}
	serial.long = false
	serial.r.req.Hint = nil // rows are counted
	s.src = g
	newSink, done := s.cx.Fed(s.Counts, newSink)
	defer done()
	return g.Feed(newSink)
}

// inPieces says that many rows are wanted, in no order, and may be read at once.
func (c *Core) inPieces() bool {
	return c.n.Order == plan.Unordered && c.limit < 0 && c.seeks == nil && c.n.Sample == nil &&
		!c.n.ForUpdate && !c.cx.Stepwise && c.cx.Fanout() > 1 && len(c.set.Buckets) == 1
}

// cut has the store cut what is left of an unsalted table, or of one bucket. Where there are
// many spans already, neighbours make a piece.
func (c *Core) cut(left []rowcodec.BucketSpans) (pieces []rowcodec.BucketSpans, err error) {
	most := min(piecesPerWorker*c.cx.Fanout(), mostPieces)
	for _, b := range left {
		if len(b.Spans) >= most {
			each := (len(b.Spans) + most - 1) / most
			for from := 0; from < len(b.Spans); from += each {
				pieces = append(pieces, rowcodec.BucketSpans{Bucket: b.Bucket, Spans: b.Spans[from:min(from+each, len(b.Spans))]})
			}
			continue
		}
		for _, sp := range b.Spans {
			cut, err := c.table.Split(c.cx.Ctx, sp, max(most/len(b.Spans), 1))
			if err != nil {
				return nil, err
			}
			for i := range cut {
				pieces = append(pieces, rowcodec.BucketSpans{Bucket: b.Bucket, Spans: cut[i : i+1]})
			}
		}
	}
	return pieces, nil
}
