package conformance

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"golang.org/x/sync/errgroup"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
	"github.com/saltsql/saltsql/storage/storagetest/lossy"
)

var (
	histories     = flag.Int("histories", seeds.Amount(8, 200), "number of random schedules in TestHistories")
	historiesSeed = flag.Uint64("histories.seed", 0, "seed of the first; 0 takes that of internal/seeds")
)

// histWorkers is how many schedules are under way: mostly they wait.
const histWorkers = 16

// TestHistories lets clients of two or three servers write few rows of one
// Bigtable emulator at once, while the way to it loses answers, delays, resets
// connections and lets requests of dead ones arrive. What each client was told
// must be explained by some order of the calls, each at one moment between its
// beginning and its end: no acknowledged write is lost, none is made twice, and
// nothing is read that nobody wrote. A call that ends with 40003 may have
// happened, at any moment since, or not.
func TestHistories(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	seed := *historiesSeed
	if seed == 0 {
		seed = seeds.First(t)
	}
	t.Logf("seeds from %d on", seed)
	addr := emulator.Start(t)
	clusters := make([]*histCluster, min(histWorkers, *histories))
	for i := range clusters {
		clusters[i] = openHistCluster(t, addr, fmt.Sprintf("w%d", i))
	}
	var (
		next, calls, unknown, undecided atomic.Int64
		wg                              sync.WaitGroup
	)
	for _, c := range clusters {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(*histories) && !t.Failed(); i = next.Add(1) - 1 {
				s := seed + uint64(i)
				history, err := c.run(s)
				if err != nil {
					t.Errorf("seed %d: %v", s, err)
					return
				}
				for _, op := range history {
					calls.Add(1)
					if op.Output.(histAnswer).unknown {
						unknown.Add(1)
					}
				}
				switch porcupine.CheckOperationsTimeout(histModel, history, time.Minute) {
				case porcupine.Illegal:
					t.Errorf("seed %d: no order of these calls explains their answers:\n%s", s, histText(history))
				case porcupine.Unknown:
					undecided.Add(1)
				}
			}
		})
	}
	wg.Wait()
	var counts lossy.Counts
	for _, c := range clusters {
		for _, p := range c.proxies {
			n := p.Counts()
			counts.Conns += n.Conns
			counts.Lost += n.Lost
			counts.Late += n.Late
			counts.Dropped += n.Dropped
			counts.Delayed += n.Delayed
		}
	}
	t.Logf("%d calls, %d of unknown outcome, %d histories undecided; %+v", calls.Load(), unknown.Load(), undecided.Load(), counts)
	if n := int64(*histories); calls.Load() < 20*n || unknown.Load() > calls.Load()/4 || undecided.Load() > n/50 || counts.Lost+counts.Late < *histories {
		t.Error("the odds are wrong: hardly anything was tested")
	}
}

// histCluster is three servers over one emulator, each by a way of its own.
type histCluster struct {
	proxies []*lossy.Proxy
	dbs     []*saltsql.DB
}

