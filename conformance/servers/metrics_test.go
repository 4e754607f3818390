package servers

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/metrics"
	"github.com/saltsql/saltsql/internal/session"
)

// freeAddress is one of loopback that nobody listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

func get(t testing.TB, url string) (body string, status int) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		return err.Error(), 0
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), r.StatusCode
}

// scrape gives the samples of /metrics by their names with labels.
func scrape(t testing.TB, addr string) map[string]float64 {
	t.Helper()
	body, status := get(t, "http://"+addr+"/metrics")
	if status != http.StatusOK {
		t.Fatalf("%d: %s", status, body)
	}
	out := map[string]float64{}
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		v, err := strconv.ParseFloat(strings.TrimSpace(line[at+1:]), 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out[line[:at]] = v
	}
	return out
}

// TestMetrics runs statements over tables and asks a server what it counted; how many series there
// are does not follow the number of tables.
func TestMetrics(t *testing.T) {
	addr, debug := freeAddress(t), freeAddress(t)
	p := harness.Start(t, "pebble:"+filepath.Join(t.TempDir(), "store"), "--metrics", addr, "--debug", debug, "--drain", "5s")
	c := p.Connect(t)
	const tables = 60
	for i := range tables {
		harness.MustExec(t, c, fmt.Sprintf("CREATE TABLE t%d (a INT PRIMARY KEY, b VARCHAR) SALT_BUCKETS = 4", i))
		harness.MustExec(t, c, fmt.Sprintf("INSERT INTO t%d VALUES (1, 'x'), (2, 'y')", i))
	}
	for range 10 {
		harness.MustExec(t, c, "SELECT * FROM t59")
	}
	if _, err := c.Exec(context.Background(), "INSERT INTO t5 VALUES (1, 'again')"); err == nil {
		t.Error("a key twice")
	}
	m := scrape(t, addr)
	for name, want := range map[string]float64{
		`saltsql_statements_total{kind="insert",sqlstate_class="00"}`: tables,
		`saltsql_statements_total{kind="insert",sqlstate_class="23"}`: 1,
		`saltsql_statements_total{kind="ddl",sqlstate_class="00"}`:    tables,
		`saltsql_statement_seconds_count{kind="select"}`:              10,
		`saltsql_rows_total{op="returned"}`:                           20,
		`saltsql_rows_total{op="written"}`:                            2 * tables,
		`saltsql_buckets_read_total`:                                  40,
		`saltsql_table_ops_total{op="read",table="public.t59"}`:       10,
		`saltsql_all_tables_ops_total{op="write"}`:                    tables + 1,
		`saltsql_tables`:                 tables,
		`saltsql_sessions{state="idle"}`: 1,
		`saltsql_disk_full`:              0,
	} {
		if got, ok := m[name]; !ok || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"saltsql_disk_free_bytes", "saltsql_disk_reserve_bytes", `saltsql_bytes_total{dir="written"}`, `saltsql_bytes_total{dir="read"}`, `saltsql_storage_calls_total{code="OK",op="write"}`,
		`saltsql_storage_calls_total{code="OK",op="scan"}`, "saltsql_pebble_disk_bytes", "saltsql_pebble_wal_written_bytes_total", "saltsql_pebble_sync_seconds_count", "saltsql_memory_limit_bytes"} {
		if m[name] <= 0 {
			t.Errorf("%s is %v", name, m[name])
		}
	}
	for name := range m { // seconds, whatever a library counts in
		if _, bound, ok := strings.Cut(name, `le="`); ok && strings.HasPrefix(name, "saltsql_") && strings.Contains(name, "_seconds_bucket{") {
			v, err := strconv.ParseFloat(strings.TrimSuffix(bound, `"}`), 64)
			if err != nil || v < 1e-6 || v > 1000 && !math.IsInf(v, 1) {
				t.Errorf("%s: a bound of %v seconds", name, v)
			}
		}
	}
	if len(m) > 2000 {
		t.Errorf("there are %d series", len(m))
	}
	named := 0
	for name := range m {
		if strings.HasPrefix(name, "saltsql_table_ops_total{") {
			named++
		}
	}
	if named != 100 {
		t.Errorf("%d series tell of tables, want 2 of each of 50", named)
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/other": 404} {
		if body, status := get(t, "http://"+addr+path); status != want {
			t.Errorf("%s is %d: %s", path, status, body)
		}
	}
	if body, status := get(t, "http://"+debug+"/debug/pprof/goroutine?debug=1"); status != 200 || !strings.Contains(body, "goroutine profile") {
		t.Errorf("the profile of goroutines is %d: %.100s", status, body)
	}
	if _, status := get(t, "http://"+addr+"/debug/pprof/"); status != 404 {
		t.Error("profiles are to be had beside the metrics")
	}

	// A client in a transaction keeps the server from ending: it is alive, and not ready.
	harness.MustExec(t, c, "BEGIN")
	harness.MustExec(t, c, "SELECT 1")
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(harness.Patience); ; time.Sleep(20 * time.Millisecond) {
		body, status := get(t, "http://"+addr+"/readyz")
		if status == http.StatusServiceUnavailable && strings.Contains(body, "shutting down") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("a server that ends says it is ready: %d %s", status, body)
		}
	}
	harness.MustExec(t, c, "COMMIT")
	if err := p.Wait(); err != nil {
		t.Errorf("the server did not end well: %v", err)
	}
}

