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
		var row bigtable.Row
		for range looks { // the client gives up where a stream ends within a row
			if row, err = t.t.ReadRow(c, string(m.Key), bigtable.RowFilter(filter)); status.Code(err) != codes.Unknown || c.Err() != nil {
				break
			}
		}
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
	if err := c.fenced(); err != nil {
		return asStorage(err)
	}
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
