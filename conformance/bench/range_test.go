package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql"
)

// rangeForm is a way of asking for n neighbouring rows in key order: the page of a list.
type rangeForm struct {
	name, sql string
	params    int // $1 is the first key, $2 the one behind the last
}

// args are the parameters for n rows from k on.
func (f rangeForm) args(k, n int) []any { return []any{int64(k), int64(k + n)}[:f.params] }

// rangeForms are a range that ends and one that a limit ends.
func rangeForms(n int) []rangeForm {
	return []rangeForm{
		{"range", "SELECT k, n, v FROM t WHERE k >= $1 AND k < $2 ORDER BY k", 2},
		{"limit", fmt.Sprintf("SELECT k, n, v FROM t WHERE k >= $1 ORDER BY k LIMIT %d", n), 1},
	}
}

// BenchmarkRange reads 10 and 100 neighbouring rows in key order. With N buckets the floor
// is a bare iterator that is moved to each bucket's part of the range and merges nothing.
// cpu-µs/op is the processor time of this process: with "wire" that of the client, too.
func BenchmarkRange(b *testing.B) {
	for _, n := range []int{10, 100} {
		for _, salt := range []int{0, 16, 64} {
			name := fmt.Sprintf("%d/salt-%d/", n, salt)
			b.Run(name+"pebble", func(b *testing.B) { bareRange(b, bare(b, b.TempDir(), pointRows), n, max(salt, 1)) })
			db := openDB(b, b.TempDir())
			load(b, db, "t", salt, pointRows)
			for _, f := range rangeForms(n) {
				b.Run(name+"go-api/"+f.name, func(b *testing.B) { rangeByAPI(b, db, f, n) })
				b.Run(name+"wire/"+f.name, func(b *testing.B) { rangeOver(b, dial(b, db), f, n) })
			}
		}
		pg := postgres(b, pointRows)
		for _, f := range rangeForms(n) {
			b.Run(fmt.Sprintf("%d/postgres/%s", n, f.name), func(b *testing.B) { rangeOver(b, pg, f, n) })
		}
	}
}

// rangeStart gives where ranges of up to 100 rows begin.
func rangeStart(i int) int { return key(i) * (pointRows - 100) / pointRows }

func rangeByAPI(b *testing.B, db *saltsql.DB, f rangeForm, n int) {
	st := prepare(b, session(b, db), f.sql)
	ctx := context.Background()
	b.ReportAllocs()
	defer reportCPU(b)()
	for i := 0; b.Loop(); i++ {
		r, err := st.Query(ctx, f.args(rangeStart(i), n)...)
		if err != nil {
			b.Fatal(err)
		}
		rows := 0
		for r.Next() {
			rows++
		}
		if err := r.Close(); err != nil || rows != n {
			b.Fatal(rows, err)
		}
	}
}

// rangeOver reads through pgx with a prepared statement.
func rangeOver(b *testing.B, c *pgx.Conn, f rangeForm, n int) {
	ctx := context.Background()
	if _, err := c.Prepare(ctx, f.sql, f.sql); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	defer reportCPU(b)()
	for i := 0; b.Loop(); i++ {
		r, err := c.Query(ctx, f.sql, f.args(rangeStart(i), n)...)
		if err != nil {
			b.Fatal(err)
		}
		rows := 0
		for r.Next() {
			rows++
		}
		if rows != n || r.Err() != nil {
			b.Fatal(rows, r.Err())
		}
	}
}

// rangeFinder finds n rows that are spread over parts, each with its share, by an iterator
// that is moved from part to part.
func rangeFinder(db *pebble.DB, n, parts int) func() finder {
	return func() finder {
		var lo, hi []byte
		return func(k int, give func([]byte)) (int, error) {
			it, err := db.NewIter(nil)
			if err != nil {
				return 0, err
			}
			rows := 0
			for p := range parts {
				at := p*(pointRows/parts) + k/parts
				lo, hi = bareKey(lo[:0], at), bareKey(hi[:0], at+n*(p+1)/parts-n*p/parts)
				it.SetBounds(lo, hi)
				for ok := it.First(); ok; ok = it.Next() {
					rows++
					give(it.Value())
				}
			}
			return rows, it.Close()
		}
	}
}

// bareRange is the floor of ranges, without a socket.
func bareRange(b *testing.B, db *pebble.DB, n, parts int) {
	find, size := rangeFinder(db, n, parts)(), 0
	give := func(v []byte) { size += len(v) }
	b.ReportAllocs()
	defer reportCPU(b)()
	for i := 0; b.Loop(); i++ {
		if rows, err := find(rangeStart(i), give); err != nil || rows != n || size == 0 {
			b.Fatal(rows, err)
		}
	}
}

// BenchmarkRangeUpdated reads 100 neighbouring rows, N = 16, of a table whose rows have been
// updated three times each since it was loaded, and a bare Pebble after as many writes.
func BenchmarkRangeUpdated(b *testing.B) {
	const n, salt, times = 100, 16, 3
	for _, updated := range []bool{false, true} {
		state := map[bool]string{false: "clean", true: "updated"}[updated]
		b.Run(state+"/pebble", func(b *testing.B) {
			db := bare(b, b.TempDir(), pointRows)
			for i := 0; updated && i < times; i++ {
				fill(b, db, pointRows)
			}
			bareRange(b, db, n, salt)
		})
		db := openDB(b, b.TempDir())
		load(b, db, "t", salt, pointRows)
		for i := 0; updated && i < times*100; i++ {
			if _, err := db.Exec(context.Background(), "UPDATE t SET n = n + 1 WHERE k % 100 = $1", int64(i*7919%100)); err != nil {
				b.Fatal(err)
			}
		}
		for _, f := range rangeForms(n) {
			b.Run(state+"/go-api/"+f.name, func(b *testing.B) { rangeByAPI(b, db, f, n) })
		}
	}
}
