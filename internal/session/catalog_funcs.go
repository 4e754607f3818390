package session

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
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

// TableBytes is about what a table takes in the store.
func (f sessionFuncs) TableBytes(ctx context.Context, t *catalog.Table) (int64, error) {
	return f.spanBytes(ctx, t, storage.Span{})
}

// BucketBytes is TableBytes of one salt bucket, whose number is the first byte of its keys.
func (f sessionFuncs) BucketBytes(ctx context.Context, t *catalog.Table, bucket int) (int64, error) {
	span := storage.Span{Start: []byte{byte(bucket)}}
	if bucket < 255 {
		span.End = []byte{byte(bucket + 1)}
	}
	return f.spanBytes(ctx, t, span)
}

func (f sessionFuncs) spanBytes(ctx context.Context, t *catalog.Table, span storage.Span) (int64, error) {
	bytes, err := f.s.db.sizes.Bytes(ctx, t, f.s.txns().Raw().Table(t.Physical), span)
	if err != nil {
		return 0, f.s.db.storageError(ctx, err)
	}
	return bytes, nil
}
