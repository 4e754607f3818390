package servers

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
)

var pgbenchTransactions = flag.Int("pgbench.transactions", 20, "transactions of each of the 8 clients of TestPgbench, by each script and protocol")

// TestPgbench runs PostgreSQL's load generator as it comes: it makes and fills its tables, its
// three scripts run by each protocol, and what they keep equal is equal: no transaction is there
// by half, and each that was told of is there.
func TestPgbench(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	bin := filepath.Join(pgtest.BinDir(), "pgbench")
	if _, err := os.Stat(bin); err != nil {
		t.Skip("no pgbench: ", err)
	}
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	ctx := context.Background()
	const clients = 8
	stores := []string{"mem:", "pebble:" + filepath.Join(t.TempDir(), "store")}
	for i := range seeds.Part(t, len(stores), seeds.Whole) {
		store := stores[i]
		p := harness.Start(t, store)
		run := func(args ...string) string {
			cmd := childproc.Command(bin, append([]string{"-h", p.Host, "-p", fmt.Sprint(p.Port), "-U", "tester"}, args...)...)
			cmd.Env = append(os.Environ(), "PGSSLMODE=disable")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: pgbench %q: %v\n%s", store, args, err, out)
			}
			return string(out)
		}
		run("-i", "-s", "2", "-q", "saltsql")
		c := p.Connect(t)
		written := 0
		for _, mode := range []string{"simple", "extended", "prepared"} {
			for _, script := range []string{"tpcb-like", "simple-update", "select-only"} {
				out := run("-n", "-b", script, "-M", mode, "-c", fmt.Sprint(clients), "-j", "2", "--max-tries", "100",
					"-t", fmt.Sprint(*pgbenchTransactions), "saltsql")
				n := clients * *pgbenchTransactions
				if !strings.Contains(out, fmt.Sprintf("actually processed: %d/%d", n, n)) {
					t.Errorf("%s: %s, %s:\n%s", store, script, mode, out)
				}
				if script != "select-only" {
					written += n
				}
				checkPgbench(ctx, t, c, store+", "+script+", "+mode, written)
			}
		}
		p.Stop(t)
	}
}

// checkPgbench holds what pgbench's scripts keep: the history has every transaction, its
// amounts are those of the accounts, and those of tpcb-like the tellers' and the branches'.
func checkPgbench(ctx context.Context, t *testing.T, c *pgx.Conn, after string, written int) {
	t.Helper()
	var n int
	var equal, branches bool
	if err := c.QueryRow(ctx, `SELECT (SELECT count(*) FROM pgbench_history),
		(SELECT sum(abalance) FROM pgbench_accounts) = (SELECT COALESCE(sum(delta), 0) FROM pgbench_history),
		(SELECT sum(tbalance) FROM pgbench_tellers) = (SELECT sum(bbalance) FROM pgbench_branches)`).Scan(&n, &equal, &branches); err != nil {
		t.Fatal(after, err)
	}
	if n != written || !equal || !branches {
		t.Errorf("after %s: %d of %d transactions in the history; accounts equal to it: %v; tellers to branches: %v", after, n, written, equal, branches)
	}
}
