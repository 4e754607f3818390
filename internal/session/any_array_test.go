package session

import (
	"context"
	"io"
	"testing"

	"github.com/saltsql/saltsql/internal/types"
)

// TestLongArrayReadsPoints asserts that = ANY($1) over 10,000 full keys reads those keys,
// in few calls, and nothing else.
func TestLongArrayReadsPoints(t *testing.T) {
	ctx := context.Background()
	s := allocSession(t)
	st, err := s.Prepare(ctx, "SELECT sum(bal) FROM acc WHERE id = ANY ($1)", []types.T{types.ArrayOf(types.Of(types.Int4))})
	if err != nil {
		t.Fatal(err)
	}
	const n = 10_000
	var keys []types.Datum
	for i := range n {
		keys = append(keys, types.NewInt(int64(n-i)), types.NullDatum)
	}
	p, err := s.Bind(ctx, "", st, []types.Datum{types.NewArray(types.Of(types.Int4), keys)})
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Cols[0].Datum(b.Row(0)).Int; got != 5050 {
		t.Fatal(got)
	}
	if _, err := p.Next(ctx); err != io.EOF {
		t.Fatal(err)
	}
	w := &p.q.cx.Work
	if w.RowsRead != 100 || w.Points != n || w.StorageCalls > n/100+16 {
		t.Fatalf("%d rows read, %d keys, %d calls", w.RowsRead, w.Points, w.StorageCalls)
	}
}
