package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/storage"
)

// TestCheckTableOfLateWrites puts rows into an indexed table without its indexes' knowledge, as a
// write does that the network held back until an index was made: new rows, other values of old
// rows, values that a UNIQUE index has. CHECK TABLE finds each of them, on every store and salt;
// REPAIR leaves the duplicates alone, and they are found again.
func TestCheckTableOfLateWrites(t *testing.T) {
	ctx := context.Background()
	for store := range harness.Stores {
		for _, salt := range []int{0, 4} {
			t.Run(variant{store: store, salt: salt}.String(), func(t *testing.T) {
				s := harness.Stores[store](t)
				db := harness.OpenOn(t, s)
				rng := rand.New(rand.NewPCG(*harness.Seed, uint64(salt)))
				const rows, late = 60, 40
				exec := func(format string, args ...any) {
					t.Helper()
					if _, err := db.Exec(ctx, fmt.Sprintf(format, args...)); err != nil {
						t.Fatalf(format+": %v", append(args, err)...)
					}
				}
				for _, name := range []string{"t", "l"} {
					exec(`CREATE TABLE %s (k int, u int, n int, CONSTRAINT %[1]s_pk PRIMARY KEY (k)) SALT_BUCKETS = %d`, name, salt)
				}
				values := map[int]int{} // u by k
				for k := range rows {
					values[k] = k
				}
				exec("INSERT INTO t SELECT g, g, g FROM generate_series(0, %d) g", rows-1)
				exec("CREATE UNIQUE INDEX t_u ON t (u)")
				exec("CREATE INDEX t_n ON t (n) INCLUDE (u)")
				entered := map[int]int{} // by u, the row that has the entry
				for k, u := range values {
					entered[u] = k
				}
				for range late {
					k, u := rng.IntN(2*rows), rng.IntN(3*rows)
					if _, again := values[k]; again && k >= rows {
						continue
					}
					exec("UPSERT INTO l VALUES (%d, %d, %d)", k, u, u)
					values[k] = u
				}
				copyRaw(t, db, s, "l", "t")

				// Of the rows of one value one has the entry, or will have it after a repair.
				of := map[int]int{}
				missing := 0
				for _, u := range values {
					of[u]++
				}
				duplicates := len(values) - len(of)
				for u := range of {
					if k, ok := entered[u]; !ok || values[k] != u {
						missing++ // or wrong, where the entry leads to a row that has another value
					}
				}
				check := func(sql string, faults, duplicates int) {
					t.Helper()
					conn, err := db.NewSession(saltsql.SessionOptions{})
					if err != nil {
						t.Fatal(err)
					}
					defer conn.Close()
					out, _, err := harness.Run(ctx, conn, sql)
					if err != nil {
						t.Fatalf("%s: %v", sql, err)
					}
					for _, row := range out {
						n := func(i int) int { v, _ := strconv.Atoi(*row[i]); return v }
						if *row[0] != "t_u" {
							if n(5) > 0 {
								t.Errorf("%s: %d duplicates of %s", sql, n(5), *row[0])
							}
							continue
						}
						if n(2)+n(3) != faults || n(5) != duplicates {
							t.Errorf("%s: %d missing, %d wrong, %d duplicates (%s), want %d and %d; seed %d", sql, n(2), n(3), n(5), *row[7], faults, duplicates, *harness.Seed)
						}
					}
				}
				check("CHECK TABLE t ALL", missing, duplicates)
				check("CHECK TABLE t ALL REPAIR", missing, duplicates)
				check("CHECK TABLE t ALL", 0, duplicates)
				if _, err := db.Exec(ctx, "REINDEX INDEX t_u"); duplicates > 0 && stateOf(err) != "23505" {
					t.Errorf("REINDEX of an index with duplicates: %v", err)
				}
			})
		}
	}
}

// copyRaw gives a table the rows of another of the same shape, by their cells.
func copyRaw(t *testing.T, db *saltsql.DB, s storage.Store, from, to string) {
	t.Helper()
	ctx := context.Background()
	table := func(name string) storage.Table {
		rows, err := db.Query(ctx, "SELECT physical_name FROM saltsql.tables WHERE table_name = $1", name)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		rows.Next()
		return s.Table(rows.Text(0))
	}
	err := storage.EachBatch(ctx, table(from), &storage.ScanRequest{Spans: []storage.Span{{}}}, func(b *storage.RowBatch) error {
		var list []storage.RowMutation
		for i := range b.Len() {
			m := storage.RowMutation{Key: b.Key(i), Mutations: []storage.Mutation{{Op: storage.DeleteRow}}}
			for j := range b.NumCells(i) {
				c := b.Cell(i, j)
				m.Mutations = append(m.Mutations, storage.Mutation{Op: storage.SetCell, Family: c.Family, Qualifier: c.Qualifier, Timestamp: c.Timestamp, Value: c.Value})
			}
			list = append(list, m)
		}
		return table(to).Mutate(ctx, list, storage.WriteOptions{})
	})
	if err != nil {
		t.Fatal(err)
	}
}
