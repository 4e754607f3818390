package bench

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkText reads one row by a text that no statement had before: parsing,
// planning and running it.
func BenchmarkText(b *testing.B) {
	db := openDB(b, b.TempDir())
	load(b, db, "t", 16, pointRows)
	s := session(b, db)
	ctx := context.Background()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r, err := s.Query(ctx, fmt.Sprintf("SELECT n, v FROM t WHERE k = %d", key(i)))
		if err != nil || !r.Next() {
			b.Fatal(err, r.Err())
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
