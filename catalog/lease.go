package catalog

import (
	"context"
	"encoding/json"
	"strings"
	"time"

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

// held is a lease in our hands.
type held struct {
	c     *Catalog
	key   string // leaseKey, or a job's
	lease leaseJSON
}

// acquire waits for the lease. Statements of this process queue here first.
func (c *Catalog) acquire(ctx context.Context) (*held, error) {
	if err := c.checkSkew(); err != nil {
		return nil, err
	}
	if err := c.queue(ctx); err != nil {
		return nil, fromStorage(err, "waiting for another DDL statement")
	}
	w := beginWait(ctx)
	for try := 0; ; try++ {
		h, busy, err := c.tryLease(ctx, leaseKey)
		if h != nil {
			return h, nil
		}
		if busy != nil {
			w.long(func() *sqlerr.Error { return c.waitingForLease(*busy) })
		}
		if err == nil || storage.IsRetryable(err) && try < 64 {
			err = sleep(ctx, backoff(try))
		}
		if err != nil {
			<-c.ddl
			return nil, fromStorage(err, "waiting for another server's DDL statement")
		}
	}
}

// queue waits for the other DDL statements of this process.
func (c *Catalog) queue(ctx context.Context) error {
	w := beginWait(ctx)
	t := time.NewTimer(waitNotice)
	defer t.Stop()
	for {
		select {
		case c.ddl <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			w.long(c.waitingForDDL)
		}
	}
}

// tryAcquire is acquire without waiting; nil if somebody has the lease.
func (c *Catalog) tryAcquire(ctx context.Context) (*held, error) {
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
		if err := sleep(ctx, backoff(try)); err != nil {
			<-c.ddl
			return nil, err
		}
	}
}

// tryLease takes the lease if it is free. busy is the lease that another has;
// when neither, another try may succeed at once.
func (c *Catalog) tryLease(ctx context.Context, key string) (h *held, busy *leaseJSON, err error) {
	cur, ok, err := c.readLease(ctx, key)
	switch {
	case err != nil:
	case !ok:
		h, err = c.swapLease(ctx, key, storage.Cond{Op: storage.RowAbsent}, 0)
	case cur.Owner != c.owner && !c.dead(cur):
		busy = &cur
	default:
		// Ours is an attempt whose answer was lost, or whose release failed.
		h, err = c.extend(ctx, key, cur)
	}
	return h, busy, err
}

// dead says whether a lease's owner can no longer be at work.
func (c *Catalog) dead(l leaseJSON) bool {
	if c.store.Caps().Exclusive && !strings.HasPrefix(l.Owner, processID+"/") {
		return true
	}
	return c.opts.Now().UnixMilli() >= l.Until
}

func (c *Catalog) extend(ctx context.Context, key string, cur leaseJSON) (*held, error) {
	return c.swapLease(ctx, key, storage.Cond{
		Op: storage.CellTSEquals, Family: systemFamily, Qualifier: []byte(leaseCell), Timestamp: cur.ts,
	}, cur.ts)
}

// swapLease takes the lease where cond still holds; nil where it does not, or
// where that is not known: the next read tells.
func (c *Catalog) swapLease(ctx context.Context, key string, cond storage.Cond, prev int64) (*held, error) {
	l := leaseJSON{Owner: c.owner, Until: c.opts.Now().Add(c.opts.Lease).UnixMilli(), ts: c.nextTimestamp(prev)}
	value, err := json.Marshal(&l)
	if err != nil {
		return nil, err
	}
	matched, err := c.table.CheckAndMutate(storage.Essential(ctx), &storage.CondMutation{
		Key: []byte(key), Cond: cond,
		Then: []storage.Mutation{{
			Op: storage.SetCell, Family: systemFamily, Qualifier: []byte(leaseCell), Timestamp: l.ts, Value: value,
		}},
	})
	if storage.CodeOf(err) == storage.CodeAmbiguous {
		return nil, nil
	}
	if err != nil || !matched {
		return nil, err
	}
	return &held{c, key, l}, nil
}