func openHistCluster(t *testing.T, addr, instance string) *histCluster {
	t.Helper()
	ctx := context.Background()
	c := &histCluster{}
	for range 3 {
		p := lossy.Start(t, addr)
		store, err := bigtable.Open(ctx, bigtable.Config{Project: "p", Instance: instance, Emulator: p.Addr, Timeout: 3 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() }) // the way to it may be broken
		db, err := saltsql.Open(ctx, store, &saltsql.Options{Logger: harness.Quiet, CatalogRefresh: 200 * time.Millisecond, NoEstimates: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		c.proxies, c.dbs = append(c.proxies, p), append(c.dbs, db)
	}
	s, err := c.session(0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, sql := range []string{
		"CREATE TABLE plain (k VARCHAR PRIMARY KEY, v INT, w INT) SALT_BUCKETS = 4",
		"CREATE TABLE filled (k VARCHAR PRIMARY KEY, v INT, w INT DEFAULT 5)",
	} {
		if _, err := s.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	for i := range c.dbs {
		for _, table := range []string{"plain", "filled"} {
			c.await(t, i, table)
		}
	}
	return c
}

// await waits until a server knows a table.
func (c *histCluster) await(t *testing.T, server int, table string) {
	t.Helper()
	s, err := c.session(server)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		_, err := s.Exec(context.Background(), "SELECT count(*) FROM "+table)
		if err == nil {
			return
		}
		if time.Since(start) > harness.Patience {
			t.Fatal(err)
		}
	}
}

func (c *histCluster) session(server int) (*saltsql.Session, error) {
	return c.dbs[server].NewSession(saltsql.SessionOptions{})
}

// run is one schedule. It gives the history.
func (c *histCluster) run(seed uint64) ([]porcupine.Operation, error) {
	rng := rand.New(rand.NewPCG(seed, 7))
	odds := func(n int) int { // none, few or many
		return []int{0, n, n / 3}[rng.IntN(3)]
	}
	faults := lossy.Faults{Lose: 10 + odds(90), Late: odds(60), Drop: odds(120), Delay: odds(20), Wait: time.Duration(1+rng.IntN(40)) * time.Millisecond}
	servers, clients, keys, each := 2+rng.IntN(2), 3+rng.IntN(3), 1+rng.IntN(3), 6+rng.IntN(6)
	for i, p := range c.proxies {
		f := faults
		f.Seed = seed + uint64(i)<<32
		p.Set(f)
	}
	h := &histRecorder{start: time.Now()}
	var values atomic.Int64
	var group errgroup.Group
	for i := range clients {
		s, err := c.session(i % servers)
		if err != nil {
			return nil, err
		}
		rng := rand.New(rand.NewPCG(seed, uint64(100+i)))
		group.Go(func() error {
			defer s.Close()
			for range each {
				key := rng.IntN(keys)
				call := histCall{
					kind: histKinds[rng.IntN(len(histKinds))], key: fmt.Sprintf("%d/%d", seed, key),
					x: int(values.Add(1)), n: 1 + rng.IntN(9),
				}
				if key%2 == 1 {
					call.fill = someInt(5)
				}
				if err := h.call(s, i, call); err != nil {
					return fmt.Errorf("%v: %w", call, err)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, p := range c.proxies {
		p.Set(lossy.Faults{})
	}
	time.Sleep(faults.Wait + 10*time.Millisecond) // for what is late
	last, err := c.session(rng.IntN(servers))
	if err != nil {
		return nil, err
	}
	defer last.Close()
	for key := range keys {
		call := histCall{kind: "read", key: fmt.Sprintf("%d/%d", seed, key)}
		if key%2 == 1 {
			call.fill = someInt(5)
		}
		for before := len(h.ops); len(h.ops) == before; { // a connection that was reset before
			if err := h.call(last, clients, call); err != nil {
				return nil, fmt.Errorf("%v: %w", call, err)
			}
		}
	}
	return h.ops, nil
}

// histRecorder takes down what clients call and are told.
type histRecorder struct {
	start time.Time
	mu    sync.Mutex
	ops   []porcupine.Operation
}

// call makes one call and takes it down, unless it surely did nothing.
func (h *histRecorder) call(s *saltsql.Session, client int, c histCall) error {
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	begin := time.Since(h.start).Nanoseconds()
	a, err := c.do(ctx, s)
	end := time.Since(h.start).Nanoseconds()
	code := ""
	if err != nil {
		code = state(err)
	}
	switch {
	case err == nil:
	case code == "40003" && c.kind == "read":
		return err
	case code == "40003":
		a.unknown, end = true, never
	case code == "40001" || code == "57P03":
		return nil
	case code == "23505" && c.kind == "insert":
		a.dup = true
	case code == "23505" && c.kind == "block delete, insert":
		return nil
	default:
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: c, Output: a, Call: begin, Return: end})
	return nil
}

// do makes a call. An error in a block is before its COMMIT, or the COMMIT's.
func (c histCall) do(ctx context.Context, s *saltsql.Session) (a histAnswer, err error) {
	table := "plain"
	if c.fill.ok {
		table = "filled"
	}
	r := strings.NewReplacer("$t", table, "$k", "'"+c.key+"'", "$x", fmt.Sprint(c.x), "$n", fmt.Sprint(c.n))
	run := func(sql string) {
		if err == nil {
			err = a.query(ctx, s, r.Replace(sql))
		}
	}
	const (
		add     = "UPDATE $t SET w = coalesce(w, 0) + $n, v = $x WHERE k = $k RETURNING v, w"
		all     = "UPSERT INTO $t (k, v, w) VALUES ($k, $x, $n)"
		upsertV = "UPSERT INTO $t (k, v) VALUES ($k, $x)"
		insert  = "INSERT INTO $t (k, v, w) VALUES ($k, $x, $n)"
	)
	if strings.HasPrefix(c.kind, "block") {
		run("BEGIN")
		defer func() {
			if err != nil {
				_, _ = s.Exec(ctx, "ROLLBACK") // of what is not open any more
				return
			}
			_, err = s.Exec(ctx, "COMMIT")
		}()
	}
	switch c.kind {
	case "read":
		run("SELECT v, w FROM $t WHERE k = $k")
	case "upsert all":
		run(all)
	case "upsert v":
		run(upsertV)
	case "upsert ignore":
		run(all + " ON DUPLICATE KEY IGNORE")
	case "upsert duplicate":
		run(all + " ON DUPLICATE KEY UPDATE w = coalesce(w, 0) + $n RETURNING v, w")
	case "insert":
		run(insert)
	case "insert nothing":
		run(insert + " ON CONFLICT DO NOTHING")
	case "insert update":
		run(insert + " ON CONFLICT (k) DO UPDATE SET w = coalesce($t.w, 0) + excluded.w RETURNING v, w")
	case "update":
		run(add)
	case "update if even":
		run("UPDATE $t SET v = $x WHERE k = $k AND w % 2 = 0")
	case "update null":
		run("UPDATE $t SET v = NULL WHERE k = $k")
	case "delete":
		run("DELETE FROM $t WHERE k = $k")
	case "delete if even":
		run("DELETE FROM $t WHERE k = $k AND w % 2 = 0")
	case "block upsert v, add":
		run(upsertV)
		run("SELECT v, w FROM $t WHERE k = $k")
		run(add)
	case "block add, upsert v":
		run(add)
		row, count := a.row, a.count
		run(upsertV)
		a.row, a.count = row, count
	case "block delete, insert":
		run("DELETE FROM $t WHERE k = $k")
		count := a.count
		run(insert)
		a.count = count
	case "block add twice":
		run(add)
		first := a.count
		run(add)
		a.count += first
	case "block upsert all, add":
		run(all)
		run(add)
	}
	return a, err
}

// query runs one statement and keeps its count, and its row (v, w) if it gives
// one.
func (a *histAnswer) query(ctx context.Context, s *saltsql.Session, sql string) error {
	*a = histAnswer{}
	rows, err := s.Query(ctx, sql)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		a.row.there = true
		for i, to := range []*histInt{&a.row.v, &a.row.w} {
			if !rows.Null(i) {
				to.ok = true
				if _, err := fmt.Sscan(rows.Text(i), &to.n); err != nil {
					return err
				}
			}
		}
	}
	if rows.Err() != nil {
		return rows.Err()
	}
	_, _ = fmt.Sscan(lastWord(string(rows.Tag())), &a.count) // BEGIN has none
	return nil
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }
