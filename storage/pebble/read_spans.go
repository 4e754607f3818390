package pebble

import (
	"context"
	"io"
	"sync"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/rowpack"
)

var scanners = sync.Pool{New: func() any { return new(scanner) }}

// ReadSpans implements storage.Table: a scanner that nobody else knows, of one batch.
func (t *table) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (did storage.ScanStats, ended bool, err error) {
	call := t.s.calls.begin()
	did, ended, err = t.readSpans(ctx, req, dst)
	t.s.calls.ended(callScan, call, err)
	return did, ended, err
}

func (t *table) readSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (did storage.ScanStats, ended bool, err error) {
	const op = storage.OpScan
	if err := storage.CheckScan(op, t.name, req); err != nil {
		return did, false, err
	}
	if req.Filter != nil || req.Hint != nil {
		return did, false, storage.Errorf(storage.CodeInvalidArgument, op, t.name, "spans are read without a filter")
	}
	ts, err := t.enter(ctx, op)
	if err != nil {
		return did, false, err
	}
	defer t.s.exit()
	sc := scanners.Get().(*scanner)
	defer func() {
		*sc = scanner{}
		scanners.Put(sc)
	}()
	sc.s, sc.ctx, sc.table, sc.name, sc.req, sc.spans, sc.left = t.s, ctx, ts, t.name, req, req.Spans, req.Limit
	if req.Limit == 0 {
		sc.left = -1
	}
	dst.Reset()
	err = t.s.with(op, t.name, req.Snapshot, func(v *view) (err error) {
		sc.writes = ts.ended.Load()
		sc.it, err = t.s.cursor(ctx, v, ts)
		if err != nil {
			return err
		}
		sc.plan = rowpack.NewPlan(req, ts.desc.Load(), t.s.opts.Now)
		defer func() {
			if lerr := sc.leave(); err == nil {
				err = lerr
			}
		}()
		if err = sc.fill(dst); err == io.EOF {
			err = nil
		}
		return err
	})
	if err == nil {
		err = t.s.durable(ctx, op, t.name, seen{table: ts, spans: req.Spans, upTo: t.s.viewOf(req.Snapshot)})
	}
	if err != nil {
		dst.Reset()
		return did, false, wrap(op, t.name, err)
	}
	return sc.Stats(), !sc.onSpan && len(sc.spans) == 0, nil
}
