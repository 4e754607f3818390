package rowcodec

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/race/alloctest"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// metrics is a table as in design/1: host, ts DESC, four measures.
func metrics(layout Layout) *Schema {
	col := func(t Type, k types.Kind) Column { return Column{Type: t, SQL: types.Of(k)} }
	s := &Schema{Layout: layout, MarkerFamily: "0", MarkerQualifier: make([]byte, 4)}
	s.Key = KeySchema{Table: "metrics", Buckets: 8, Columns: []KeyColumn{
		{Column: col(Varchar, types.Text), Name: "host"},
		{Column: col(Timestamp, types.Timestamp), Name: "ts", Desc: true},
	}}
	for i, c := range []Column{col(Double, types.Float8), col(BigInt, types.Int8), col(Decimal, types.Numeric), col(Varchar, types.Text)} {
		q, err := Qualifier(FirstQualifier+i, 2)
		if err != nil {
			panic(err)
		}
		s.Cells = append(s.Cells, CellColumn{Column: c, Name: fmt.Sprintf("c%d", i), Family: "0", Qualifier: q, Ordinal: i + 1})
	}
	return s
}

func metricsRows(tb testing.TB, s *Schema, n int) *storage.RowBatch {
	var rows storage.RowBatch
	enc := NewRowEncoder(s)
	for i := range n {
		key, err := s.Key.AppendKey(nil, metricsKey(i))
		if err != nil {
			tb.Fatal(err)
		}
		ms, err := enc.AppendRow(nil, metricsCells(i), 1000, false)
		if err != nil {
			tb.Fatal(err)
		}
		rows.StartRow(key)
		for _, m := range ms {
			rows.AddCell(m.Family, m.Qualifier, m.Timestamp, m.Value)
		}
	}
	return &rows
}

func metricsKey(i int) []types.Datum {
	return []types.Datum{types.NewText(fmt.Sprintf("web-%d", i%10)), types.NewInt(1.7e15 + int64(i)*1e6)}
}

func metricsCells(i int) []types.Datum {
	return []types.Datum{types.NewFloat(float64(i) / 7), types.NewInt(int64(i)), types.NewDecimal(apd.New(int64(i)*12345, -3)), types.NewText("ok")}
}

// TestAllocations: nothing is allocated per row, once buffers have grown.
func TestAllocations(t *testing.T) {
	for _, layout := range []Layout{OneCellPerColumn, SingleCellArrayWithOffsets} {
		s := metrics(layout)
		rows := metricsRows(t, s, 1000)
		d := NewRowDecoder(s, []int{0, 1}, []int{0, 1, 2, 3})
		b := vec.NewBatch(d.Types())
		if n := alloctest.PerRun(10, func() {
			if err := d.DecodeBatch(rows, 0, rows.Len(), b.Cols); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("layout %d: %v allocations for a batch of 1000 rows", layout, n)
		}
		enc := NewRowEncoder(s)
		vals := metricsCells(77)
		var ms []storage.Mutation
		if n := alloctest.PerRun(100, func() {
			enc.Reset()
			var err error
			for range 10 {
				if ms, err = enc.AppendRow(ms[:0], vals, 1000, false); err != nil {
					t.Fatal(err)
				}
			}
		}); n > 0 {
			t.Errorf("layout %d: %v allocations to encode 10 rows", layout, n)
		}
	}
	s := metrics(OneCellPerColumn)
	vals, key := metricsKey(1), make([]byte, 0, 100)
	if n := alloctest.PerRun(100, func() {
		if _, err := s.Key.AppendKey(key, vals); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations to encode a key", n)
	}
}

func BenchmarkAppendKey(b *testing.B) {
	s := metrics(OneCellPerColumn)
	vals, key := metricsKey(1), make([]byte, 0, 100)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Key.AppendKey(key, vals); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendRow(b *testing.B) {
	s := metrics(OneCellPerColumn)
	enc, vals := NewRowEncoder(s), metricsCells(77)
	var ms []storage.Mutation
	b.ReportAllocs()
	for b.Loop() {
		enc.Reset()
		var err error
		if ms, err = enc.AppendRow(ms[:0], vals, 1000, false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodeBatch reports the time of one row.
func BenchmarkDecodeBatch(b *testing.B) {
	for _, bb := range []struct {
		name       string
		layout     Layout
		key, cells []int
	}{
		{"key", OneCellPerColumn, []int{0, 1}, nil},
		{"one_column", OneCellPerColumn, nil, []int{0}},
		{"all", OneCellPerColumn, []int{0, 1}, []int{0, 1, 2, 3}},
		{"all_packed", SingleCellArrayWithOffsets, []int{0, 1}, []int{0, 1, 2, 3}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			s := metrics(bb.layout)
			rows := metricsRows(b, s, 1000)
			d := NewRowDecoder(s, bb.key, bb.cells)
			out := vec.NewBatch(d.Types())
			b.ReportAllocs()
			for b.Loop() {
				if err := d.DecodeBatch(rows, 0, rows.Len(), out.Cols); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows.Len()), "ns/row")
		})
	}
}

func BenchmarkSpans(b *testing.B) {
	s := &metrics(OneCellPerColumn).Key
	eq := func(d types.Datum) []Range { return []Range{{Lo: &d, Hi: &d, LoIncl: true, HiIncl: true}} }
	key := metricsKey(1)
	list := []Range{}
	for i := range 1000 {
		list = append(list, eq(types.NewInt(int64(i)))...)
	}
	for _, bb := range []struct {
		name string
		conj Conj
	}{
		{"point", Conj{Columns: [][]Range{eq(key[0]), eq(key[1])}}},
		{"range", Conj{Columns: [][]Range{eq(key[0]), {{Lo: &key[1]}}}}},
		{"list_1000", Conj{Columns: [][]Range{eq(key[0]), list}}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Spans([]Conj{bb.conj}, SpanOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
