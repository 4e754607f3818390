package txn

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
)

var seed = flag.Uint64("seed", 0, "seed of random tests; 0 is random")

// TestRandom makes the same changes in a transaction and directly in another
// store, and compares what scans and gets of all kinds show.
func TestRandom(t *testing.T) {
	s := *seed
	if s == 0 {
		s = seeds.First(t)
	}
	t.Logf("seed %d", s)
	rng := rand.New(rand.NewPCG(s, 1))
	for round := range 60 {
		randomRound(t, rng, round)
		if t.Failed() {
			return
		}
	}
}

func randomRound(t *testing.T, rng *rand.Rand, round int) {
	base, model := newStore(t), newStore(t)
	m := NewManager(base, nil)
	ts := int64(0)
	both := func(s storage.Store, n int) {
		for range n {
			ts++
			rows := []storage.RowMutation{{Key: randomKey(rng), Mutations: randomMutations(rng, ts)}}
			if rng.IntN(4) == 0 {
				c := storage.CondMutation{Key: rows[0].Key, Cond: randomCond(rng, ts), Then: rows[0].Mutations, Else: randomMutations(rng, ts)}
				a, err1 := s.Table("t").CheckAndMutate(ctx, &c)
				b, err2 := model.Table("t").CheckAndMutate(ctx, &c)
				if err1 != nil || err2 != nil || a != b {
					t.Errorf("check-and-mutate: %v %v, model %v %v", a, err1, b, err2)
				}
				continue
			}
			for _, s := range []storage.Store{s, model} {
				if err := s.Table("t").Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
					t.Error(err)
				}
			}
		}
	}
	both(base, rng.IntN(30))
	x := begin(t, m, Options{})
	for step := range 4 {
		both(x.Store(), rng.IntN(12))
		if rng.IntN(3) == 0 { // changes that are undone leave no trace
			mark := x.Mark()
			for range 5 {
				rows := []storage.RowMutation{{Key: randomKey(rng), Mutations: randomMutations(rng, ts+1)}}
				if err := x.Store().Table("t").Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
					t.Error(err)
				}
			}
			x.RollbackTo(mark)
		}
		for range 6 {
			req := randomRequest(rng, ts)
			got, want := dump(t, x.Store(), req), dump(t, model, req)
			if got != want {
				t.Errorf("round %d step %d: %+v\n got %s\nwant %s", round, step, req, got, want)
				return
			}
			keys := [][]byte{randomKey(rng), randomKey(rng), randomKey(rng)}
			slices.SortFunc(keys, bytes.Compare)
			keys = slices.CompactFunc(keys, bytes.Equal)
			if got, want := dumpGet(t, x.Store(), keys, req), dumpGet(t, model, keys, req); got != want {
				t.Errorf("round %d step %d: get %s: %+v\n got %s\nwant %s", round, step, keys, req, got, want)
				return
			}
		}
	}
	if err := x.Commit(ctx, storage.WriteOptions{}); err != nil {
		t.Error(err)
	}
	all := storage.ScanRequest{Spans: []storage.Span{{}}, Versions: 3}
	if got, want := dump(t, base, all), dump(t, model, all); got != want {
		t.Errorf("after commit\n got %s\nwant %s", got, want)
	}
}

func randomKey(rng *rand.Rand) []byte { return fmt.Appendf(nil, "k%02d", rng.IntN(20)) }

func randomMutations(rng *rand.Rand, ts int64) []storage.Mutation {
	var muts []storage.Mutation
	for range 1 + rng.IntN(3) {
		m := storage.Mutation{Op: storage.SetCell, Family: "f", Timestamp: ts * 1000}
		if rng.IntN(3) == 0 {
			m.Family = "g"
		}
		switch rng.IntN(10) {
		case 0:
			m = storage.Mutation{Op: storage.DeleteRow}
		case 1:
			m.Op = storage.DeleteFamily
		case 2:
			m.Op, m.Qualifier = storage.DeleteCell, []byte{'a' + byte(rng.IntN(3))}
		default:
			m.Qualifier, m.Value = []byte{'a' + byte(rng.IntN(3))}, fmt.Append(nil, ts)
		}
		muts = append(muts, m)
	}
	return muts
}

