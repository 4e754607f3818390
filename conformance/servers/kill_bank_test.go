package servers

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
)

var killRounds = flag.Int("bank.kills", seeds.Amount(20, 100), "how often TestKillBank kills its server")

const (
	killWorkers  = 3
	killAccounts = 12
	killBalance  = 100
	killWide     = 30  // rows of one UPDATE
	killCopy     = 150 // rows of one COPY
)

// killWorker writes until its server dies, and keeps what was acknowledged.
type killWorker struct {
	id                      int
	transfers, wide, copies int // numbers of the last acknowledged ones
}

func (w *killWorker) run(ctx context.Context, dsn string, rng *rand.Rand) {
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return
	}
	defer c.Close(ctx)
	for {
		switch rng.IntN(4) {
		case 0:
			n := w.wide + 1
			if _, err = c.Exec(ctx, "UPDATE wide SET n = $1 WHERE w = $2", n, w.id); err == nil {
				w.wide = n
			}
		case 1:
			n := w.copies + 1
			rows := make([][]any, killCopy)
			for i := range rows {
				rows[i] = []any{int64(w.id), int64(n), int64(i)}
			}
			if _, err = c.CopyFrom(ctx, pgx.Identifier{"copied"}, []string{"w", "n", "i"}, pgx.CopyFromRows(rows)); err == nil {
				w.copies = n
			}
		default:
			n := w.transfers + 1
			from := rng.IntN(killAccounts)
			to := (from + 1 + rng.IntN(killAccounts-1)) % killAccounts
			if from > to { // one order of locks
				from, to = to, from
			}
			amount := rng.IntN(21) - 10
			err = pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
				for _, q := range []struct{ k, by int }{{from, -amount}, {to, amount}} {
					if _, err := tx.Exec(ctx, "UPDATE bank SET v = v + $1 WHERE k = $2", q.by, q.k); err != nil {
						return err
					}
				}
				_, err := tx.Exec(ctx, "INSERT INTO done VALUES ($1, $2)", w.id, n)
				return err
			})
			if err == nil {
				w.transfers = n
			}
		}
		if err != nil && harness.SQLState(err) != "40001" {
			return
		}
	}
}

// killResalt changes the salt of the workers' tables until the server dies.
func killResalt(ctx context.Context, dsn string, rng *rand.Rand) {
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return
	}
	defer c.Close(ctx)
	for {
		table := []string{"bank", "done", "wide", "copied"}[rng.IntN(4)]
		rate := rng.IntN(2) * 2000
		if table == "copied" {
			rate *= 50
		}
		if _, err := c.Exec(ctx, fmt.Sprintf("SET saltsql.backfill_rows_per_second = %d", rate)); err != nil {
			return
		}
		// 55006: a server that died was changing it, and this one goes on with that.
		_, err := c.Exec(ctx, fmt.Sprintf("ALTER TABLE %s SET SALT_BUCKETS = %d", table, rng.IntN(7)))
		if err != nil && harness.SQLState(err) != "55006" {
			return
		}
	}
}

// check compares what a killed server left with what it acknowledged.
func (w *killWorker) check(t *testing.T, c *pgx.Conn) {
	ctx := context.Background()
	ints := func(query string) (a, b int) {
		t.Helper()
		if err := c.QueryRow(ctx, query, w.id).Scan(&a, &b); err != nil {
			t.Fatal(err)
		}
		return a, b
	}
	last, n := ints("SELECT coalesce(max(n), 0)::int, count(*)::int FROM done WHERE w = $1")
	if n != last || last < w.transfers || last > w.transfers+1 {
		t.Errorf("worker %d: %d transfers up to %d are there, %d were acknowledged", w.id, n, last, w.transfers)
	}
	w.transfers = last
	lo, hi := ints("SELECT min(n)::int, max(n)::int FROM wide WHERE w = $1")
	if lo != hi || hi < w.wide || hi > w.wide+1 {
		t.Errorf("worker %d: a statement over rows left %d to %d, %d was acknowledged", w.id, lo, hi, w.wide)
	}
	w.wide = hi
	last, n = ints("SELECT coalesce(max(n), 0)::int, count(*)::int FROM copied WHERE w = $1")
	if n != last*killCopy || last < w.copies || last > w.copies+1 {
		t.Errorf("worker %d: %d rows of %d COPYs are there, %d were acknowledged", w.id, n, last, w.copies)
	}
	w.copies = last
}

