package versions

import (
	"context"
	"encoding/json"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/longlock"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// SeqValue is a sequence's row. It is absent until the first value is taken.
type SeqValue struct {
	Last   int64 `json:"last"`
	Called bool  `json:"called"` // Last has been given out
	// By is the server that took it: two that take the same values in one millisecond would else
	// leave the same cell, and one of them whose request was lost would find the other's as its own.
	By string `json:"by,omitempty"`

	ts int64
}

// seqCache holds values that this process has reserved (CACHE n). Its mutex
// also queues the process's own takers, who would else only lose to each other.
type seqCache struct {
	mu         longlock.Mutex
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
func (c *Keeper) NextVal(ctx context.Context, id uint32, n int) (Values, error) {
	q, err := c.sequence(id)
	if err != nil {
		return Values{}, err
	}
	return c.NextValOf(ctx, q, n)
}

// NextValOf is NextVal of a sequence as its descriptor is, whether the catalog has it or not.
func (c *Keeper) NextValOf(ctx context.Context, q *catalog.Sequence, n int) (Values, error) {
	return c.take(ctx, q, 1, max(n, 1))
}

// NextBlock takes n values that follow each other, or none: 2200H where the sequence ends
// before, 0A000 where it cycles. Values that were reserved before and are fewer are lost.
func (c *Keeper) NextBlock(ctx context.Context, id uint32, n int) (Values, error) {
	q, err := c.sequence(id)
	if err != nil {
		return Values{}, err
	}
	return c.NextBlockOf(ctx, q, n)
}

// NextBlockOf is NextBlock of a sequence as its descriptor is.
func (c *Keeper) NextBlockOf(ctx context.Context, q *catalog.Sequence, n int) (Values, error) {
	if q.Cycle {
		return Values{}, sqlerr.Unsupported("a block of values of a sequence that cycles is not supported",
			"Take them one by one: SELECT nextval('s') FROM generate_series(1, n).")
	}
	return c.take(ctx, q, n, n)
}

func (c *Keeper) sequence(id uint32) (*catalog.Sequence, error) {
	q, _ := c.Snapshot().ByID(id).(*catalog.Sequence)
	if q == nil {
		return nil, sqlerr.New(sqlerr.UndefinedTable, "sequence with OID %d does not exist", id)
	}
	return q, nil
}

// take takes up to n values, not fewer than least.
func (c *Keeper) take(ctx context.Context, q *catalog.Sequence, least, n int) (Values, error) {
	k := c.seqCacheOf(q.ID)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.count >= least && k.version == q.Version {
		v := Values{k.next, k.step, min(n, k.count)}
		k.count -= v.Count
		k.next += k.step * int64(v.Count) // may wrap when count is 0; then it is not used
		return v, nil
	}
	v, err := c.reserve(ctx, q, least, max(int64(n), q.Cache))
	if sqlerr.As(err) != nil {
		// Another server may have altered the bounds.
		s, rerr := c.Refresh(ctx)
		if rerr != nil {
			return Values{}, rerr
		}
		if now, _ := s.ByID(q.ID).(*catalog.Sequence); now != nil && now.Version != q.Version {
			q = now
			v, err = c.reserve(ctx, q, least, max(int64(n), q.Cache))
		}
	}
	if err != nil {
		return Values{}, catalog.FromStorage(err, "taking a value of sequence "+q.Name)
	}
	k.count = 0
	if v.Count > n {
		k.next, k.step, k.count, k.version = v.First+v.Step*int64(n), v.Step, v.Count-n, q.Version
		v.Count = n
	}
	return v, nil
}

func (c *Keeper) seqCacheOf(id uint32) *seqCache {
	c.seqMu.Lock()
	defer c.seqMu.Unlock()
	k := c.seqs[id]
	if k == nil {
		k = &seqCache{}
		c.seqs[id] = k
	}
	return k
}

func (c *Keeper) reserve(ctx context.Context, q *catalog.Sequence, least int, want int64) (Values, error) {
	for try := 0; ; try++ {
		cur, ok, err := c.readSeq(ctx, q)
		if err != nil {
			return Values{}, err
		}
		v, err := After(q, cur, want)
		if err != nil {
			return Values{}, err
		}
		if v.Count < least {
			return Values{}, q.Ended()
		}
		won, err := c.SwapSeq(ctx, q.ID, cur, ok, SeqValue{Last: v.First + v.Step*int64(v.Count-1), Called: true})
		if won {
			return v, nil
		}
		// After a lost answer the values may be taken: reading again skips them.
		if err != nil && storage.CodeOf(err) != storage.CodeAmbiguous && !storage.IsRetryable(err) {
			return Values{}, err
		}
		if err := storage.Pause(ctx, min(try, 4), raceUnit); err != nil {
			return Values{}, err
		}
	}
}

// After computes the run of values that follows cur, of want at most: 2200H where the sequence has ended.
func After(q *catalog.Sequence, cur SeqValue, want int64) (Values, error) {
	next := cur.Last
	if cur.Called {
		switch {
		case q.Steps(cur.Last) > 0:
			next += q.Increment
		case !q.Cycle:
			return Values{}, q.Ended()
		case q.Increment > 0:
			next = q.Min
		default:
			next = q.Max
		}
	}
	count := want
	if room := q.Steps(next); room < uint64(want)-1 {
		count = int64(room) + 1
	}
	return Values{First: next, Step: q.Increment, Count: int(count)}, nil
}

// LastValue gives the value last taken from the store and whether it has been
// given out, as `SELECT last_value, is_called FROM sequence`.
func (c *Keeper) LastValue(ctx context.Context, id uint32) (last int64, called bool, err error) {
	q, err := c.sequence(id)
	if err != nil {
		return 0, false, err
	}
	return c.LastValueOf(ctx, q)
}

// LastValueOf is LastValue of a sequence as its descriptor is.
func (c *Keeper) LastValueOf(ctx context.Context, q *catalog.Sequence) (last int64, called bool, err error) {
	v, _, err := c.readSeq(ctx, q)
	return v.Last, v.Called, catalog.FromStorage(err, "reading sequence "+q.Name)
}

// SetVal is setval(seq, value, called), and ALTER SEQUENCE … RESTART with
// called false. 22003 outside the sequence's bounds.
func (c *Keeper) SetVal(ctx context.Context, id uint32, value int64, called bool) error {
	q, err := c.sequence(id)
	if err != nil {
		return err
	}
	return c.SetValOf(ctx, q, value, called)
}

// InBounds is 22003 for a value that a sequence cannot have.
func InBounds(q *catalog.Sequence, value int64) error {
	if value < q.Min || value > q.Max {
		return sqlerr.New(sqlerr.NumericValueOutOfRange, `setval: value %d is out of bounds for sequence "%s" (%d..%d)`, value, q.Name, q.Min, q.Max)
	}
	return nil
}

// Observe gives a sequence's value for SetValIf. What this process has reserved and not given out is
// lost, so that who draws changes the value.
func (c *Keeper) Observe(ctx context.Context, q *catalog.Sequence) (SeqValue, error) {
	k := c.seqCacheOf(q.ID)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.count = 0
	v, _, err := c.readSeq(ctx, q)
	return v, catalog.FromStorage(err, "reading sequence "+q.Name)
}

// SetValIf is SetVal where nobody has drawn since Observe gave seen; done says whether it is so.
func (c *Keeper) SetValIf(ctx context.Context, q *catalog.Sequence, seen, to SeqValue) (done bool, err error) {
	k := c.seqCacheOf(q.ID)
	k.mu.Lock()
	defer k.mu.Unlock()
	for try := 0; ; try++ {
		cur, ok, err := c.ReadSeqCell(ctx, q)
		if err == nil {
			if cur != seen {
				return try > 0 && cur.By == c.Owner && cur.Last == to.Last && cur.Called == to.Called, nil
			}
			if done, err = c.SwapSeq(ctx, q.ID, cur, ok, to); done {
				return true, nil
			}
		}
		if err != nil && storage.CodeOf(err) != storage.CodeAmbiguous && !storage.IsRetryable(err) {
			return false, catalog.FromStorage(err, "setting sequence "+q.Name)
		}
		if err := storage.Pause(ctx, min(try, 4), raceUnit); err != nil {
			return false, catalog.FromStorage(err, "setting sequence "+q.Name)
		}
	}
}

// SetValOf is SetVal of a sequence as its descriptor is.
func (c *Keeper) SetValOf(ctx context.Context, q *catalog.Sequence, value int64, called bool) error {
	id := q.ID
	if err := InBounds(q, value); err != nil {
		return err
	}
	k := c.seqCacheOf(id)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.count = 0
	for try := 0; ; try++ {
		cur, ok, err := c.ReadSeqCell(ctx, q)
		if err == nil {
			var won bool
			if won, err = c.SwapSeq(ctx, id, cur, ok, SeqValue{Last: value, Called: called}); won {
				return nil
			}
		}
		if err != nil && storage.CodeOf(err) != storage.CodeAmbiguous && !storage.IsRetryable(err) {
			return catalog.FromStorage(err, "setting sequence "+q.Name)
		}
		if err := storage.Pause(ctx, min(try, 4), raceUnit); err != nil {
			return catalog.FromStorage(err, "setting sequence "+q.Name)
		}
	}
}

// readSeq gives a sequence's value, which lies in its bounds.
func (c *Keeper) readSeq(ctx context.Context, q *catalog.Sequence) (v SeqValue, ok bool, err error) {
	v, ok, err = c.ReadSeqCell(ctx, q)
	if err == nil && (v.Last < q.Min || v.Last > q.Max) {
		return v, false, catalog.Corrupt(string(SeqKey(q.ID)), "value %d is outside %d to %d", v.Last, q.Min, q.Max)
	}
	return v, ok, err
}

// ReadSeqCell gives the value that is stored: where an ALTER SEQUENCE … RESTART
// has narrowed the bounds it may lie outside until the restart is written.
func (c *Keeper) ReadSeqCell(ctx context.Context, q *catalog.Sequence) (v SeqValue, ok bool, err error) {
	key := SeqKey(q.ID)
	var b storage.RowBatch
	err = RetryRead(ctx, func() error {
		b.Reset()
		_, err := c.Table.MultiGet(ctx, [][]byte{key}, nil, &b)
		return err
	})
	if err != nil {
		return v, false, err
	}
	if b.Len() == 0 {
		return SeqValue{Last: q.Start}, false, nil
	}
	if b.NumCells(0) != 1 || string(b.Cell(0, 0).Qualifier) != seqCell {
		return v, false, catalog.Corrupt(string(key), "it should hold one cell, %q", seqCell)
	}
	cell := b.Cell(0, 0)
	if err := json.Unmarshal(cell.Value, &v); err != nil {
		return v, false, catalog.Corrupt(string(key), "%v", err)
	}
	v.ts = cell.Timestamp
	return v, true, nil
}

// SwapSeq replaces the value cur by next, where cur, or no value, is still there.
func (c *Keeper) SwapSeq(ctx context.Context, id uint32, cur SeqValue, present bool, next SeqValue) (bool, error) {
	next.By = c.Owner
	value, err := json.Marshal(&next)
	if err != nil {
		return false, err
	}
	cond := storage.Cond{Op: storage.RowAbsent}
	if present {
		cond = storage.Cond{Op: storage.CellTSEquals, Family: SystemFamily, Qualifier: []byte(seqCell), Timestamp: cur.ts}
	}
	return c.Table.CheckAndMutate(ctx, &storage.CondMutation{
		Key: SeqKey(id), Cond: cond,
		Then: []storage.Mutation{{
			Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(seqCell), Timestamp: c.nextTimestamp(cur.ts), Value: value,
		}},
	})
}

// ForgetSequences removes the values of sequences that no catalog has.
func (c *Keeper) ForgetSequences(ctx context.Context, ids []uint32) {
	keys := make([]string, len(ids))
	c.seqMu.Lock()
	for i, id := range ids {
		delete(c.seqs, id)
		keys[i] = string(SeqKey(id))
	}
	c.seqMu.Unlock()
	c.DeleteRows(ctx, keys)
}
