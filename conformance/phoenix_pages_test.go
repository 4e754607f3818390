package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
)

// TestPhoenixPages pages through tables that Phoenix wrote, whose keys have NULLs, DESC
// columns and all types, by OFFSET to the last row of the page before: all rows come, each
// once and in key order, which is the order that sorting gives.
func TestPhoenixPages(t *testing.T) {
	tables := readPhoenix(t, "testdata/phoenix/tables.txt")
	store := harness.Stores["mem"](t)
	defer store.Close()
	db, err := saltsql.Open(context.Background(), store, &saltsql.Options{Logger: harness.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	plain, err := db.NewSession(saltsql.SessionOptions{Settings: map[string]string{"saltsql.rules": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	pages, nulls := 0, 0
	for i := range tables {
		p := &tables[i]
		p.lift(t, store)
		sessionRows(t, s, p.attach())
		cols, all := sessionRows(t, s, "SELECT * FROM "+p.name)
		key := make([]string, p.keys())
		for i := range key {
			key[i] = cols[i].Name
		}
		desc := map[string]bool{}
		_, list, _ := strings.Cut(p.create, "PRIMARY KEY (")
		list, _, _ = strings.Cut(list, ")")
		for _, c := range strings.Split(list, ", ") {
			name, _, _ := strings.Cut(c, " ")
			desc[strings.ToLower(name)] = strings.HasSuffix(c, " DESC")
		}
		order := make([]string, len(key))
		for i, k := range key {
			if order[i] = k + " NULLS FIRST"; desc[k] {
				order[i] = k + " DESC NULLS LAST"
			}
		}
		q := "SELECT * FROM " + p.name + " ORDER BY " + strings.Join(order, ", ")
		_, want := sessionRows(t, s, q)
		if len(want) != len(all) {
			t.Fatalf("%s\n%d rows, not %d", p.create, len(want), len(all))
		}
		if _, sorted := sessionRows(t, plain, q); !slices.EqualFunc(want, sorted, slices.Equal) {
			t.Fatalf("%s\n%s\n%q, sorted %q", p.create, q, want, sorted)
		}
		if strings.Contains(p.create[:strings.Index(p.create, ", C0")+1]+" ", " TIME ") || strings.Contains(p.create, " UNSIGNED_TIME ") {
			continue // a time of day does not tell rows apart
		}
		for at := range want {
			row := make([]string, len(key))
			for i := range key {
				row[i] = quotedLiteral(want[at][i], cols[i].Type.String())
				if row[i] == "NULL" {
					nulls++
				}
			}
			q := fmt.Sprintf("SELECT * FROM %s LIMIT 3 OFFSET (%s) = (%s)", p.name, strings.Join(key, ", "), strings.Join(row, ", "))
			_, got := sessionRows(t, s, q)
			if rest := want[at+1:]; !slices.EqualFunc(got, rest[:min(3, len(rest))], slices.Equal) {
				t.Fatalf("%s\n%s\n%q, not %q", p.create, q, got, rest[:min(3, len(rest))])
			}
			pages++
		}
	}
	if nulls == 0 {
		t.Fatal("no NULL in a key")
	}
	t.Logf("%d tables, %d pages, %d NULLs in keys", len(tables), pages, nulls)
}
