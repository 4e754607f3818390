package wire

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// BenchmarkEmptyRoundTrip is a prepared statement over TCP and pgx that does next to
// nothing: what the protocol costs.
func BenchmarkEmptyRoundTrip(b *testing.B) {
	_, addr, _ := tcpServer(b, Config{})
	conn, err := pgx.Connect(context.Background(), "postgres://u@"+addr+"/d?sslmode=disable")
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, text := range []string{okSQL, "select $1::int8"} {
		b.Run(strings.Fields(text)[0], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if text == okSQL {
					_, err = conn.Exec(context.Background(), text)
				} else {
					var got int64
					err = conn.QueryRow(context.Background(), text, int64(7)).Scan(&got)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDataRow prints batches of four columns.
func BenchmarkDataRow(b *testing.B) {
	kinds := []types.Kind{types.Int8, types.Float8, types.Text, types.Timestamp}
	var ts []types.T
	var cols []session.Column
	for _, k := range kinds {
		ts = append(ts, types.Of(k))
		cols = append(cols, session.Column{Type: types.Of(k)})
	}
	batch := vec.NewBatch(ts)
	for _, v := range batch.Cols {
		v.Resize(vec.MaxRows)
	}
	for i := range vec.MaxRows {
		batch.Cols[0].Ints[i] = int64(i) * 1e6
		batch.Cols[1].Floats[i] = float64(i) / 7
		batch.Cols[2].Bytes[i] = []byte("a value of text")
		batch.Cols[3].Ints[i] = 1.7e15 + int64(i)*1e6
	}
	batch.N = vec.MaxRows
	for _, f := range []struct {
		name string
		f    formats
	}{{"text", nil}, {"binary", formats{0, 1}}} {
		b.Run(f.name, func(b *testing.B) {
			var enc encoder
			enc.init(cols, f.f, nil)
			var buf []byte
			b.ReportAllocs()
			for b.Loop() {
				buf = buf[:0]
				for i := range batch.N {
					var err error
					if buf, err = enc.appendRow(buf, batch, i); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch.N), "ns/row")
		})
	}
}
