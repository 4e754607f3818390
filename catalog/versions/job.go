package versions

import (
	"context"
	"fmt"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
)

// Rows of jobs, which work on a table for long while it serves, by several statements'
// worth of changes of the catalog:
//
//	job/0000016390                        c:lease          {"owner":…,"until":…}
//	                                      c:…              what the job keeps there
//
// A job's lease is one like that of DDL: who has it, alone, does the job's work. It is for one
// job, and others change the catalog meanwhile.
const JobPrefix = "job/"

func jobKey(id uint32) string { return fmt.Sprintf("%s%010d", JobPrefix, id) }

// TryJob takes the lease of a job; nil where another has it.
func (c *Keeper) TryJob(ctx context.Context, id uint32) (h *Held, err error) {
	for try := 0; try < 8; try++ {
		var busy *leaseJSON
		if h, busy, err = c.tryLease(ctx, jobKey(id)); h != nil || busy != nil || err != nil && !storage.IsRetryable(err) {
			break
		}
		if err := storage.Pause(ctx, try, raceUnit); err != nil {
			return nil, catalog.FromStorage(err, "taking a job")
		}
	}
	return h, catalog.FromStorage(err, "taking a job")
}

// JobOwner names the server that is at work on a job; "" is none.
func (c *Keeper) JobOwner(ctx context.Context, id uint32) string {
	l, ok, err := c.readLease(ctx, jobKey(id))
	if err != nil || !ok || c.ended(l) {
		return ""
	}
	return l.Owner
}

// PutJob writes one cell of a job's row.
func (c *Keeper) PutJob(ctx context.Context, id uint32, cell string, value []byte) error {
	return c.putRows(ctx, []storage.RowMutation{{Key: []byte(jobKey(id)), Mutations: []storage.Mutation{{
		Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(cell), Timestamp: c.nextTimestamp(0), Value: value,
	}}}})
}

// ReadJob reads the cells of a job's row.
func (c *Keeper) ReadJob(ctx context.Context, id uint32) (map[string][]byte, error) {
	var b storage.RowBatch
	err := RetryRead(ctx, func() error {
		b.Reset()
		_, err := c.Table.MultiGet(ctx, [][]byte{[]byte(jobKey(id))}, nil, &b)
		return err
	})
	if err != nil || b.Len() == 0 {
		return nil, catalog.FromStorage(err, "reading a job")
	}
	cells := map[string][]byte{}
	for i := range b.NumCells(0) {
		cells[string(b.Cell(0, i).Qualifier)] = b.Cell(0, i).Value
	}
	return cells, nil
}

// ForgetJob removes the row of a job that is over.
func (c *Keeper) ForgetJob(ctx context.Context, id uint32) { c.DeleteRows(ctx, []string{jobKey(id)}) }

// Background runs work until it ends, or Close has its context end; once closed, it does nothing.
func (c *Keeper) Background(work func(ctx context.Context)) {
	c.begin.Lock()
	defer c.begin.Unlock()
	if c.Closing() {
		return
	}
	c.wg.Go(func() {
		err := guard.Run(func() error { work(c.life); return nil })
		if err != nil {
			c.Options.Logger.Error("catalog: work in the background ended", "err", err)
		}
	})
}

// Closing says that Close was called.
func (c *Keeper) Closing() bool { return c.life.Err() != nil }
