package servers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// fleet are servers of one instance behind what looks at /readyz, as balancers do.
type fleet struct {
	mu      sync.Mutex
	servers []*harness.Process
	metrics []string
}

func (f *fleet) start(t *testing.T, i int) {
	addr := freeAddress(t)
	p := harness.Start(t, testInstance, "--catalog-refresh", "50ms", "--metrics", addr)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.servers[i], f.metrics[i] = p, addr
}

// any gives a server that says it is ready; nil where the one that was looked at does not.
func (f *fleet) any(t *testing.T) *harness.Process {
	f.mu.Lock()
	i := rand.IntN(len(f.servers))
	p, addr := f.servers[i], f.metrics[i]
	f.mu.Unlock()
	if _, status := get(t, "http://"+addr+"/readyz"); status != http.StatusOK {
		return nil
	}
	return p
}

// TestRollingRestart replaces three servers one after another, twice, while clients write through
// them. No statement ends with anything but 57P01, with which it was not begun: what was
// acknowledged is there, and nothing else is.
func TestRollingRestart(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	t.Setenv("BIGTABLE_EMULATOR_HOST", emulator.Start(t))
	f := &fleet{servers: make([]*harness.Process, 3), metrics: make([]string, 3)}
	for i := range f.servers {
		f.start(t, i)
	}
	harness.MustExec(t, f.servers[0].Connect(t), "CREATE TABLE done (w INT, n INT, PRIMARY KEY (w, n)) SALT_BUCKETS = 4")
	const clients = 6
	var wg sync.WaitGroup
	var ended, refused atomic.Int64
	acked := make([]int, clients) // of each, its numbers are 1 to this
	var round [clients]atomic.Int64
	for w := range clients {
		wg.Go(func() {
			for ctx.Err() == nil {
				p := f.any(t)
				if p == nil {
					continue
				}
				c, err := pgx.Connect(context.Background(), fmt.Sprintf("host=%s port=%d user=saltsql dbname=saltsql sslmode=disable", p.Host, p.Port))
				if err != nil { // it was ready a moment ago
					if s := harness.SQLState(err); s != "" && !strings.HasPrefix(s, "57P") {
						t.Errorf("a client is refused with %v", err)
					}
					refused.Add(1)
					continue
				}
				for ctx.Err() == nil {
					n := acked[w] + 1
					var err error
					if n%2 == 0 {
						_, err = c.Exec(context.Background(), "UPSERT INTO done VALUES ($1, $2)", w, n)
					} else {
						err = pgx.BeginFunc(context.Background(), c, func(tx pgx.Tx) error {
							_, err := tx.Exec(context.Background(), "UPSERT INTO done VALUES ($1, $2)", w, n)
							return err
						})
					}
					if err != nil {
						if harness.SQLState(err) != "57P01" {
							t.Errorf("a statement ends with %v", err)
						}
						ended.Add(1)
						break
					}
					acked[w] = n
					round[w].Add(1)
				}
				c.Close(context.Background())
			}
		})
	}
	for i := range 6 {
		for w := range clients { // all are at work
			was := round[w].Load()
			soon(t, "a write", func() bool { return round[w].Load() > was+3 })
		}
		f.mu.Lock()
		p := f.servers[i%3]
		f.mu.Unlock()
		p.Stop(t)
		f.start(t, i%3)
	}
	stop()
	wg.Wait()
	t.Logf("%d clients were told to connect again, %d came too late", ended.Load(), refused.Load())
	rows, err := f.servers[0].Connect(t).Query(context.Background(), "SELECT w, count(*)::int, max(n) FROM done GROUP BY w")
	if err != nil {
		t.Fatal(err)
	}
	var w, n, last int
	seen := 0
	if _, err := pgx.ForEachRow(rows, []any{&w, &n, &last}, func() error {
		seen++
		if n != acked[w] || last != acked[w] {
			t.Errorf("client %d has %d rows up to %d, of %d that were acknowledged", w, n, last, acked[w])
		}
		return nil
	}); err != nil || seen != clients {
		t.Error(seen, err)
	}
}

// TestReadyNeedsTheStore stops the store of a server: the server lives, is not ready, and is so
// again when the store goes on.
func TestReadyNeedsTheStore(t *testing.T) {
	store := harness.StartEmulator(t)
	addr := freeAddress(t)
	p := harness.Start(t, testInstance, "--metrics", addr)
	is := func(want int) func() bool {
		return func() bool {
			body, status := get(t, "http://"+addr+"/readyz")
			if status == http.StatusServiceUnavailable && !strings.Contains(body, "the store does not answer") {
				t.Errorf("it says %q", body)
			}
			return status == want
		}
	}
	soon(t, "ready", is(http.StatusOK))
	if err := store.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	soon(t, "not ready", is(http.StatusServiceUnavailable))
	if body, status := get(t, "http://"+addr+"/healthz"); status != http.StatusOK {
		t.Errorf("the process lives, and /healthz says %d %s", status, body)
	}
	if err := store.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	soon(t, "ready again", is(http.StatusOK))
	p.Stop(t)
}
