package servers

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/pebble"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

var (
	pushRows  = flag.Int("push.rows", 60_000, "rows that TestPushKilled pushes; the promise is 5,000,000")
	pushKills = flag.Int("push.kills", 5, "how often TestPushKilled kills a push; the promise is 20")
)

// TestPushKilled kills pushes of many rows to Bigtable, lets one come to its end, and compares
// both stores cell by cell.
func TestPushKilled(t *testing.T) {
	seeds.Sometimes(t)
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	t.Setenv("BIGTABLE_EMULATOR_HOST", emulator.Start(t))
	binary, err := harness.Build()
	if err != nil {
		t.Fatal(err)
	}
	from, to := "pebble:"+filepath.Join(t.TempDir(), "from"), "bigtable://test/test"
	p := harness.Start(t, from)
	c := p.Connect(t)
	harness.MustExec(t, c, "CREATE TABLE many (id BIGINT PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 16")
	const most = 250_000
	for at := 0; at < *pushRows; at += most {
		harness.MustExec(t, c, fmt.Sprintf("INSERT INTO many SELECT i, 'v' || i FROM generate_series(%d, %d) i", at, min(at+most, *pushRows)-1))
	}
	p.Stop(t)
	rng := rand.New(rand.NewPCG(8, 9))
	killed, done := 0, false
	for start := time.Now(); killed < *pushKills; killed++ {
		cmd := childproc.Command(binary, "push", "--from", from, "--to", to)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Within the time of the whole, on a machine that is not slow.
		time.Sleep(100*time.Millisecond + time.Duration(rng.IntN(1+*pushRows/1000))*time.Millisecond)
		_ = cmd.Process.Kill()
		if done = cmd.Wait() == nil; done {
			t.Logf("a push came to its end after %v and %d kills", time.Since(start), killed)
			break
		}
	}
	if !done {
		t.Logf("killed %d times: %s", killed, harness.MustCommand(t, "push", "--from", from, "--to", to))
	}
	cells, rows := sameStores(t, strings.TrimPrefix(from, "pebble:"), to)
	if rows < *pushRows {
		t.Errorf("%d rows are in the target", rows)
	}
	t.Logf("%d rows and %d cells are the same, with their timestamps", rows, cells)
}

