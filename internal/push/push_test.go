package push_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/push"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// fill makes three tables with random rows: short keys, the longest ones, and none at all.
func fill(t *testing.T, s storage.Store) {
	t.Helper()
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 2))
	for i, name := range []string{"t.a", "t.b", "t.empty", "root"} {
		spec := storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "0"}, {Name: "f"}}, Splits: [][]byte{{0x40}, {0x80}}}
		if name == "t.b" {
			spec.Families[1].TTL = time.Hour
		}
		if err := s.Admin().CreateTable(ctx, spec); err != nil {
			t.Fatal(err)
		}
		n := []int{25_000, 3000, 0, 50}[i]
		var rows []storage.RowMutation
		for k := range n {
			row := storage.RowMutation{Key: fmt.Appendf([]byte{byte(rng.IntN(256))}, "%d", k)}
			if rng.IntN(500) == 0 {
				row.Key = append(row.Key, strings.Repeat("x", storage.MaxRowKeyBytes-len(row.Key))...)
			}
			for c := range 1 + rng.IntN(3) {
				row.Mutations = append(row.Mutations, storage.Mutation{
					Op: storage.SetCell, Family: []string{"0", "f"}[rng.IntN(2)], Qualifier: []byte{byte(c)},
					Timestamp: (time.Now().UnixMilli() - rng.Int64N(1e6)) * 1000, Value: []byte(strings.Repeat("v", rng.IntN(30))),
				})
			}
			rows = append(rows, row)
		}
		if name == "root" {
			rows = append(rows, storage.RowMutation{Key: []byte("last"), Mutations: []storage.Mutation{{Op: storage.SetCell, Family: "0", Timestamp: 1000}}})
		}
		for chunk := range slices.Chunk(rows, 1000) {
			if err := s.Table(name).Mutate(ctx, chunk, storage.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// dump writes all of a store down.
func dump(t *testing.T, s storage.Store) string {
	t.Helper()
	ctx := context.Background()
	tables, err := s.Admin().Tables(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, table := range tables {
		fmt.Fprintln(&out, table.Name, table.Families)
		sc, err := s.Table(table.Name).Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}, MinTS: time.Now().Add(-30 * time.Minute).UnixMicro()})
		if err != nil {
			t.Fatal(err)
		}
		var b storage.RowBatch
		for sc.Next(&b) == nil {
			for i := range b.Len() {
				var cells []string
				for j := range b.NumCells(i) {
					c := b.Cell(i, j)
					cells = append(cells, fmt.Sprint(c.Family, c.Qualifier, c.Timestamp, c.Value))
				}
				slices.Sort(cells)
				fmt.Fprintf(&out, "%x %s\n", b.Key(i), cells)
			}
		}
		sc.Close()
	}
	return out.String()
}

func options() push.Options {
	return push.Options{Source: "s", LastTable: "root", LastRow: []byte("last")}
}

// TestInterrupted ends a push at random moments and runs it again, until it is done: both
// stores are equal, and what was done was not done twice but for a piece per stream.
func TestInterrupted(t *testing.T) {
	from, to := mem.New(), mem.New()
	fill(t, from)
	want := dump(t, from)
	rng := rand.New(rand.NewPCG(3, 4))
	ctx := context.Background()
	runs := 0
	for ; ; runs++ {
		o := options()
		ending, end := context.WithCancel(ctx)
		at := rng.IntN(3 + runs)
		o.Progress = func(r push.Report) {
			if at--; at < 0 {
				end()
			}
		}
		o.Streams = 1
		_, err := push.Run(ending, from, to, o)
		end()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if strings.Contains(dump(t, to), "6c617374 ") {
			t.Fatal("the last row is there before the rest")
		}
	}
	if runs < 3 {
		t.Fatalf("%d runs were ended only", runs)
	}
	if got := dump(t, to); got != want {
		t.Errorf("the target has %d bytes, the source %d", len(got), len(want))
	}
	if _, err := push.Run(ctx, from, to, options()); !errors.Is(err, push.ErrThere) {
		t.Errorf("a push over a store that is whole: %v", err)
	}
}

// TestChanged changes both sides between two runs: the digests find it.
func TestChanged(t *testing.T) {
	from, to := mem.New(), mem.New()
	fill(t, from)
	ctx := context.Background()
	ending, end := context.WithCancel(ctx)
	o := options()
	pieces := 0
	o.Progress = func(push.Report) {
		if pieces++; pieces == 6 {
			end()
		}
	}
	if _, err := push.Run(ending, from, to, o); err == nil {
		t.Fatal("the push was to be ended")
	}
	end()
	put := func(s storage.Store, key string, ops ...storage.Mutation) {
		t.Helper()
		if err := s.Table("t.a").Mutate(ctx, []storage.RowMutation{{Key: []byte(key), Mutations: ops}}, storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	set := storage.Mutation{Op: storage.SetCell, Family: "0", Qualifier: []byte("n"), Timestamp: 1000, Value: []byte("new")}
	put(from, "\x10new", set)
	put(to, "\x11foreign", set)
	put(from, "\x10", storage.Mutation{Op: storage.DeleteRow}, set)
	o = options()
	o.Source = "another"
	if _, err := push.Run(ctx, from, to, o); err == nil || !strings.Contains(err.Error(), "another source") {
		t.Errorf("another source goes on with the push: %v", err)
	}
	r, err := push.Run(ctx, from, to, options())
	if err != nil || r.Mended == 0 {
		t.Fatalf("%d pieces were mended: %v", r.Mended, err)
	}
	if dump(t, from) != dump(t, to) {
		t.Error("the stores differ")
	}
}
