package transact

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestTimestampsRise: each timestamp is later than the one before, whichever server takes it, while
// their clocks differ by minutes and are set back and forth, between any two looks at them.
func TestTimestampsRise(t *testing.T) {
	ctx, base := context.Background(), mem.New()
	r := rand.New(rand.NewPCG(seeds.First(t), 3))
	if err := Wrap(base, Options{}).Admin().CreateTable(ctx, storage.TableSpec{Name: "t" + Mark, Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var servers []*Store
	for range 3 {
		servers = append(servers, Wrap(base, Options{Now: func() time.Time { return began.Add(time.Duration(r.Int64N(int64(10 * time.Minute)))) }}))
	}
	was := int64(0)
	for range 2000 {
		s := servers[r.IntN(len(servers))]
		at, err := s.oracle.take(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if at <= was {
			t.Fatalf("%d after %d", at, was)
		}
		was = at
	}
}

// TestTimestampLost: a number that has gone back, as of a store that was taken back to an older state,
// is no timestamp.
func TestTimestampLost(t *testing.T) {
	ctx, base := context.Background(), mem.New()
	s := Wrap(base, Options{})
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t" + Mark, Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.oracle.take(ctx); err != nil {
		t.Fatal(err)
	}
	if err := base.Admin().Truncate(ctx, RecordTable); err != nil {
		t.Fatal(err)
	}
	if at, err := s.oracle.take(ctx); storage.CodeOf(err) != storage.CodeCorruption {
		t.Fatalf("%d, %v", at, err)
	}
}
