package rowpack

import (
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// BenchmarkShapes takes one value out of each of 1,000 packed rows: of rows written
// whole, and of rows of which one cell was written later, each at a time of its own.
func BenchmarkShapes(b *testing.B) {
	for _, name := range []string{"whole", "in part"} {
		b.Run(name, func(b *testing.B) {
			var raws [][]byte
			for i := range 1000 {
				var cells []cell
				for c := range 6 {
					ts := int64(1e12)
					if c == 3 && name == "in part" {
						ts += int64(i) * 1000
					}
					cells = append(cells, cell{Family: 1, Qualifier: []byte{0x80, byte(0x0B + c)}, TS: ts, value: []byte("value")})
				}
				raw, _ := appendRow(nil, nil, cells)
				raws = append(raws, raw)
			}
			desc := NewDesc(storage.TableSpec{Families: []storage.FamilySpec{{Name: "0", MaxVersions: 1}}}, []uint32{1})
			req := &storage.ScanRequest{Project: []storage.Col{{Family: "0", Qualifier: []byte{0x80, 0x0D}}}, ValuesOnly: true}
			p := NewPlan(req, desc, time.Now)
			var dst storage.RowBatch
			for b.Loop() {
				dst.Reset()
				p.StartBatch()
				dst.StartColumns(1)
				for _, raw := range raws {
					if ok, err := p.EmitValues(&dst, raw[:8], raw); !ok || err != nil {
						b.Fatal(ok, err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/row")
		})
	}
}
