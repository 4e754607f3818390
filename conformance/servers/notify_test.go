package servers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// heardBy waits until a client has been told of n notifications, and gives them by the session that
// sent them.
func heardBy(t *testing.T, c *pgx.Conn, n int) map[uint32][]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	told := map[uint32][]string{}
	for i := range n {
		what, err := c.WaitForNotification(ctx)
		if err != nil {
			t.Errorf("after %d of %d: %v", i, n, err)
			break
		}
		told[what.PID] = append(told[what.PID], what.Channel+" "+what.Payload)
	}
	return told
}

// TestNotifyOfServers: sessions of two servers are told of what commits on either, in order and once,
// by the door, and by the store where there is none. A LISTEN that has returned hears what comes after it.
func TestNotifyOfServers(t *testing.T) {
	t.Parallel()
	for _, doors := range [][2]string{{"127.0.0.1:0", "127.0.0.1:0"}, {"", ""}, {"127.0.0.1:0", ""}} {
		ctx, store := context.Background(), emulator.Start(t)
		addrs := make([]string, 2)
		for i := range addrs {
			_, addrs[i] = openPeer(t, store, doors[i])
		}
		listeners := []*pgx.Conn{connectAs(t, addrs[0], "saltsql"), connectAs(t, addrs[1], "saltsql")}
		for _, c := range listeners {
			harness.MustExec(t, c, "LISTEN jobs")
		}
		const senders, each = 4, 30
		pids := make([]uint32, senders)
		var work sync.WaitGroup
		for n := range senders {
			c := connectAs(t, addrs[n%2], "saltsql")
			pids[n] = c.PgConn().PID()
			work.Go(func() {
				for i := range each {
					sql := fmt.Sprintf("NOTIFY jobs, '%d'", i)
					switch i % 3 {
					case 1:
						sql = fmt.Sprintf("BEGIN; NOTIFY other; %s; %s; COMMIT", sql, sql)
					case 2:
						sql = fmt.Sprintf("BEGIN; NOTIFY jobs, 'never'; ROLLBACK; SELECT pg_notify('jobs', '%d')", i)
					}
					if _, err := c.Exec(ctx, sql); err != nil {
						t.Error(err)
					}
				}
			})
		}
		work.Wait()
		var want []string
		for i := range each {
			want = append(want, fmt.Sprint("jobs ", i))
		}
		for i, c := range listeners {
			told := heardBy(t, c, senders*each)
			for _, pid := range pids {
				if !slices.Equal(told[pid], want) {
					t.Errorf("doors %q: server %d is told by %d: %v", doors, i, pid, told[pid])
				}
			}
		}
		harness.MustExec(t, listeners[0], "UNLISTEN jobs")
		harness.MustExec(t, listeners[1], "NOTIFY jobs, 'last'")
		if told := heardBy(t, listeners[1], 1); len(told) != 1 {
			t.Errorf("%v", told)
		}
	}
}

// TestNotifyOfTheDead: a NOTIFY does not wait for a server that was stopped longer than its bound, and
// what it sent is told when that one goes on.
func TestNotifyOfTheDead(t *testing.T) {
	a, b := startLocking(t)
	listener, sender := a.Connect(t), b.Connect(t)
	harness.MustExec(t, listener, "LISTEN jobs")
	stopped := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		close(stopped)
		a.Pause(t, 1200*time.Millisecond)
	})
	<-stopped
	for i := range 50 {
		harness.MustExec(t, sender, fmt.Sprintf("NOTIFY jobs, '%d'", i))
	}
	work.Wait()
	var want []string
	for i := range 50 {
		want = append(want, fmt.Sprint("jobs ", i))
	}
	if told := heardBy(t, listener, 50)[sender.PgConn().PID()]; !slices.Equal(told, want) {
		t.Errorf("told %s", strings.Join(told, ", "))
	}
}
