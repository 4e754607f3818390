package conformance

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
)

// TestFamilyMap attaches tables whose qualifiers are data: what is read, written and
// refused is in testdata/family_map.
func TestFamilyMap(t *testing.T) {
	for _, name := range []string{"mem", "pebble", "bigtable"} {
		t.Run(name, func(t *testing.T) {
			f := openOver(t, harness.Stores[name](t))
			f.createTable(t, "links", "kind", "meta", "num")
			f.createTable(t, "odd", "kind", "meta", "num")
			putFamilies(t, f.Store, "links", [][4]string{
				{"2#p1", "kind", "com.a", "x"}, {"2#p1", "kind", "com.b", "y"}, {"2#p1", "meta", "lang", "en"}, {"2#p1", "meta", "title", "One"},
				{"3#p2", "kind", "com.a", "y"}, {"3#p2", "num", "hits", "\x00\x00\x00\x00\x00\x00\x00\x07"}, {"3#p2", "kind", "com.d", ""},
				{"0#p3", "meta", "title", "Three"},
			})
			putFamilies(t, f.Store, "odd", [][4]string{{"a", "kind", "a", "12345678"}, {"a", "kind", "\xff\xfe", "12345678"}, {"b", "kind", "a", "123"}})
			f.playGolden(t, "testdata/family_map")
		})
	}
}

// putFamilies writes cells as others do: key, family, qualifier, value.
func putFamilies(t testing.TB, store storage.Store, table string, cells [][4]string) {
	var rows []storage.RowMutation
	for _, c := range cells {
		if len(rows) == 0 || string(rows[len(rows)-1].Key) != c[0] {
			rows = append(rows, storage.RowMutation{Key: []byte(c[0])})
		}
		r := &rows[len(rows)-1]
		r.Mutations = append(r.Mutations, storage.Mutation{Op: storage.SetCell, Family: c[1], Qualifier: []byte(c[2]), Timestamp: 1000, Value: []byte(c[3])})
	}
	if err := store.Table(table).Mutate(context.Background(), rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// countedCells is a store that counts the cells which reads hand over.
type countedCells struct {
	storage.Store
	cells atomic.Int64
}

func (c *countedCells) Table(name string) storage.Table {
	return &countedTable{c.Store.Table(name), c}
}

type countedTable struct {
	storage.Table
	of *countedCells
}

func (t *countedTable) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (storage.ScanStats, bool, error) {
	return storage.FirstRows(ctx, t, req, dst)
}

func (t *countedTable) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	s, err := t.Table.Scan(ctx, req)
	if err != nil {
		return nil, err
	}
	return &countedScanner{s, t.of}, nil
}

func (t *countedTable) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	n := dst.Len()
	calls, err := t.Table.MultiGet(ctx, keys, req, dst)
	t.of.count(dst, n)
	return calls, err
}

type countedScanner struct {
	storage.Scanner
	of *countedCells
}

func (s *countedScanner) Next(dst *storage.RowBatch) error {
	err := s.Scanner.Next(dst)
	if err == nil {
		s.of.count(dst, 0)
	}
	return err
}

// count adds the cells of dst's rows from n on.
func (c *countedCells) count(dst *storage.RowBatch, n int) {
	if w := dst.Columns(); w > 0 {
		for _, ref := range dst.Values()[n*w:] {
			if ref.Lo <= ref.Hi {
				c.cells.Add(1)
			}
		}
		return
	}
	for i := n; i < dst.Len(); i++ {
		c.cells.Add(int64(len(dst.Refs(i))))
	}
}

var wideCells = flag.Int("wide-cells", 2_000, "qualifiers of a row of TestWideRow on the emulator; at least 2,000")

