package servers

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
)

var copyRows = flag.Int("copy.rows", 30_000, "rows that TestCopyMemory loads; 2,000,000 shows what memory a load takes")

const copyTable = "CREATE TABLE c (id BIGINT PRIMARY KEY, a TEXT, b DOUBLE PRECISION, s TEXT) SALT_BUCKETS = 8"

// copyData gives rows of COPY's text format, and calls at at row n/2.
func copyData(n int, at func()) io.Reader {
	r, w := io.Pipe()
	go func() {
		b := bufio.NewWriterSize(w, 64<<10)
		for i := range n {
			if i == n/2 && at != nil {
				b.Flush()
				at()
			}
			if _, err := fmt.Fprintf(b, "%d\tname %d\t%d.5\tsome text that every row has\n", i, i, i); err != nil {
				return
			}
		}
		b.Flush()
		w.Close()
	}()
	return r
}

func copyInto(c *pgconn.PgConn, r io.Reader) (int64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	tag, err := c.CopyFrom(ctx, r, "COPY c FROM STDIN WITH (UPSERT)")
	return tag.RowsAffected(), err
}

// peakMemory is the most memory a process has had, in bytes.
func peakMemory(t *testing.T, pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("this system does not tell a process's memory")
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(b)
	if m == nil {
		t.Skip("this system does not tell a process's memory")
	}
	kb, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return kb << 10
}

// TestCopyMemory: a load takes the server the same memory however long it is.
func TestCopyMemory(t *testing.T) {
	harness.StartEmulator(t)
	p := harness.Start(t, testInstance)
	c := p.Connect(t)
	harness.MustExec(t, c, copyTable)
	began := time.Now()
	n, err := copyInto(c.PgConn(), copyData(*copyRows, nil))
	if err != nil || n != int64(*copyRows) {
		t.Fatalf("%d rows, %v", n, err)
	}
	peak := peakMemory(t, p.Cmd.Process.Pid)
	t.Logf("%d rows in %v, the server's memory %d MB at most", n, time.Since(began).Round(time.Millisecond), peak>>20)
	if peak > 300<<20 {
		t.Errorf("%d MB", peak>>20)
	}
	p.Stop(t)
}

// TestCopyStoreDies: where the store dies or goes silent in the middle of a
// COPY, the client is told in bounded time, and how much was written. When a
// silent one is back, the same COPY WITH (UPSERT) loads all rows.
func TestCopyStoreDies(t *testing.T) {
	seeds.Sometimes(t)
	const rows = 40_000
	signals := []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL}
	for i := range seeds.Part(t, len(signals), seeds.Whole) {
		how := signals[i]
		t.Run(how.String(), func(t *testing.T) {
			em := harness.StartEmulator(t)
			p := harness.Start(t, "bigtable://test/test?timeout=5s")
			c, other := p.Connect(t), p.Connect(t)
			harness.MustExec(t, c, copyTable)
			var at time.Time
			n, err := copyInto(c.PgConn(), copyData(rows, func() {
				for n := 0; n < 3000; { // until the server has written some; a slow machine's count may be late
					_ = other.QueryRow(context.Background(), "SELECT count(*) FROM c").Scan(&n)
				}
				at = time.Now()
				if err := em.Signal(how); err != nil {
					t.Error(err)
				}
			}))
			took := time.Since(at)
			var e *pgconn.PgError
			if !errors.As(err, &e) {
				t.Fatalf("%d rows, %v", n, err)
			}
			t.Logf("after %v: %s %s (%s) %s", took.Round(time.Millisecond), e.Code, e.Message, e.Detail, e.Where)
			if took > harness.Patience {
				t.Errorf("told after %v", took)
			}
			if !regexp.MustCompile(`^[1-9]\d* rows were written before the error`).MatchString(e.Detail) || e.Code != "40003" && e.Code != "57P03" {
				t.Errorf("%s, detail %q", e.Code, e.Detail)
			}
			if how == syscall.SIGKILL {
				p.Kill()
				return
			}
			if _, err := c.Exec(context.Background(), "SELECT * FROM c WHERE id = 1"); harness.SQLState(err) != "57P03" {
				t.Errorf("a query of a silent store: %v", err)
			}
			if err := em.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			for try := range 20 { // the first tries may still find it silent
				if n, err = copyInto(c.PgConn(), copyData(rows, nil)); err == nil {
					break
				}
				t.Logf("try %d: %v", try, err)
			}
			if err != nil || n != rows {
				t.Fatalf("again: %d rows, %v", n, err)
			}
			var count int
			if err := c.QueryRow(context.Background(), "SELECT count(*) FROM c").Scan(&count); err != nil || count != rows {
				t.Errorf("%d rows are there, %v", count, err)
			}
			p.Stop(t)
		})
	}
}

// TestCopyUpsert: COPY WITH (UPSERT) overwrites the columns it has and leaves
// the others; without it a key that exists is refused.
func TestCopyUpsert(t *testing.T) {
	for _, store := range []string{"mem", "pebble", "bigtable"} {
		t.Run(store, func(t *testing.T) {
			host, port := harness.Serve(t, harness.Open(t, store))
			c := harness.Connect(t, host, port)
			ctx := context.Background()
			harness.MustExec(t, c, "CREATE TABLE c (k INT PRIMARY KEY, a TEXT NOT NULL, b INT DEFAULT 7) SALT_BUCKETS = 4")
			harness.MustExec(t, c, "INSERT INTO c VALUES (1, 'one', 1)")
			load := func(sql, data string) (int64, error) {
				tag, err := c.PgConn().CopyFrom(ctx, strings.NewReader(data), sql)
				return tag.RowsAffected(), err
			}
			if _, err := load("COPY c (k, a) FROM STDIN", "1\tx\n"); harness.SQLState(err) != "23505" {
				t.Errorf("an INSERT's COPY: %v", err)
			}
			if n, err := load("COPY c (k, a) FROM STDIN WITH (UPSERT)", "1\tuno\n2\tdue\n2\ttwo\n"); err != nil || n != 3 {
				t.Errorf("%d rows, %v", n, err)
			}
			if _, err := load("COPY c (k, b) FROM STDIN WITH (UPSERT true)", "3\t3\n"); harness.SQLState(err) != "23502" {
				t.Errorf("a NOT NULL column is missing: %v", err)
			}
			if _, err := load("COPY c (k, a) FROM STDIN WITH (UPSERT maybe)", ""); harness.SQLState(err) != "42601" {
				t.Errorf("a bad value: %v", err)
			}
			if _, err := load("COPY c FROM STDIN WITH (UPSERT) WHERE k > 1", ""); harness.SQLState(err) != "0A000" {
				t.Errorf("WHERE: %v", err)
			}
			if _, err := c.PgConn().CopyTo(ctx, io.Discard, "COPY c TO STDOUT WITH (UPSERT)"); harness.SQLState(err) != "0A000" {
				t.Errorf("COPY TO: %v", err)
			}
			var got string
			if err := c.QueryRow(ctx, "SELECT string_agg(k || a || b, ' ' ORDER BY k) FROM c").Scan(&got); err != nil || got != "1uno1 2two7" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
