package conformance

import (
	"bufio"
	"context"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/storage"
)

// TestPhoenixDynamic sends the UPSERTs of a recording, with dynamic columns, to tables
// attached by Phoenix's own statements: the cells are those that Phoenix writes. Each is
// then read back by its declaration.
func TestPhoenixDynamic(t *testing.T) {
	ctx := context.Background()
	for _, v := range []string{"mem", "pebble", "bigtable"} {
		t.Run(v, func(t *testing.T) {
			store := harness.Stores[v](t)
			defer store.Close()
			db, err := saltsql.Open(ctx, store, &saltsql.Options{Logger: harness.Quiet})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			s, err := db.NewSession(saltsql.SessionOptions{Settings: map[string]string{"search_path": "phoenix, public"}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			n := 0
			for _, r := range readCells(t, "testdata/phoenix/dynamic.txt") {
				create, isTable := strings.CutPrefix(strings.Replace(r.sql, "IMMUTABLE TABLE", "TABLE", 1), "CREATE TABLE ")
				if isTable {
					name, _, _ := strings.Cut(create, " ")
					p := &phoenixTable{name: strings.ToUpper(name), create: create}
					p.lift(t, store)
					sessionRows(t, s, p.attach())
					continue
				}
				sessionRows(t, s, r.sql)
				var b storage.RowBatch
				if _, err := store.Table(r.table).MultiGet(ctx, [][]byte{r.key}, nil, &b); err != nil || b.Len() != 1 {
					t.Fatalf("%s\n%d rows, %v", r.sql, b.Len(), err)
				}
				var have []string
				for j := range b.NumCells(0) {
					c := b.Cell(0, j)
					if len(c.Value) > 0 { // which STORE_NULLS writes for NULL
						have = append(have, cellText(c.Family, c.Qualifier, c.Value))
					}
				}
				slices.Sort(have)
				if !slices.Equal(have, r.cells) {
					t.Errorf("%s\n%s", r.sql, differing(have, r.cells))
				}
				n++
				// UPSERT INTO t (k, d INTEGER) is read by FROM t (d INTEGER).
				into, _, _ := strings.Cut(strings.TrimPrefix(r.sql, "UPSERT INTO "), " VALUES ")
				table, list, _ := strings.Cut(strings.TrimSuffix(into, ")"), " (")
				var declared, names []string
				for _, c := range strings.Split(strings.ReplaceAll(list, "10,2", "10;2"), ", ") {
					name, typ, ok := cutColumn(c)
					if ok {
						declared = append(declared, strings.ReplaceAll(name+" "+typ, ";", ","))
					}
					names = append(names, name[strings.LastIndexByte(name, '.')+1:])
				}
				read := "SELECT " + strings.Join(names, ", ") + " FROM " + table + " (" + strings.Join(declared, ", ") + ")"
				_, rows := sessionRows(t, s, read)
				_, values := sessionRows(t, s, "VALUES "+r.sql[strings.Index(r.sql, " VALUES ")+8:])
				found := false
				for _, row := range rows {
					found = found || sameValues(row, values[0])
				}
				if !found {
					t.Errorf("%s\n%q, not among %q", read, values[0], rows)
				}
			}
			t.Logf("%d rows", n)
		})
	}
}

// cutColumn cuts a column's name, which may be quoted, from its type.
func cutColumn(c string) (name, typ string, ok bool) {
	if i := strings.LastIndexByte(c, '"'); i >= 0 {
		return c[:i+1], strings.TrimSpace(c[i+1:]), len(c) > i+1
	}
	return strings.Cut(c, " ")
}

// sameValues compares a row with what was written, whose texts have no types yet.
func sameValues(row, values []string) bool {
	for i, v := range values {
		if strings.TrimRight(row[i], " 0.") != strings.TrimRight(v, " 0.") {
			return false
		}
	}
	return true
}

// recordedCells is a statement with the cells it writes into one row.
type recordedCells struct {
	sql, table string
	key        []byte
	cells      []string // of cellText, sorted; deletions are left out
}

func cellText(family string, qualifier, value []byte) string {
	return family + " " + hex.EncodeToString(qualifier) + " " + hex.EncodeToString(value)
}

// readCells reads a recording of the oracle's Cells: statements, and cells in lines of two
// blanks, table, key, family, qualifier, Put or a deletion, and value in hexadecimal digits.
func readCells(t testing.TB, path string) []recordedCells {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []recordedCells
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		cell, ok := strings.CutPrefix(lines.Text(), "  ")
		if !ok {
			out = append(out, recordedCells{sql: lines.Text()})
			continue
		}
		r, part := &out[len(out)-1], strings.Split(cell, " ")
		r.table, r.key = part[0], unhex(part[1])
		if part[4] == "Put" && part[5] != "" {
			r.cells = append(r.cells, cellText(string(unhex(part[2])), unhex(part[3]), unhex(part[5])))
			slices.Sort(r.cells)
		}
	}
	return out
}