// sameStores compares all tables of a folder with those of a Bigtable instance.
func sameStores(t *testing.T, dir, url string) (cells, rows int) {
	t.Helper()
	ctx := context.Background()
	a, err := pebble.Open(dir, &pebble.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	cfg, err := bigtable.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bigtable.Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	tables := func(s storage.Store) (names []string) {
		list, err := s.Admin().Tables(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range list {
			names = append(names, spec.Name)
		}
		slices.Sort(names)
		return names
	}
	names := tables(a)
	if other := tables(b); !slices.Equal(names, other) || len(names) == 0 {
		t.Fatalf("the tables are %v, not %v", other, names)
	}
	for _, name := range names {
		next, stop := iter.Pull(cellsOf(t, b, name))
		for want := range cellsOf(t, a, name) {
			got, _ := next()
			if got != want {
				stop()
				t.Fatalf("table %s: %+v, not %+v", name, got, want)
			}
			if cells++; want.first {
				rows++
			}
		}
		if more, ok := next(); ok {
			t.Errorf("table %s has %+v too", name, more)
		}
		stop()
	}
	return cells, rows
}

// rowCell is a cell, and whether its row begins with it.
type rowCell struct {
	key, family, qualifier, value string
	ts                            int64
	first                         bool
}

// cellsOf gives all cells of a table, those of a row in the order of their names.
func cellsOf(t *testing.T, s storage.Store, table string) iter.Seq[rowCell] {
	return func(yield func(rowCell) bool) {
		errDone := errors.New("done")
		err := storage.EachBatch(context.Background(), s.Table(table), &storage.ScanRequest{Spans: []storage.Span{{}}}, func(b *storage.RowBatch) error {
			for i := range b.Len() {
				var row []rowCell
				for j := range b.NumCells(i) {
					c := b.Cell(i, j)
					row = append(row, rowCell{key: string(b.Key(i)), family: c.Family, qualifier: string(c.Qualifier), value: string(c.Value), ts: c.Timestamp})
				}
				slices.SortFunc(row, func(x, y rowCell) int {
					return cmp.Or(strings.Compare(x.family, y.family), strings.Compare(x.qualifier, y.qualifier))
				})
				for j := range row {
					if row[j].first = j == 0; !yield(row[j]) {
						return errDone
					}
				}
			}
			return nil
		})
		if err != nil && err != errDone {
			t.Error(err)
		}
	}
}

// TestPush pushes tables of every salt from a folder to Bigtable and back, kills the pushes on
// the way, and asks the same of all three.
func TestPush(t *testing.T) {
	seeds.Sometimes(t)
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	t.Setenv("BIGTABLE_EMULATOR_HOST", emulator.Start(t))
	binary, err := harness.Build()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	first, far, back := "pebble:"+filepath.Join(root, "first"), "bigtable://test/test", "pebble:"+filepath.Join(root, "back")
	p := harness.Start(t, first)
	c := p.Connect(t)
	for _, salt := range harness.Salts {
		harness.MustExec(t, c, fmt.Sprintf("CREATE TABLE t%d (id INT, s VARCHAR, d DECIMAL, ts TIMESTAMP, f.j JSONB, PRIMARY KEY (id, s DESC)) SALT_BUCKETS = %d", salt, salt))
		harness.MustExec(t, c, fmt.Sprintf(`INSERT INTO t%d SELECT i, 's' || i %% 7, i / 3.0, TIMESTAMP '2024-01-01' + i * INTERVAL '1 minute', jsonb_build_object('i', i) FROM generate_series(1, 2500) i`, salt))
	}
	harness.MustExec(t, c, "CREATE SEQUENCE q")
	harness.MustExec(t, c, "SELECT nextval('q') FROM generate_series(1, 10)")
	ask := func(p *harness.Process) (out string) {
		c := p.Connect(t)
		for _, salt := range harness.Salts {
			var row string
			if err := c.QueryRow(context.Background(), fmt.Sprintf("SELECT concat_ws(' ', count(*), sum(id), min(s), max(d), max(ts), sum((j->>'i')::int)) FROM t%d", salt)).Scan(&row); err != nil {
				t.Fatal(err)
			}
			out += row + "\n"
		}
		return out
	}
	want := ask(p)
	if out, status := harness.Command(t, "push", "--from", first, "--to", far); status != 1 || !strings.Contains(out, "in use by another store") {
		t.Errorf("a push of a store that is open: %d, %s", status, out)
	}
	p.Stop(t)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, way := range []struct{ from, to string }{{first, far}, {far, back}} {
		killed := 0
		for range 6 {
			cmd := childproc.Command(binary, "push", "--from", way.from, "--to", way.to)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(100+rng.IntN(700)) * time.Millisecond)
			_ = cmd.Process.Kill()
			if cmd.Wait() == nil {
				break
			}
			killed++
		}
		out, status := harness.Command(t, "push", "--from", way.from, "--to", way.to)
		if status != 0 && !strings.Contains(out, "has a catalog already") {
			t.Fatalf("after %d kills: %s", killed, out)
		}
		t.Logf("%s to %s, killed %d times: %s", way.from, way.to, killed, out)
		harness.MustCommand(t, "check", "--store", way.to)
		p := harness.Start(t, way.to)
		if got := ask(p); got != want {
			t.Errorf("%s answers\n%s, not\n%s", way.to, got, want)
		}
		var next int
		if err := p.Connect(t).QueryRow(context.Background(), "SELECT nextval('q')").Scan(&next); err != nil || next <= 10 {
			t.Errorf("the next value of a sequence that gave 10 is %d: %v", next, err)
		}
		p.Stop(t)
	}
}
