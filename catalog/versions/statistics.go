package versions

import (
	"context"
	"fmt"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/storage"
)

// Rows of statistics, what ANALYZE has found out about the columns of a table:
//
//	stat/0000016385                       c:columns        {"rows":600000,"columns":{…}}
//
// They are of no version of the catalog: who finds them old or gone plans without. A row
// goes with its table, by the sweep.
const (
	StatPrefix = "stat/"
	statCell   = "columns"
)

func statKey(id uint32) []byte { return fmt.Appendf(nil, "%s%010d", StatPrefix, id) }

// PutStatistics keeps what is known of a table's columns.
func (c *Keeper) PutStatistics(ctx context.Context, table uint32, value []byte) error {
	err := c.putRows(ctx, []storage.RowMutation{{Key: statKey(table), Mutations: []storage.Mutation{{
		Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(statCell), Timestamp: c.nextTimestamp(0), Value: value,
	}}}})
	return catalog.FromStorage(err, "keeping statistics")
}

// ReadStatistics gives it; nil is none.
func (c *Keeper) ReadStatistics(ctx context.Context, table uint32) (value []byte, err error) {
	var b storage.RowBatch
	err = RetryRead(ctx, func() error {
		b.Reset()
		_, err := c.Table.MultiGet(ctx, [][]byte{statKey(table)}, nil, &b)
		return err
	})
	if err != nil || b.Len() == 0 {
		return nil, catalog.FromStorage(err, "reading statistics")
	}
	value, _ = b.Value(0, SystemFamily, []byte(statCell))
	return value, nil
}
