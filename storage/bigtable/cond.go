package bigtable

import (
	"context"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/saltsql/saltsql/storage"
)

// CheckAndMutate implements storage.Table. It makes one request; where
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
		var found storage.RowBatch
		f := newRowFiller(&storage.ScanRequest{}, true, &found)
		err := t.readKeys(c, c, [][]byte{m.Key}, filter, &f)
		return err == nil && (found.Len() > 0) != inverted, err
	}
	req := &bigtablepb.CheckAndMutateRowRequest{TableName: t.path, AppProfileId: t.s.config.AppProfile, RowKey: m.Key,
		PredicateFilter: filter, TrueMutations: mutations(m.Then), FalseMutations: mutations(m.Else)}
	if inverted {
		req.TrueMutations, req.FalseMutations = req.FalseMutations, req.TrueMutations
	}
	made := &rowEntry{key: string(m.Key), muts: m.Then, size: sizeOf(m.Key, m.Then) + sizeOf(nil, m.Else)}
	if len(m.Then) == 0 {
		made.muts = m.Else
	}
	var res *bigtablepb.CheckAndMutateRowResponse
	sent, err := c.once(&attempts{md: t.md}, []*rowEntry{made}, func(ctx context.Context, a *answers, opts []grpc.CallOption) (err error) {
		if res, err = t.s.data.CheckAndMutateRow(ctx, req, opts...); err == nil {
			a.note(0, status.New(codes.OK, ""))
		}
		return err
	})
	switch {
	case err != nil:
		return false, err
	case made.err == nil:
		return res.PredicateMatched != inverted, nil
	case sent.unsent && c.Err() != nil:
		return false, c.over()
	}
	if len(m.Then) == 0 || len(m.Else) == 0 {
		if t.settle(c, sent.doubted); made.err == nil {
			return len(m.Then) > 0, nil
		}
	}
	return false, c.transactionHint(made.err)
}
