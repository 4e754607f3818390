package pebble

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/storage"
)

const benchRows = 200_000

func benchKey(i int) []byte {
	return binary.BigEndian.AppendUint64([]byte{byte(i % 8)}, uint64(i/8))
}

// benchRow is a row of five columns and a marker, as SQL writes them.
func benchRow(i int) storage.RowMutation {
	ms := []storage.Mutation{{Op: storage.DeleteRow},
		{Op: storage.SetCell, Family: "0", Qualifier: []byte{0, 0, 0, 0}, Timestamp: 1e12, Value: []byte("x")}}
	for c := range 5 {
		ms = append(ms, storage.Mutation{Op: storage.SetCell, Family: "0", Qualifier: []byte{0x80, byte(0x0B + c)}, Timestamp: 1e12,
			Value: fmt.Appendf(nil, "value %08d", i*5+c)})
	}
	return storage.RowMutation{Key: benchKey(i), Mutations: ms}
}

func benchStore(b *testing.B) (*Store, storage.Table) {
	b.Helper()
	opts := testOptions(vfs.NewMem())
	opts.CacheBytes = 0
	s := openTest(b, opts)
	ctx := context.Background()
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
		b.Fatal(err)
	}
	t := s.Table("t")
	var rows []storage.RowMutation
	for i := range benchRows {
		if rows = append(rows, benchRow(i)); len(rows) == 1000 {
			if err := t.Mutate(ctx, rows, storage.WriteOptions{NoSync: true}); err != nil {
				b.Fatal(err)
			}
			rows = rows[:0]
		}
	}
	if err := s.db.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := s.db.Compact(ctx, []byte{0}, []byte{0xff}, true); err != nil {
		b.Fatal(err)
	}
	return s, t
}

// BenchmarkScan reads the whole table; ns/row is what to compare.
func BenchmarkScan(b *testing.B) {
	s, t := benchStore(b)
	perRow := func(b *testing.B, n int) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/row")
	}
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		n, bytes := 0, 0
		for range b.N {
			it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{0, 0, 0, 1}, UpperBound: []byte{0, 0, 0, 2}})
			if err != nil {
				b.Fatal(err)
			}
			for ok := it.First(); ok; ok = it.Next() {
				bytes += len(it.Key()) + len(it.Value())
				n++
			}
			it.Close()
		}
		perRow(b, n)
	})
	col := func(i byte) storage.Col { return storage.Col{Family: "0", Qualifier: []byte{0x80, 0x0B + i}} }
	for _, bm := range []struct {
		name string
		req  storage.ScanRequest
	}{
		{"all", storage.ScanRequest{}},
		{"one-of-five", storage.ScanRequest{Project: []storage.Col{col(2)}}},
		{"two-of-five", storage.ScanRequest{Project: []storage.Col{col(0), col(3)}}},
		{"keys", storage.ScanRequest{KeysOnly: true}},
		{"with-ttl", storage.ScanRequest{MinTS: 1}},
		{"reverse", storage.ScanRequest{Reverse: true}},
	} {
		bm.req.Spans = []storage.Span{{}}
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			var batch storage.RowBatch
			n := 0
			for range b.N {
				sc, err := t.Scan(context.Background(), &bm.req)
				if err != nil {
					b.Fatal(err)
				}
				for {
					err := sc.Next(&batch)
					if err == io.EOF {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
					n += batch.Len()
				}
				sc.Close()
			}
			if n != b.N*benchRows {
				b.Fatalf("%d rows", n)
			}
			perRow(b, n)
		})
	}
}

// BenchmarkSmallScan reads 12 rows in each of 8 spans.
func BenchmarkSmallScan(b *testing.B) {
	_, t := benchStore(b)
	var batch storage.RowBatch
	r := rand.New(rand.NewPCG(1, 1))
	b.ReportAllocs()
	for b.Loop() {
		at := r.IntN(benchRows/8-20) * 8
		var spans []storage.Span
		for bucket := range 8 {
			spans = append(spans, storage.Span{Start: benchKey(at + bucket), End: benchKey(at + bucket + 12*8)})
		}
		sc, err := t.Scan(context.Background(), &storage.ScanRequest{Spans: spans})
		if err != nil {
			b.Fatal(err)
		}
		if err := sc.Next(&batch); err != nil || batch.Len() != 96 {
			b.Fatal(batch.Len(), err)
		}
		sc.Close()
	}
}

