package catalog

import (
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// A dump makes a table, fills it, and only then declares its key, by names alone. But rows
// are stored by their key and its order. So reloptions repeat the key where a table could
// not be made anew without knowing it, and CREATE TABLE takes it there:
//
//	CREATE TABLE t (host text, ts timestamp) WITH (primary_key='host, ts DESC', salt_buckets='8')
//	COPY t …
//	ALTER TABLE ONLY t ADD CONSTRAINT t_pkey PRIMARY KEY (host, ts)
//
// The last then finds the key (Table.KeyByOption) and gives it its name.

// keyOption is the option PRIMARY_KEY of a table that a constraint alone would not make
// anew: one that is salted, or stored in descending order.
func (t *Table) keyOption() []string {
	if t.HiddenKey() != nil || t.Options.SaltBuckets == 0 && !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Desc }) {
		return nil
	}
	return []string{"primary_key=" + t.KeyText()}
}

func (a *alteration) addPrimaryKey(act *AddPrimaryKey) error {
	t := a.t
	if err := act.check(t); err != nil {
		return err
	}
	switch {
	case t.HiddenKey() != nil:
		return sqlerr.Unsupported("ADD PRIMARY KEY beside other actions is not supported", "Write an ALTER TABLE of its own for it.").At(act.Pos)
	case !t.KeyByOption:
		return sqlerr.New(sqlerr.InvalidTableDefinition, `multiple primary keys for table "%s" are not allowed`, t.Name).At(act.Pos)
	case !t.keyIs(act.Key):
		return sqlerr.New(sqlerr.InvalidTableDefinition, `table "%s" is stored by the key (%s)`, t.Name, t.KeyText()).
			WithHint("Declare the columns that the option PRIMARY_KEY names, in its order.").At(act.Pos)
	}
	if act.Name != "" && act.Name != t.PrimaryKeyName {
		if err := a.ch.freeConstraint(t, act); err != nil {
			return err
		}
		t.PrimaryKeyName = act.Name
	}
	t.KeyByOption = false
	return nil
}

// keyIs says that the key has these columns. Their order may be left out.
func (t *Table) keyIs(key []KeyDef) bool {
	ordered := slices.ContainsFunc(key, func(k KeyDef) bool { return k.Desc })
	return slices.EqualFunc(key, t.PrimaryKey, func(k KeyDef, i int) bool {
		return k.Name == t.Columns[i].Name && (!ordered || k.Desc == t.Columns[i].Desc)
	})
}
