package tablets_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/storagetest"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
	"github.com/saltsql/saltsql/storage/storagetest/tablets"
)

func open(t testing.TB, o tablets.Options) (*tablets.Cluster, storage.Store) {
	t.Helper()
	c := tablets.New(o)
	s, err := bigtable.Open(context.Background(), bigtable.Config{Project: "p", Instance: "i", Emulator: emulator.Start(t, c.ServerOptions()...)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, s
}

// The store keeps its whole contract while tablets move.
func TestStore(t *testing.T) {
	var total tablets.Counts
	storagetest.Run(t, func(t testing.TB) storage.Store {
		c, s := open(t, tablets.Options{Reads: 3, Writes: 6})
		t.Cleanup(func() {
			n := c.Counts()
			total.Streams += n.Streams
			total.Broken += n.Broken
			total.Scanned += n.Scanned
			total.Refused += n.Refused
			total.Lost += n.Lost
		})
		return s
	})
	t.Logf("%+v", total)
	if total.Broken == 0 || total.Refused == 0 || total.Lost == 0 {
		t.Error("hardly anything has moved")
	}
}

// A write whose answer is lost is looked for by one read of each request, however its messages are cut.
func TestLostWritesAreFound(t *testing.T) {
	seeds.Sometimes(t)
	ctx := context.Background()
	c, s := open(t, tablets.Options{Writes: 2})
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	tb := s.Table("t")
	for batch := range 100 {
		muts := make([]storage.RowMutation, 20)
		for i := range muts {
			key := fmt.Appendf(nil, "%d/%02d", batch, i)
			muts[i] = storage.RowMutation{Key: key}
			for q := range 3 {
				muts[i].Mutations = append(muts[i].Mutations, storage.Mutation{
					Op: storage.SetCell, Family: "f", Qualifier: []byte{'a' + byte(q)}, Timestamp: 1000 * int64(batch+1), Value: key})
			}
		}
		if err := tb.Mutate(ctx, muts, storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	n := c.Counts()
	t.Logf("%+v", n)
	if n.Lost < 5 || n.Streams != n.Lost {
		t.Errorf("%d answers lost, %d reads", n.Lost, n.Streams)
	}
}

// rows fills a table with keys of several lengths in three salt buckets.
func rows(t *testing.T, s storage.Store) (tb storage.Table, keys []string) {
	t.Helper()
	ctx := context.Background()
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}, {Name: "g"}}}); err != nil {
		t.Fatal(err)
	}
	var batch []storage.RowMutation
	for b := range 3 {
		for i := range 6 {
			for _, tail := range []string{"", "\x00", "\xff\xff"} {
				key := fmt.Sprintf("%c%c%s", b, 10*i, tail)
				keys = append(keys, key)
				batch = append(batch, storage.RowMutation{Key: []byte(key), Mutations: []storage.Mutation{
					{Op: storage.SetCell, Family: "f", Qualifier: []byte("q"), Timestamp: 1000, Value: []byte("value of " + key)},
					{Op: storage.SetCell, Family: "g", Qualifier: []byte(key), Timestamp: 1000, Value: []byte{}},
				}})
			}
		}
	}
	if err := s.Table("t").Mutate(ctx, batch, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	return s.Table("t"), keys
}

// A scan that is stopped at any row, in any way, goes on with the next: no row
// is lost, none comes twice.
func TestStopAtEveryRow(t *testing.T) {
	c, s := open(t, tablets.Options{})
	tb, keys := rows(t, s)
	for _, spans := range [][]storage.Span{
		{{}},
		{{Start: []byte("\x00\x14"), End: []byte("\x02\x1e")}},
		{{End: []byte("\x00\x1e")}, {Start: []byte("\x00\x1e"), End: []byte("\x01")}, {Start: []byte("\x01\x0a\x00"), End: []byte("\x01\x0a\x01")}, {Start: []byte("\x02\x28")}},
	} {
		var want []string
		for _, k := range keys {
			for _, sp := range spans {
				if k >= string(sp.Start) && (len(sp.End) == 0 || k < string(sp.End)) {
					want = append(want, k)
				}
			}
		}
		for _, reverse := range []bool{false, true} {
			if reverse {
				slices.Reverse(want)
			}
			for _, limit := range []int64{0, 1, 7} {
				wanted := want
				if limit > 0 {
					wanted = want[:limit]
				}
				for i, at := range wanted {
					for _, how := range tablets.Hows() {
						c.Restart(uint64(i))
						c.SetSplits("t", [][]byte{[]byte(at), []byte(at)[:1], append([]byte(at), 0), {1}, {2}})
						c.StopAt([]byte(at), how)
						got := scan(t, tb, storage.ScanRequest{Spans: spans, Reverse: reverse, Limit: limit})
						if !slices.Equal(got, wanted) {
							t.Fatalf("stopped %v %q, reverse %v, limit %d:\n%q, want\n%q", how, at, reverse, limit, got, wanted)
						}
						if !c.Stopped() {
							t.Fatalf("no stream has come to %q", at)
						}
					}
				}
			}
		}
	}
	t.Logf("%+v", c.Counts())
}

// scan gives the keys, and checks the cells.
func scan(t *testing.T, tb storage.Table, req storage.ScanRequest) (keys []string) {
	t.Helper()
	sc, err := tb.Scan(context.Background(), &req)
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Close()
	var b storage.RowBatch
	for {
		err := sc.Next(&b)
		if err == io.EOF {
			return keys
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Len() {
			key := string(b.Key(i))
			keys = append(keys, key)
			if b.NumCells(i) != 2 {
				t.Fatalf("%q has %d cells", key, b.NumCells(i))
			}
			for j := range 2 {
				if c := b.Cell(i, j); string(c.Family) == "f" && string(c.Value) != "value of "+key || string(c.Family) == "g" && string(c.Qualifier) != key {
					t.Fatalf("%q: %q %q %q", key, c.Family, c.Qualifier, c.Value)
				}
			}
		}
	}
}

// The same seed gives the same fates; tablets move by it, and are told.
func TestSeed(t *testing.T) {
	c, s := open(t, tablets.Options{Reads: 2})
	tb, _ := rows(t, s)
	run := func(seed uint64) (splits [][]byte, n tablets.Counts) {
		c.Restart(seed)
		before := c.Counts()
		for range 30 {
			scan(t, tb, storage.ScanRequest{Spans: []storage.Span{{}}})
			c.Move()
		}
		n = c.Counts()
		n.Broken -= before.Broken
		n.Streams -= before.Streams
		n.Scanned -= before.Scanned
		n.Moves -= before.Moves
		return c.Splits("t"), n
	}
	splits, n := run(7)
	splits2, n2 := run(7)
	if n != n2 || !slices.EqualFunc(splits, splits2, slices.Equal) {
		t.Errorf("%+v %q, then %+v %q", n, splits, n2, splits2)
	}
	if n.Broken == 0 || n.Scanned == 0 || n.Moves == 0 || len(splits) == 0 {
		t.Errorf("%+v %q", n, splits)
	}
	pieces, err := tb.Tablets(context.Background(), storage.Span{})
	if err != nil || len(pieces) != len(splits)+1 {
		t.Errorf("%d tablets, %v; splits %q", len(pieces), err, splits)
	}
}

// A conditional write that a tablet refuses is not known to have happened, and
// has not.
func TestConditional(t *testing.T) {
	_, s := open(t, tablets.Options{Conditional: 1})
	tb, keys := rows(t, s)
	ctx := context.Background()
	set := []storage.Mutation{{Op: storage.SetCell, Family: "f", Qualifier: []byte("q"), Timestamp: 2000, Value: []byte("new")}}
	_, err := tb.CheckAndMutate(ctx, &storage.CondMutation{Key: []byte("new"), Cond: storage.Cond{Op: storage.RowAbsent}, Then: set})
	var e *storage.Error
	if !errors.As(err, &e) || e.Code != storage.CodeAmbiguous {
		t.Errorf("%v", err)
	}
	if got := scan(t, tb, storage.ScanRequest{Spans: []storage.Span{{}}}); !slices.Equal(got, keys) {
		t.Errorf("%q", got)
	}
}
