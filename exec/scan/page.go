package scan

import (
	"io"
	"time"

	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// pageReader reads the rows of some spans, usually those of one bucket, page
// by page. While few rows may be wanted a page is a scan of its own with an
// exact limit, and each is larger than the one before; beyond largePage the
// rest is one scan.
type pageReader struct {
	core   *Core
	bucket int
	spans  []storage.Span
	req    storage.ScanRequest
	page   int64 // rows of the next scan; 0 is all
	grow   int64
	need   int64 // rows that can be wanted at most; -1 is not known

	direct  bool // Table.ReadSpans reads pages, and the first batch of what has none; else by scans
	scanner storage.Scanner
	shared  *sharedScan // what small pages are read by; nil: by scans of their own
	left    int64       // of the page
	last    []byte
	resume  bool // go on after last
	seeks   *seeks
	sought  int // seeks made
	work    plan.BucketActual
	shares  *bucketShares     // of several buckets, where that is asked for
	counted storage.ScanStats // of scanner: what is counted as heat
	reached int               // of several buckets: how many the scan has come to
	sampler heat.Sampler
	unseen  int // rows read whose keys did not come
}

// largePage is from where on a page is no longer limited: a batch.
const largePage = storage.MaxBatchRows

// open prepares to read spans. page is how many rows to ask for first, 0 for
// all; need bounds the rows that can be wanted, -1 does not.
func (r *pageReader) open(core *Core, bucket int, spans []storage.Span, page, need int64) {
	*r = pageReader{core: core, bucket: bucket, spans: spans, req: core.req, page: page, need: need, grow: 2, last: r.last, sampler: r.sampler}
	if core.filtered() {
		r.grow = 4
	}
	if r.seeks = core.seeks; r.seeks != nil {
		r.page = r.seeks.page
	} else if (page > 0 || core.n.Key != nil) && r.req.Filter == nil && r.req.Hint == nil && !r.req.NoKeys {
		// Not for whole tables, which few rows are not of: what comes behind a batch is sought anew.
		r.direct = core.cx.Caps().Seeks
	}
}

// next fills dst with at least one row, or gives io.EOF.
func (r *pageReader) next(dst *storage.RowBatch) error {
	var t time.Time
	analyze := r.core.cx.Actuals != nil
	direct := false
	if r.scanner == nil {
		if len(r.spans) == 0 || r.need == 0 {
			return io.EOF
		}
		again := r.resume
		if err := r.request(); err != nil {
			return err
		}
		if direct = r.direct && r.shared == nil && (!again || r.req.Limit > 0); !direct {
			if err := r.scan(); err != nil {
				return err
			}
		}
	}
	if analyze {
		t = time.Now()
	}
	var err error
	ended := false
	switch {
	case direct:
		var did storage.ScanStats
		did, ended, err = r.core.table.ReadSpans(r.core.ctx, &r.req, dst)
		if err == nil && dst.Len() == 0 {
			err = io.EOF
		}
		r.addWork(did)
		r.heat(dst, did, err, ended)
	case r.shared.reads(r):
		err = r.scanner.Next(dst)
		ended = err == nil && r.shared.at.Ended()
	default:
		err = r.scanner.Next(dst)
		if r.core.heat.Counts() {
			now := r.scanner.Stats()
			r.heat(dst, since(now, r.counted), err, false)
			r.counted = now
		}
	}
	if analyze {
		spent, at := time.Since(t), time.Since(r.core.cx.Start())
		r.work.Time += spent
		if r.work.FirstRow == 0 {
			r.work.FirstRow = at
		}
		if r.shares != nil && err == nil {
			r.shares.add(dst, spent, at)
		}
	}
	if err == io.EOF {
		if r.shares != nil {
			r.shares.all = true
		}
		r.spans = nil
		if err := r.endScan(); err != nil {
			return err
		}
		return io.EOF
	}
	if err != nil {
		return err
	}
	n := int64(dst.Len())
	r.work.Rows += n
	if err := r.core.cx.Scanned(n); err != nil {
		return err
	}
	if r.need > 0 {
		r.need -= n
	}
	r.left -= n
	if r.seeks != nil {
		return r.after(dst)
	}
	if ended {
		r.spans = nil
		return r.endScan()
	}
	if !direct && !r.shared.reads(r) && (r.req.Limit == 0 || r.left > 0) {
		return nil
	}
	r.last = append(r.last[:0], dst.Key(dst.Len()-1)...)
	r.resume = true
	r.page *= r.grow
	return r.endScan()
}

// request makes the request of the next page.
func (r *pageReader) request() error {
	if r.resume {
		r.resume = false
		if r.spans = storage.Resume(r.spans, r.last, r.req.Reverse); len(r.spans) == 0 {
			return io.EOF
		}
	}
	r.req.Spans, r.req.Limit, r.req.BatchRows = r.spans, 0, r.core.req.BatchRows
	if r.page > 0 && r.page < largePage {
		r.req.Limit = r.page
	}
	if r.need > 0 && (r.req.Limit == 0 || r.need < r.req.Limit) {
		r.req.Limit = r.need
	}
	r.left = r.req.Limit
	return nil
}

func (r *pageReader) scan() error {
	var err error
	if r.shared != nil && r.req.Limit > 0 {
		if r.scanner, err = r.shared.move(r); r.scanner != nil || err != nil {
			return err
		}
	}
	r.scanner, err = r.core.table.Scan(r.core.ctx, &r.req)
	return err
}

func (r *pageReader) endScan() error {
	if r.scanner == nil {
		return nil
	}
	if r.shared.reads(r) {
		r.scanner = nil
		s := r.shared.spent()
		r.addWork(s)
		r.heat(nil, s, nil, false)
		return nil
	}
	err := r.scanner.Close()
	s := r.scanner.Stats()
	r.scanner = nil
	r.addWork(s)
	r.heat(nil, since(s, r.counted), nil, false) // what was read behind the batch given last
	r.counted = storage.ScanStats{}
	return err
}

func (r *pageReader) addWork(s storage.ScanStats) {
	r.work.StorageCalls += s.Calls
	r.work.RowsRead += s.RowsRead
	r.work.BytesRead += s.Bytes
}

// close ends the scan and adds its work to the core's. The consumer calls it
// when no other goroutine uses the reader.
func (r *pageReader) close() error {
	err := r.endScan()
	w := &r.core.work
	w.StorageCalls += r.work.StorageCalls
	w.RowsRead += r.work.RowsRead
	w.BytesRead += r.work.BytesRead
	if r.bucket >= 0 && r.core.cx.Actuals != nil {
		r.work.Bucket = r.bucket
		w.PerBucket = append(w.PerBucket, r.work)
	}
	r.work = plan.BucketActual{}
	r.spans = nil
	return err
}
