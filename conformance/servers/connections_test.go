package servers

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// TestConnectionLimit: a role has as many connections as it may to all servers together, however
// many come at once, and places are free again when theirs end, or their server dies.
func TestConnectionLimit(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	ctx, addr := context.Background(), emulator.Start(t)
	var members [2]*member
	var to [2]string
	for i := range members {
		members[i] = openMember(t, addr, memberLease)
		host, port := harness.Serve(t, members[i].DB)
		to[i] = dsn(host, port, "r")
	}
	execAll(t, members[0].DB, "CREATE ROLE r LOGIN CONNECTION LIMIT 3", "CREATE ROLE other LOGIN CONNECTION LIMIT 1")
	connect := func(i int) (*pgx.Conn, error) { return pgx.Connect(ctx, to[i]) }
	refused := func(i int) {
		t.Helper()
		if _, err := connect(i); harness.SQLState(err) != "53300" {
			t.Errorf("one too many: %v", err)
		}
	}
	letIn := func(i int) (c *pgx.Conn) {
		t.Helper()
		await(t, "a place", func() (in bool) {
			var err error
			c, err = connect(i)
			return err == nil
		})
		return c
	}
	var most, open, in atomic.Int64
	var clients sync.WaitGroup
	for w := range 8 {
		clients.Go(func() {
			for range seeds.Amount(15, 100) {
				c, err := connect(w % 2)
				if err != nil {
					if harness.SQLState(err) != "53300" {
						t.Error(err)
					}
					continue
				}
				in.Add(1)
				for now := open.Add(1); ; {
					if was := most.Load(); now <= was || most.CompareAndSwap(was, now) {
						break
					}
				}
				_, _ = c.Exec(ctx, "SELECT 1")
				open.Add(-1)
				_ = c.Close(ctx)
			}
		})
	}
	clients.Wait()
	t.Logf("%d were let in, at most %d at once", in.Load(), most.Load())
	if most.Load() > 3 || most.Load() == 0 {
		t.Errorf("%d connections at once", most.Load())
	}
	held := []*pgx.Conn{letIn(0), letIn(1), letIn(1)}
	refused(0)
	refused(1)
	_ = held[0].Close(ctx)
	held[0] = letIn(1)
	execAll(t, members[0].DB, "ALTER ROLE r CONNECTION LIMIT -1")
	held = append(held, letIn(0))
	execAll(t, members[1].DB, "ALTER ROLE r CONNECTION LIMIT 4") // those of before count
	refused(0)
	members[1].store.Stop()
	defer members[1].store.Resume()
	defer letIn(0).Close(ctx)
	_ = held[3].Close(ctx)
}

// TestLeftMember: a server that has left writes its row no more.
func TestLeftMember(t *testing.T) {
	t.Parallel()
	ctx, addr := context.Background(), emulator.Start(t)
	a, b := openMember(t, addr, memberLease), openMember(t, addr, memberLease)
	var catalogs [2]*live.Catalog
	for i, m := range []*member{a, b} {
		catalogs[i] = session.Behind(m.DB).Catalog()
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := catalogs[1].TellAddress(ctx, "127.0.0.1:1"); err == nil {
		t.Error("it tells where it is")
	}
	if _, err := catalogs[1].TellConnections(ctx); err == nil {
		t.Error("it tells its connections")
	}
	if list, err := catalogs[0].Servers(ctx); err != nil || len(list) != 0 {
		t.Errorf("%d servers are left, %v", len(list), err)
	}
}
