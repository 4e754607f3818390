package servers

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
)

var memoryAll = flag.Bool("memory.all", false, "TestMemory runs each growing statement in four sessions at once, too")

// The server of TestMemory may take memoryGiven; its peak must stay below memoryPeak.
const (
	memoryGiven = 512 << 20
	memoryPeak  = memoryGiven - memoryGiven/16
)

// growing are statements that want more memory than there is, with big as the table
// big(id INT PRIMARY KEY, g INT, t TEXT) of 200,000 rows of about 200 bytes. Each gives
// its rows, or 53200 or 54000; done says that it must not fail.
var growing = []struct {
	name, sql string
	done      bool
}{
	{"sort", "SELECT * FROM big ORDER BY t || 'x', id", true},
	{"sort of large rows", "SELECT repeat(md5(i::text), 10000) AS t FROM generate_series(1, 2000) AS s(i) ORDER BY 1", true},
	{"groups", "SELECT t, count(*) FROM big GROUP BY t", true},
	{"groups of texts", "SELECT repeat(t, 10) AS r, count(*) FROM big GROUP BY 1", true},
	{"distinct", "SELECT DISTINCT t, id FROM big", true},
	{"top", "SELECT * FROM big ORDER BY t, id LIMIT 9000 OFFSET 5", true},
	{"count distinct", "SELECT count(DISTINCT t) FROM big", false},
	{"count distinct by group", "SELECT g, count(DISTINCT t) FROM big GROUP BY g", false},
	{"array_agg", "SELECT array_length(array_agg(t), 1) FROM big", false},
	{"array_agg of texts", "SELECT array_length(array_agg(repeat(t, 100)), 1) FROM big", false},
	{"array_agg by group", "SELECT g, array_agg(t) FROM big GROUP BY g", false},
	{"string_agg", "SELECT length(string_agg(repeat(t, 100), ',')) FROM big", false},
	{"string_agg by order", "SELECT length(string_agg(repeat(t, 30), ',' ORDER BY id DESC)) FROM big", false},
	{"json_agg", "SELECT length(json_agg(repeat(t, 20))::text) FROM big", false},
	{"json_object_agg", "SELECT length(json_object_agg(id, repeat(t, 20))::text) FROM big", false},
	{"percentile", "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY repeat(t, 8)) FROM big", false},
	{"mode", "SELECT length(mode() WITHIN GROUP (ORDER BY repeat(t, 5))) FROM big", true},
	{"min of texts", "SELECT id, length(min(repeat(t, 20))) FROM big GROUP BY id", true},
	{"large texts", "SELECT repeat('x', 1000000) FROM generate_series(1, 3000)", true},
	{"large texts in a condition", "SELECT count(*) FROM generate_series(1, 3000) AS s(i) WHERE length(repeat('x', 400000 + i)) > 5", true},
	{"large texts summed", "SELECT sum(length(repeat('x', 400000 + i))) FROM generate_series(1, 3000) AS s(i)", true},
	{"repeat", "SELECT length(repeat('x', 1000000000 + i)) FROM generate_series(1, 10) AS s(i)", false},
	{"repeat beyond a text", "SELECT length(repeat('xy', 1000000000))", false},
	{"lpad", "SELECT length(lpad('x', 250000000 + i)) FROM generate_series(1, 10) AS s(i)", false},
	{"replace", "SELECT length(replace(repeat('x', 1000000 + i), 'x', repeat('y', 2000))) FROM generate_series(1, 10) AS s(i)", false},
	{"regexp_replace", "SELECT length(regexp_replace(repeat('x', 1000000 + i), 'x', repeat('y', 2000), 'g')) FROM generate_series(1, 10) AS s(i)", false},
	{"regexp_replace of groups", "SELECT length(regexp_replace(repeat('x', 100000 + i), '(x+)', repeat('\\1', 10000), 'g')) FROM generate_series(1, 10) AS s(i)", false},
	{"translate", "SELECT length(translate(repeat('x', 100000000 + i), 'x', 'é')) FROM generate_series(1, 10) AS s(i)", false},
	{"concat", "SELECT length(concat(a, a, a, a, a, a, a, a)) FROM (SELECT repeat('x', 50000000 + i) AS a FROM generate_series(1, 10) AS s(i)) AS q", false},
	{"format", "SELECT length(format('%s%s%s%s%s%s', a, a, a, a, a, a)) FROM (SELECT repeat('x', 50000000 + i) AS a FROM generate_series(1, 10) AS s(i)) AS q", false},
	{"overlay", "SELECT length(overlay(a placing a from 5 for 1)) FROM (SELECT repeat('x', 50000000 + i) AS a FROM generate_series(1, 10) AS s(i)) AS q", false},
	{"quote_literal", "SELECT length(quote_literal(repeat('''', 50000000 + i))) FROM generate_series(1, 10) AS s(i)", false},
	{"encode", "SELECT length(encode(repeat('x', 50000000 + i)::bytea, 'hex')) FROM generate_series(1, 10) AS s(i)", false},
	{"to_char", "SELECT length(to_char(now(), repeat('Month', 20000000 + i))) FROM generate_series(1, 10) AS s(i)", false},
	{"to_char of a number", "SELECT length(to_char(i, repeat('9', 100000000))) FROM generate_series(1, 10) AS s(i)", false},
	{"string_to_array", "SELECT cardinality(string_to_array(repeat('x,', 30000000 + i), ',')) FROM generate_series(1, 10) AS s(i)", false},
	{"string_to_table", "SELECT count(*) FROM string_to_table(repeat('x,', 50000000), ',')", false},
	{"regexp_split_to_array", "SELECT cardinality(regexp_split_to_array(repeat('x,', 20000000 + i), ',')) FROM generate_series(1, 10) AS s(i)", false},
	{"regexp_split_to_table", "SELECT count(*) FROM regexp_split_to_table(repeat('x,', 50000000), ',')", false},
	{"regexp_matches", "SELECT count(*) FROM regexp_matches(repeat('x,', 50000000), 'x', 'g')", false},
	{"array_fill", "SELECT cardinality(array_fill(i, ARRAY[50000000])) FROM generate_series(1, 10) AS s(i)", false},
	{"array_cat", "SELECT cardinality(a || a || a || a) FROM (SELECT array_fill(i, ARRAY[300000]) AS a FROM generate_series(1, 100) AS s(i)) AS q", false},
	{"array to text", "SELECT length(array_fill(repeat('x', 1000 + i), ARRAY[300000])::text) FROM generate_series(1, 10) AS s(i)", false},
	{"array_to_string", "SELECT length(array_to_string(array_fill(repeat('x', 1000 + i), ARRAY[300000]), ',')) FROM generate_series(1, 10) AS s(i)", false},
	{"text to array", "SELECT cardinality(('{' || repeat('1,', 50000000) || '1}')::int[])", false},
	{"to_json", "SELECT length(to_json(array_fill(repeat('\"', 1000 + i), ARRAY[200000]))::text) FROM generate_series(1, 10) AS s(i)", false},
	{"text to jsonb", "SELECT length((('[' || repeat('1,', 20000000) || '1]')::jsonb)::text)", false},
	{"json_array_elements", "SELECT count(*) FROM json_array_elements(('[' || repeat('1,', 20000000) || '1]')::json)", false},
	{"numeric", "SELECT sum(2::numeric ^ (10000 + i % 1000)) FROM generate_series(1, 2000) AS s(i)", true},
	{"series", "SELECT count(*) FROM generate_series(1, 3000000)", true},
	{"insert of large texts", "INSERT INTO sink SELECT i, repeat(md5(i::text), 20000) FROM generate_series(1, 1500) AS s(i)", false},
	{"insert returning", "INSERT INTO sink SELECT i, repeat('x', 200) FROM generate_series(1, 200000) AS s(i) RETURNING k, t || t", true},
	{"insert on conflict", "INSERT INTO sink SELECT i, repeat('y', 200) FROM generate_series(1, 40000) AS s(i) ON CONFLICT (k) DO UPDATE SET t = excluded.t", true},
	{"update", "UPDATE big SET t = repeat(t, 20)", false},
	{"list", "SELECT count(*) FROM big WHERE id IN (" + strings.Repeat("1,", 9000) + "2)", true},
}

