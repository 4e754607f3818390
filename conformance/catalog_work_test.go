package conformance

import (
	"context"
	"fmt"
	"testing"
)

// TestCatalogWork holds what clients ask of one table to the work of one table: the rows
// that virtual relations compute for it do not grow with the catalog.
func TestCatalogWork(t *testing.T) {
	ctx := context.Background()
	v := variant{"mem", 0, false}
	e := engine{v, v.open(t)}
	c, err := e.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	made := 0
	grow := func(tables int) {
		for ; made < tables; made++ {
			must(ctx, t, c, fmt.Sprintf("CREATE TABLE t%d (id BIGINT PRIMARY KEY, name VARCHAR DEFAULT 'x', ts TIMESTAMP)", made))
			must(ctx, t, c, fmt.Sprintf("CREATE INDEX t%d_name ON t%d (name)", made, made))
		}
	}
	queries := []string{
		`SELECT c.oid, n.nspname FROM pg_class c LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE c.relname OPERATOR(pg_catalog.~) '^(t3)$' COLLATE pg_catalog.default AND pg_table_is_visible(c.oid)`,
		`SELECT c.relname, am.amname FROM pg_class c LEFT JOIN pg_class tc ON c.reltoastrelid = tc.oid LEFT JOIN pg_am am ON c.relam = am.oid
			WHERE c.oid = 't3'::regclass`,
		`SELECT a.attname, (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum)
			FROM pg_attribute a WHERE a.attrelid = 't3'::regclass AND a.attnum > 0`,
		`SELECT c2.relname, pg_get_constraintdef(con.oid) FROM pg_class c, pg_class c2, pg_index i
			LEFT JOIN pg_constraint con ON conrelid = i.indrelid AND conindid = i.indexrelid AND contype IN ('p', 'u', 'x')
			WHERE c.oid = 't3'::regclass AND c.oid = i.indrelid AND i.indexrelid = c2.oid`,
		`SELECT a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relname = 't3'`,
		`SELECT k.column_name FROM information_schema.table_constraints t JOIN information_schema.key_column_usage k USING (constraint_name, table_name)
			WHERE t.table_name = 't3'`,
		`SELECT indexname FROM pg_indexes WHERE tablename = 't3'`,
		`SELECT s.n_live_tup FROM pg_class c JOIN pg_stat_user_tables s ON s.relid = c.oid WHERE c.relname = 't3'`,
	}
	grow(8)
	few := make([]int, len(queries))
	for i, sql := range queries {
		few[i], _, _ = work(ctx, t, c, sql)
		if few[i] == 0 || few[i] > 60 {
			t.Errorf("%d rows are computed for %s", few[i], sql)
		}
	}
	grow(60)
	for i, sql := range queries {
		if many, _, _ := work(ctx, t, c, sql); many != few[i] {
			t.Errorf("%d rows are computed of 60 tables, of 8: %d, for %s", many, few[i], sql)
		}
	}
}
