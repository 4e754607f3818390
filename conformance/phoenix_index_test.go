package conformance

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/storage"
)

var phoenixIndexFile = flag.String("phoenix-indexes", "testdata/phoenix/indexes.txt", "recorded tables of Phoenix with the rows of their indexes")

// TestPhoenixIndexRows makes Phoenix's indexes anew, by its own statements over tables that
// it wrote: each row has the key and the covered cells that Phoenix wrote. The marker cell
// has another value, by which Phoenix tells entries that are verified.
func TestPhoenixIndexRows(t *testing.T) {
	f := openForeign(t, "mem")
	store, s := f.Store, f.Session
	rows := 0
	for _, p := range readPhoenix(t, *phoenixIndexFile) {
		p.lift(t, store)
		sessionRows(t, s, p.attach())
		for _, ix := range p.indexes {
			before := storageTables(t, store)
			create := ix.create
			if _, n, ok := strings.Cut(p.create, "SALT_BUCKETS="); ok && !strings.Contains(create, "SALT_BUCKETS") {
				n, _, _ = strings.Cut(n, ",") // Phoenix salts an index as its table, if not told otherwise
				create += " SALT_BUCKETS=" + n
			}
			sessionRows(t, s, create)
			made := ""
			for _, name := range storageTables(t, store) {
				if !slices.Contains(before, name) {
					made = name
				}
			}
			want := map[string][]string{}
			for _, c := range ix.cells {
				want[string(c.key)] = append(want[string(c.key)], fmt.Sprintf("%s %X = %X", c.family, c.qualifier, c.value))
			}
			got := map[string][]string{}
			req := &storage.ScanRequest{Spans: []storage.Span{{}}}
			err := storage.EachBatch(context.Background(), store.Table(made), req, func(b *storage.RowBatch) error {
				for i := range b.Len() {
					for j := range b.Refs(i) {
						c := b.Cell(i, j)
						got[string(b.Key(i))] = append(got[string(b.Key(i))], fmt.Sprintf("%s %X = %X", c.Family, c.Qualifier, c.Value))
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			marker := "00000000"
			if strings.Contains(p.create, "COLUMN_ENCODED_BYTES=0") {
				marker = plainNames
			}
			for _, key := range slices.Sorted(maps.Keys(want)) {
				g, w := covered(got[key], "00000000"), covered(want[key], marker)
				if marker == plainNames {
					for i, c := range g {
						_, g[i], _ = strings.Cut(c, " = ")
					}
					slices.Sort(g)
					slices.Sort(w)
				}
				if len(got[key]) == 0 || !slices.Equal(g, w) {
					t.Errorf("%s\n%s\n%X: %s\nPhoenix has %s", p.create, ix.create, key, strings.Join(g, ", "), strings.Join(w, ", "))
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s\n%d rows, Phoenix has %d", ix.create, len(got), len(want))
			}
			rows += len(want)
		}
	}
	t.Logf("%d rows of indexes", rows)
}

// plainNames is the marker's qualifier where those of columns are names. Indexes made here
// number their columns nevertheless, so that values alone compare.
const plainNames = "5F30"

// covered are the cells without the marker.
func covered(cells []string, marker string) (out []string) {
	for _, c := range cells {
		_, value, _ := strings.Cut(c, " = ")
		switch {
		case strings.Contains(c, " "+marker+" = "):
		case marker == plainNames:
			out = append(out, value)
		default:
			out = append(out, c)
		}
	}
	return out
}

func storageTables(t *testing.T, store storage.Store) (names []string) {
	specs, err := store.Admin().Tables(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names
}
