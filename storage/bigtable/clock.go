package bigtable

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"

	"github.com/saltsql/saltsql/storage"
)

// serverTime is the timestamp of a cell to which the service is to give one by its clock.
const serverTime = -1

// Clock implements storage.Table. What others have written to the column before goes with the same
// mutation of the row, so that a cell of a clock that was ahead does not hide this one; what another
// caller writes before the column is read is as good.
func (t *table) Clock(ctx context.Context, key []byte, col storage.Col) (time.Time, error) {
	const op = storage.OpClock
	if err := storage.CheckKeys(op, t.name, [][]byte{key}); err != nil {
		return time.Time{}, err
	}
	c, err := t.begin(ctx, op)
	if err != nil {
		return time.Time{}, err
	}
	defer c.end()
	cell := storage.Mutation{Family: col.Family, Qualifier: col.Qualifier, Timestamp: serverTime}
	req := &bigtablepb.MutateRowRequest{TableName: t.path, AppProfileId: t.s.config.AppProfile, RowKey: key,
		Mutations: append(mutations([]storage.Mutation{{Op: storage.DeleteCell, Family: col.Family, Qualifier: col.Qualifier}}), setCell(&cell))}
	err = c.repeat(c, t.md, func(ctx context.Context, opts []grpc.CallOption) error { // once more does no harm
		_, err := t.s.data.MutateRow(ctx, req, opts...)
		return err
	})
	if err != nil {
		return time.Time{}, c.readError(err)
	}
	var found storage.RowBatch
	if err := t.getChunk(c, c, [][]byte{key}, &storage.ScanRequest{Project: []storage.Col{col}}, &found); err != nil {
		return time.Time{}, err
	}
	if i := found.Find(key); i >= 0 {
		for j := range found.NumCells(i) {
			if cell := found.Cell(i, j); cell.Family == col.Family && string(cell.Qualifier) == string(col.Qualifier) {
				return time.UnixMicro(cell.Timestamp), nil
			}
		}
	}
	return time.Time{}, storage.Errorf(storage.CodeUnavailable, op, t.name, "the cell that was written to read the clock is gone")
}
