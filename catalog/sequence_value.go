package catalog

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// seqValue is a sequence's row. It is absent until the first value is taken.
type seqValue struct {
	Last   int64 `json:"last"`
	Called bool  `json:"called"` // Last has been given out

	ts int64
}

// seqCache holds values that this process has reserved (CACHE n). Its mutex
// also queues the process's own takers, who would else only lose to each other.
type seqCache struct {
	mu         sync.Mutex
	next, step int64
	count      int
	version    uint64 // of the descriptor
}

// Values is a run of sequence values: First, First+Step, … Count of them.
type Values struct {
	First, Step int64
	Count       int
}

// NextVal takes up to n values of a sequence, at least one, by one
// compare-and-set: nobody else gets them, also if the caller does not use them
// (gaps are normal, as in Postgres). It gives fewer than n where the sequence
// ends or wraps around; the caller asks again. 2200H when it has ended.
func (c *keeper) NextVal(ctx context.Context, id uint32, n int) (Values, error) {
	q, _ := c.Snapshot().ByID(id).(*Sequence)
	if q == nil {
		return Values{}, sqlerr.New(sqlerr.UndefinedTable, "sequence with OID %d does not exist", id)
	}
	n = max(n, 1)
	k := c.seqCacheOf(id)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.count > 0 && k.version == q.Version {
		v := Values{k.next, k.step, min(n, k.count)}
		k.count -= v.Count
		k.next += k.step * int64(v.Count) // may wrap when count is 0; then it is not used
		return v, nil
	}
	v, err := c.reserve(ctx, q, max(int64(n), q.Cache))
	if sqlerr.As(err) != nil {
		// Another server may have altered the bounds.
		s, rerr := c.Refresh(ctx)
		if rerr != nil {
			return Values{}, rerr
		}
		if now, _ := s.ByID(id).(*Sequence); now != nil && now.Version != q.Version {
			q = now
			v, err = c.reserve(ctx, q, max(int64(n), q.Cache))
		}
	}
	if err != nil {
		return Values{}, fromStorage(err, "taking a value of sequence "+q.Name)
	}
	if v.Count > n {
		k.next, k.step, k.count, k.version = v.First+v.Step*int64(n), v.Step, v.Count-n, q.Version
		v.Count = n
	}
	return v, nil
}

func (c *keeper) seqCacheOf(id uint32) *seqCache {
	c.seqMu.Lock()
	defer c.seqMu.Unlock()
	k := c.seqs[id]
	if k == nil {
		k = &seqCache{}
		c.seqs[id] = k
	}
	return k
}

func (c *keeper) reserve(ctx context.Context, q *Sequence, want int64) (Values, error) {
	for try := 0; ; try++ {
		cur, ok, err := c.readSeq(ctx, q)
		if err != nil {
			return Values{}, err
		}
		v, err := after(q, cur, want)
		if err != nil {
			return Values{}, err
		}
		won, err := c.swapSeq(ctx, q.ID, cur, ok, seqValue{Last: v.First + v.Step*int64(v.Count-1), Called: true})
		if won {
			return v, nil
		}
		// After a lost answer the values may be taken: reading again skips them.
		if err != nil && storage.CodeOf(err) != storage.CodeAmbiguous && !storage.IsRetryable(err) {
			return Values{}, err
		}
		if err := sleep(ctx, backoff(min(try, 4))); err != nil {
			return Values{}, err
		}
	}
}

// after computes the run of values that follows cur.
func after(q *Sequence, cur seqValue, want int64) (Values, error) {
	next := cur.Last
	if cur.Called {
		switch {
		case q.steps(cur.Last) > 0:
			next += q.Increment
		case !q.Cycle:
			return Values{}, q.ended()
		case q.Increment > 0:
			next = q.Min
		default:
			next = q.Max
		}
	}
	count := want
	if room := q.steps(next); room < uint64(want)-1 {
		count = int64(room) + 1
	}
	return Values{First: next, Step: q.Increment, Count: int(count)}, nil
}

