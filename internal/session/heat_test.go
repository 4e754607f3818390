package session_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/session/sessiontest"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/pebble"
)

// heatStores are the stores that the counters are compared on.
var heatStores = map[string]func(t *testing.T) storage.Store{
	"mem": func(*testing.T) storage.Store { return mem.New() },
	"pebble": func(t *testing.T) storage.Store {
		s, err := pebble.Open(t.TempDir(), &pebble.Options{Logger: slog.New(slog.DiscardHandler), NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		return s
	},
}

// heatRig is a table t (a, b, v, w) with two indexes, whose counters are compared.
type heatRig struct {
	*testing.T
	store storage.Store
	db    *session.DB
	s     *session.Session
	table *catalog.Table
	rows  map[[2]int]int // v by key
	was   map[string][]heatRow
	ahead atomic.Int64 // seconds that the clock has gone on
	asked int          // how often the counters were read
}

func (r *heatRig) now() time.Time { return time.Now().Add(time.Duration(r.ahead.Load()) * time.Second) }

// heatRow is a row of saltsql.bucket_skew.
type heatRow struct{ hits, misses, scans, read, returned, bytesRead, written, bytesWritten int64 }

func (a heatRow) less(b heatRow) heatRow {
	return heatRow{a.hits - b.hits, a.misses - b.misses, a.scans - b.scans, a.read - b.read, a.returned - b.returned, a.bytesRead - b.bytesRead, a.written - b.written, a.bytesWritten - b.bytesWritten}
}

func newHeatRig(t *testing.T, store storage.Store, n int) *heatRig {
	r := &heatRig{T: t, store: store, rows: map[[2]int]int{}}
	db, err := session.Open(context.Background(), store, &session.Options{Now: r.now})
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.NewSession(session.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		db.Close()
		store.Close()
	})
	r.db, r.s = db, s
	salt := ""
	if n > 0 {
		salt = fmt.Sprintf(" SALT_BUCKETS = %d", n)
	}
	r.run("CREATE TABLE t (a int, b int, v int, w int, PRIMARY KEY (a, b))" + salt)
	r.run("CREATE INDEX tv ON t (v)" + salt)
	r.run("CREATE UNIQUE INDEX tw ON t (w)")
	for _, of := range db.Catalog().Snapshot().Tables() {
		if of.Name == "t" {
			r.table = of
		}
	}
	return r
}

func (r *heatRig) run(text string) []string {
	r.Helper()
	rows, err := sessiontest.Rows(r.s, text)
	if err != nil {
		r.Fatalf("%s: %v", text, err)
	}
	return rows
}

// counts reads saltsql.bucket_skew, by the names of the table and its indexes.
func (r *heatRig) counts() map[string][]heatRow {
	all := map[string][]heatRow{}
	for _, row := range r.run(`SELECT coalesce(index_name, table_name), point_hits, point_misses, scans, rows_read, rows_returned, bytes_read, rows_written, bytes_written
		FROM saltsql.bucket_skew WHERE table_name = 't' ORDER BY index_name, bucket`) {
		parts := strings.Split(row, "|")[1:]
		var n [8]int64
		for i := range n {
			n[i], _ = strconv.ParseInt(parts[i+1], 10, 64)
		}
		all[parts[0]] = append(all[parts[0]], heatRow{n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]})
	}
	if r.asked++; r.asked > 100 && r.asked%25 > 0 {
		return all // by and by there are hours of minutes, each with a hundred pieces
	}
	const sums = `sum(reads), sum(writes), sum(rows_read), sum(rows_returned), sum(bytes_read), sum(bytes_written)`
	skew := r.run(`SELECT index_name, bucket, ` + strings.ReplaceAll(sums, "writes", "rows_written") + ` FROM saltsql.bucket_skew
		WHERE table_name = 't' GROUP BY 1, 2 HAVING sum(reads) + sum(rows_written) > 0 ORDER BY 1, 2`)
	if minutes := r.run(`SELECT index_name, bucket, ` + sums + ` FROM saltsql.heatmap WHERE table_name = 't' GROUP BY 1, 2 ORDER BY 1, 2`); !slices.Equal(skew, minutes) {
		r.Fatalf("minutes add up to\n%s\nand buckets to\n%s", strings.Join(minutes, "\n"), strings.Join(skew, "\n"))
	}
	return all
}