// TestMetricsOfBigtable asks a server what it has asked Bigtable.
func TestMetricsOfBigtable(t *testing.T) {
	harness.StartEmulator(t)
	addr := freeAddress(t)
	p := harness.Start(t, "bigtable://test/test", "--metrics", addr)
	c := p.Connect(t)
	harness.MustExec(t, c, "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR) SALT_BUCKETS = 4")
	was := scrape(t, addr)
	harness.MustExec(t, c, "UPSERT INTO t VALUES (1, 'x')")
	harness.MustExec(t, c, "SELECT b FROM t WHERE a = 1")
	m := scrape(t, addr)
	for name, want := range map[string]float64{
		`saltsql_storage_calls_total{code="OK",op="CreateTable"}`: was[`saltsql_storage_calls_total{code="OK",op="CreateTable"}`],
		`saltsql_storage_seconds_count{op="MutateRow"}`:           was[`saltsql_storage_seconds_count{op="MutateRow"}`] + 1,
	} {
		if got, ok := m[name]; !ok || got < want || got == 0 {
			t.Errorf("%s is %v, want %v or more", name, got, want)
		}
	}
	for _, name := range []string{`saltsql_bytes_total{dir="sent"}`, `saltsql_bytes_total{dir="received"}`, `saltsql_storage_seconds_sum{op="ReadRows"}`} {
		if m[name] <= was[name] {
			t.Errorf("%s is %v after %v", name, m[name], was[name])
		}
	}
	p.Stop(t)
}

var metricsTables = flag.Int("metrics.tables", 1000, "tables of TestMetricsOfManyTables; 10,000 take two minutes to make")

