package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
)

// BenchmarkRange reads 10 and 100 neighbouring rows in key order: the page of a
// list. With N buckets the floor is a bare iterator that is moved to each bucket's
// part of the range and merges nothing.
func BenchmarkRange(b *testing.B) {
	for _, n := range []int{10, 100} {
		for _, salt := range []int{0, 16, 64} {
			name := fmt.Sprintf("%d/salt-%d/", n, salt)
			b.Run(name+"pebble", func(b *testing.B) { bareRange(b, n, max(salt, 1)) })
			b.Run(name+"go-api", func(b *testing.B) {
				db := openDB(b, b.TempDir())
				load(b, db, "t", salt, pointRows)
				s := session(b, db)
				ctx := context.Background()
				st, err := s.Prepare(ctx, rangeQuery)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					k := rangeStart(i)
					r, err := st.Query(ctx, k, k+int64(n))
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
			})
			b.Run(name+"wire", func(b *testing.B) {
				db := openDB(b, b.TempDir())
				load(b, db, "t", salt, pointRows)
				rangeOver(b, dial(b, db), n)
			})
		}
		b.Run(fmt.Sprintf("%d/postgres", n), func(b *testing.B) { rangeOver(b, postgres(b, pointRows), n) })
	}
}

const rangeQuery = "SELECT k, n, v FROM t WHERE k >= $1 AND k < $2 ORDER BY k"

// rangeStart gives where ranges of up to 100 rows begin.
func rangeStart(i int) int64 { return int64(key(i) * (pointRows - 100) / pointRows) }

// rangeOver reads through pgx with a prepared statement.
func rangeOver(b *testing.B, c *pgx.Conn, n int) {
	ctx := context.Background()
	if _, err := c.Prepare(ctx, "r", rangeQuery); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		k := rangeStart(i)
		r, err := c.Query(ctx, "r", k, k+int64(n))
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

// bareRange reads n rows that are spread over parts, each with its share.
func bareRange(b *testing.B, n, parts int) {
	db := bare(b, b.TempDir(), pointRows)
	var lo, hi []byte
	each := pointRows / parts
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		it, err := db.NewIter(nil)
		if err != nil {
			b.Fatal(err)
		}
		rows, size := 0, 0
		for p := range parts {
			at := p*each + int(rangeStart(i))/parts
			lo, hi = bareKey(lo[:0], at), bareKey(hi[:0], at+n*(p+1)/parts-n*p/parts)
			it.SetBounds(lo, hi)
			for ok := it.First(); ok; ok = it.Next() {
				rows++
				size += len(it.Key()) + len(it.Value())
			}
		}
		if err := it.Close(); err != nil || rows != n || size == 0 {
			b.Fatal(rows, err)
		}
	}
}

// BenchmarkRangeUpdated reads 100 neighbouring rows of a table whose rows have been
// updated three times each since it was loaded.
func BenchmarkRangeUpdated(b *testing.B) {
	for _, updated := range []bool{false, true} {
		b.Run(map[bool]string{false: "clean", true: "updated"}[updated], func(b *testing.B) {
			db := openDB(b, b.TempDir())
			load(b, db, "t", 16, pointRows)
			s := session(b, db)
			ctx := context.Background()
			for i := 0; updated && i < 300; i++ {
				at := int64(i * 7919 % 100)
				if _, err := s.Exec(ctx, "UPDATE t SET n = n + 1 WHERE k % 100 = $1", at); err != nil {
					b.Fatal(err)
				}
			}
			st, err := s.Prepare(ctx, rangeQuery)
			if err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				k := rangeStart(i)
				r, err := st.Query(ctx, k, k+100)
				if err != nil {
					b.Fatal(err)
				}
				for r.Next() {
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