// growth is what was counted since the last call.
func (r *heatRig) growth() map[string][]heatRow {
	now, grown := r.counts(), map[string][]heatRow{}
	for name, list := range now {
		for b := range list {
			d := list[b]
			if r.was != nil {
				d = d.less(r.was[name][b])
			}
			grown[name] = append(grown[name], d)
		}
	}
	r.was = now
	return grown
}

// stored is what lies in the store of the table and its indexes: the cells of rows, by name and key.
func (r *heatRig) stored() map[string]map[string]string {
	all := map[string]map[string]string{}
	read := func(name, physical string) {
		rows := map[string]string{}
		err := storage.EachBatch(context.Background(), r.store.Table(physical), &storage.ScanRequest{Spans: []storage.Span{{}}}, func(rb *storage.RowBatch) error {
			for i := range rb.Len() {
				var cells strings.Builder
				for j := range rb.NumCells(i) {
					c := rb.Cell(i, j)
					fmt.Fprintf(&cells, "%s %x %d %x\n", c.Family, c.Qualifier, c.Timestamp, c.Value)
				}
				rows[string(rb.Key(i))] = cells.String()
			}
			return nil
		})
		if err != nil {
			r.Fatal(err)
		}
		all[name] = rows
	}
	read("t", r.table.Physical)
	for i := range r.table.Indexes {
		if x := &r.table.Indexes[i]; x.Kept() {
			read(x.Name, x.Physical)
		}
	}
	return all
}

// bucket is the place in the list of counts of a physical key of the table or an index.
func (r *heatRig) bucket(name, key string) int {
	k := &r.table.Codec().Key
	for i := range r.table.Indexes {
		if x := &r.table.Indexes[i]; x.Name == name {
			k = &x.Codec().Key
		}
	}
	return max(k.KeyBucket([]byte(key)), 0)
}

func (r *heatRig) rowBucket(key [2]int) int {
	phys, err := r.table.Codec().Key.AppendKey(nil, []types.Datum{types.NewInt(int64(key[0])), types.NewInt(int64(key[1]))})
	if err != nil {
		r.Fatal(err)
	}
	return r.bucket("t", string(phys))
}

// wrote runs statements and compares the rows written with those that differ in the store.
func (r *heatRig) wrote(statements ...string) {
	r.Helper()
	before := r.stored()
	r.growth()
	for _, text := range statements {
		r.run(text)
	}
	after, grown := r.stored(), r.growth()
	for name := range after {
		want := make([]int64, len(grown[name]))
		for key, cells := range after[name] {
			if before[name][key] != cells {
				want[r.bucket(name, key)]++
			}
		}
		for key := range before[name] {
			if _, there := after[name][key]; !there {
				want[r.bucket(name, key)]++
			}
		}
		for b := range want {
			if got := grown[name][b]; got.written != want[b] || (got.bytesWritten > 0) != (want[b] > 0) {
				r.Fatalf("%s: bucket %d of %s: %d rows written in %d bytes are counted, %d have changed", statements, b, name, got.written, got.bytesWritten, want[b])
			}
		}
	}
	r.rows = map[[2]int]int{}
	for _, row := range r.run("SELECT a, b, v FROM t") {
		var a, b, v int
		if _, err := fmt.Sscanf(row, "|%d|%d|%d", &a, &b, &v); err != nil {
			r.Fatal(row, err)
		}
		r.rows[[2]int{a, b}] = v
	}
	r.growth()
}

var actualReads = regexp.MustCompile(`rows read (\d+), bytes (\d+)`)

// reads runs a query, compares what is counted with what EXPLAIN ANALYZE says, and gives it.
func (r *heatRig) reads(text string) map[string][]heatRow {
	r.Helper()
	r.growth()
	explained := strings.Join(r.run("EXPLAIN (ANALYZE) "+text), "\n")
	grown := r.growth()
	var want, got [2]int64
	flat := strings.Join(strings.Fields(strings.ReplaceAll(explained, "|", " ")), " ")
	for _, m := range actualReads.FindAllStringSubmatch(flat, -1) {
		for i := range want {
			n, _ := strconv.ParseInt(m[i+1], 10, 64)
			want[i] += n
		}
	}
	for _, list := range grown {
		for _, c := range list {
			got[0], got[1] = got[0]+c.read, got[1]+c.bytesRead
			if c.hits < 0 || c.misses < 0 || c.returned < 0 || c.returned > c.read && !strings.Contains(text, "JOIN") || c.read > 0 && c.hits+c.scans == 0 {
				r.Fatalf("%s: a bucket counts %+v\n%s", text, c, explained)
			}
		}
	}
	if got != want {
		r.Fatalf("%s: rows read and their bytes are counted as %v\n%s", text, got, explained)
	}
	return grown
}

