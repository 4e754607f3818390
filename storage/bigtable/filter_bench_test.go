package bigtable

import (
	"context"
	"fmt"
	"testing"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

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
		tb := s.Table(name).(*table)
		if err := tb.Mutate(context.Background(), muts, storage.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
		col := storage.Col{Family: "f", Qualifier: []byte{0x80, 13}}
		other := storage.Col{Family: "f", Qualifier: []byte{0x80, 12}}
		newest := latest(1)
		regex := func(q []byte) filter {
			return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_ColumnQualifierRegexFilter{ColumnQualifierRegexFilter: fmt.Appendf(nil, `\C%c`, q[1])}}
		}
		for _, percent := range []int{1, 10, 50, 100} {
			hi := fmt.Appendf(nil, "%02d", percent)
			if percent == 100 {
				hi = []byte("zz")
			}
			value := valueRange(nil, hi)
			predicate := chain(column(col.Family, col.Qualifier), newest, value)
			two, _ := projection([]storage.Col{col, other}, true)
			cover, _ := projection([]storage.Col{col, other}, false)
			for _, f := range []struct {
				name   string
				filter filter
			}{
				{"all", newest},
				{"all-if", condition(predicate, newest, nil)},
				{"1col", chain(column(col.Family, col.Qualifier), newest)},
				{"1col-range", predicate},
				{"2cols", chain(two, newest)},
				{"2cols-range", chain(cover, newest)},
				{"2cols-if", condition(predicate, chain(two, newest), nil)},
				{"2cols-regex", chain(interleave([]filter{regex(col.Qualifier), regex(other.Qualifier)}), newest)},
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
						r := &rowRead{filter: f.filter, chunkDecoder: chunkDecoder{fill: &fill, message: func() {},
							row: func(bool) bool { n++; batch.Reset(); return true }}}
						r.rows = func() *bigtablepb.RowSet { return rangeSet([]storage.Span{{}}) }
						c, err := tb.begin(context.Background(), storage.OpScan)
						if err != nil {
							b.Fatal(err)
						}
						if err := tb.readRows(c, c, r); err != nil {
							b.Fatal(err)
						}
						c.end()
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
