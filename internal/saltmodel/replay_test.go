package saltmodel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/types"
)

// A workload of rows (tenant, seq): which it writes, one after another.
type workload struct {
	name string
	row  func(r *rand.Rand, i int) (tenant, seq int64)
}

var workloads = []workload{
	{"a log of one tenant", func(_ *rand.Rand, i int) (int64, int64) { return 1, int64(i) }},
	{"a log backwards", func(_ *rand.Rand, i int) (int64, int64) { return 1, -int64(i) }},
	{"tenants alike", func(r *rand.Rand, i int) (int64, int64) { return int64(r.IntN(1000)), int64(i) }},
	{"ten tenants", func(r *rand.Rand, i int) (int64, int64) { return int64(r.IntN(10)), int64(i) }},
	{"half is one tenant's", func(r *rand.Rand, i int) (int64, int64) {
		if r.IntN(2) == 0 {
			return 7, int64(i)
		}
		return int64(r.IntN(1000)), int64(i)
	}},
	{"random keys", func(r *rand.Rand, i int) (int64, int64) { return 1, r.Int64() }},
	{"Zipf", func(r *rand.Rand, i int) (int64, int64) {
		return int64(math.Pow(1000, r.Float64())), int64(i)
	}},
}

func schema(buckets int, salt []int) *rowcodec.KeySchema {
	col := func(name string) rowcodec.KeyColumn {
		return rowcodec.KeyColumn{Name: name, Column: rowcodec.Column{Type: rowcodec.BigInt, SQL: types.Of(types.Int8)}}
	}
	s := &rowcodec.KeySchema{Table: "t", Buckets: buckets, Columns: []rowcodec.KeyColumn{col("tenant"), col("seq")}}
	if buckets > 0 {
		s.SaltColumns = salt
	}
	return s
}

// TestReplay holds what is told from a sample of keys against what the cluster does with all of them.
func TestReplay(t *testing.T) {
	const perNodeMinute = 105 // sampled
	type answer struct{ full, told float64 }
	pairs, wrong := 0, 0
	var errs []float64
	inside := 0
	for _, l := range workloads {
		for _, nodes := range []int{4, 16} {
			var list []answer // of one workload and cluster
			for _, salt := range []struct {
				n    int
				cols []int
			}{{0, nil}, {4, nil}, {16, nil}, {16, []int{0}}} {
				s := schema(salt.n, salt.cols)
				o := Options{Nodes: nodes}
				splits := rowcodec.SplitKeys(salt.n, nil)
				r := rand.New(rand.NewPCG(3, 4))
				// 2,000 requests for each node and minute stand for all that there are.
				n := nodes * replayMinutes * 2000
				cost := time.Minute / 2000
				c := NewCluster(o)
				c.Create("", splits)
				var sample []Request
				for i := range n {
					tenant, seq := l.row(r, i)
					key, err := s.AppendKey(nil, []types.Datum{types.NewInt(tenant), types.NewInt(seq)})
					if err != nil {
						t.Fatal(err)
					}
					if i == n/3 {
						c.Reset()
					}
					c.Request("", key, cost, 0)
					if r.IntN(2000) < perNodeMinute {
						sample = append(sample, Request{key, time.Duration(i), 1})
					}
				}
				full := 0.0
				for _, b := range c.Stats().Busy {
					full += b / float64(nodes)
				}
				p := Replay(o, splits, sample)
				e := math.Abs(p.OfNodes-full) / full
				if math.Abs(p.OfNodes-full) <= p.Margin {
					inside++
				}
				for _, o := range list {
					if o.full > 1.2*full || full > 1.2*o.full {
						pairs++
						if (o.full > full) != (o.told > p.OfNodes) {
							wrong++
						}
					}
				}
				list, errs = append(list, answer{full, p.OfNodes}), append(errs, e)
				t.Logf("%-22s %2d nodes, salt %2d %v: %.3f, told %.3f ± %.3f, peak %.2f (%.0f %%)", l.name, nodes, salt.n, salt.cols, full, p.OfNodes, p.Margin, p.Peak, 100*e)
			}
		}
	}
	slices.Sort(errs)
	t.Logf("error: median %.1f %%, 90 of 100 %.1f %%, worst %.1f %%; within the margin %d of %d", 100*errs[len(errs)/2], 100*errs[len(errs)*9/10], 100*errs[len(errs)-1], inside, len(errs))
	if errs[len(errs)/2] > 0.05 || errs[len(errs)*9/10] > 0.15 {
		t.Error("that is more than 5 % and 15 %")
	}
	if inside < len(errs)*8/10 {
		t.Error("the margin is too small")
	}
	if pairs == 0 || wrong > 0 {
		t.Errorf("of %d pairs of salts that differ by 20 %%, %d are in the wrong order", pairs, wrong)
	}
}

// TestReplayOfNothing: a load without requests, or of no cost, keeps nobody busy.
func TestReplayOfNothing(t *testing.T) {
	for _, l := range [][]Request{nil, {{Key: []byte("a")}}} {
		if p := Replay(Options{Nodes: 3}, nil, l); p.OfNodes != 0 || p.Keys != len(l) {
			t.Errorf("%v", p)
		}
	}
	one := []Request{{Key: []byte("a"), Cost: 1}}
	if p := Replay(Options{Nodes: 2}, nil, one); p.OfNodes < 0.49 || p.OfNodes > 0.51 {
		t.Errorf("one key keeps %v of two nodes busy", p.OfNodes)
	}
}