// points compares the lookups of keys with the model.
func (r *heatRig) points(text string, keys [][2]int, passes func(v int) bool) {
	r.Helper()
	grown := r.reads(text)["t"]
	want := make([]heatRow, len(grown))
	for _, k := range keys {
		w := &want[r.rowBucket(k)]
		v, there := r.rows[k]
		switch {
		case !there:
			w.misses++
		case passes(v):
			w.returned++
			fallthrough
		default:
			w.hits++
		}
	}
	for b, w := range want {
		if got := grown[b]; got.hits != w.hits || got.misses != w.misses || got.returned != w.returned || got.scans != 0 {
			r.Fatalf("%s: bucket %d counts %+v, not %+v", text, b, got, w)
		}
	}
}

// scans compares the rows that a scan of the table gives with the model.
func (r *heatRig) scans(text string, passes func(k [2]int, v int) bool) {
	r.Helper()
	grown := r.reads(text)["t"]
	want := make([]int64, len(grown))
	for k, v := range r.rows {
		if passes(k, v) {
			want[r.rowBucket(k)]++
		}
	}
	for b, n := range want {
		if got := grown[b]; got.returned != n || got.scans != 1 {
			r.Fatalf("%s: bucket %d counts %+v: %d rows pass", text, b, got, n)
		}
	}
}

// TestHeatEqualsModel compares what saltsql.bucket_skew says with what has changed in the store,
// with EXPLAIN ANALYZE, and with the rows that queries ask for.
func TestHeatEqualsModel(t *testing.T) {
	for name, open := range heatStores {
		for _, n := range []int{0, 1, 4, 16} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				r := newHeatRig(t, open(t), n)
				rng := rand.New(rand.NewPCG(seeds.First(t), uint64(n)))
				r.wrote("INSERT INTO t SELECT g % 8, g, g % 5, g FROM generate_series(1, 60) g")
				r.wrote("INSERT INTO t SELECT g % 8, g, g % 5, g FROM generate_series(1000, 3999) g") // a load
				r.wrote("DELETE FROM t WHERE b >= 1000")
				for range seeds.Amount(60, 600) {
					r.step(rng)
				}
			})
		}
	}
}

