package versions

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/internal/longlock"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// Held is a lease in our hands: that of DDL, or a job's.
//
// A holder may be stopped at any moment, and go on when others have taken it for dead. So what
// it does under the lease is fenced in two ways:
//
//	the catalog   the root has an epoch, which whoever takes the DDL lease from one that has
//	              not given it back raises first. A change that the holder decides is committed
//	              under the epoch that it has found when it took the lease, or not at all (Update)
//	the store     calls end a quarter of the lease before it does, by the clock (Fenced, Admin)
type Held struct {
	Keeper *Keeper
	key    string // leaseKey, or a job's
	// taken says that another had the lease, and has not given it back.
	taken bool
	// epoch is the root's that the holder's changes need; a job's lease has none.
	epoch atomic.Uint64
	// unsure says that it is not known whether a commit was made: it may be on its way.
	unsure atomic.Bool

	mu    longlock.Mutex // held to renew
	lease leaseJSON
	end   atomic.Pointer[leaseEnd] // that of lease, for Fenced
}

// leaseEnd is when a lease of DDL ends.
type leaseEnd struct {
	until time.Time // by the store's clock
	over  time.Time // by the stopwatch
}

type heldKey struct{}

// heldIn gives the DDL lease under which ctx's changes are decided; nil where each is decided by
// the catalog that it finds.
func heldIn(ctx context.Context) *Held {
	h, _ := ctx.Value(heldKey{}).(*Held)
	return h
}

// context gives what is done under the DDL lease its context: changes of the catalog and writes
// are fenced by the lease.
func (h *Held) context(ctx context.Context) context.Context {
	return h.Fenced(context.WithValue(ctx, heldKey{}, h))
}

// ErrLeaseLost is what is met under a lease that another has taken over.
var ErrLeaseLost = errors.New("catalog: the lease is another's")

func leaseLost() error {
	e := sqlerr.New(sqlerr.SerializationFailure, "another server's DDL statement got in the way").
		WithHint("Repeat the statement.")
	e.Cause = ErrLeaseLost
	return e
}

// holds has h hold l, which was written or read after storeNow gave now. It was asked at asked, or later.
func (h *Held) holds(l leaseJSON, now, asked time.Time) {
	h.lease = l
	until := time.UnixMilli(l.Until)
	h.end.Store(&leaseEnd{until, asked.Add(until.Sub(now))})
}

// left is how long the lease has us write: a quarter of it is for what is under way then. A process
// whose stopwatch stood still, with the machine, finds the end by its clock.
func (h *Held) left() time.Duration {
	e := h.end.Load()
	return min(time.Until(e.over), e.until.Sub(h.Keeper.Options.Now())) - h.Keeper.Options.Lease/4
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

// begin finds the epoch that the changes under the DDL lease need, a new one where the lease was
// taken: nothing that its holder of before has decided is committed from then on.
func (h *Held) begin(ctx context.Context) error {
	if h.taken {
		return h.raise(ctx)
	}
	s, err := h.Keeper.Refresh(ctx)
	if err == nil {
		h.epoch.Store(s.Root.Epoch)
	}
	return err
}

// begun is begin, and gives the lease back where that fails.
func (h *Held) begun(ctx context.Context) (*Held, error) {
	if err := h.begin(ctx); err != nil {
		h.Release(ctx)
		return nil, err
	}
	return h, nil
}

// raise gives the root a new epoch, which no other has had: the version that it comes with.
func (h *Held) raise(ctx context.Context) error { return h.Keeper.coord.raise(ctx, h) }

func (c shared) raise(ctx context.Context, h *Held) error {
	s, err := c.Update(ctx, func(s *catalog.Snapshot) (*Edit, error) {
		e := NewEdit(s)
		e.Epoch = s.Version() + 1
		return &e, nil
	})
	if err == nil {
		h.epoch.Store(s.Root.Epoch)
	}
	return err
}

// inForce says whether what was decided under the lease may become of s. nil is no lease.
func (h *Held) inForce(s *catalog.Snapshot) error {
	if h != nil && s.Root.Epoch != h.epoch.Load() && TheEpoch.there() {
		return leaseLost()
	}
	return nil
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
	err := RetryAdmin(ctx, func() error {
		if h.left() <= 0 { // the timer may not have run
			return leaseLost()
		}
		return call(ctx)
	})
	if err != nil && h.left() <= 0 {
		return leaseLost()
	}
	return err
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
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left() > h.Keeper.Options.Lease/4 {
		return nil
	}
	return h.extend(ctx)
}

// Confirm renews the lease now: ErrLeaseLost where it is another's.
func (h *Held) Confirm(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.extend(ctx)
}

// extend renews the lease; mu is held.
func (h *Held) extend(ctx context.Context) error {
	for try := 0; ; try++ {
		n, err := h.Keeper.extend(storage.Unfenced(ctx), h.key, h.lease)
		switch {
		case err == nil && n != nil:
			h.lease = n.lease
			h.end.Store(n.end.Load())
			return nil
		case err == nil:
			// Lost, or the answer was.
			asked := time.Now()
			now, rerr := h.Keeper.storeNow(ctx)
			var cur leaseJSON
			var ok bool
			if rerr == nil {
				cur, ok, rerr = h.Keeper.readLease(ctx, h.key)
			}
			if rerr == nil && ok && cur.Owner == h.Keeper.Owner {
				h.holds(cur, now, asked)
				if h.left() > 0 {
					return nil
				}
				continue
			}
			if rerr == nil {
				return leaseLost()
			}
			err = rerr
		}
		if !storage.IsRetryable(err) || try == 8 {
			return catalog.FromStorage(err, renewing)
		}
		if err := storage.Pause(ctx, try, raceUnit); err != nil {
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
	value := `{"owner":"","until":0}`
	if h.unsure.Load() {
		value = `{"owner":"","until":0,"unsure":true}`
	}
	m := &storage.CondMutation{
		Key:  []byte(h.key),
		Cond: storage.Cond{Op: storage.CellTSEquals, Family: SystemFamily, Qualifier: []byte(leaseCell), Timestamp: h.lease.ts},
		Then: []storage.Mutation{{
			Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(leaseCell),
			Timestamp: h.Keeper.nextTimestamp(h.lease.ts), Value: []byte(value),
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

// keep renews the lease until stop is called.
func (h *Held) keep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := guard.Run(func() (err error) {
			for err == nil && Sleep(ctx, h.Keeper.Options.Lease/8) == nil {
				err = h.Renew(ctx)
			}
			return err
		})
		if err != nil && ctx.Err() == nil {
			h.Keeper.Options.Logger.Warn("catalog: the DDL lease could not be renewed", "err", err)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
