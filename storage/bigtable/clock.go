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

// clockTries is how often a cell is written that is to be later than the one before. Two may be of one
// millisecond.
const clockTries = 5

// Clock implements storage.Table. A cell that is later than the one that was there before it was written is of
// the clock, or of another caller's reading of it, which is as good. Where none is, the cell before
// is of a clock that was ahead: it goes with the mutation that writes the next.
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
	before, err := t.latest(c, key, col)
	if err != nil {
		return time.Time{}, err
	}
	anew := []*bigtablepb.Mutation{setCell(&storage.Mutation{Family: col.Family, Qualifier: col.Qualifier, Timestamp: serverTime})}
	for try := 0; ; try++ {
		if try == clockTries {
			before = 0
			anew = append(mutations([]storage.Mutation{{Op: storage.DeleteCell, Family: col.Family, Qualifier: col.Qualifier}}), anew...)
		}
		req := &bigtablepb.MutateRowRequest{TableName: t.path, AppProfileId: t.s.config.AppProfile, RowKey: key, Mutations: anew}
		err = c.repeat(c, t.md, func(ctx context.Context, opts []grpc.CallOption) error { // once more does no harm
			_, err := t.s.data.MutateRow(ctx, req, opts...)
			return err
		})
		if err != nil {
			return time.Time{}, c.readError(err)
		}
		switch at, err := t.latest(c, key, col); {
		case err != nil:
			return time.Time{}, err
		case at > before:
			return time.UnixMicro(at), nil
		case try == clockTries:
			return time.Time{}, storage.Errorf(storage.CodeUnavailable, op, t.name, "the cell that was written to read the clock is gone")
		}
		if err := storage.Pause(ctx, 0, time.Millisecond); err != nil {
			return time.Time{}, storage.CtxError(op, t.name, err)
		}
	}
}

// latest gives the timestamp of a row's newest cell of a column; 0 is none.
func (t *table) latest(c *call, key []byte, col storage.Col) (at int64, err error) {
	var found storage.RowBatch
	if err := t.getChunk(c, c, [][]byte{key}, &storage.ScanRequest{Project: []storage.Col{col}}, &found); err != nil {
		return 0, err
	}
	if i := found.Find(key); i >= 0 {
		for j := range found.NumCells(i) {
			if cell := found.Cell(i, j); cell.Family == col.Family && string(cell.Qualifier) == string(col.Qualifier) {
				at = max(at, cell.Timestamp)
			}
		}
	}
	return at, nil
}
