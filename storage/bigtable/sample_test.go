package bigtable

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/storage"
)

func TestSampledTablets(t *testing.T) {
	tests := []struct {
		name, keys, span, want string
	}{
		{"whole", "c/1000 f/3000 /3500", ",", ",c=1000 c,f=2000 f,=500"},
		{"part", "c/1000 f/3000 /3500", "a,d", "a,c=1000 c,d=2000"},
		{"behind", "c/1000 f/3000 /3500", "x,y", "x,y=500"},
		{"no end", "c/1000 f/3000", ",", ",c=1000 c,f=2000 f,=-1"},
		{"empty table", "/0", ",", ",=0"},
		{"a key twice", "c/1000 c/1000 /1500", ",", ",c=1000 c,=500"},
		{"no sizes", "c/-1 /-1", ",", ",c=-1 c,=-1"},
		{"nothing", "", "a,b", "a,b=-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s keySample
			for _, w := range strings.Fields(tt.keys) {
				k, o, _ := strings.Cut(w, "/")
				var n int64
				fmt.Sscan(o, &n)
				s.keys, s.offsets = append(s.keys, []byte(k)), append(s.offsets, n)
			}
			lo, hi, _ := strings.Cut(tt.span, ",")
			var got []string
			for _, tb := range s.tablets(storage.Span{Start: []byte(lo), End: []byte(hi)}) {
				got = append(got, fmt.Sprintf("%s,%s=%d", tb.Span.Start, tb.Span.End, tb.Bytes))
			}
			if text := strings.Join(got, " "); text != tt.want {
				t.Errorf("got %s, want %s", text, tt.want)
			}
		})
	}
}

// TestSampleSizes sees the sizes of the pieces.
func TestSampleSizes(t *testing.T) {
	ctx := context.Background()
	s := openEmulator(t, Config{})
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	var rows []storage.RowMutation
	for i := range 1000 {
		rows = append(rows, storage.RowMutation{Key: fmt.Appendf(nil, "k%04d", i),
			Mutations: []storage.Mutation{{Family: "f", Qualifier: []byte("q"), Timestamp: 1000, Value: make([]byte, 50)}}})
	}
	if err := s.Table("t").Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	tablets, err := s.Table("t").Tablets(ctx, storage.Span{})
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, tb := range tablets {
		total += tb.Bytes
	}
	if total != 1000*50 {
		t.Errorf("%d bytes in %d tablets, want 50000", total, len(tablets))
	}
	got, err := s.Table("t").Sample(ctx, storage.Span{}, 4)
	if err != nil {
		t.Fatal(err)
	}
	total = 0
	for _, p := range got.Pieces {
		total += p.Bytes
	}
	if total != 1000*50 || len(got.Pieces) >= 8 || got.Calls != 1 || got.Rows != 0 {
		t.Errorf("%d bytes in %d pieces, %d calls", total, len(got.Pieces), got.Calls)
	}
}