func (c *Catalog) readLease(ctx context.Context, key string) (l leaseJSON, ok bool, err error) {
	var b storage.RowBatch
	if _, err := c.table.MultiGet(ctx, [][]byte{[]byte(key)}, nil, &b); err != nil || b.Len() == 0 {
		return l, false, err
	}
	i := 0
	for i < b.NumCells(0) && string(b.Cell(0, i).Qualifier) != leaseCell {
		i++
	}
	if i == b.NumCells(0) {
		return l, false, corrupt(key, "it should hold a cell %q", leaseCell)
	}
	cell := b.Cell(0, i)
	if err := json.Unmarshal(cell.Value, &l); err != nil {
		return l, false, corrupt(key, "%v", err)
	}
	l.ts = cell.Timestamp
	return l, true, nil
}

// admin runs a call that changes the store's tables, with a deadline before
// the lease's end, and again where that is safe. The call takes "already
// there" and "already gone" for success.
func (h *held) admin(ctx context.Context, call func(context.Context) error) error {
	if err := h.renew(ctx); err != nil {
		return err
	}
	left := time.UnixMilli(h.lease.Until).Sub(h.c.opts.Now()) - h.c.opts.Lease/4
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	return retryAdmin(ctx, func() error { return call(ctx) })
}

// renew makes sure that half of the lease's time is left.
func (h *held) renew(ctx context.Context) error {
	for try := 0; ; try++ {
		if time.UnixMilli(h.lease.Until).Sub(h.c.opts.Now()) > h.c.opts.Lease/2 {
			return nil
		}
		n, err := h.c.extend(ctx, h.key, h.lease)
		switch {
		case err == nil && n != nil:
			h.lease = n.lease
			return nil
		case err == nil:
			// Lost, or the answer was.
			cur, ok, rerr := h.c.readLease(ctx, h.key)
			if rerr == nil && ok && cur.Owner == h.c.owner {
				h.lease = cur
				continue
			}
			if rerr == nil {
				return sqlerr.New(sqlerr.SerializationFailure, "another server's DDL statement got in the way").
					WithHint("Repeat the statement.")
			}
			err = rerr
		}
		if !storage.IsRetryable(err) || try == 8 {
			return err
		}
		if err := sleep(ctx, backoff(try)); err != nil {
			return err
		}
	}
}

// release gives the lease back. If that fails, it ends by itself. The row
// stays, so that its timestamps grow and no late call of ours can hit the
// lease of another.
func (h *held) release(ctx context.Context) {
	defer func() { <-h.c.ddl }()
	h.giveBack(ctx)
}

func (h *held) giveBack(ctx context.Context) {
	ctx, cancel := detached(ctx, 5*time.Second)
	defer cancel()
	m := &storage.CondMutation{
		Key:  []byte(h.key),
		Cond: storage.Cond{Op: storage.CellTSEquals, Family: systemFamily, Qualifier: []byte(leaseCell), Timestamp: h.lease.ts},
		Then: []storage.Mutation{{
			Op: storage.SetCell, Family: systemFamily, Qualifier: []byte(leaseCell),
			Timestamp: h.c.nextTimestamp(h.lease.ts), Value: []byte(`{"owner":"","until":0}`),
		}},
	}
	err := retryAdmin(ctx, func() error {
		_, err := h.c.table.CheckAndMutate(storage.Essential(ctx), m)
		return err
	})
	if err != nil {
		h.c.opts.Logger.Warn("catalog: a lease could not be given back and runs out by itself", "lease", h.key, "after", h.c.opts.Lease, "err", err)
	}
}

// detached is a context for what must be done although the statement was
// canceled.
func detached(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), d)
}

// withLease runs a DDL statement: under the lease, after what dead servers
// left behind has been put in order.
func (c *Catalog) withLease(ctx context.Context, stmt func(*held) error) error {
	h, err := c.acquire(ctx)
	if err != nil {
		return err
	}
	defer h.release(ctx)
	s, err := c.Refresh(ctx)
	if err != nil {
		return err
	}
	if unfinished(s) {
		if err := c.finishPending(ctx, h); err != nil {
			c.opts.Logger.Warn("catalog: what a dead server left half done could not be put in order", "err", err)
		}
	}
	return stmt(h)
}
