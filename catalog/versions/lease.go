package versions

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// leaseJSON is the lease row's cell. The lease lets one server at a time
// change the store's tables, and decide changes of the catalog by more than one look at it. See
// Held for what becomes of a holder that lost it unawares.
type leaseJSON struct {
	Owner string `json:"owner"`
	Until int64  `json:"until"` // ms since the Unix epoch, by the store's clock: see clock.go
	// Unsure says of a lease that was given back that a commit made under it may be on its way.
	Unsure bool `json:"unsure,omitempty"`

	ts int64
}

// Acquire waits for the lease. Statements of this process queue here first.
func (c *Keeper) Acquire(ctx context.Context) (*Held, error) {
	if err := c.CheckSkew(); err != nil {
		return nil, err
	}
	if err := c.queue(ctx); err != nil {
		return nil, catalog.FromStorage(err, "waiting for another DDL statement")
	}
	w := BeginWait(ctx)
	for try := 0; ; try++ {
		h, busy, err := c.tryLease(ctx, leaseKey)
		if h != nil {
			return h.begun(ctx)
		}
		if busy != nil {
			w.Long(func() *sqlerr.Error { return c.waitingForLease(*busy) })
		}
		if err == nil || storage.IsRetryable(err) && try < 64 {
			err = storage.Pause(ctx, try, raceUnit)
		}
		if err != nil {
			<-c.ddl
			return nil, catalog.FromStorage(err, "waiting for another server's DDL statement")
		}
	}
}

// queue waits for the other DDL statements of this process.
func (c *Keeper) queue(ctx context.Context) error {
	w := BeginWait(ctx)
	t := time.NewTimer(waitNotice)
	defer t.Stop()
	for {
		select {
		case c.ddl <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			w.Long(c.waitingForDDL)
		}
	}
}

// TryAcquire is acquire without waiting; nil if somebody has the lease.
func (c *Keeper) TryAcquire(ctx context.Context) (*Held, error) {
	select {
	case c.ddl <- struct{}{}:
	default:
		return nil, nil
	}
	for try := 0; ; try++ {
		h, busy, err := c.tryLease(ctx, leaseKey)
		if h != nil {
			return h.begun(ctx)
		}
		if err == nil && busy != nil || err != nil && !storage.IsRetryable(err) || try == 8 {
			<-c.ddl
			return nil, err
		}
		if err := storage.Pause(ctx, try, raceUnit); err != nil {
			<-c.ddl
			return nil, err
		}
	}
}

// tryLease takes the lease if it is free. busy is the lease that another has;
// when neither, another try may succeed at once.
func (c *Keeper) tryLease(ctx context.Context, key string) (h *Held, busy *leaseJSON, err error) {
	cur, ok, err := c.readLease(ctx, key)
	free := !ok || cur.Owner == c.Owner
	if err == nil && !free {
		free, err = c.dead(ctx, cur)
	}
	switch {
	case err != nil:
	case !ok:
		h, err = c.swapLease(ctx, key, storage.Cond{Op: storage.CellAbsent, Family: SystemFamily, Qualifier: []byte(leaseCell)}, 0)
	case !free:
		busy = &cur
	default:
		// Ours is an attempt whose answer was lost, or whose release failed.
		if h, err = c.extend(ctx, key, cur); h != nil {
			h.taken = cur.Owner != "" || cur.Unsure
		}
	}
	return h, busy, err
}

// ended says that a lease's owner can no longer be at work, as far as this server's clock tells.
func (c *Keeper) ended(l leaseJSON) bool {
	if c.Store.Caps().Exclusive && !strings.HasPrefix(l.Owner, processID+"/") {
		return true
	}
	return c.Options.Now().UnixMilli() >= l.Until
}

// dead says that a lease's owner can no longer be at work. It asks the store's clock where this
// server's, within what is bearable, leaves that open.
func (c *Keeper) dead(ctx context.Context, l leaseJSON) (bool, error) {
	caps := c.Store.Caps()
	if l.Owner == "" || caps.Exclusive || !caps.Clock {
		return c.ended(l), nil
	}
	if c.Options.Now().Add(c.bearable()).UnixMilli() < l.Until {
		return false, nil
	}
	now, err := c.readClock(ctx)
	return err == nil && now.UnixMilli() >= l.Until, err
}

