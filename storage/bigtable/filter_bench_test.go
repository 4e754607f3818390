package bigtable

import (
	"context"
	"fmt"
	"testing"

	"cloud.google.com/go/bigtable"

	"github.com/saltsql/saltsql/storage"
)

// BenchmarkFilters compares ways to ask for rows by one column's value, on the
// emulator in this process: CPU time of both sides per row of the table. Rows
// have a column n of 00 to 99.
func BenchmarkFilters(b *testing.B) {
	s := openEmulator(b, Config{})
	const rows = 4000
	for _, columns := range []int{5, 50} {
		name := fmt.Sprint("t", columns)
		if err := s.Admin().CreateTable(context.Background(), storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
			b.Fatal(err)
		}
		var muts []storage.RowMutation
		for i := range rows {
			m := storage.RowMutation{Key: fmt.Appendf(nil, "%08d", i)}
			for c := range columns {
				m.Mutations = append(m.Mutations, storage.Mutation{Op: storage.SetCell, Family: "f", Qualifier: []byte{0x80, byte(11 + c)}, Timestamp: 1000,
					Value: fmt.Appendf(nil, "%02d a value", i*37%100)})
			}
			muts = append(muts, m)
		}
		if err := s.Table(name).Mutate(context.Background(), muts, storage.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
		col := storage.Col{Family: "f", Qualifier: []byte{0x80, 13}}
		other := storage.Col{Family: "f", Qualifier: []byte{0x80, 12}}
		latest := bigtable.LatestNFilter(1)
		regex := func(q []byte) bigtable.Filter {
			return bigtable.ColumnFilter(fmt.Sprintf(`\C%c`, q[1]))
		}
		for _, percent := range []int{1, 10, 50, 100} {
			hi := fmt.Appendf(nil, "%02d", percent)
			if percent == 100 {
				hi = []byte("zz")
			}
			value := bigtable.ValueRangeFilter(nil, hi)
			predicate := chain(column(col.Family, col.Qualifier), latest, value)
			two, _ := projection([]storage.Col{col, other}, true)
			cover, _ := projection([]storage.Col{col, other}, false)
			for _, f := range []struct {
				name   string
				filter bigtable.Filter
			}{
				{"all", latest},
				{"all-if", bigtable.ConditionFilter(predicate, latest, nil)},
				{"1col", chain(column(col.Family, col.Qualifier), latest)},
				{"1col-range", predicate},
				{"2cols", chain(two, latest)},
				{"2cols-range", chain(cover, latest)},
				{"2cols-if", bigtable.ConditionFilter(predicate, chain(two, latest), nil)},
				{"2cols-regex", chain(bigtable.InterleaveFilters(regex(col.Qualifier), regex(other.Qualifier)), latest)},
			} {
				if percent > 1 && f.name != "all-if" && f.name != "1col-range" && f.name != "2cols-if" {
					continue // no predicate in it
				}
				b.Run(fmt.Sprintf("columns=%d/match=%d%%/%s", columns, percent, f.name), func(b *testing.B) {
					cpu := cpuTime(b)
					for range b.N {
						var batch storage.RowBatch
						req := &storage.ScanRequest{}
						fill := newRowFiller(req, true, &batch)
						n := 0
						ctx := withWireRead(context.Background(), &wireRead{chunkDecoder: chunkDecoder{fill: &fill, message: func() {},
							row: func(bool) bool { n++; batch.Reset(); return true }}})
						if err := s.client.Open(name).ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { return false }, bigtable.RowFilter(f.filter)); err != nil {
							b.Fatal(err)
						}
						if n == 0 {
							b.Fatal("no rows")
						}
					}
					b.ReportMetric(float64(cpuTime(b)-cpu)/float64(b.N)/rows, "cpu-ns/row")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}