// LastValue gives the value last taken from the store and whether it has been
// given out, as `SELECT last_value, is_called FROM sequence`.
func (c *keeper) LastValue(ctx context.Context, id uint32) (last int64, called bool, err error) {
	q, _ := c.Snapshot().ByID(id).(*Sequence)
	if q == nil {
		return 0, false, sqlerr.New(sqlerr.UndefinedTable, "sequence with OID %d does not exist", id)
	}
	v, _, err := c.readSeq(ctx, q)
	return v.Last, v.Called, fromStorage(err, "reading sequence "+q.Name)
}

// SetVal is setval(seq, value, called), and ALTER SEQUENCE … RESTART with
// called false. 22003 outside the sequence's bounds.
func (c *keeper) SetVal(ctx context.Context, id uint32, value int64, called bool) error {
	q, _ := c.Snapshot().ByID(id).(*Sequence)
	if q == nil {
		return sqlerr.New(sqlerr.UndefinedTable, "sequence with OID %d does not exist", id)
	}
	if value < q.Min || value > q.Max {
		return sqlerr.New(sqlerr.NumericValueOutOfRange, `setval: value %d is out of bounds for sequence "%s" (%d..%d)`, value, q.Name, q.Min, q.Max)
	}
	k := c.seqCacheOf(id)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.count = 0
	for try := 0; ; try++ {
		cur, ok, err := c.readSeqCell(ctx, q)
		if err == nil {
			var won bool
			if won, err = c.swapSeq(ctx, id, cur, ok, seqValue{Last: value, Called: called}); won {
				return nil
			}
		}
		if err != nil && storage.CodeOf(err) != storage.CodeAmbiguous && !storage.IsRetryable(err) {
			return fromStorage(err, "setting sequence "+q.Name)
		}
		if err := sleep(ctx, backoff(min(try, 4))); err != nil {
			return fromStorage(err, "setting sequence "+q.Name)
		}
	}
}

// readSeq gives a sequence's value, which lies in its bounds.
func (c *keeper) readSeq(ctx context.Context, q *Sequence) (v seqValue, ok bool, err error) {
	v, ok, err = c.readSeqCell(ctx, q)
	if err == nil && (v.Last < q.Min || v.Last > q.Max) {
		return v, false, corrupt(string(seqKey(q.ID)), "value %d is outside %d to %d", v.Last, q.Min, q.Max)
	}
	return v, ok, err
}

// readSeqCell gives the value that is stored: where an ALTER SEQUENCE … RESTART
// has narrowed the bounds it may lie outside until the restart is written.
func (c *keeper) readSeqCell(ctx context.Context, q *Sequence) (v seqValue, ok bool, err error) {
	key := seqKey(q.ID)
	var b storage.RowBatch
	err = retryRead(ctx, func() error {
		b.Reset()
		_, err := c.table.MultiGet(ctx, [][]byte{key}, nil, &b)
		return err
	})
	if err != nil {
		return v, false, err
	}
	if b.Len() == 0 {
		return seqValue{Last: q.Start}, false, nil
	}
	if b.NumCells(0) != 1 || string(b.Cell(0, 0).Qualifier) != seqCell {
		return v, false, corrupt(string(key), "it should hold one cell, %q", seqCell)
	}
	cell := b.Cell(0, 0)
	if err := json.Unmarshal(cell.Value, &v); err != nil {
		return v, false, corrupt(string(key), "%v", err)
	}
	v.ts = cell.Timestamp
	return v, true, nil
}

func (c *keeper) swapSeq(ctx context.Context, id uint32, cur seqValue, present bool, next seqValue) (bool, error) {
	value, err := json.Marshal(&next)
	if err != nil {
		return false, err
	}
	cond := storage.Cond{Op: storage.RowAbsent}
	if present {
		cond = storage.Cond{Op: storage.CellTSEquals, Family: systemFamily, Qualifier: []byte(seqCell), Timestamp: cur.ts}
	}
	return c.table.CheckAndMutate(ctx, &storage.CondMutation{
		Key: seqKey(id), Cond: cond,
		Then: []storage.Mutation{{
			Op: storage.SetCell, Family: systemFamily, Qualifier: []byte(seqCell), Timestamp: c.nextTimestamp(cur.ts), Value: value,
		}},
	})
}
