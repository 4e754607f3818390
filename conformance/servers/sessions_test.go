package servers

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
)

var requestsCount = flag.Int("sessions.requests", 20_000, "statements that TestManyRequests runs; the promise is 1,000,000")

var sessionsCount = flag.Int("sessions.count", 1000, "sessions of TestManySessions; the promise is 10,000, which takes as many file handles on either side")

// mostPerSession is what the manual promises that a session takes.
const mostPerSession = 100 << 10

// TestManySessions opens sessions and has each prepare a statement and run it: what the process
// holds more, all buffers and garbage with it, is bounded for each.
func TestManySessions(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens many files")
	}
	n := *sessionsCount
	p := harness.Start(t, "pebble:"+filepath.Join(t.TempDir(), "store"), "--max-connections", fmt.Sprint(n+10), "--max-unauthenticated", fmt.Sprint(n+10))
	first := p.Connect(t)
	harness.MustExec(t, first, "CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 4")
	harness.MustExec(t, first, "INSERT INTO t SELECT i, md5(i::text) FROM generate_series(1, 10000) i")
	harness.MustExec(t, first, "SELECT count(DISTINCT v) FROM t")
	was := residentBytes(t, p.Cmd.Process.Pid)
	for i := range n {
		c := p.Connect(t)
		var v string
		if err := c.QueryRow(context.Background(), "SELECT v FROM t WHERE k = $1", i+1).Scan(&v); err != nil {
			t.Fatal(i, err)
		}
		harness.MustExec(t, c, "SELECT count(*) FROM t WHERE k < 100")
	}
	each := (residentBytes(t, p.Cmd.Process.Pid) - was) / int64(n)
	t.Logf("%d sessions take %d bytes each", n, each)
	if each > mostPerSession {
		t.Errorf("a session takes %d bytes, more than %d", each, mostPerSession)
	}
}

// TestManyRequests runs SELECT 1 over 100 connections, by all three ways of asking: after the
// first tenth the process holds no more memory, files or goroutines, however many follow.
func TestManyRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a process")
	}
	const connections = 100
	p := harness.Start(t, "mem:", "--max-connections", fmt.Sprint(connections+10))
	var conns []*pgx.Conn
	for range connections {
		conns = append(conns, p.Connect(t))
	}
	ctx := context.Background()
	run := func(n int) {
		var wg sync.WaitGroup
		for _, c := range conns {
			wg.Go(func() {
				for i := range n / connections {
					mode := []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeExec}[i%3]
					var one int
					if err := c.QueryRow(ctx, "SELECT 1", mode).Scan(&one); err != nil || one != 1 {
						t.Error(one, err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
	files := func() int {
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.Cmd.Process.Pid))
		if err != nil {
			t.Skip(err)
		}
		return len(entries)
	}
	run(*requestsCount / 10)
	was, wereOpen := residentBytes(t, p.Cmd.Process.Pid), files()
	run(*requestsCount)
	is, areOpen := residentBytes(t, p.Cmd.Process.Pid), files()
	t.Logf("%d statements: %d bytes before, %d after; %d files, %d", *requestsCount, was, is, wereOpen, areOpen)
	// What the collector has not taken yet, not what each of so many left.
	if is-was > 16<<20 || areOpen != wereOpen {
		t.Errorf("%d bytes and %d files more", is-was, areOpen-wereOpen)
	}
}

// residentBytes is what the process holds in memory.
func residentBytes(t *testing.T, pid int) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Skip(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
