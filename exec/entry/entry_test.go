package entry_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/entry"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/session/sessiontest"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// Tables and indexes of every kind, after random writes: what lies in an index's storage
// table is one entry for each row that the index's predicate takes, and each leads back to
// the primary key of its row.
func TestEntriesLeadToRows(t *testing.T) {
	ctx := context.Background()
	store := mem.New()
	db, err := session.Open(ctx, store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.NewSession(session.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := func(text string) []string {
		t.Helper()
		rows, err := sessiontest.Rows(s, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return rows
	}
	r := rand.New(rand.NewPCG(7, 1))
	const rows = 200
	for i, tt := range []struct{ columns, key, options string }{
		{"a int, b text, c numeric, d timestamp", "a, b DESC", ""},
		{"a int, b text, c numeric, d timestamp", "b, a", "SALT_BUCKETS = 8"},
		{"a int, b text, c numeric, d timestamp", "d, c DESC, a, b", "SALT_BUCKETS = 4"},
	} {
		name := fmt.Sprint("t", i)
		run(fmt.Sprintf("CREATE TABLE %s (%s, v int, w text, CONSTRAINT %s_pk PRIMARY KEY (%s)) %s", name, tt.columns, name, tt.key, tt.options))
		where := map[string]string{}
		for k, ix := range []struct{ parts, rest, where string }{
			{"v", "", "TRUE"}, {"w DESC, v", "INCLUDE (c)", "TRUE"}, {"lower(w), b", "", "TRUE"},
			{"v DESC NULLS LAST", "WHERE v > 3", "v > 3"}, {"(v % 3), w", "WHERE w IS NOT NULL", "w IS NOT NULL"},
		} {
			n := fmt.Sprintf("%s_i%d", name, k)
			where[n] = ix.where
			run(fmt.Sprintf("CREATE INDEX %s ON %s (%s) %s", n, name, ix.parts, ix.rest))
		}
		for range rows {
			v, w := fmt.Sprint(r.IntN(8)), fmt.Sprintf("'W%d'", r.IntN(9))
			if r.IntN(6) == 0 {
				v = "NULL"
			}
			if r.IntN(6) == 0 {
				w = "NULL"
			}
			key := fmt.Sprintf("%d, 'k%d', %d.%d, TIMESTAMP '2024-01-0%d'", r.IntN(5), r.IntN(9), r.IntN(3), 1+r.IntN(3), 1+r.IntN(4))
			run(fmt.Sprintf("UPSERT INTO %s (a, b, c, d, v, w) VALUES (%s, %s, %s)", name, key, v, w))
			switch r.IntN(8) {
			case 0:
				run(fmt.Sprintf("DELETE FROM %s WHERE a = %d AND v = %d", name, r.IntN(5), r.IntN(8)))
			case 1:
				run(fmt.Sprintf("UPDATE %s SET v = %d, w = upper(w) || 'x' WHERE b = 'k%d'", name, r.IntN(8), r.IntN(9)))
			}
		}
		rel, err := db.Catalog().Snapshot().Resolve([]string{"public"}, "", name)
		if err != nil {
			t.Fatal(err)
		}
		table := rel.(*catalog.Table)
		for n, cond := range where {
			want := run(fmt.Sprintf("SELECT %s FROM %s WHERE %s", strings.ReplaceAll(tt.key, " DESC", ""), name, cond))
			slices.Sort(want)
			if got := entries(t, store, table, table.IndexByName(n)); len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s has %d entries for %d rows\n%v\n%v", n, len(got), len(want), got, want)
			}
		}
	}
}

// entries gives the primary keys that an index's entries lead to.
func entries(t *testing.T, store storage.Store, table *catalog.Table, ix *catalog.Index) (out []string) {
	t.Helper()
	x, err := entry.NewMaker(table, ix)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := store.Table(ix.Physical).Scan(context.Background(), &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Close()
	for {
		var b storage.RowBatch
		err := sc.Next(&b)
		if err == io.EOF {
			slices.Sort(out)
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Len() {
			vals, err := x.PrimaryKey(&b, i)
			if err != nil {
				t.Fatal(err)
			}
			var row strings.Builder
			for k, d := range vals {
				row.WriteString("|" + string(types.AppendText(nil, table.Columns[table.PrimaryKey[k]].Type, d, nil)))
			}
			out = append(out, row.String())
		}
	}
}
