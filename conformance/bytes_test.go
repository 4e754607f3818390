package conformance

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage"
)

// byteStatements write tables that use what the row format has: key columns of
// both directions, families, NULL, packed rows, plain qualifiers, part-row
// writes, deletes.
var byteStatements = []string{
	`CREATE TABLE b1 (a INT, b VARCHAR, c NUMERIC(10,2), d TIMESTAMP, n.e BYTEA, n.f BOOLEAN, PRIMARY KEY (a DESC, b)) SALT_BUCKETS = 4`,
	`UPSERT INTO b1 VALUES (1, 'x', 1.50, '2024-01-02 03:04:05.678901', '\x00ff', true), (-1, '', NULL, NULL, NULL, NULL), (2147483647, 'é', 0, 'infinity', '', false)`,
	`UPSERT INTO b1 (a, b, c) VALUES (1, 'x', NULL)`,
	`UPDATE b1 SET f = false WHERE a = 1`,
	`INSERT INTO b1 (a, b) VALUES (5, 'gone'), (6, 'stays')`,
	`DELETE FROM b1 WHERE a = 5`,
	`CREATE TABLE b2 (k VARCHAR, s SMALLINT, r REAL, j JSONB, t TEXT[], PRIMARY KEY (k)) COLUMN_ENCODED_BYTES = 0`,
	`UPSERT INTO b2 VALUES ('k1', -1, 1.5, '{"b": 1, "a": [1, 2]}', '{a,NULL,b}'), ('k2', NULL, 'NaN', NULL, '{}')`,
	`CREATE TABLE b3 (d DATE, u UUID, x INT, y VARCHAR, PRIMARY KEY (d, u DESC)) IMMUTABLE_ROWS = true, SALT_BUCKETS = 16`,
	`UPSERT INTO b3 VALUES ('2024-02-29', '12345678-9abc-def0-1234-56789abcdef0', 7, 'hi'), ('1969-12-31', '00000000-0000-0000-0000-000000000000', NULL, '')`,
	`UPSERT INTO b3 (d, u, y) VALUES ('2024-02-29', '12345678-9abc-def0-1234-56789abcdef0', NULL)`,
}

// TestSameCells writes the same tables through both stores and compares every
// cell but for its timestamp, which is the time of the write.
func TestSameCells(t *testing.T) {
	dumps := map[string][]string{}
	for _, store := range []string{"pebble", "bigtable"} {
		t.Run(store, func(t *testing.T) {
			st := harness.Stores[store](t)
			defer st.Close()
			db, err := saltsql.Open(context.Background(), st, &saltsql.Options{Logger: harness.Quiet})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for _, sql := range byteStatements {
				if _, err := db.Exec(context.Background(), sql); err != nil {
					t.Fatalf("%s\n%v", sql, err)
				}
			}
			for _, table := range session.Behind(db).Catalog().Snapshot().Tables() {
				dumps[store] = append(dumps[store], dump(t, st, table.Name, table.Physical)...)
			}
		})
	}
	a, b := strings.Join(dumps["pebble"], "\n"), strings.Join(dumps["bigtable"], "\n")
	if a != b {
		t.Errorf("pebble:\n%s\nbigtable:\n%s", a, b)
	}
	if n := strings.Count(a, "\n"); n < 22 {
		t.Errorf("only %d cells were compared:\n%s", n, a)
	}
}

// dump lists a table's cells as texts, sorted by row, family and qualifier.
func dump(t *testing.T, st storage.Store, name, physical string) []string {
	sc, err := st.Table(physical).Scan(context.Background(), &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Close()
	var out []string
	var b storage.RowBatch
	for {
		if err := sc.Next(&b); err == io.EOF {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		for i := range b.Len() {
			var cells []string
			for j := range b.NumCells(i) {
				c := b.Cell(i, j)
				cells = append(cells, fmt.Sprintf("%s %x %s:%x = %s", name, b.Key(i), c.Family, c.Qualifier, hex.EncodeToString(c.Value)))
			}
			// The order of families is the store's own.
			slices.Sort(cells)
			out = append(out, cells...)
		}
	}
}

// TestKeyBytes pins the row keys of a salted table: what Phoenix would write.
func TestKeyBytes(t *testing.T) {
	v := variant{store: "mem", salt: 4}
	st := harness.Stores[v.store](t)
	defer st.Close()
	db, err := saltsql.Open(context.Background(), st, &saltsql.Options{Logger: harness.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, sql := range []string{
		`CREATE TABLE k (a INT, b VARCHAR, c CHAR(3), PRIMARY KEY (a, b, c)) SALT_BUCKETS = 4`,
		`UPSERT INTO k VALUES (1, 'ab', '123')`,
	} {
		if _, err := db.Exec(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
	got := dump(t, st, "k", session.Behind(db).Catalog().Snapshot().Table("public", "k").Physical)
	want := "k 0180000001616200313233 0:00000000 = 78"
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
