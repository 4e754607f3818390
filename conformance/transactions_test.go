package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// TestBankOfServers: transfers in blocks through two servers over one emulator, between accounts of a
// salted table with an index and a UNIQUE text. Every statement that sums up sees the whole, by the
// table as by the index; what was told to be committed is there, and nothing else.
func TestBankOfServers(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	ctx, addr := context.Background(), emulator.Start(t)
	var dbs []*saltsql.DB
	for range 2 {
		s, err := bigtable.Open(ctx, bigtable.Config{Project: "test", Instance: "test", Emulator: addr})
		if err != nil {
			t.Fatal(err)
		}
		dbs = append(dbs, harness.OpenOn(t, s))
	}
	const accounts, each = 20, 1000
	open := func(db *saltsql.DB) *saltsql.Session {
		s, err := db.NewSession(saltsql.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	must := func(s *saltsql.Session, sql string) [][]*string {
		t.Helper()
		rows, _, err := harness.Run(ctx, s, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return rows
	}
	first := open(dbs[0])
	must(first, `CREATE TABLE account (id INT PRIMARY KEY, owner TEXT UNIQUE, v INT) SALT_BUCKETS = 4, TRANSACTIONAL = true`)
	must(first, `CREATE INDEX account_v ON account (v)`)
	must(first, `CREATE TABLE moved (id TEXT PRIMARY KEY) TRANSACTIONAL = true`)
	must(first, fmt.Sprintf(`INSERT INTO account SELECT g, 'o' || g, %d FROM generate_series(1, %d) g`, each, accounts))
	must(open(dbs[1]), `SELECT count(*) FROM account`)

	seed := seeds.First(t)
	var told sync.Map
	var left, conflicts, looked atomic.Int64
	left.Store(int64(seeds.Amount(60, 1000)))
	transfer := func(s *saltsql.Session, r *rand.Rand, id string) error {
		from, to, n := 1+r.IntN(accounts), 1+r.IntN(accounts), r.IntN(100)
		for _, sql := range []string{"BEGIN",
			fmt.Sprintf("UPDATE account SET v = v - %d, owner = 'o%d.%s' WHERE id = %d", n, from, id, from),
			fmt.Sprintf("UPDATE account SET v = v + %d WHERE id = %d", n, to),
			fmt.Sprintf("INSERT INTO moved VALUES ('%s')", id), "COMMIT"} {
			if _, _, err := harness.Run(ctx, s, sql); err != nil {
				_, _, _ = harness.Run(ctx, s, "ROLLBACK")
				return err
			}
		}
		return nil
	}
	var wg sync.WaitGroup
	for w := range 4 {
		s, r := open(dbs[w%2]), rand.New(rand.NewPCG(seed, uint64(w)))
		wg.Go(func() {
			for i := 0; left.Add(-1) >= 0; i++ {
				id := fmt.Sprintf("%d.%d", w, i)
				err := transfer(s, r, id)
				if err == nil {
					told.Store(id, true)
				} else if e := sqlerr.As(err); e != nil && (e.Code == sqlerr.SerializationFailure || e.Code == sqlerr.DeadlockDetected) {
					conflicts.Add(1)
				} else {
					t.Errorf("transfer: %v", err)
				}
			}
		})
	}
	for w := range 2 {
		s := open(dbs[w])
		wg.Go(func() {
			for left.Load() > 0 {
				for _, hint := range []string{"/*+ NO_INDEX(account) */", "/*+ INDEX(account account_v) */"} {
					rows, _, err := harness.Run(ctx, s, "SELECT "+hint+" count(*), sum(v) FROM account WHERE v > -1000000")
					if err != nil {
						t.Error(err)
						return
					}
					if *rows[0][0] != fmt.Sprint(accounts) || *rows[0][1] != fmt.Sprint(accounts*each) {
						t.Errorf("seed %d: %s rows, sum %s by %s", seed, *rows[0][0], *rows[0][1], hint)
					}
					looked.Add(1)
				}
			}
		})
	}
	wg.Wait()
	made := 0
	told.Range(func(any, any) bool { made++; return true })
	t.Logf("seed %d: %d transfers, %d conflicts, %d sums", seed, made, conflicts.Load(), looked.Load())
	for _, row := range must(first, "SELECT id FROM moved") {
		if _, ok := told.LoadAndDelete(*row[0]); !ok {
			t.Errorf("seed %d: transfer %s was told to have failed, and is there", seed, *row[0])
		}
	}
	told.Range(func(id, _ any) bool {
		t.Errorf("seed %d: transfer %v was told to be committed, and is not there", seed, id)
		return true
	})
	for _, row := range must(first, "CHECK TABLE account") {
		for _, n := range row[2:6] {
			if n != nil && *n != "0" {
				t.Errorf("seed %d: CHECK TABLE: %s has %s at fault", seed, *row[0], *n)
			}
		}
	}
	if made == 0 || looked.Load() == 0 {
		t.Errorf("seed %d: nothing was done", seed)
	}
}
