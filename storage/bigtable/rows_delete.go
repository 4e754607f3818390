package bigtable

import (
	"context"
	"errors"
	"io"

	"github.com/saltsql/saltsql/storage"
)

// deleteRows deletes the rows that a scan gives. It fails having deleted some.
func (t *table) deleteRows(ctx context.Context, sc storage.Scanner) error {
	var b storage.RowBatch
	deleteRow := []storage.Mutation{{Op: storage.DeleteRow}}
	for {
		if err := sc.Next(&b); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		rows := make([]storage.RowMutation, b.Len())
		for i := range rows {
			rows[i] = storage.RowMutation{Key: b.Key(i), Mutations: deleteRow}
		}
		if err := t.Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
			var p *storage.PartialError
			if errors.As(err, &p) {
				return p.Rows[0].Err
			}
			return err
		}
	}
}
