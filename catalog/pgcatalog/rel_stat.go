package pgcatalog

import (
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/types"
)

// What is not counted is NULL, as PostgreSQL shows it where counting is switched off.

func init() {
	for _, of := range []string{"all", "user"} {
		Source("pg_catalog.pg_stat_"+of+"_tables", statTables, "relid", "relname")
		Source("pg_catalog.pg_stat_xact_"+of+"_tables", statTables, "relid", "relname")
		Source("pg_catalog.pg_statio_"+of+"_tables", statTables, "relid", "relname")
		Source("pg_catalog.pg_stat_"+of+"_indexes", statIndexes, "relid", "relname")
		Source("pg_catalog.pg_statio_"+of+"_indexes", statIndexes, "relid", "relname")
		Source("pg_catalog.pg_statio_"+of+"_sequences", statSequences)
	}
}

// statTables lists the tables of users; what the system has is computed, not stored.
func statTables(q *Query) error {
	return q.tables("relid", "relname", func(t *catalog.Table) error {
		if !q.IsText("relname", t.Name) || !q.IsText("schemaname", t.Schema) {
			return nil
		}
		row := map[string]types.Datum{"relid": oid(t.ID), "schemaname": text(t.Schema), "relname": text(t.Name)}
		if n := q.EstimatedRows(t); n >= 0 && strings.HasPrefix(q.rel.Name, "pg_stat_") && !strings.Contains(q.rel.Name, "xact") {
			row["n_live_tup"] = num(int64(n))
		}
		return q.Named(row)
	})
}

func statIndexes(q *Query) error {
	return q.tables("relid", "relname", func(t *catalog.Table) error {
		for _, x := range IndexesOf(t) {
			if !q.IsText("relname", t.Name) || !q.IsText("indexrelname", x.Name) {
				continue
			}
			err := q.Named(map[string]types.Datum{"relid": oid(t.ID), "indexrelid": oid(x.oid), "schemaname": text(t.Schema),
				"relname": text(t.Name), "indexrelname": text(x.Name)})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func statSequences(q *Query) error {
	for _, s := range q.Snap.Sequences() {
		if err := q.Named(map[string]types.Datum{"relid": oid(s.ID), "schemaname": text(s.Schema), "relname": text(s.Name)}); err != nil {
			return err
		}
	}
	return nil
}