func (c *Keeper) extend(ctx context.Context, key string, cur leaseJSON) (*Held, error) {
	return c.swapLease(ctx, key, storage.Cond{
		Op: storage.CellTSEquals, Family: SystemFamily, Qualifier: []byte(leaseCell), Timestamp: cur.ts,
	}, cur.ts)
}

// swapLease takes the lease where cond still holds; nil where it does not, or
// where that is not known: the next read tells.
func (c *Keeper) swapLease(ctx context.Context, key string, cond storage.Cond, prev int64) (*Held, error) {
	asked := time.Now()
	now, err := c.storeNow(ctx)
	if err != nil {
		return nil, err
	}
	l := leaseJSON{Owner: c.Owner, Until: now.Add(c.Options.Lease).UnixMilli(), ts: c.nextTimestamp(prev)}
	h := &Held{Keeper: c, key: key}
	h.holds(l, now, asked)
	value, err := json.Marshal(&l)
	if err != nil {
		return nil, err
	}
	matched, err := c.Table.CheckAndMutate(storage.Essential(ctx), &storage.CondMutation{
		Key: []byte(key), Cond: cond,
		Then: []storage.Mutation{{
			Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(leaseCell), Timestamp: l.ts, Value: value,
		}},
	})
	if storage.CodeOf(err) == storage.CodeAmbiguous {
		return nil, nil
	}
	if err != nil || !matched {
		return nil, err
	}
	return h, nil
}

func (c *Keeper) readLease(ctx context.Context, key string) (l leaseJSON, ok bool, err error) {
	var b storage.RowBatch
	if _, err := c.Table.MultiGet(ctx, [][]byte{[]byte(key)}, nil, &b); err != nil || b.Len() == 0 {
		return l, false, err
	}
	i := 0
	for i < b.NumCells(0) && string(b.Cell(0, i).Qualifier) != leaseCell {
		i++
	}
	if i == b.NumCells(0) {
		return l, false, nil // a job that nobody has taken
	}
	cell := b.Cell(0, i)
	if err := json.Unmarshal(cell.Value, &l); err != nil {
		return l, false, catalog.Corrupt(key, "%v", err)
	}
	l.ts = cell.Timestamp
	return l, true, nil
}

// Detached is a context for what must be done although the statement was
// canceled.
func Detached(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), d)
}

// WithLease runs a DDL statement: under the lease, after what dead servers
// left behind has been put in order. What it does by the context that it is given is fenced by
// the lease, which is kept until it returns: ErrLeaseLost where another has taken it over.
func (c *Keeper) WithLease(ctx context.Context, stmt func(ctx context.Context, h *Held) error) error {
	h, err := c.Acquire(ctx)
	if err != nil {
		return err
	}
	return c.under(ctx, h, func(ctx context.Context) error {
		if c.as != Observer && c.unfinished(c.Snapshot()) {
			if err := c.finish(ctx, h); err != nil {
				c.Options.Logger.Warn("catalog: what a dead server left half done could not be put in order", "err", err)
			}
		}
		return stmt(ctx, h)
	})
}

// TryLease does work under the DDL lease if nobody has it.
func (c *Keeper) TryLease(ctx context.Context, work func(ctx context.Context, h *Held) error) error {
	h, err := c.TryAcquire(ctx)
	if h == nil {
		return err
	}
	return c.under(ctx, h, func(ctx context.Context) error { return work(ctx, h) })
}

// Tidy puts in order what a server that died has left half done, unless somebody has the lease.
func (c *Keeper) Tidy(ctx context.Context) error {
	s := c.Snapshot()
	if s == c.tidy.Load() {
		return nil
	}
	if !c.unfinished(s) {
		c.tidy.Store(s)
		return nil
	}
	return c.TryLease(ctx, func(ctx context.Context, h *Held) error {
		if !c.unfinished(c.Snapshot()) {
			return nil
		}
		return c.finish(ctx, h)
	})
}

func (c *Keeper) under(ctx context.Context, h *Held, work func(context.Context) error) error {
	defer h.Release(ctx)
	defer h.keep(ctx)()
	err := work(h.context(ctx))
	if storage.CodeOf(err) == storage.CodeCanceled && ctx.Err() == nil {
		return leaseLost() // nobody but the fence has refused a write
	}
	return err
}
