package transact

import (
	"context"
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/internal/race/alloctest"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// benched is a table of 1,000 rows of four cells, in transactions and as it lies below.
func benched(t testing.TB) (tables map[string]storage.Table, cols []storage.Col, snap storage.Snapshot) {
	ctx, base := context.Background(), mem.New()
	s, name := Wrap(base, Options{}), "t"+Mark
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
		t.Fatal(err)
	}
	for k := range 4 {
		cols = append(cols, storage.Col{Family: "0", Qualifier: []byte{byte('a' + k)}})
	}
	var rows []storage.RowMutation
	for i := range 1000 {
		row := storage.RowMutation{Key: fmt.Appendf(nil, "k%04d", i)}
		for _, c := range cols {
			row.Mutations = append(row.Mutations, storage.Mutation{Family: c.Family, Qualifier: c.Qualifier, Timestamp: step, Value: []byte("a value")})
		}
		rows = append(rows, row)
	}
	if err := s.Table(name).Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	s.work.Wait()
	tx := s.Transactions()
	snap, err := tx.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]storage.Table{"below": base.Table(name), "transactions": tx.Table(name)}, cols, snap
}

func get(t testing.TB, table storage.Table, req *storage.ScanRequest, rb *storage.RowBatch) {
	rb.Reset()
	if _, err := table.MultiGet(context.Background(), [][]byte{[]byte("k0500")}, req, rb); err != nil || rb.Len() != 1 {
		t.Fatal(rb.Len(), err)
	}
}

func scanAll(t testing.TB, table storage.Table, req *storage.ScanRequest, rb *storage.RowBatch) {
	sc, err := table.Scan(context.Background(), req)
	n := 0
	for err == nil {
		if err = sc.Next(rb); err == nil {
			n += rb.Len()
		}
	}
	sc.Close()
	if n != 1000 {
		t.Fatal(n, err)
	}
}

var reads = map[string]func(testing.TB, storage.Table, *storage.ScanRequest, *storage.RowBatch){"get": get, "scan": scanAll}

// TestReadsAllocate: a read that meets no lock allocates nothing for a row beyond what it does below.
func TestReadsAllocate(t *testing.T) {
	tables, cols, snap := benched(t)
	for what, read := range reads {
		allocs := map[string]float64{}
		for name, table := range tables {
			req := &storage.ScanRequest{Spans: []storage.Span{{}}, Project: cols}
			if name != "below" {
				req.Snapshot = snap
			}
			var rb storage.RowBatch
			allocs[name] = alloctest.PerRun(20, func() { read(t, table, req, &rb) })
		}
		t.Logf("%s: %v", what, allocs)
		if allocs["transactions"] > allocs["below"]+12 {
			t.Errorf("%s: %v", what, allocs)
		}
	}
}

func BenchmarkReads(b *testing.B) {
	tables, cols, snap := benched(b)
	for what, read := range reads {
		for name, table := range tables {
			b.Run(what+" "+name, func(b *testing.B) {
				req := &storage.ScanRequest{Spans: []storage.Span{{}}, Project: cols}
				if name != "below" {
					req.Snapshot = snap
				}
				var rb storage.RowBatch
				b.ReportAllocs()
				for b.Loop() {
					read(b, table, req, &rb)
				}
			})
		}
	}
}
