package ddl

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// foreignKeysOf lists the FOREIGN KEYs of a table, those of its columns first.
func (r *Runner) foreignKeysOf(u *tree.CreateTable) ([]catalog.ForeignKeyDef, error) {
	var out []catalog.ForeignKeyDef
	add := func(k *tree.ForeignKey, columns []string) error {
		def, err := r.foreignKey(k, columns)
		out = append(out, def)
		return err
	}
	for i := range u.Columns {
		if c := &u.Columns[i]; c.References != nil {
			if err := add(c.References, []string{c.Name}); err != nil {
				return nil, err
			}
		}
	}
	for i := range u.ForeignKeys {
		if err := add(&u.ForeignKeys[i], u.ForeignKeys[i].Columns); err != nil {
			return nil, err
		}
	}
	return out, nil
}

var foreignActions = map[string]byte{"": 'a', "no action": 'a', "restrict": 'r', "cascade": 'c', "set null": 'n', "set default": 'd'}

func (r *Runner) foreignKey(k *tree.ForeignKey, columns []string) (catalog.ForeignKeyDef, error) {
	def := catalog.ForeignKeyDef{Columns: columns, Table: r.catalogName(k.Table), References: k.RefColumns, SetColumns: k.OnDeleteColumns,
		Quiet: k.NotEnforced, Pos: k.Table.Pos}
	def.Name, def.OnUpdate, def.OnDelete = k.Name, foreignActions[k.OnUpdate], foreignActions[k.OnDelete]
	def.Full = k.Match == "full"
	def.Deferrable = k.Deferral.Deferrable || k.Deferral.InitiallyDeferred
	def.Deferred = k.Deferral.InitiallyDeferred
	other, err := r.Host.Planner().Catalog.Resolve(r.Host.SearchPath(), k.Table.Schema, k.Table.Name)
	there := err == nil // what is wrong with the name is found later
	switch {
	case there && r.Temp != "" && !catalog.IsTemporary(other):
		return def, sqlerr.New(sqlerr.InvalidTableDefinition, "constraints on temporary tables may reference only temporary tables")
	case there && r.Temp == "" && catalog.IsTemporary(other):
		return def, sqlerr.New(sqlerr.InvalidTableDefinition, "constraints on permanent tables may reference only permanent tables")
	case k.Match == "partial":
		return def, sqlerr.New(sqlerr.FeatureNotSupported, "MATCH PARTIAL not yet implemented").
			WithHint("Leave MATCH PARTIAL out: no foreign key is enforced.").At(k.Pos)
	case k.Deferral.InitiallyDeferred && k.Deferral.NotDeferrable:
		return def, sqlerr.New(sqlerr.SyntaxError, "constraint declared INITIALLY DEFERRED must be DEFERRABLE").At(k.Pos)
	}
	return def, nil
}
