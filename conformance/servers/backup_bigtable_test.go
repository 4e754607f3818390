package servers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// TestBackupOnBigtable backs an instance up while clients write rows with entries in indexes and
// draw from a sequence, restores it into another, killed on the way, and holds what is there against
// what the clients were told: every row that was acknowledged before, its entries in order, no value
// of the sequence given twice.
func TestBackupOnBigtable(t *testing.T) {
	seeds.Sometimes(t)
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	addr, service := emulator.StartWithBackups(t)
	t.Setenv("BIGTABLE_EMULATOR_HOST", addr)
	binary, err := harness.Build()
	if err != nil {
		t.Fatal(err)
	}
	const from, to = "bigtable://test/from", "bigtable://test/to"
	out, status := harness.Command(t, "verify", "--cluster", "c", from)
	if status != 1 || !strings.Contains(out, "keeps no backup") {
		t.Errorf("verify of nothing: %d, %s", status, out)
	}
	p := harness.Start(t, from)
	c := p.Connect(t)
	harness.MustExec(t, c, "CREATE TABLE kept (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, w INT, n INT, v INT) SALT_BUCKETS = 4")
	harness.MustExec(t, c, "CREATE UNIQUE INDEX kept_wn ON kept (w, n)")
	harness.MustExec(t, c, "CREATE INDEX kept_v ON kept (v) INCLUDE (n)")
	harness.MustExec(t, c, "CREATE TABLE empty (k INT PRIMARY KEY)")

	const writers = 8
	var acked [writers]int // how many rows of each
	var mu sync.Mutex
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for w := range writers {
		conn := p.Connect(t)
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 1))
			for n := 0; ctx.Err() == nil; n++ {
				if _, err := conn.Exec(ctx, "INSERT INTO kept (w, n, v) VALUES ($1, $2, $3)", w, n, rng.IntN(1000)); err != nil {
					return
				}
				mu.Lock()
				acked[w] = n + 1
				mu.Unlock()
				if rng.IntN(3) == 0 {
					_, _ = conn.Exec(ctx, "UPDATE kept SET v = v + 1000 WHERE w = $1 AND n = $2", w, rng.IntN(n+1))
				}
			}
		})
	}
	time.Sleep(300 * time.Millisecond)
	mu.Lock()
	least := acked
	mu.Unlock()
	service.Fail = func(string, bool) error { // the tables are of moments that are apart
		time.Sleep(time.Duration(rand.IntN(400)) * time.Millisecond)
		return nil
	}
	t.Log(harness.MustCommand(t, "backup", "--store", from, "--cluster", "c"))
	if out, status := harness.Command(t, "verify", "--cluster", "c", from); status != 0 || !strings.Contains(out, "4 tables") {
		t.Errorf("verify: %d, %s", status, out)
	}
	// Each table has its own moment, the catalog's the last.
	line := regexp.MustCompile(`(?m)^  saltsql-\S+: table \S+ of .*, begun (\S+), ended (\S+)$`)
	ends := line.FindAllStringSubmatch(harness.MustCommand(t, "verify", "--tables", "--cluster", "c", from), -1)
	if len(ends) != 5 {
		t.Errorf("verify --tables has the ends of %d tables, not 5", len(ends))
	}
	for _, at := range ends {
		begun, err1 := time.Parse(time.RFC3339, at[1])
		ended, err2 := time.Parse(time.RFC3339, at[2])
		if last, err := time.Parse(time.RFC3339, ends[len(ends)-1][2]); err != nil || err1 != nil || err2 != nil || ended.Before(begun) || ended.After(last) {
			t.Errorf("%s", at[0])
		}
	}
	cancel()
	wg.Wait()
	p.Stop(t)

	rng := rand.New(rand.NewPCG(2, 3))
	killed := 0
	for ; killed < 3; killed++ {
		cmd := childproc.Command(binary, "restore", "--store", to, "--cluster", "c", from)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(100+rng.IntN(700)) * time.Millisecond)
		_ = cmd.Process.Kill()
		if cmd.Wait() == nil {
			break
		}
	}
	out, status = harness.Command(t, "restore", "--store", to, "--cluster", "c", from)
	if status != 0 && (killed == 3 || !strings.Contains(out, "already")) {
		t.Fatalf("after %d kills: %s", killed, out)
	}
	t.Logf("killed %d times: %s", killed, out)
	harness.MustCommand(t, "check", "--store", to)
	if out, status := harness.Command(t, "restore", "--store", to, "--cluster", "c", from); status != 1 || !strings.Contains(out, "already") {
		t.Errorf("a restore over tables: %d, %s", status, out)
	}

	p = harness.Start(t, to)
	c = p.Connect(t)
	for w, n := range least {
		var rows, distinct int
		err := c.QueryRow(context.Background(), fmt.Sprintf("SELECT count(*), count(DISTINCT n) FROM kept WHERE w = %d AND n < %d", w, n)).Scan(&rows, &distinct)
		if err != nil || rows != n || distinct != n {
			t.Errorf("writer %d: %d rows with %d numbers of %d that were acknowledged: %v", w, rows, distinct, n, err)
		}
	}
	var most, next int
	err = c.QueryRow(context.Background(), "SELECT max(id) FROM kept").Scan(&most)
	if err == nil {
		err = c.QueryRow(context.Background(), "INSERT INTO kept (w, n, v) VALUES (100, 1, 1) RETURNING id").Scan(&next)
	}
	if err != nil {
		t.Fatal(err)
	}
	var twice int
	if err := c.QueryRow(context.Background(), "SELECT count(*) FROM (SELECT id FROM kept GROUP BY id HAVING count(*) > 1) x").Scan(&twice); err != nil || twice != 0 {
		t.Errorf("%d values were given twice: %v", twice, err)
	}
	t.Logf("%v rows were acknowledged before, up to id %d; the next is %d", least, most, next)
}