// BenchmarkGet reads single rows.
func BenchmarkGet(b *testing.B) {
	s, t := benchStore(b)
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		r := rand.New(rand.NewPCG(1, 1))
		for range b.N {
			_, closer, err := s.db.Get(append([]byte{0, 0, 0, 1}, benchKey(r.IntN(benchRows))...))
			if err != nil {
				b.Fatal(err)
			}
			closer.Close()
		}
	})
	req := &storage.ScanRequest{Project: []storage.Col{{Family: "0", Qualifier: []byte{0x80, 0x0C}}}}
	for _, bm := range []struct {
		name string
		req  *storage.ScanRequest
		keys int
		step int // between keys; 0: anywhere
	}{
		{"all", nil, 1, 0}, {"project", req, 1, 0},
		{"2-far", nil, 2, 0}, {"3-far", nil, 3, 0}, {"10-far", nil, 10, 0}, {"100-far", nil, 100, 0},
		{"10-near", nil, 10, 1}, {"100-near", nil, 100, 1},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			r := rand.New(rand.NewPCG(1, 1))
			var batch storage.RowBatch
			keys := make([][]byte, bm.keys)
			for range b.N {
				batch.Reset()
				at := r.IntN(benchRows / 2)
				for i := range keys {
					if bm.step > 0 {
						keys[i] = benchKey((at/8 + i*bm.step) * 8)
					} else {
						keys[i] = benchKey((r.IntN(benchRows/8/bm.keys) + i*(benchRows/8/bm.keys)) * 8)
					}
				}
				if _, err := t.MultiGet(context.Background(), keys, bm.req, &batch); err != nil || batch.Len() != bm.keys {
					b.Fatal(batch.Len(), err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*bm.keys), "ns/key")
		})
	}
}

// BenchmarkMutate writes rows in calls of 1000, without sync.
func BenchmarkMutate(b *testing.B) {
	s, t := benchStore(b)
	rows := make([]storage.RowMutation, 1000)
	for i := range rows {
		rows[i] = benchRow(i * 7 % benchRows)
	}
	part := make([]storage.RowMutation, len(rows))
	for i := range part {
		part[i] = storage.RowMutation{Key: rows[i].Key, Mutations: rows[i].Mutations[3:4]}
	}
	perRow := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rows)), "ns/row")
	}
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		value := make([]byte, 110)
		for range b.N {
			batch := s.db.NewBatch()
			for i := range rows {
				if err := batch.Set(append([]byte{0, 0, 0, 9}, rows[i].Key...), value, nil); err != nil {
					b.Fatal(err)
				}
			}
			if err := s.db.Apply(batch, pebble.NoSync); err != nil {
				b.Fatal(err)
			}
			batch.Close()
		}
		perRow(b)
	})
	for _, bm := range []struct {
		name string
		rows []storage.RowMutation
	}{{"whole", rows}, {"part", part}} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if err := t.Mutate(context.Background(), bm.rows, storage.WriteOptions{NoSync: true}); err != nil {
					b.Fatal(err)
				}
			}
			perRow(b)
		})
	}
}

// BenchmarkOneRow reads single rows by a span, each on a snapshot as a statement does.
func BenchmarkOneRow(b *testing.B) {
	s, t := benchStore(b)
	ctx := context.Background()
	var batch storage.RowBatch
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		sn, err := s.Snapshot(ctx)
		if err != nil {
			b.Fatal(err)
		}
		key := benchKey(i * 7919 % benchRows)
		req := storage.ScanRequest{Spans: []storage.Span{{Start: key, End: append(key, 0)}}, Snapshot: sn}
		sc, err := t.Scan(ctx, &req)
		if err != nil {
			b.Fatal(err)
		}
		if err := sc.Next(&batch); err != nil || batch.Len() != 1 {
			b.Fatal(err)
		}
		if err := errors.Join(sc.Close(), sn.Close()); err != nil {
			b.Fatal(err)
		}
	}
}
