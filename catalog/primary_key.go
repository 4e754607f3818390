package catalog

import (
	"slices"
)

// A dump makes a table, fills it, and only then declares its key, by names alone. But rows
// are stored by their key and its order. So reloptions repeat the key where a table could
// not be made anew without knowing it, and CREATE TABLE takes it there:
//
//	CREATE TABLE t (host text, ts timestamp) WITH (primary_key='host, ts DESC', salt_buckets='8')
//	COPY t …
//	ALTER TABLE ONLY t ADD CONSTRAINT t_pkey PRIMARY KEY (host, ts)
//
// The last then finds the key (Table.KeyByOption) and gives it its name. Of a materialized view,
// which has no constraints, CREATE UNIQUE INDEX over the key's columns is the last.

// keyOption is the option PRIMARY_KEY of a table that a constraint alone would not make
// anew: one that is salted, or stored in descending order.
func (t *Table) keyOption() []string {
	if t.HiddenKey() != nil || t.Materialized == nil && t.Options.SaltBuckets == 0 && !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Desc }) {
		return nil
	}
	return []string{"primary_key=" + t.KeyText()}
}

// KeyIs says that the key has these columns. Their order may be left out.
func (t *Table) KeyIs(key []KeyDef) bool {
	ordered := slices.ContainsFunc(key, func(k KeyDef) bool { return k.Desc })
	return slices.EqualFunc(key, t.PrimaryKey, func(k KeyDef, i int) bool {
		return k.Name == t.Columns[i].Name && (!ordered || k.Desc == t.Columns[i].Desc)
	})
}
