package exec

import (
	"context"
	"fmt"
	"io"
	"testing"

	cpebble "github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble"
)

const benchRows = 1_000_000

// benchDir loads the table into a folder and gives the folder.
func benchDir(b *testing.B, buckets, rows int) (string, *fixture) {
	dir := b.TempDir()
	s, err := pebble.Open(dir, &pebble.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	f := newFixture(b, buckets, withStore(s))
	f.load(rows, 100)
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return dir, f
}

func (f *fixture) reopen(b *testing.B, dir string) {
	s, err := pebble.Open(dir, &pebble.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	f.use(s)
}

// BenchmarkScan reads a million rows in key order: all of four columns through
// a Statement, against an iterator of Pebble alone.
func BenchmarkScan(b *testing.B) {
	for _, buckets := range []int{0, 16} {
		dir, f := benchDir(b, buckets, benchRows)
		b.Run(fmt.Sprintf("pebble/N=%d", buckets), func(b *testing.B) {
			db, err := cpebble.Open(dir, &cpebble.Options{Logger: quiet{}, ReadOnly: true, Cache: cpebble.NewCache(256 << 20)})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			for b.Loop() {
				it, err := db.NewIter(nil)
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for it.First(); it.Valid(); it.Next() {
					n += len(it.Key()) + len(it.Value())
				}
				it.Close()
				_ = n
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
		})
		f.reopen(b, dir)
		for _, bench := range []struct {
			name string
			root plan.Node
		}{
			{"ordered", f.merged(f.scan(), plan.Forward)},
			{"reverse", f.merged(f.scan(), plan.Reverse)},
			{"gather", f.gathered(f.scan())},
			{"keys", f.merged(f.scan("host", "ts"), plan.Forward)},
			{"count", countAll(f)},
		} {
			b.Run(fmt.Sprintf("%s/N=%d", bench.name, buckets), func(b *testing.B) {
				s, err := Prepare(&plan.Plan{Root: bench.root})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if err := drain(s, f.context()); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
			})
		}
	}
}

func countAll(f *fixture) plan.Node {
	agg := &plan.Aggregate{Input: f.gathered(f.scan("host")), Aggs: []plan.AggCall{callOf("count")}, Cols: []plan.Column{{Type: tInt8}}}
	if f.table.Options.SaltBuckets == 0 {
		return agg
	}
	part, final := *agg, *agg
	part.Phase, final.Phase, final.Input = plan.Partial, plan.Final, &part
	return &final
}

type quiet struct{}

func (quiet) Infof(string, ...any)      {}
func (quiet) Errorf(string, ...any)     {}
func (quiet) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

func BenchmarkPoint(b *testing.B) {
	for _, buckets := range []int{0, 16} {
		dir, f := benchDir(b, buckets, 100_000)
		f.reopen(b, dir)
		s := f.scan()
		s.Access = plan.PointRead
		s.Key = key(term(plan.KeyEq, 0, &expr.Param{N: 1, T: tText}), term(plan.KeyEq, 1, &expr.Param{N: 2, T: tInt8}))
		s.Recheck = and(opCall("=", f.col("host"), &expr.Param{N: 1, T: tText}), opCall("=", f.col("ts"), &expr.Param{N: 2, T: tInt8}))
		st, err := Prepare(&plan.Plan{Root: s, Tables: []*catalog.Table{f.table}})
		if err != nil {
			b.Fatal(err)
		}
		host := make([]byte, 0, 16)
		i := 0
		next := func(cx *op.Context) {
			i = (i + 7919) % 100_000
			host = fmt.Appendf(host[:0], "host-%03d", i%100)
			cx.Env.Params = append(cx.Env.Params[:0], types.NewBytes(host), types.NewInt(int64(i)))
		}
		b.Run(fmt.Sprintf("statement/N=%d", buckets), func(b *testing.B) {
			b.ReportAllocs()
			cx := f.context()
			env, ctx := cx.Env, cx.Ctx
			for b.Loop() {
				cx := &op.Context{Ctx: ctx, Txns: f.txns, Env: env}
				next(cx)
				if err := st.Open(cx); err != nil {
					b.Fatal(err)
				}
				r, err := st.Next()
				if err != nil || r.Rows() != 1 {
					b.Fatal(err)
				}
				if _, err := st.Next(); err != io.EOF {
					b.Fatal(err)
				}
				st.Close()
			}
		})
		b.Run(fmt.Sprintf("multiget/N=%d", buckets), func(b *testing.B) {
			b.ReportAllocs()
			cx := f.context()
			var rb storage.RowBatch
			var buf []byte
			table := f.base.Table(f.table.Physical)
			for b.Loop() {
				next(cx)
				buf, _ = f.table.Codec().Key.AppendKey(buf[:0], cx.Env.Params)
				rb.Reset()
				if _, err := table.MultiGet(context.Background(), [][]byte{buf}, nil, &rb); err != nil || rb.Len() != 1 {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLimit(b *testing.B) {
	for _, buckets := range []int{0, 16, 64} {
		dir, f := benchDir(b, buckets, 100_000)
		f.reopen(b, dir)
		s := f.scan()
		s.Limit = lit(10)
		s.Key, s.Access = key(term(plan.KeyEq, 0, lit("host-007"))), plan.RangeScan
		st, err := Prepare(&plan.Plan{Root: &plan.Limit{Input: f.merged(s, plan.Forward), Count: lit(10)}})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("N=%d", buckets), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := drain(st, f.context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, mode := range []string{"upsert", "insert"} {
		b.Run(mode, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s, err := pebble.Open(b.TempDir(), &pebble.Options{NoSync: true})
				if err != nil {
					b.Fatal(err)
				}
				f := newFixture(b, 16, withStore(s))
				b.StartTimer()
				f.insertMode = mode == "insert"
				f.load(200_000, 100)
				b.StopTimer()
				s.Close()
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/200_000, "ns/row")
		})
	}
}

// BenchmarkWrite runs single-row statements against the store's own call.
func BenchmarkWrite(b *testing.B) {
	s, err := pebble.Open(b.TempDir(), &pebble.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	f := newFixture(b, 16, withStore(s))
	i := 0
	row := []expr.Expr{lit("host"), &expr.Param{N: 1, T: tInt8}, lit(1), lit(1.5), lit("note")}
	in := func() *plan.Values { return &plan.Values{Cols: f.cols(), Rows: [][]expr.Expr{row}} }
	point := f.onePoint("host", 1).(*plan.Scan)
	point.Key = key(term(plan.KeyEq, 0, lit("host")), term(plan.KeyEq, 1, &expr.Param{N: 1, T: tInt8}))
	for _, bench := range []struct {
		name string
		root plan.Node
	}{
		{"upsert", &plan.Upsert{Table: f.table, Input: in(), Named: []int{0, 1, 2, 3, 4}}},
		{"insert", &plan.Insert{Table: f.table, Input: in(), Mode: plan.CheckAbsent}},
		{"update", &plan.Update{Table: f.table, Input: point, Set: []plan.SetColumn{{Column: 2, Value: opCall("+", f.col("n"), lit(1))}}}},
		{"delete", &plan.Delete{Table: f.table, Input: point}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			st, err := Prepare(&plan.Plan{Root: bench.root, Tables: []*catalog.Table{f.table}})
			if err != nil {
				b.Fatal(err)
			}
			if bench.name != "upsert" && bench.name != "insert" {
				i = 0 // rows that are there
			}
			b.ReportAllocs()
			env := f.context().Env
			for b.Loop() {
				i++
				env.Params = append(env.Params[:0], types.NewInt(int64(i)))
				if err := drain(st, &op.Context{Ctx: context.Background(), Txns: f.txns, Env: env}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
