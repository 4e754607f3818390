package session

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/part"
	"github.com/saltsql/saltsql/internal/sequence"
	"github.com/saltsql/saltsql/internal/stats"
	"github.com/saltsql/saltsql/storage"
)

// Jobs lists the changes of tables that go on.
func (f sessionFuncs) Jobs(ctx context.Context) ([]catalog.Job, error) {
	return f.s.db.catalog.Jobs(ctx)
}

// CancelJob is saltsql.cancel_job.
func (f sessionFuncs) CancelJob(ctx context.Context, id uint32) (bool, error) {
	return f.s.db.catalog.CancelJob(f.s.asActor(ctx), id)
}

// StoredBytes is about what a table or an index takes in the store.
func (f sessionFuncs) StoredBytes(ctx context.Context, physical string) (int64, error) {
	return f.spanBytes(ctx, physical, storage.Span{})
}

// BucketBytes is StoredBytes of one salt bucket, whose number is the first byte of its keys.
func (f sessionFuncs) BucketBytes(ctx context.Context, t *catalog.Table, bucket int) (int64, error) {
	span := storage.Span{Start: []byte{byte(bucket)}}
	if bucket < 255 {
		span.End = []byte{byte(bucket + 1)}
	}
	return f.spanBytes(ctx, t.Physical, span)
}

// Snapshots says that the store has views of one moment.
func (f sessionFuncs) Snapshots() bool { return f.s.txns().Raw().Caps().Snapshots }

// Parts cuts a table into n parts.
func (f sessionFuncs) Parts(ctx context.Context, t *catalog.Table, n int64) ([]part.Part, error) {
	list, err := part.Cut(ctx, f.s.txns().Raw().Table(t.Physical), t, n)
	return list, f.s.db.storageError(ctx, err)
}

func (f sessionFuncs) spanBytes(ctx context.Context, physical string, span storage.Span) (int64, error) {
	bytes, err := stats.Bytes(ctx, f.s.txns().Raw().Table(physical), span)
	switch {
	case storage.CodeOf(err) == storage.CodeNotFound: // dropped since
		return 0, nil
	case err != nil:
		return 0, f.s.db.storageError(ctx, err)
	}
	return bytes, nil
}

func (f sessionFuncs) NextVal(ctx context.Context, id uint32, n int) (first, step int64, got int, err error) {
	v, err := f.s.drawn.NextVal(ctx, host(f), id, n)
	return v.First, v.Step, v.Count, err
}

func (f sessionFuncs) NextBlock(ctx context.Context, id uint32, n int) (first int64, err error) {
	v, err := f.s.drawn.NextBlock(ctx, host(f), id, n)
	return v.First, err
}

func (f sessionFuncs) RowIDs(n int) (first, step int64) { return f.s.db.rowIDs.Take(n) }

func (f sessionFuncs) CurrVal(id uint32) (int64, error) { return f.s.drawn.CurrVal(host(f), id) }
func (f sessionFuncs) LastVal() (int64, error)          { return f.s.drawn.LastVal(host(f)) }

func (f sessionFuncs) SetVal(ctx context.Context, id uint32, value int64, called bool) error {
	return f.s.drawn.SetVal(ctx, host(f), id, value, called)
}

func (f sessionFuncs) SequenceState(ctx context.Context, id uint32) (last int64, called bool, err error) {
	return f.s.drawn.State(ctx, host(f), id)
}

func (f sessionFuncs) SerialSequence(table, column string) (string, error) {
	r, err := f.s.relation(table)
	if err != nil {
		return "", err
	}
	return sequence.Serial(host(f), r, column)
}
