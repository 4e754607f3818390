package bigtable

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/saltsql/saltsql/storage"
)

// CheckAndMutate implements storage.Table. The client never repeats it; where
// its answer is lost, the cells that it may have left are looked for.
func (t *table) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	const op = storage.OpCheckAndMutate
	if err := storage.CheckCond(op, t.name, m); err != nil {
		return false, err
	}
	c, err := t.begin(ctx, op)
	if err != nil {
		return false, err
	}
	defer c.end()
	filter, inverted := condFilter(&m.Cond)
	if len(m.Then) == 0 && len(m.Else) == 0 { // the service wants a mutation
		row, err := t.t.ReadRow(c, string(m.Key), bigtable.RowFilter(filter))
		if err != nil {
			return false, c.readError(err)
		}
		return (len(row) > 0) != inverted, nil
	}
	found, absent := arm(m.Then), arm(m.Else)
	if inverted {
		found, absent = absent, found
	}
	var matched bool
	e := c.single(sizeOf(m.Key, m.Then)+sizeOf(nil, m.Else), func(ctx context.Context) error {
		return t.t.Apply(ctx, string(m.Key), bigtable.NewCondMutation(filter, found, absent), bigtable.GetCondMutationResult(&matched))
	})
	switch {
	case e == nil:
		return matched != inverted, nil
	case e.Code == storage.CodeAmbiguous && (len(m.Then) == 0 || len(m.Else) == 0):
		made := &rowEntry{key: string(m.Key), muts: m.Then, err: e}
		if len(m.Then) == 0 {
			made.muts = m.Else
		}
		if t.settle(c, []*rowEntry{made}); made.err == nil {
			return len(m.Then) > 0, nil
		}
	}
	return false, c.transactionHint(e)
}

// single makes one write request within the store's bounds on them, once.
func (c *call) single(size int, request func(context.Context) error) *storage.Error {
	tk, err := c.s.flow.acquire(c, int64(size))
	if err != nil {
		return asStorage(c.over())
	}
	var e *storage.Error
	a := newAttempt(1)
	if err = request(a.context(c)); err != nil {
		if a.err != nil {
			err = a.err
		}
		if a.unsent() {
			e = asStorage(c.readError(err))
		} else {
			e = c.writeError(err)
		}
	}
	throttled := e != nil && e.Code == storage.CodeThrottled
	var pause time.Duration
	if throttled {
		pause = e.RetryAfter
	}
	c.s.flow.release(tk, throttled, pause)
	return e
}

func arm(muts []storage.Mutation) *bigtable.Mutation {
	if len(muts) == 0 {
		return nil
	}
	return mutation(muts)
}

// ReadModifyWrite implements storage.Table. The service stamps the new cells
// itself; the client never repeats the request.
func (t *table) ReadModifyWrite(ctx context.Context, key []byte, adds []storage.AddInt64, dst *storage.RowBatch) error {
	const op = storage.OpReadModifyWrite
	if err := storage.CheckAdds(op, t.name, key, adds); err != nil {
		return err
	}
	c, err := t.begin(ctx, op)
	if err != nil {
		return err
	}
	defer c.end()
	m := bigtable.NewReadModifyWrite()
	for i := range adds {
		m.Increment(adds[i].Family, string(adds[i].Qualifier), adds[i].Delta)
	}
	var row bigtable.Row
	e := c.single(len(key), func(ctx context.Context) (err error) {
		row, err = t.t.ApplyReadModifyWrite(ctx, string(key), m)
		return err
	})
	if e != nil {
		if not := t.notACounter(c, e.Cause, key, adds); not != nil {
			return not
		}
		return c.transactionHint(e)
	}
	f := rowFiller{req: &storage.ScanRequest{}, exact: true, dst: dst}
	f.add(string(key), row)
	return nil
}

// notACounter finds out whether an addition failed for a cell that is not 8
// bytes long: servers tell that by differing codes.
func (t *table) notACounter(c *call, err error, key []byte, adds []storage.AddInt64) error {
	switch status.Code(err) {
	case codes.Unknown, codes.Internal, codes.InvalidArgument, codes.FailedPrecondition:
	default:
		return nil
	}
	var req storage.ScanRequest
	for i := range adds {
		req.Project = append(req.Project, storage.Col{Family: adds[i].Family, Qualifier: adds[i].Qualifier})
	}
	var b storage.RowBatch
	if t.getChunk(c, c, bigtable.RowList{string(key)}, &req, &b) != nil || b.Len() == 0 {
		return nil
	}
	for j := range b.NumCells(0) {
		if cell := b.Cell(0, j); len(cell.Value) != 8 {
			return storage.Errorf(storage.CodeInvalidArgument, c.op, c.table, "cell %s:%q is not 8 bytes long", cell.Family, cell.Qualifier)
		}
	}
	return nil
}