// TestKillBank kills real servers with SIGKILL while clients write, and looks after
// each start: the sum of the accounts holds, no acknowledged commit is lost, no
// statement or block is there by half. Meanwhile the tables' salt is changed, by servers
// that go on where those before them died; in the end every change has come to its end.
func TestKillBank(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	ctx := context.Background()
	seed := seeds.First(t)
	rng := rand.New(rand.NewPCG(seed, 1))
	dir := filepath.Join(t.TempDir(), "store")
	workers := make([]*killWorker, killWorkers)
	for i := range workers {
		workers[i] = &killWorker{id: i}
	}
	resumed := 0 // changes of salt that a dead server left
	for round := range *killRounds {
		s := harness.Start(t, "pebble:"+dir, "--memory", "256MB")
		dsn := fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", s.Host, s.Port)
		c := s.Connect(t)
		if round == 0 {
			for _, q := range []string{
				"CREATE TABLE bank (k int PRIMARY KEY, v int NOT NULL) SALT_BUCKETS = 4",
				"CREATE TABLE done (w int, n int, PRIMARY KEY (w, n))",
				"CREATE TABLE wide (w int, k int, n int, PRIMARY KEY (w, k)) SALT_BUCKETS = 3",
				"CREATE TABLE copied (w bigint, n bigint, i bigint, PRIMARY KEY (w, n, i)) SALT_BUCKETS = 3",
				fmt.Sprintf("INSERT INTO bank SELECT k, %d FROM generate_series(0, %d) k", killBalance, killAccounts-1),
				fmt.Sprintf("INSERT INTO wide SELECT i / %[2]d, i %% %[2]d, 0 FROM generate_series(0, %[1]d * %[2]d - 1) i", killWorkers, killWide),
			} {
				if _, err := c.Exec(ctx, q); err != nil {
					t.Fatalf("%s: %v", q, err)
				}
			}
		}
		var left int
		if err := c.QueryRow(ctx, "SELECT count(*)::int FROM saltsql.jobs").Scan(&left); err != nil {
			t.Fatal(err)
		}
		resumed += left
		for _, w := range workers {
			w.check(t, c)
		}
		var sum int
		if err := c.QueryRow(ctx, "SELECT sum(v)::int FROM bank").Scan(&sum); err != nil || sum != killAccounts*killBalance {
			t.Errorf("the accounts hold %d: %v", sum, err)
		}
		if t.Failed() {
			t.FailNow()
		}
		var wg sync.WaitGroup
		for _, w := range workers {
			own := rand.New(rand.NewPCG(rng.Uint64(), 2))
			wg.Go(func() { w.run(ctx, dsn, own) })
		}
		salt := rand.New(rand.NewPCG(rng.Uint64(), 3))
		wg.Go(func() { killResalt(ctx, dsn, salt) })
		time.Sleep(time.Duration(20+rng.IntN(180)) * time.Millisecond)
		s.Kill()
		wg.Wait()
		c.Close(ctx)
	}
	s := harness.Start(t, "pebble:"+dir, "--memory", "256MB")
	c := s.Connect(t)
	// A change takes as long as its table's rows at its pace; one that never ends is go
	// test's -timeout to tell.
	for jobs := 1; jobs > 0; time.Sleep(50 * time.Millisecond) {
		if err := c.QueryRow(ctx, "SELECT count(*)::int FROM saltsql.jobs").Scan(&jobs); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range workers {
		w.check(t, c)
	}
	for _, table := range []string{"bank", "done", "wide", "copied"} {
		if _, err := c.Exec(ctx, "CHECK TABLE "+table+" ALL"); err != nil {
			t.Error(err)
		}
	}
	if *killRounds >= 20 && resumed == 0 {
		t.Error("no server went on with what a dead one had begun")
	}
	t.Logf("%d rounds, %d changes of salt gone on with: %+v %+v %+v", *killRounds, resumed, *workers[0], *workers[1], *workers[2])
}