// TestWideRow reads rows of 100,000 qualifiers: one of them is one cell of the store, and
// all of them go by in batches.
func TestWideRow(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	for _, name := range []string{"mem", "pebble", "bigtable"} {
		t.Run(name, func(t *testing.T) {
			wide := 100_000
			if name == "bigtable" {
				wide = *wideCells // the emulator sorts a row's qualifiers anew for each that it adds
			}
			store := &countedCells{Store: harness.Stores[name](t)}
			f := openOver(t, store)
			f.createTable(t, "wide", "cf", "other")
			for _, key := range []string{"a", "b", "c"} {
				var cells [][4]string
				for i := range wide {
					cells = append(cells, [4]string{key, "cf", fmt.Sprintf("q%06d", i), fmt.Sprintf("value %d of %s", i, key)})
					if len(cells) == 20_000 || i == wide-1 { // as many changes of a row as one request takes
						putFamilies(t, f.Store, "wide", cells)
						cells = cells[:0]
					}
				}
			}
			mustRun(t, f.Session, "ATTACH TABLE wide (k text, cf.* text, other.* text) KEY FORMAT (k) FROM 'wide'")
			ask := func(sql, want string) int64 {
				t.Helper()
				store.cells.Store(0)
				rows, err := sessionTry(f.Session, sql)
				if got := strings.Join(flatten(rows), " "); err != nil || got != want {
					t.Fatalf("%s: %v %q, not %q", sql, err, got, want)
				}
				return store.cells.Load()
			}
			for sql, want := range map[string]string{
				"SELECT cf['q001234'] FROM wide WHERE k = 'b'":                       "value 1234 of b",
				"SELECT cf['q001234'] FROM wide WHERE k >= 'b' AND k < 'c'":          "value 1234 of b",
				"SELECT k FROM wide WHERE cf['q001999'] = 'value 1999 of c'":         "c",
				"SELECT cf['q000000'], cf['none'] FROM wide ORDER BY k DESC LIMIT 1": "value 0 of c|<nil>",
			} {
				most := int64(1)
				if !strings.Contains(sql, "k = ") && !strings.Contains(sql, "k >=") {
					most = 16 // of three rows; one more cell of each may tell that it is there
				}
				if n := ask(sql, want); n > most {
					t.Errorf("%s reads %d cells", sql, n)
				}
			}
			if n := ask("SELECT count(*), min(u.qualifier), max(length(u.value)) FROM wide, unnest(cf) u", fmt.Sprintf("%d|q000000|%d", 3*wide, len(fmt.Sprintf("value %d of c", wide-1)))); n != int64(3*wide) {
				t.Errorf("unnest reads %d cells", n)
			}
			ask("SELECT u.value FROM wide, unnest(cf) u WHERE k = 'c' AND u.qualifier = 'q000777'", "value 777 of c")
			mustRun(t, f.Session, "UPDATE wide SET cf['q001234'] = 'new' WHERE k = 'b'")
			ask("SELECT cf['q001234'], cf['q001235'] FROM wide WHERE k = 'b'", "new|value 1235 of b")
		})
	}
}

// TestWideRowsInFlatMemory takes all qualifiers of many wide rows one by one: what statements
// hold meanwhile is what a few of the rows take, however many there are.
func TestWideRowsInFlatMemory(t *testing.T) {
	seeds.Sometimes(t)
	const rows, wide = 24, 20_000
	f := openOver(t, harness.Stores["pebble"](t))
	f.createTable(t, "wide", "cf")
	for row := range rows {
		var cells [][4]string
		for i := range wide {
			cells = append(cells, [4]string{fmt.Sprintf("%02d", row), "cf", fmt.Sprintf("q%06d", i), fmt.Sprintf("a value of some length, number %d", i)})
		}
		putFamilies(t, f.Store, "wide", cells)
	}
	mustRun(t, f.Session, "ATTACH TABLE wide (k text, cf.* text) KEY FORMAT (k) FROM 'wide'")
	peak := func(rows int) (most int64) {
		t.Helper()
		all, err := f.Query(context.Background(), fmt.Sprintf("SELECT k, u.qualifier, u.value FROM wide, unnest(cf) u WHERE k < '%02d'", rows))
		if err != nil {
			t.Fatal(err)
		}
		defer all.Close()
		n := 0
		for ; all.Next(); n++ {
			if n%1000 == 0 {
				most = max(most, f.db.Stats().Memory)
			}
		}
		if err := all.Err(); err != nil || n != rows*wide {
			t.Fatalf("%d rows: %v", n, err)
		}
		return most
	}
	few, many := peak(6), peak(rows)
	if t.Logf("%d bytes for 6 rows, %d for %d", few, many, rows); many > few*2 {
		t.Error("it grows with them")
	}
}
