package conformance

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/storage"
)

// TestCheckRows damages rows behind the engine's back, one way at a time, on every store and
// salt: CheckRows says what is wrong, and of whole tables nothing.
func TestCheckRows(t *testing.T) {
	ctx := context.Background()
	for store := range harness.Stores {
		for _, salt := range harness.Salts {
			t.Run(variant{store: store, salt: salt}.String(), func(t *testing.T) {
				s := harness.Stores[store](t)
				defer s.Close()
				db, err := saltsql.Open(ctx, s, &saltsql.Options{Logger: harness.Quiet})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := db.Exec(ctx, fmt.Sprintf(`CREATE TABLE t (a INT, b VARCHAR, n INT NOT NULL, v TIMESTAMP, CONSTRAINT pk PRIMARY KEY (a, b DESC)) SALT_BUCKETS = %d;
					INSERT INTO t SELECT i, 'x' || i, i, TIMESTAMP '2024-01-01' FROM generate_series(1, 200) i`, salt)); err != nil {
					t.Fatal(err)
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				cat, err := live.Open(ctx, s, live.Serving(s), live.OpenOptions{Logger: harness.Quiet})
				if err != nil {
					t.Fatal(err)
				}
				defer cat.Close()
				table := cat.Snapshot().Table("public", "t")
				if rows, ps, err := cat.CheckRows(ctx, table); err != nil || rows != 200 || len(ps) > 0 {
					t.Fatalf("%d rows, %v: %v", rows, ps, err)
				}
				raw := s.Table(table.Physical)
				var b storage.RowBatch
				sc, err := raw.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}, Limit: 1})
				if err != nil {
					t.Fatal(err)
				}
				if err := sc.Next(&b); err != nil {
					t.Fatal(err)
				}
				sc.Close()
				key := bytes.Clone(b.Key(0))
				damage := func(says string, key []byte, change func(c storage.Cell) *storage.Mutation) {
					t.Helper()
					row := storage.RowMutation{Key: key}
					for j := range b.NumCells(0) {
						c := b.Cell(0, j)
						if m := change(c); m != nil {
							row.Mutations = append(row.Mutations, *m)
						}
					}
					if err := raw.Mutate(ctx, []storage.RowMutation{{Key: key, Mutations: append([]storage.Mutation{{Op: storage.DeleteRow}}, row.Mutations...)}}, storage.WriteOptions{}); err != nil {
						t.Fatal(err)
					}
					_, ps, err := cat.CheckRows(ctx, table)
					if err != nil || len(ps) != 1 || !strings.Contains(ps[0].String(), says) || !strings.Contains(ps[0].String(), fmt.Sprintf("%x", key)) {
						t.Errorf("%s: %v, %v", says, ps, err)
					}
					if err := raw.Mutate(ctx, []storage.RowMutation{{Key: key, Mutations: []storage.Mutation{{Op: storage.DeleteRow}}}}, storage.WriteOptions{}); err != nil {
						t.Fatal(err)
					}
				}
				same := func(c storage.Cell) *storage.Mutation {
					return &storage.Mutation{Op: storage.SetCell, Family: c.Family, Qualifier: c.Qualifier, Timestamp: c.Timestamp, Value: c.Value}
				}
				damage("column n is NULL", key, func(c storage.Cell) *storage.Mutation {
					if len(c.Value) == 4 {
						return nil
					}
					return same(c)
				})
				damage("v", key, func(c storage.Cell) *storage.Mutation {
					m := same(c)
					if len(c.Value) > 4 {
						m.Value = c.Value[:5]
					}
					return m
				})
				if salt > 1 {
					other := bytes.Clone(key)
					other[0] = (other[0] + 1) % byte(min(salt, 255))
					damage("its key belongs to bucket", other, same)
				}
			})
		}
	}
}