// TestMetricsOfManyTables holds that a scrape is as large with thousands of tables as with 60: the 50
// busiest have names, and what all did together is counted.
func TestMetricsOfManyTables(t *testing.T) {
	n := *metricsTables
	if testing.Short() {
		n = 300
	}
	ctx := context.Background()
	s := harness.Stores["pebble"](t)
	defer s.Close()
	db, err := saltsql.Open(ctx, s, &saltsql.Options{Logger: harness.Quiet, TrackStatements: 5000})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	start := time.Now()
	for i := range n {
		if _, err := db.Exec(ctx, fmt.Sprintf("CREATE TABLE t%d (a INT PRIMARY KEY, b VARCHAR) SALT_BUCKETS = 4; SELECT b FROM t%[1]d WHERE a = 1", i)); err != nil {
			t.Fatal(err)
		}
	}
	for range 9 {
		if _, err := db.Exec(ctx, fmt.Sprintf("SELECT b FROM t%d WHERE a = 1", n-1)); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d tables are made in %v", n, time.Since(start))
	srv := httptest.NewServer(metrics.New(session.Behind(db), s, "test"))
	defer srv.Close()
	var times []time.Duration
	for range 20 {
		start := time.Now()
		if _, status := get(t, srv.URL+"/metrics"); status != http.StatusOK {
			t.Fatal(status)
		}
		times = append(times, time.Since(start))
	}
	m := scrape(t, strings.TrimPrefix(srv.URL, "http://"))
	slices.Sort(times)
	t.Logf("%d series are scraped in %v (the median; %v the longest)", len(m), times[len(times)/2], times[len(times)-1])
	if len(m) > 2000 {
		t.Errorf("there are %d series", len(m))
	}
	named := 0
	for name := range m {
		if strings.HasPrefix(name, "saltsql_table_ops_total{") {
			named++
		}
	}
	if named != 100 {
		t.Errorf("%d series tell of tables, want 2 of each of 50", named)
	}
	for name, want := range map[string]float64{
		"saltsql_tables": float64(n), `saltsql_all_tables_ops_total{op="read"}`: float64(n + 9),
		fmt.Sprintf(`saltsql_table_ops_total{op="read",table="public.t%d"}`, n-1): 10,
	} {
		if m[name] != want {
			t.Errorf("%s is %v, want %v", name, m[name], want)
		}
	}
}

// TestReload changes the log's level and what sessions begin with, which stand in the configuration
// file, by SIGHUP and by pg_reload_conf, and a setting that takes a restart: the log names it, and
// not the others.
func TestReload(t *testing.T) {
	t.Run("signal", func(t *testing.T) {
		testReload(t, func(p *harness.Process, _ *pgx.Conn) error { return p.Cmd.Process.Signal(syscall.SIGHUP) })
	})
	t.Run("function", func(t *testing.T) {
		testReload(t, func(_ *harness.Process, c *pgx.Conn) error {
			var done bool
			if err := c.QueryRow(context.Background(), "SELECT pg_reload_conf()").Scan(&done); err != nil || !done {
				return fmt.Errorf("pg_reload_conf: %v, %v", done, err)
			}
			return nil
		})
	})
}

func testReload(t *testing.T, reload func(*harness.Process, *pgx.Conn) error) {
	conf := filepath.Join(t.TempDir(), "conf")
	set := func(level, timeout string, connections int) {
		t.Helper()
		if err := os.WriteFile(conf, []byte(fmt.Sprintf("log_level = %s\nstatement_timeout = %s\nmax_connections = %d\nlog_min_duration_statement = 0\n", level, timeout, connections)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set("error", "7s", 10)
	path, err := harness.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := harness.StartCommand(t, path, "serve", "--store", "mem:", "--listen", "127.0.0.1:0", "--config", conf)
	c := p.Connect(t)
	timeout := func(c *pgx.Conn, want string) {
		t.Helper()
		var got string
		if err := c.QueryRow(context.Background(), "SELECT setting || unit FROM pg_settings WHERE name = 'statement_timeout'").Scan(&got); err != nil || got != want {
			t.Errorf("statement_timeout is %s, not %s: %v", got, want, err)
		}
	}
	timeout(c, "7000ms")
	harness.MustExec(t, c, "SELECT 'before'")
	set("info", "9s", 11)
	if err := reload(p, c); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(harness.Patience); !strings.Contains(p.Log.String(), "SELECT $1, $2") && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		harness.MustExec(t, c, "SELECT 'after', 'secret'")
	}
	timeout(c, "7000ms")
	timeout(p.Connect(t), "9000ms")
	p.Stop(t)
	if log := p.Log.String(); !strings.Contains(log, "settings=[max-connections]") {
		t.Errorf("the log does not say what takes a restart:\n%s", log)
	}
	if log := p.Log.String(); strings.Contains(log, "before") || !strings.Contains(log, "SELECT $1, $2") || strings.Contains(log, "secret") {
		t.Errorf("the log says\n%s", log)
	}
}
