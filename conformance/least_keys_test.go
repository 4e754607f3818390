package conformance

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
)

// leastValues are the least and the emptiest values of each type that a key may have, and
// what lies beside them.
var leastValues = map[string][]string{
	"bytea":     {`'\x'`, `'\x00'`, `'\x0000'`, `'\x0001'`, `'\x0061'`, `'\x00ff'`, `'\x01'`, `'\x61'`, `'\xfe'`, `'\xff'`, `'\xff00'`},
	"text":      {"''", "' '", "chr(1)", "chr(1) || 'a'", "'a'", "'~'"},
	"char(3)":   {"''", "'a'", "'abc'"},
	"numeric":   {"'0'", "'-0.001'", "'0.001'", "'-1'", "'-100'", "'99.99'"},
	"float8":    {"'-infinity'", "'-1e-300'", "'0'", "'1e-300'", "'infinity'", "'nan'"},
	"int4":      {"'-2147483648'", "'-1'", "'0'", "'2147483647'"},
	"int8":      {"'-9223372036854775808'", "'-1'", "'0'", "'9223372036854775807'"},
	"bool":      {"false", "true"},
	"date":      {"'-infinity'", "'1969-12-31'", "'1970-01-01'", "'infinity'"},
	"timestamp": {"'-infinity'", "'1969-12-31 23:59:59.999999'", "'1970-01-01'", "'infinity'"},
	"time":      {"'00:00'", "'00:00:00.000001'", "'24:00'"},
	"uuid":      {"'00000000-0000-0000-0000-000000000000'", "'00000000-0000-0000-0000-000000000001'"},
}

// TestLeastKeys compares what is read of such values by the table's key and by each kind of
// index with PostgreSQL's answers: where one of them is a key, and where it is beside one.
func TestLeastKeys(t *testing.T) {
	t.Parallel()
	w := newTwins(t, variant{store: "pebble"}.open(t))
	p := w.session(t)
	ctx := context.Background()
	names := []string{}
	indexes := []string{"(k)", "(k DESC)", "(v)", "(v DESC)", "(v, k)", "(k, v DESC)"}
	typs := slices.Sorted(maps.Keys(leastValues))
	for i := range seeds.Part(t, len(typs), seeds.Whole) {
		typ, values := typs[i], leastValues[typs[i]]
		for _, buckets := range []int{0, 3} {
			name := fmt.Sprintf("least%d", len(names))
			names = append(names, name)
			var rows []string
			for _, v := range values {
				if buckets > 0 || v != "''" && v != `'\x'` || typ == "char(3)" { // an unsalted table has no row with an empty key
					rows = append(rows, fmt.Sprintf("(%s::%s, %[1]s::%[2]s)", v, typ))
				}
			}
			create := fmt.Sprintf("CREATE TABLE %s (k %s PRIMARY KEY, v %[2]s)", name, typ)
			ours := create
			if buckets > 0 {
				ours += fmt.Sprintf(" SALT_BUCKETS = %d", buckets)
			}
			if got, want := answer(p.ours, ours), answer(p.theirs, create); got != want {
				t.Fatal(ours, got, want)
			}
			hints := []string{"NO_INDEX"}
			p.same(t, fmt.Sprintf("INSERT INTO %s VALUES %s", name, strings.Join(rows, ", ")))
			for i, on := range indexes {
				p.same(t, fmt.Sprintf("CREATE %s INDEX %s_%d ON %[2]s %[4]s", []string{"", "UNIQUE"}[i/4], name, i, on))
				hints = append(hints, fmt.Sprintf("INDEX(%s %[1]s_%d)", name, i))
			}
			for _, hint := range hints {
				for _, c := range []string{"k", "v"} {
					p.same(t, fmt.Sprintf("SELECT /*+ %s */ count(*), count(DISTINCT %s), bool_and(k = v), max(length(%[2]s::text)) FROM %s", hint, c, name))
					for _, v := range values {
						for _, op := range []string{"=", "<", "<=", ">", ">=", "<>"} {
							p.same(t, fmt.Sprintf("SELECT /*+ %s */ count(*) FROM %s WHERE %s %s %s::%s", hint, name, c, op, v, typ))
						}
						p.same(t, fmt.Sprintf("SELECT /*+ %s */ count(*) FROM %s WHERE %s IN (%s::%s, %s::%[5]s)", hint, name, c, v, typ, values[0]))
					}
				}
			}
			p.same(t, fmt.Sprintf("DELETE FROM %s WHERE k = (SELECT v FROM %[1]s ORDER BY k LIMIT 1)", name))
			p.same(t, fmt.Sprintf("SELECT /*+ INDEX(%s %[1]s_0) */ count(*) FROM %[1]s WHERE k >= %s::%s OR k < %[2]s::%[3]s", name, values[0], typ))
			results, err := p.ours.Exec(ctx, "CHECK TABLE "+name).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range results[0].Rows { // object, rows, missing, wrong, stale, duplicates, …
				if faults := bytes.Join(row[2:6], nil); string(faults) != "0000" {
					t.Errorf("CHECK TABLE of %s %s: %s", name, typ, row)
				}
			}
		}
	}
}
