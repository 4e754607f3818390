package bigtable

import (
	"context"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/saltsql/saltsql/storage"
)

// Increment implements storage.Table. It makes one request: what it would add by a second one is
// the caller's affair.
func (t *table) Increment(ctx context.Context, key []byte, col storage.Col, delta int64) (int64, error) {
	const op = storage.OpIncrement
	if err := storage.CheckIncrement(op, t.name, key, col); err != nil {
		return 0, err
	}
	c, err := t.begin(ctx, op)
	if err != nil {
		return 0, err
	}
	defer c.end()
	req := &bigtablepb.ReadModifyWriteRowRequest{TableName: t.path, AppProfileId: t.s.config.AppProfile, RowKey: key,
		Rules: []*bigtablepb.ReadModifyWriteRule{{FamilyName: col.Family, ColumnQualifier: col.Qualifier,
			Rule: &bigtablepb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: delta}}}}
	made := &rowEntry{key: string(key), size: sizeOf(key, nil) + len(col.Qualifier)}
	var res *bigtablepb.ReadModifyWriteRowResponse
	_, err = c.once(&attempts{md: t.md}, []*rowEntry{made}, func(ctx context.Context, a *answers, opts []grpc.CallOption) (err error) {
		if res, err = t.s.data.ReadModifyWriteRow(ctx, req, opts...); err == nil {
			a.note(0, status.New(codes.OK, ""))
		}
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case made.err != nil:
		return 0, c.transactionHint(made.err)
	}
	for _, f := range res.GetRow().GetFamilies() {
		for _, column := range f.GetColumns() {
			if f.GetName() == col.Family && string(column.GetQualifier()) == string(col.Qualifier) && len(column.GetCells()) > 0 {
				return storage.Number(op, t.name, column.GetCells()[0].GetValue())
			}
		}
	}
	return 0, storage.Errorf(storage.CodeCorruption, op, t.name, "the service's answer does not have the cell that it has added to")
}
