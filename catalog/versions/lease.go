package versions

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// leaseJSON is the lease row's cell. The lease lets one server at a time
// change the store's tables. The catalog itself does not depend on it: the
// root's compare-and-set does. A holder that lost the lease unawares can do no
// more than leave a storage table that nothing names, which repair removes.
type leaseJSON struct {
	Owner string `json:"owner"`
	Until int64  `json:"until"` // ms since the Unix epoch

	ts int64
}

// Held is a lease in our hands.
type Held struct {
	Keeper *Keeper
	key    string // leaseKey, or a job's
	lease  leaseJSON
	until  atomic.Int64 // that of lease, for Fenced
}

func (h *Held) holds(l leaseJSON) {
	h.lease = l
	h.until.Store(l.Until)
}

// left is how long the lease has us write: a quarter of it is for what is under way then.
func (h *Held) left() time.Duration {
	return time.UnixMilli(h.until.Load()).Sub(h.Keeper.Options.Now()) - h.Keeper.Options.Lease/4
}

// Fenced is ctx for writes that nobody but who has the lease may make. They are refused
// (storage.CodeCanceled) while it has not been renewed in time, as in a process that was stopped
// and goes on: another may have it, and have written since.
func (h *Held) Fenced(ctx context.Context) context.Context {
	return storage.WithFence(ctx, func() (time.Time, bool) {
		left := h.left()
		return time.Now().Add(left), left > 0
	})
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
			return h, nil
		}
		if busy != nil {
			w.Long(func() *sqlerr.Error { return c.waitingForLease(*busy) })
		}
		if err == nil || storage.IsRetryable(err) && try < 64 {
			err = Sleep(ctx, backoff(try))
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
			return h, nil
		}
		if err == nil && busy != nil || err != nil && !storage.IsRetryable(err) || try == 8 {
			<-c.ddl
			return nil, err
		}
		if err := Sleep(ctx, backoff(try)); err != nil {
			<-c.ddl
			return nil, err
		}
	}
}

// tryLease takes the lease if it is free. busy is the lease that another has;
// when neither, another try may succeed at once.
func (c *Keeper) tryLease(ctx context.Context, key string) (h *Held, busy *leaseJSON, err error) {
	cur, ok, err := c.readLease(ctx, key)
	switch {
	case err != nil:
	case !ok:
		h, err = c.swapLease(ctx, key, storage.Cond{Op: storage.CellAbsent, Family: SystemFamily, Qualifier: []byte(leaseCell)}, 0)
	case cur.Owner != c.Owner && !c.dead(cur):
		busy = &cur
	default:
		// Ours is an attempt whose answer was lost, or whose release failed.
		h, err = c.extend(ctx, key, cur)
	}
	return h, busy, err
}

// dead says whether a lease's owner can no longer be at work.
func (c *Keeper) dead(l leaseJSON) bool {
	if c.Store.Caps().Exclusive && !strings.HasPrefix(l.Owner, processID+"/") {
		return true
	}
	return c.Options.Now().UnixMilli() >= l.Until
}

func (c *Keeper) extend(ctx context.Context, key string, cur leaseJSON) (*Held, error) {
	return c.swapLease(ctx, key, storage.Cond{
		Op: storage.CellTSEquals, Family: SystemFamily, Qualifier: []byte(leaseCell), Timestamp: cur.ts,
	}, cur.ts)
}

