package bigtable

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/proto"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
)

// A hint changes no answer, whatever else is asked for, and drops rows where
// it goes to the service.
func TestHints(t *testing.T) {
	seeds.Sometimes(t)
	svc, _, tb := openService(t, Config{})
	s := tb.(*table).s
	ctx := context.Background()
	spec := storage.TableSpec{Name: "h", Families: []storage.FamilySpec{{Name: "f", MaxVersions: 5}, {Name: "g"}}}
	if err := s.Admin().CreateTable(ctx, spec); err != nil {
		t.Fatal(err)
	}
	tb = s.Table("h")
	var rows []storage.RowMutation
	set := func(r *storage.RowMutation, family string, q byte, ts int64, value string) {
		r.Mutations = append(r.Mutations, storage.Mutation{Op: storage.SetCell, Family: family, Qualifier: []byte{0x80, q}, Timestamp: ts * 1000, Value: []byte(value)})
	}
	for i := range 40 {
		r := storage.RowMutation{Key: fmt.Appendf(nil, "%02d", i)}
		if i%7 > 0 {
			set(&r, "f", 1, 10, fmt.Sprint(i%10))
		}
		if i%5 == 0 {
			set(&r, "f", 1, 20, "3")
		}
		if i%11 == 0 {
			set(&r, "f", 1, 5, "")
		}
		set(&r, "f", 2, 10, "other")
		if i%3 == 0 {
			set(&r, "f", 3, 30, "third")
		}
		set(&r, "g", 1, 10, "3")
		rows = append(rows, r)
	}
	if err := tb.Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	col := func(family string, q byte) storage.Col {
		return storage.Col{Family: family, Qualifier: []byte{0x80, q}}
	}
	h := col("f", 1)
	conditions, values := map[float64]int{}, 0 // by what the hint is thought to let pass
	for _, bound := range []struct{ lo, hi []byte }{
		{[]byte("3"), []byte("3")}, {[]byte("2"), []byte("5")}, {nil, []byte("4")}, {[]byte("7"), nil}, {nil, []byte{}}, {[]byte{}, []byte{}},
		{[]byte{}, []byte("0")}, {[]byte("5"), []byte("2")}, {nil, nil}, {bytes.Repeat([]byte{'3'}, 5000), nil},
	} {
		exact := func(key []byte, row storage.RowView) (bool, error) {
			v, ok := row.Get(h.Family, h.Qualifier)
			return ok && (bound.lo == nil || bytes.Compare(v, bound.lo) >= 0) && (bound.hi == nil || bytes.Compare(v, bound.hi) <= 0), nil
		}
		for _, project := range [][]storage.Col{nil, {h}, {h, col("f", 2)}, {col("f", 3), col("g", 1), h, h}} {
			for _, versions := range []int{0, 3} {
				for _, minTS := range []int64{0, 6_000, 11_000, 15_000} {
					for _, limit := range []int64{0, 3} {
						req := storage.ScanRequest{Spans: []storage.Span{{}}, Project: project, Versions: versions, MinTS: minTS, Limit: limit, Filter: exact}
						want, err := scanAll(s, "h", &req)
						if err != nil {
							t.Fatal(err)
						}
						for _, part := range []float64{0, 0.9, 0.1} {
							req.Hint = &storage.Hint{Col: h, Lo: bound.lo, Hi: bound.hi, Part: part}
							got, err := scanAll(s, "h", &req)
							if err != nil || !slices.Equal(got, want) {
								t.Fatalf("%+v, hint %q: %v\ngot  %q\nwant %q", req, bound, err, got, want)
							}
							seen := svc.requests()
							f := seen[len(seen)-1].(*bigtablepb.ReadRowsRequest).Filter.String()
							if strings.Contains(f, "condition") {
								conditions[part]++
							} else if strings.Contains(f, "value_range") {
								values++
							}
						}
						// without the exact filter, every row that satisfies the hint comes
						req.Filter, req.KeysOnly, req.Limit = nil, limit > 0, 0
						keys, err := scanAll(s, "h", &req)
						if err != nil {
							t.Fatal(err)
						}
						for _, w := range want {
							if key, _, _ := strings.Cut(w, " "); !slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(k, key) }) {
								t.Fatalf("%+v, hint %q: row %s is lost", req, bound, key)
							}
						}
					}
				}
			}
		}
	}
	if conditions[0] == 0 || conditions[0.9] > 0 || conditions[0.1] <= conditions[0] || values == 0 {
		t.Errorf("%v conditions, %d value ranges sent", conditions, values)
	}
}

// No filter is near the service's limit of 20,480 bytes.
func TestFilterSize(t *testing.T) {
	svc, s, _ := openService(t, Config{})
	for _, n := range []int{1, 2, 16, 17, 300} {
		for _, size := range []int{2, 60, 500, 4000, 16 << 10} {
			for _, same := range []bool{true, false} {
				var cols []storage.Col
				for i := range n {
					family := "f"
					if !same {
						family = fmt.Sprintf("family-%060d", i)
					}
					cols = append(cols, storage.Col{Family: family, Qualifier: append(bytes.Repeat([]byte{1}, size-2), byte(i>>8), byte(i))})
				}
				hint := &storage.Hint{Col: cols[0], Lo: bytes.Repeat([]byte{1}, 2000), Hi: bytes.Repeat([]byte{1}, 2000)}
				req := storage.ScanRequest{Spans: []storage.Span{{}}, Project: cols, MinTS: 1000, Hint: hint}
				for _, req.KeysOnly = range []bool{false, true} {
					if _, err := scanAll(s, "t", &req); err != nil {
						t.Fatal(err)
					}
					seen := svc.requests()
					if got := proto.Size(seen[len(seen)-1].(*bigtablepb.ReadRowsRequest).Filter); got > 20_480 {
						t.Errorf("%d columns of %d bytes, one family %v: a filter of %d bytes", n, size, same, got)
					}
				}
			}
		}
	}
}

func TestProjection(t *testing.T) {
	cols := func(qualifiers ...string) []storage.Col {
		var out []storage.Col
		for _, q := range qualifiers {
			out = append(out, storage.Col{Family: "f", Qualifier: []byte(q)})
		}
		return out
	}
	for _, tt := range []struct {
		cols      []storage.Col
		needExact bool
		ranges    int
		exact     bool
	}{
		{nil, false, 0, true},
		{cols("a"), false, 1, true},
		{cols("a", "a"), false, 1, true},
		{cols("b", "a", "c"), false, 1, false},
		{cols("b", "a", "c"), true, 3, true},
		{cols("a", "c"), false, 2, true},
		{cols("a\xff", "b\x00"), false, 2, true},
		{cols("\x00\x00\x00\x00", "\x80\x0b", "\x80\x0c", "\x80\x0e"), false, 3, false},
		{cols("a", "aa", ""), false, 3, true},
	} {
		f, exact := projection(tt.cols, tt.needExact)
		n := 0
		if f != nil {
			n = strings.Count(f.String(), "column_range_filter")
		}
		if exact != tt.exact || n != tt.ranges {
			t.Errorf("%q: exact %v, %d ranges: %v", tt.cols, exact, n, f)
		}
	}
}