// TestMemory makes statements, sessions and what they hold grow on a server with 512 MB:
// its peak stays below that, what it refuses is 53200 or 54000, and others are answered
// all the while.
func TestMemory(t *testing.T) {
	seeds.Sometimes(t)
	if testing.Short() {
		t.Skip("needs a server and a minute")
	}
	p := memoryServer{harness.Start(t, "pebble:"+filepath.Join(t.TempDir(), "store"), "--memory", "512MB", "--max-connections", "200")}
	c := p.Connect(t)
	harness.MustExec(t, c, "CREATE TABLE big (id INT PRIMARY KEY, g INT, t TEXT) SALT_BUCKETS = 8")
	harness.MustExec(t, c, "CREATE TABLE sink (k INT PRIMARY KEY, t TEXT)")
	harness.MustExec(t, c, "INSERT INTO big SELECT i, i % 100, repeat(md5(i::text), 6) FROM generate_series(1, 200000) AS s(i)")
	stop := answered(t, p.Process)
	defer stop()
	for i := range seeds.Part(t, len(growing), seeds.Whole) {
		g := growing[i]
		t.Run(g.name, func(t *testing.T) {
			start := time.Now()
			err := p.drain(t, g.sql)
			p.look(t, g.name, start, err)
			if err != nil && (g.done || !outOfMemory(err)) {
				t.Errorf("%v", told(err))
			}
		})
		harness.MustExec(t, c, "TRUNCATE sink")
		if *memoryAll {
			t.Run(g.name+", four at once", func(t *testing.T) {
				start := time.Now()
				var wg sync.WaitGroup
				for range 4 {
					wg.Go(func() {
						if err := p.drain(t, g.sql); err != nil && !outOfMemory(err) && !conflict(err) {
							t.Errorf("%v", told(err))
						}
					})
				}
				wg.Wait()
				p.look(t, g.name, start, nil)
			})
			harness.MustExec(t, c, "TRUNCATE sink")
		}
	}
	t.Run("prepared statements", func(t *testing.T) { p.holdStatements(t) })
	t.Run("portals", func(t *testing.T) { p.holdPortals(t) })
	t.Run("cursors", func(t *testing.T) { p.holdCursors(t) })
	t.Run("sessions", func(t *testing.T) { p.holdSessions(t) })
	t.Run("after", func(t *testing.T) {
		if err := p.drain(t, "SELECT count(*) FROM big"); err != nil {
			t.Fatal("what was held was not given back: ", err)
		}
	})
}