// swapLease takes the lease where cond still holds; nil where it does not, or
// where that is not known: the next read tells.
func (c *Keeper) swapLease(ctx context.Context, key string, cond storage.Cond, prev int64) (*Held, error) {
	l := leaseJSON{Owner: c.Owner, Until: c.Options.Now().Add(c.Options.Lease).UnixMilli(), ts: c.nextTimestamp(prev)}
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
	h := &Held{Keeper: c, key: key}
	h.holds(l)
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

// Admin runs a call that changes the store's tables, with a deadline before
// the lease's end, and again where that is safe. The call takes "already
// there" and "already gone" for success.
func (h *Held) Admin(ctx context.Context, call func(context.Context) error) error {
	if err := h.Renew(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, h.left())
	defer cancel()
	return RetryAdmin(ctx, func() error { return call(ctx) })
}

// CreateStorage makes a table of the store. One of its name, which nobody else uses, is from
// an attempt whose answer was lost.
func (h *Held) CreateStorage(ctx context.Context, spec storage.TableSpec) error {
	return h.Admin(ctx, func(ctx context.Context) error {
		err := h.Keeper.Store.Admin().CreateTable(ctx, spec)
		if storage.CodeOf(err) == storage.CodeAlreadyExists {
			return nil
		}
		return err
	})
}

// DropStorage drops a table of the store, if it is there.
func (h *Held) DropStorage(ctx context.Context, name string) error {
	return h.Admin(ctx, func(ctx context.Context) error {
		err := h.Keeper.Store.Admin().DropTable(ctx, name)
		if storage.CodeOf(err) == storage.CodeNotFound {
			return nil
		}
		return err
	})
}

// Renew makes sure that half of the lease's time is left. Its errors are those that a client
// may see: whether it calls the store at all is a matter of time, and who calls it may be met
// by none for long.
func (h *Held) Renew(ctx context.Context) error {
	for try := 0; ; try++ {
		if time.UnixMilli(h.lease.Until).Sub(h.Keeper.Options.Now()) > h.Keeper.Options.Lease/2 {
			return nil
		}
		n, err := h.Keeper.extend(ctx, h.key, h.lease)
		switch {
		case err == nil && n != nil:
			h.holds(n.lease)
			return nil
		case err == nil:
			// Lost, or the answer was.
			cur, ok, rerr := h.Keeper.readLease(ctx, h.key)
			if rerr == nil && ok && cur.Owner == h.Keeper.Owner {
				h.holds(cur)
				continue
			}
			if rerr == nil {
				return sqlerr.New(sqlerr.SerializationFailure, "another server's DDL statement got in the way").
					WithHint("Repeat the statement.")
			}
			err = rerr
		}
		if !storage.IsRetryable(err) || try == 8 {
			return catalog.FromStorage(err, renewing)
		}
		if err := Sleep(ctx, backoff(try)); err != nil {
			return catalog.FromStorage(err, renewing)
		}
	}
}

const renewing = "keeping the lease of a DDL statement"

// Release gives the lease back. If that fails, it ends by itself. The row
// stays, so that its timestamps grow and no late call of ours can hit the
// lease of another.
func (h *Held) Release(ctx context.Context) {
	defer func() { <-h.Keeper.ddl }()
	h.GiveBack(ctx)
}

// GiveBack is Release of a job's lease.
func (h *Held) GiveBack(ctx context.Context) {
	ctx, cancel := Detached(ctx, 5*time.Second)
	defer cancel()
	m := &storage.CondMutation{
		Key:  []byte(h.key),
		Cond: storage.Cond{Op: storage.CellTSEquals, Family: SystemFamily, Qualifier: []byte(leaseCell), Timestamp: h.lease.ts},
		Then: []storage.Mutation{{
			Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(leaseCell),
			Timestamp: h.Keeper.nextTimestamp(h.lease.ts), Value: []byte(`{"owner":"","until":0}`),
		}},
	}
	err := RetryAdmin(ctx, func() error {
		_, err := h.Keeper.Table.CheckAndMutate(storage.Essential(ctx), m)
		return err
	})
	if err != nil {
		h.Keeper.Options.Logger.Warn("catalog: a lease could not be given back and runs out by itself", "lease", h.key, "after", h.Keeper.Options.Lease, "err", err)
	}
}

// Detached is a context for what must be done although the statement was
// canceled.
func Detached(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), d)
}

// WithLease runs a DDL statement: under the lease, after what dead servers
// left behind has been put in order.
func (c *Keeper) WithLease(ctx context.Context, stmt func(*Held) error) error {
	h, err := c.Acquire(ctx)
	if err != nil {
		return err
	}
	defer h.Release(ctx)
	s, err := c.Refresh(ctx)
	if err != nil {
		return err
	}
	if c.unfinished(s) {
		if err := c.finish(ctx, h); err != nil {
			c.Options.Logger.Warn("catalog: what a dead server left half done could not be put in order", "err", err)
		}
	}
	return stmt(h)
}

// Keep renews the lease until stop is called, through work that takes long
// and does not use the lease.
func (h *Held) Keep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for Sleep(ctx, h.Keeper.Options.Lease/8) == nil {
			if err := h.Renew(ctx); err != nil && ctx.Err() == nil {
				h.Keeper.Options.Logger.Warn("catalog: the DDL lease could not be renewed", "err", err)
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
