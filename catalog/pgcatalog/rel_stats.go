package pgcatalog

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/types"
)

func init() { Source("pg_catalog.pg_stats", pgStats, "tablename") }

// pgStats shows what ANALYZE has kept of the columns that the role may read.
func pgStats(q *Query) error {
	return q.tables("", "tablename", func(t *catalog.Table) error {
		if !q.IsText("schemaname", t.Schema) {
			return nil
		}
		rights, _ := q.Snap.RelationRights(q.Role(), t)
		var known *colstats.Table
		for i := range t.Columns {
			c := &t.Columns[i]
			if !q.IsText("attname", c.Name) {
				continue
			}
			if own, _ := q.Snap.ColumnRights(q.Role(), t, c.ID); (rights|own)&acl.Select == 0 {
				continue
			}
			if known == nil {
				var err error
				if known, err = q.ColumnStats(q.Context(), t); err != nil {
					return err
				}
				if known == nil {
					break
				}
			}
			k := known.Columns[c.ID]
			if k == nil {
				continue
			}
			row := map[string]types.Datum{
				"schemaname": text(t.Schema), "tablename": text(t.Name), "attname": text(c.Name), "inherited": yes(false),
				"null_frac": float(k.Nulls), "avg_width": num(k.Width), "n_distinct": float(k.Distinct),
			}
			if len(k.Common) > 0 {
				row["most_common_vals"] = anyArray(k.Type, k.Common)
				row["most_common_freqs"] = array(types.Float4, float, k.Freqs)
			}
			if len(k.Bounds) > 0 {
				row["histogram_bounds"] = anyArray(k.Type, k.Bounds)
			}
			if k.Ordered {
				row["correlation"] = float(k.Correlation)
			}
			if err := q.Named(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// anyArray makes an array of the pseudo-type anyarray: one of the values' texts.
func anyArray(t types.T, list []types.Datum) types.Datum {
	return array(types.Unknown, func(d types.Datum) types.Datum { return text(types.Format(t, d, &types.IOEnv{})) }, list)
}
