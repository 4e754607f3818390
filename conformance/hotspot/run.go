package hotspot

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/conformance/hotspot/sim"
	"github.com/saltsql/saltsql/internal/saltmodel"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// Workload is a mix of requests on rows whose keys grow.
type Workload struct {
	Name  string
	Reads float64 // part of the requests that read a row written of late
}

// The workloads, bucket counts and cluster sizes measured.
var (
	Ingest     = Workload{"ingest", 0}
	ReadNewest = Workload{"read newest", 0.9}

	Workloads = []Workload{Ingest, ReadNewest}
	Buckets   = []int{0, 4, 16}
	Nodes     = []int{1, 4, 16}
)

// Result is one measurement.
type Result struct {
	Workload      Workload
	Buckets       int
	Nodes         int
	RowsPerSecond float64
	OfIdeal       float64 // 1: all nodes were busy all the time
	Tablets       int
}

const (
	// scale is how many rows each simulated one stands for.
	scale = 500
	// minutes is how long, virtually, a load runs: tablets have time to split
	// and move.
	minutes = 4
	// newest is from how many of the last rows, simulated ones, reads choose.
	newest = 1000
)

// Run measures one workload on one cluster.
func Run(w Workload, buckets, nodes int) (Result, error) {
	ctx := context.Background()
	cluster := saltmodel.NewCluster(saltmodel.Options{Nodes: nodes, Scale: scale})
	store := sim.Wrap(mem.New(), cluster)
	defer store.Close()
	key := rowcodec.KeySchema{
		Table: "t", Buckets: buckets,
		Columns: []rowcodec.KeyColumn{{Name: "id", Column: rowcodec.Column{Type: rowcodec.BigInt, SQL: types.Of(types.Int8)}}},
	}
	spec := storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "0"}}, Splits: rowcodec.SplitKeys(buckets, nil)}
	if err := store.Admin().CreateTable(ctx, spec); err != nil {
		return Result{}, err
	}
	ideal := float64(nodes) / (w.Reads/17_000 + (1-w.Reads)/14_000)
	r := rand.New(rand.NewPCG(7, uint64(buckets)))
	t := store.Table("t")
	vals := make([]types.Datum, 1)
	encode := func(i int) ([]byte, error) {
		vals[0] = types.NewInt(int64(i))
		return key.AppendKey(nil, vals)
	}
	var dst storage.RowBatch
	value := make([]byte, 100)
	written := 0
	// Enough requests for the ideal cluster to be busy that long; one that is
	// slower takes longer.
	for range int(ideal * 60 * minutes / scale) {
		if written > 0 && r.Float64() < w.Reads {
			k, err := encode(written - 1 - r.IntN(min(written, newest)))
			if err == nil {
				dst.Reset()
				_, err = t.MultiGet(ctx, [][]byte{k}, nil, &dst)
			}
			if err != nil {
				return Result{}, err
			}
			continue
		}
		k, err := encode(written)
		if err == nil {
			err = t.Mutate(ctx, []storage.RowMutation{{Key: k, Mutations: []storage.Mutation{
				{Op: storage.SetCell, Family: "0", Qualifier: []byte("v"), Timestamp: int64(time.Millisecond / time.Microsecond), Value: value},
			}}}, storage.WriteOptions{})
		}
		if err != nil {
			return Result{}, err
		}
		written++
	}
	st := cluster.Stats()
	return Result{w, buckets, nodes, st.RowsPerSecond(), st.RowsPerSecond() / ideal, st.Tablets}, nil
}

// RunAll measures every workload on every cluster.
func RunAll() ([]Result, error) {
	var out []Result
	for _, w := range Workloads {
		for _, nodes := range Nodes {
			for _, b := range Buckets {
				r, err := Run(w, b, nodes)
				if err != nil {
					return nil, err
				}
				out = append(out, r)
			}
		}
	}
	return out, nil
}
