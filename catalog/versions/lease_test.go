package versions

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// mortal is a store all of whose calls fail once it is dead.
type mortal struct {
	storage.Store
	dead *atomic.Bool
}

var errDead = storage.Errorf(storage.CodeClosed, "test", "", "the process has died")

func (s mortal) Table(name string) storage.Table { return mortalTable{s.Store.Table(name), s.dead} }

type mortalTable struct {
	storage.Table
	dead *atomic.Bool
}

func (t mortalTable) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	if t.dead.Load() {
		return 0, errDead
	}
	return t.Table.MultiGet(ctx, keys, req, dst)
}

func (t mortalTable) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	if t.dead.Load() {
		return false, errDead
	}
	return t.Table.CheckAndMutate(ctx, m)
}

func (t mortalTable) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	if t.dead.Load() {
		return nil, errDead
	}
	return t.Table.Scan(ctx, req)
}

// TestOldLease: what has to renew its lease first, since it took its time, says with an SQLSTATE
// that the store is dead, as what did not have to.
func TestOldLease(t *testing.T) {
	ctx := context.Background()
	for name, call := range map[string]func(*Keeper, *Held) error{
		"renew":           func(_ *Keeper, h *Held) error { return h.Renew(ctx) },
		"create storage":  func(_ *Keeper, h *Held) error { return h.CreateStorage(ctx, storage.TableSpec{Name: "x"}) },
		"drop storage":    func(_ *Keeper, h *Held) error { return h.DropStorage(ctx, "x") },
		"await servers":   func(c *Keeper, h *Held) error { return c.AwaitServers(ctx, h, 1) },
		"acquire another": func(c *Keeper, h *Held) error { h.Release(ctx); _, err := c.Acquire(ctx); return err },
	} {
		t.Run(name, func(t *testing.T) {
			var dead atomic.Bool
			var late atomic.Int64
			const lease = time.Minute
			c, err := openTestKeeper(mortal{forMany{mem.New()}, &dead}, Options{Lease: lease, Poll: time.Hour, Now: func() time.Time { return time.Now().Add(time.Duration(late.Load())) }})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			h, err := c.Acquire(ctx)
			if err != nil {
				t.Fatal(err)
			}
			late.Store(int64(lease * 3 / 4))
			dead.Store(true)
			if err := call(c, h); err == nil || sqlerr.As(err) == nil || storage.CodeOf(err) != storage.CodeClosed {
				t.Errorf("%v", err)
			}
			dead.Store(false)
		})
	}
}
