package mem

import (
	"context"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/storagetest"
)

func TestStore(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) storage.Store {
		s := New()
		t.Cleanup(func() { s.Close() })
		return s
	})
}

func TestTTL(t *testing.T) {
	now := time.UnixMilli(100_000)
	s := New(WithClock(func() time.Time { return now }))
	defer s.Close()
	ctx := context.Background()
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f", TTL: 10 * time.Second}}}); err != nil {
		t.Fatal(err)
	}
	tb := s.Table("t")
	write := storage.RowMutation{Key: []byte("k"), Mutations: []storage.Mutation{
		{Op: storage.SetCell, Family: "f", Qualifier: []byte("old"), Timestamp: 91_000_000},
		{Op: storage.SetCell, Family: "f", Qualifier: []byte("new"), Timestamp: 95_000_000},
	}}
	if err := tb.Mutate(ctx, []storage.RowMutation{write}, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2, 1, 0} {
		var b storage.RowBatch
		if _, err := tb.MultiGet(ctx, [][]byte{[]byte("k")}, nil, &b); err != nil {
			t.Fatal(err)
		}
		got := 0
		if b.Len() > 0 {
			got = b.NumCells(0)
		}
		if got != want {
			t.Fatalf("at %v: %d cells, want %d", now, got, want)
		}
		now = now.Add(3 * time.Second)
	}
}
