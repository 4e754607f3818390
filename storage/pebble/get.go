package pebble

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/rowpack"
)

// getKeys is from how many keys on MultiGet opens an iterator: opening one
// costs about half a Get, and it seeks, in key order, for less than a Get
// (two keys far apart: 2.1 µs against 2.5; a hundred: 61 against 119). A run has
// iterators open, so one key is read by it too.
const getKeys = 2

var keyPool = sync.Pool{New: func() any { return new([]byte) }}

var readAll storage.ScanRequest

// MultiGet implements storage.Table.
func (t *table) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	call := t.s.calls.begin()
	n, err := t.multiGet(ctx, keys, req, dst)
	t.s.calls.ended(callGet, call, err)
	return n, err
}

func (t *table) multiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	const op = storage.OpMultiGet
	if req == nil {
		req = &readAll
	}
	if err := storage.CheckRead(op, t.name, req); err != nil {
		return 0, err
	}
	if err := storage.CheckKeys(op, t.name, keys); err != nil {
		return 0, err
	}
	ts, err := t.enter(ctx, op)
	if err != nil {
		return 0, err
	}
	defer t.s.exit()
	if len(keys) == 0 {
		return 0, nil
	}
	was := dst.Len()
	g := getter{ctx: ctx, table: ts, name: t.name, req: req, dst: dst, store: t.s}
	if req.Snapshot == nil {
		err = g.read(nil, keys)
	} else {
		err = t.s.with(op, t.name, req.Snapshot, func(v *view) error { return g.read(v, keys) })
	}
	if err == nil {
		err = t.s.durable(ctx, op, t.name, seen{table: ts, keys: keys, upTo: t.s.viewOf(req.Snapshot)})
	}
	if err != nil {
		dst.Truncate(was)
		if g.plan == nil || !g.plan.FilterFailed {
			err = wrap(op, t.name, err)
		}
	}
	if g.plan != nil {
		g.plan.Release()
	}
	return 1, err
}

type getter struct {
	ctx   context.Context
	store *Store
	table *tableState
	name  string
	req   *storage.ScanRequest
	plan  *rowpack.Plan
	dst   *storage.RowBatch
}

func (g *getter) read(v *view, keys [][]byte) error {
	buf := keyPool.Get().(*[]byte)
	defer keyPool.Put(buf)
	if len(keys) >= getKeys || g.table.run.Load() != nil {
		return g.seek(v, keys, buf)
	}
	for _, k := range keys {
		if !storage.CanExist(k) {
			continue
		}
		*buf = g.table.key(*buf, k)
		var value []byte
		var closer io.Closer
		var err error
		if v != nil {
			value, closer, err = v.snap.Get(*buf)
		} else {
			value, closer, err = g.store.get(g.ctx, storage.OpMultiGet, g.name, *buf)
		}
		if errors.Is(err, pebble.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		err = g.emit(k, value)
		if cerr := closer.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// seek reads keys in order on one iterator. Where it stands behind a key
// already there is no such row and nothing to seek: keys that lie together in
// an empty range cost one seek.
func (g *getter) seek(v *view, keys [][]byte, buf *[]byte) error {
	it, err := g.store.cursor(g.ctx, v, g.table)
	if err != nil {
		return err
	}
	defer func() { _ = it.end() }() // its error has been told
	it.bound(g.table, storage.Span{})
	valid, sought := false, false
	seeks := int64(0)
	defer func() { g.store.sought(it, g.table, seeks, 0) }()
	for i, k := range keys {
		if i%checkEvery == checkEvery-1 {
			if err := g.ctx.Err(); err != nil {
				return storage.CtxError(storage.OpMultiGet, g.name, err)
			}
		}
		if !storage.CanExist(k) {
			continue
		}
		*buf = g.table.key(*buf, k)
		if !sought || valid && bytes.Compare(it.Key(), *buf) < 0 {
			valid, sought = it.SeekGE(*buf), true
			seeks++
			if !valid && it.Error() != nil {
				return it.Error()
			}
		}
		if !valid || !bytes.Equal(it.Key(), *buf) {
			continue
		}
		value, err := it.ValueAndErr()
		if err == nil {
			err = g.emit(k, value)
		}
		if err != nil {
			return err
		}
	}
	return it.Error()
}

// emit resolves the plan at the first row read, so that the descriptor knows
// every family of it.
func (g *getter) emit(key, value []byte) error {
	if g.plan == nil {
		g.plan = rowpack.NewPlan(g.req, g.table.desc.Load(), g.store.opts.Now)
	}
	if !g.dst.Fits(len(key) + len(value)) {
		return storage.Errorf(storage.CodeTooLarge, storage.OpMultiGet, g.name, "the rows asked for are over 4 GiB")
	}
	_, err := g.plan.Emit(g.dst, key, value)
	return err
}