// step runs a random statement.
func (r *heatRig) step(rng *rand.Rand) {
	r.ahead.Add(rng.Int64N(50))
	a, b, v := rng.IntN(8), rng.IntN(60), rng.IntN(5)
	all := func(int) bool { return true }
	switch rng.IntN(20) {
	case 0:
		r.wrote(fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %d, NULL) ON CONFLICT DO NOTHING", a, b, v))
	case 1:
		r.wrote(fmt.Sprintf("INSERT INTO t SELECT %d, g, %d, NULL FROM generate_series(%d, %d) g ON CONFLICT (a, b) DO UPDATE SET v = excluded.v", a, v, b, b+9))
	case 2:
		r.wrote(fmt.Sprintf("UPDATE t SET v = %d WHERE a = %d", v, a))
	case 3:
		r.wrote("DELETE FROM t WHERE b >= 100") // where the next one moves rows to
		r.wrote(fmt.Sprintf("UPDATE t SET b = b + 100 WHERE a = %d AND b < %d", a, b), "UPDATE t SET b = b - 100 WHERE b >= 1000")
	case 4:
		r.wrote("DELETE FROM t WHERE b >= 100")
	case 5:
		r.wrote(fmt.Sprintf("UPSERT INTO t VALUES (%d, %d, %d, %d)", a, b, v, 10_000+a*100+b))
	case 6:
		r.wrote("BEGIN", fmt.Sprintf("DELETE FROM t WHERE a = %d AND b < %d", a, b), fmt.Sprintf("UPDATE t SET w = NULL WHERE a = %d", (a+1)%8), "COMMIT")
	case 7:
		r.wrote(fmt.Sprintf("DELETE FROM t WHERE a = %d AND b = %d", a, b))
	case 8:
		r.wrote(fmt.Sprintf("MERGE INTO t USING generate_series(%d, %d) g ON t.a = %d AND t.b = g WHEN MATCHED THEN UPDATE SET v = %d WHEN NOT MATCHED THEN INSERT VALUES (%d, g, %d, NULL)", b, b+3, a, v, a, v))
	case 9, 10:
		r.points(fmt.Sprintf("SELECT * FROM t WHERE a = %d AND b = %d", a, b), [][2]int{{a, b}}, all)
	case 11:
		r.points(fmt.Sprintf("SELECT * FROM t WHERE a = %d AND b = %d AND v = %d", a, b, v), [][2]int{{a, b}}, func(x int) bool { return x == v })
	case 12:
		var keys [][2]int
		var list []string
		for i := range 12 {
			k := [2]int{(a + i) % 8, (b + i*i) % 60}
			keys = append(keys, k)
			list = append(list, fmt.Sprintf("(%d, %d)", k[0], k[1]))
		}
		order := []string{"", " ORDER BY a, b", " ORDER BY a DESC, b DESC"}[rng.IntN(3)]
		r.points(fmt.Sprintf("SELECT * FROM t WHERE (a, b) IN (%s) AND v < %d%s", strings.Join(list, ", "), v, order), keys, func(x int) bool { return x < v })
	case 13:
		order := []string{"", " ORDER BY a, b", " ORDER BY a DESC, b DESC"}[rng.IntN(3)]
		r.scans(fmt.Sprintf("SELECT * FROM t WHERE a = %d%s", a, order), func(k [2]int, _ int) bool { return k[0] == a })
	case 14:
		r.scans(fmt.Sprintf("SELECT a, w FROM t WHERE v + 0 <> %d", v), func(_ [2]int, x int) bool { return x != v })
	case 15:
		r.scans(fmt.Sprintf("SELECT sum(v + w) FROM t WHERE a >= %d", a), func(k [2]int, _ int) bool { return k[0] >= a })
	case 16:
		for _, q := range []string{"SELECT * FROM t ORDER BY a, b LIMIT 5", "SELECT * FROM t LIMIT 7", "SELECT * FROM t WHERE v = 3 LIMIT 2", "SELECT DISTINCT a FROM t", "SELECT count(*) FROM t"} {
			r.reads(q)
		}
	case 17:
		r.reads(fmt.Sprintf("SELECT * FROM t WHERE v = %d", v))
		r.reads(fmt.Sprintf("SELECT * FROM t WHERE v = %d ORDER BY v, a, b LIMIT 4", v))
		r.reads(fmt.Sprintf("SELECT * FROM t WHERE w = %d", b))
	case 18:
		r.reads(fmt.Sprintf("SELECT x.a, y.b FROM t x JOIN t y ON y.a = x.v AND y.b = x.b WHERE x.a = %d", a))
	case 19:
		r.reads(fmt.Sprintf("SELECT * FROM t WHERE a = %d FOR UPDATE", a))
		r.reads(fmt.Sprintf("SELECT * FROM t TABLESAMPLE BERNOULLI (50) WHERE a <> %d", a))
	}
}

// TestHeatOfManySessions has sessions count side by side: no count is lost.
func TestHeatOfManySessions(t *testing.T) {
	r := newHeatRig(t, mem.New(), 4)
	r.run("INSERT INTO t SELECT g, g, g, g FROM generate_series(0, 99) g")
	r.growth()
	const sessions, each = 12, 150
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() {
			s, err := r.db.NewSession(session.SessionOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for j := range each {
				k := (i*each + j) % 200
				if _, err := sessiontest.Rows(s, fmt.Sprintf("SELECT v FROM t WHERE a = %d AND b = %d", k, k)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var got heatRow
	for _, c := range r.growth()["t"] {
		got.hits, got.misses = got.hits+c.hits, got.misses+c.misses
	}
	if got.hits != sessions*each/2 || got.misses != sessions*each/2 {
		t.Errorf("%d hits and %d misses are counted, of %d each", got.hits, got.misses, sessions*each/2)
	}
}