func outOfMemory(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "53200" || e.Code == "54000" && e.Detail+e.Message != "")
}

func conflict(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "23505" || e.Code == "40001" || e.Code == "40P01")
}

func told(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return fmt.Sprintf("%s %s %s", e.Code, e.Message, e.Detail)
	}
	return err.Error()
}

// memoryServer is a server whose memory is looked at.
type memoryServer struct{ *harness.Process }

// drain reads the result of a statement in a session of its own.
func (p memoryServer) drain(t *testing.T, sql string) error {
	c := p.Connect(t)
	defer c.Close(context.Background())
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	r := c.PgConn().ExecParams(ctx, sql, nil, nil, nil, nil)
	for r.NextRow() {
	}
	_, err := r.Close()
	return err
}

var vmHWM = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peak is the most memory the process had since the last call, in bytes.
func (p memoryServer) peak(t *testing.T) int64 {
	dir := fmt.Sprintf("/proc/%d/", p.Cmd.Process.Pid)
	b, err := os.ReadFile(dir + "status")
	if err != nil {
		t.Skip("needs /proc: ", err)
	}
	m := vmHWM.FindSubmatch(b)
	if m == nil {
		t.Fatalf("no VmHWM in %s", b)
	}
	n, _ := strconv.ParseInt(string(m[1]), 10, 64)
	_ = os.WriteFile(dir+"clear_refs", []byte("5"), 0) // begins anew, where that is allowed
	return n << 10
}

// look holds the peak to its bound.
func (p memoryServer) look(t *testing.T, what string, start time.Time, err error) {
	t.Helper()
	n := p.peak(t)
	end := "done"
	if err != nil {
		end = told(err)
	}
	t.Logf("%-28s %4d MB %5.1f s  %s", what, n>>20, time.Since(start).Seconds(), end)
	if n > memoryPeak {
		t.Errorf("%d MB at the peak", n>>20)
	}
}

