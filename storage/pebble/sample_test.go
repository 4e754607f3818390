package pebble

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/storage"
)

// TestSample compares samples with what is there, in memory, in files and in
// both, with rows that are written again and deleted, and counts the work.
func TestSample(t *testing.T) {
	ctx := context.Background()
	s, err := Open(t.TempDir(), &Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	tb := s.Table("t").(*table)
	rnd := rand.New(rand.NewPCG(1, 2))
	there := map[string]bool{}
	write := func(n int, del bool, key func() string) {
		t.Helper()
		var rows []storage.RowMutation
		for range n {
			k := key()
			m := storage.Mutation{Op: storage.SetCell, Family: "f", Qualifier: []byte("q"), Timestamp: 1000, Value: fmt.Appendf(nil, "%060d", rnd.Uint64())}
			if there[k] = !del; del {
				delete(there, k)
				m = storage.Mutation{Op: storage.DeleteRow}
			}
			rows = append(rows, storage.RowMutation{Key: []byte(k), Mutations: []storage.Mutation{{Op: storage.DeleteRow}, m}})
		}
		if err := tb.Mutate(ctx, rows, storage.WriteOptions{NoSync: true}); err != nil {
			t.Fatal(err)
		}
	}
	seq := 0
	skewed := func() string { // half of the rows have one of 4 first bytes
		seq++
		b := byte(rnd.ExpFloat64() * 8)
		return fmt.Sprintf("%c%s%09d", b, "some-name/", seq*7919%1_000_000_000)
	}
	check := func(name string) {
		t.Helper()
		const most = 256
		got, err := tb.Sample(ctx, storage.Span{}, most)
		if err != nil {
			t.Fatal(err)
		}
		if limit := storage.MaxSampleWork(most); got.Calls > limit || got.Rows > limit || len(got.Pieces) > most {
			t.Errorf("%s: %d calls, %d rows, %d pieces", name, got.Calls, got.Rows, len(got.Pieces))
		}
		near := func(what string, got, want float64) {
			t.Helper()
			if got < want*0.75-500 || got > want*1.25+500 {
				t.Errorf("%s: %s: %.0f rows, there are %.0f", name, what, got, want)
			}
		}
		var total float64
		for _, p := range got.Pieces {
			total += float64(p.Rows)
		}
		near("all", total, float64(len(there)))
		for _, bound := range []byte{1, 3, 8, 20} {
			var below, want float64
			for _, p := range got.Pieces {
				if bytes.Compare(p.Span.Start, []byte{bound}) < 0 {
					below += float64(p.Rows)
				}
			}
			for k := range there {
				if k[0] < bound {
					want++
				}
			}
			near(fmt.Sprintf("below %02x", bound), below, want)
		}
		largest := int64(0)
		for _, p := range got.Pieces {
			largest = max(largest, p.Rows)
		}
		if float64(largest) > 0.05*float64(len(there))+500 {
			t.Errorf("%s: a piece of %d rows of %d", name, largest, len(there))
		}
		t.Logf("%s: %d pieces for %d rows, largest %d; %d calls, %d rows", name, len(got.Pieces), len(there), largest, got.Calls, got.Rows)
	}
	flush := func() {
		t.Helper()
		if err := s.db.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	write(60_000, false, skewed)
	check("in memory")
	flush()
	check("in files")
	if n := len(tb.recentKeys()); n != 0 {
		t.Errorf("%d keys are kept after the flush", n)
	}
	write(30_000, false, skewed)
	check("in both")
	var keys []string
	for k := range there {
		keys = append(keys, k)
	}
	slices.Sort(keys) // the same in each run
	pick := func() string { return keys[rnd.IntN(len(keys))] }
	write(40_000, false, pick)
	check("written again")
	write(40_000, true, pick)
	check("deleted")
	flush()
	check("deleted, in files")
}

func (t *table) recentKeys() []string {
	ts := (*t.s.dir.Load())[t.name]
	lo, hi := ts.bounds(nil, nil, storage.Span{})
	keys, _ := t.s.recentKeys(ts, lo, hi)
	return keys
}
