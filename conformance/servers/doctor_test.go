package servers

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/conformance/harness"
)

// TestDoctor makes a server odd in ways that take no long time, and wants a sentence about each.
func TestDoctor(t *testing.T) {
	p := harness.Start(t, "pebble:"+filepath.Join(t.TempDir(), "store"))
	dsn := fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", p.Host, p.Port)
	if out := harness.MustCommand(t, "doctor", "--connect", dsn); !strings.Contains(out, "Nothing is odd.") {
		t.Errorf("of an empty store it says %s", out)
	}
	c := p.Connect(t)
	harness.MustExec(t, c, "CREATE TABLE many (a INT PRIMARY KEY) SALT_BUCKETS = 64")
	harness.MustExec(t, c, "INSERT INTO many VALUES (1)")
	harness.MustExec(t, c, "INSERT INTO many SELECT i FROM generate_series(2, 50) i")
	for known, end := 0, time.Now().Add(harness.Patience); known == 0; time.Sleep(20 * time.Millisecond) {
		harness.MustExec(t, c, "EXPLAIN SELECT count(*) FROM many WHERE a > 5") // has the table measured, in the background
		if err := c.QueryRow(context.Background(), "SELECT count(estimated_rows) FROM saltsql.tables").Scan(&known); err != nil || time.Now().After(end) {
			t.Fatalf("the table is not measured: %v", err)
		}
	}
	for range 130 {
		if _, err := c.Exec(context.Background(), "INSERT INTO many VALUES (1)"); err == nil {
			t.Fatal("a key twice")
		}
	}
	harness.MustExec(t, c, "CREATE TABLE counted (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v INT)")
	harness.MustExec(t, c, "INSERT INTO counted (v) SELECT i FROM generate_series(1, 200000) i")
	harness.MustExec(t, c, "ANALYZE counted")
	harness.MustExec(t, c, "CREATE ROLE reports LOGIN PASSWORD 'x' VALID UNTIL '2001-02-03'")
	dsn = strings.Replace(dsn, "user=tester", "user=saltsql", 1) // from the first role on, users are roles
	out, status := harness.Command(t, "doctor", "--connect", dsn)
	if status != 1 {
		t.Errorf("status %d", status)
	}
	for _, want := range []string{"table public.many: 64 buckets, and about 50 rows", "130 of 131 runs failed: INSERT INTO many VALUES ($1)",
		`table public.counted: its key leads with "id", which counts up by itself (bigint), and it is not salted`,
		"the password of role reports ended on 2001-02-03: ALTER ROLE reports VALID UNTIL a later day"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q, but\n%s", want, out)
		}
	}
	if out, status := harness.Command(t, "doctor", "--connect", "host=127.0.0.1 port=1 user=x dbname=x"); status != 2 {
		t.Errorf("without a server: status %d, %s", status, out)
	}
}