// answered asks a small question again and again until it is stopped.
func answered(t *testing.T, p *harness.Process) (stop func()) {
	c := p.Connect(t)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				t.Logf("%d small statements were answered meanwhile", n)
				return
			case <-time.After(20 * time.Millisecond):
			}
			ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
			var g int
			err := c.QueryRow(ctx, "SELECT g FROM big WHERE id = $1", 1+n%1000).Scan(&g)
			cancel()
			if err != nil && !outOfMemory(err) {
				t.Errorf("another session was not answered: %v", err)
				return
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
		_ = c.Close(context.Background())
	}
}

// holdStatements prepares scans of many columns, runs each, and keeps them.
func (p memoryServer) holdStatements(t *testing.T) {
	start := time.Now()
	var last error
	cols := strings.Repeat("id, g, t, id + 1, g + 1, t || 'x', ", 3) + "id"
	for range 4 {
		c := p.Connect(t)
		defer c.Close(context.Background())
		for i := range 40 {
			name := fmt.Sprint("s", i)
			if _, last = c.Prepare(context.Background(), name, fmt.Sprintf("SELECT %s FROM big WHERE id < %d", cols, 1100+i)); last != nil {
				break
			}
			r := c.PgConn().ExecPrepared(context.Background(), name, nil, nil, nil)
			for r.NextRow() {
			}
			if _, last = r.Close(); last != nil {
				break
			}
		}
		if last != nil && !outOfMemory(last) {
			t.Error(told(last))
		}
	}
	p.look(t, "prepared statements", start, last)
}

// holdPortals binds portals and takes a row of each.
func (p memoryServer) holdPortals(t *testing.T) {
	start := time.Now()
	c := p.Connect(t)
	defer c.Close(context.Background())
	ctx := context.Background()
	harness.MustExec(t, c, "BEGIN")
	if _, err := c.Prepare(ctx, "q", "SELECT * FROM big WHERE id > $1"); err != nil {
		t.Fatal(err)
	}
	f := c.PgConn().Frontend()
	var last error
	n := 0
	for ; n < 10000 && last == nil; n += 50 {
		for i := range 50 {
			sendPortal(f, fmt.Sprint("p", n+i))
		}
		last = endPortals(t, f)
	}
	if last != nil && !outOfMemory(last) {
		t.Error(told(last))
	}
	p.look(t, fmt.Sprintf("%d portals", n), start, last)
}

// holdCursors declares cursors, each with a sort of its own.
func (p memoryServer) holdCursors(t *testing.T) {
	start := time.Now()
	c := p.Connect(t)
	defer c.Close(context.Background())
	harness.MustExec(t, c, "BEGIN")
	var err error
	n := 0
	for ; n < 30 && err == nil; n++ {
		if _, err = c.Exec(context.Background(), fmt.Sprintf("DECLARE c%d CURSOR FOR SELECT * FROM big WHERE id < 30000 ORDER BY t", n)); err == nil {
			_, err = c.Exec(context.Background(), fmt.Sprintf("FETCH 1 FROM c%d", n))
		}
	}
	if err != nil && !outOfMemory(err) {
		t.Error(told(err))
	}
	p.look(t, fmt.Sprintf("%d cursors", n), start, err)
}

// holdSessions opens sessions that have run a scan and a prepared statement each.
func (p memoryServer) holdSessions(t *testing.T) {
	start := time.Now()
	for range 150 {
		c := p.Connect(t)
		defer c.Close(context.Background())
		var n int
		if err := c.QueryRow(context.Background(), "SELECT count(t) FROM (SELECT * FROM big LIMIT 5000) AS q").Scan(&n); err != nil && !outOfMemory(err) {
			t.Fatal(told(err))
		}
	}
	p.look(t, "sessions", start, nil)
}

// sendPortal binds a portal of the statement q and asks for one row.
func sendPortal(f *pgproto3.Frontend, name string) {
	f.SendBind(&pgproto3.Bind{DestinationPortal: name, PreparedStatement: "q", Parameters: [][]byte{[]byte("5")}})
	f.SendExecute(&pgproto3.Execute{Portal: name, MaxRows: 1})
}

// endPortals sends what was bound and reads the answers.
func endPortals(t *testing.T, f *pgproto3.Frontend) (err error) {
	f.SendSync(&pgproto3.Sync{})
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	for {
		m, e := f.Receive()
		if e != nil {
			t.Fatal(e)
		}
		switch m := m.(type) {
		case *pgproto3.ErrorResponse:
			err = pgconn.ErrorResponseToPgError(m)
		case *pgproto3.ReadyForQuery:
			return err
		}
	}
}