func randomCond(rng *rand.Rand, ts int64) storage.Cond {
	c := storage.Cond{Op: storage.CondOp(rng.IntN(int(storage.CellTSEquals) + 1)), Timestamp: rng.Int64N(ts+1) * 1000}
	if c.Op >= storage.CellAbsent {
		c.Family, c.Qualifier = "f", []byte{'a' + byte(rng.IntN(3))}
	}
	return c
}

func randomRequest(rng *rand.Rand, ts int64) storage.ScanRequest {
	req := storage.ScanRequest{Reverse: rng.IntN(2) == 0, KeysOnly: rng.IntN(4) == 0}
	a, b, c := randomKey(rng), randomKey(rng), randomKey(rng)
	keys := [][]byte{a, b, c}
	slices.SortFunc(keys, bytes.Compare)
	req.Spans = []storage.Span{{Start: keys[0], End: keys[1]}, {Start: keys[2]}}
	if rng.IntN(2) == 0 {
		req.Spans = []storage.Span{{}}
	}
	if rng.IntN(2) == 0 {
		req.Limit = 1 + rng.Int64N(8)
	}
	if rng.IntN(3) == 0 {
		req.BatchRows = 1 + rng.IntN(3)
	}
	if rng.IntN(3) == 0 {
		req.Project = []storage.Col{{Family: "f", Qualifier: []byte("a")}, {Family: "g", Qualifier: []byte("b")}}
	}
	if rng.IntN(3) == 0 {
		req.Versions = 2
	}
	if rng.IntN(4) == 0 {
		req.MinTS = rng.Int64N(ts+1) * 1000
	}
	if rng.IntN(3) == 0 {
		n := byte(rng.IntN(2))
		req.Filter = func(key []byte, _ storage.RowView) (bool, error) { return key[len(key)-1]%2 == n, nil }
	}
	return req
}

func dump(t *testing.T, s storage.Store, req storage.ScanRequest) string {
	t.Helper()
	sc, err := s.Table("t").Scan(ctx, &req)
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Close()
	var rb storage.RowBatch
	out := ""
	for {
		err := sc.Next(&rb)
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if req.BatchRows > 0 && rb.Len() > req.BatchRows {
			t.Errorf("%d rows in a batch of %d", rb.Len(), req.BatchRows)
		}
		out += dumpRows(&rb, &req)
	}
}

func dumpGet(t *testing.T, s storage.Store, keys [][]byte, req storage.ScanRequest) string {
	t.Helper()
	var rb storage.RowBatch
	if _, err := s.Table("t").MultiGet(ctx, keys, &req, &rb); err != nil {
		t.Fatal(err)
	}
	return dumpRows(&rb, &req)
}

func dumpRows(rb *storage.RowBatch, req *storage.ScanRequest) string {
	out := ""
	for i := range rb.Len() {
		out += fmt.Sprintf("\n%s", rb.Key(i))
		if req.KeysOnly {
			continue
		}
		var cells []string
		for j := range rb.NumCells(i) {
			c := rb.Cell(i, j)
			for _, p := range req.Project {
				if p.Family == c.Family && string(p.Qualifier) == string(c.Qualifier) {
					cells = append(cells, fmt.Sprintf(" %s:%s@%d=%s", c.Family, c.Qualifier, c.Timestamp/1000, c.Value))
				}
			}
			if len(req.Project) == 0 {
				cells = append(cells, fmt.Sprintf(" %s:%s@%d=%s", c.Family, c.Qualifier, c.Timestamp/1000, c.Value))
			}
		}
		slices.Sort(cells)
		out += fmt.Sprint(cells)
	}
	return out
}
