package ddl

import (
	"context"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
)

// attachTable carries out ATTACH TABLE. The columns and options are as Phoenix's CREATE
// TABLE has them and mean what they mean there, so that its statement can be used as it
// is: names of families and cells are in capitals unless quoted, FLOAT has 4 bytes, DATE
// keeps its time of day, a DEFAULT is what rows without the column hold.
func (r *Runner) attachTable(ctx context.Context, u *tree.AttachTable) (catalog.Notices, error) {
	def, err := r.attachDef(u)
	if err != nil {
		return nil, err
	}
	_, notices, err := r.Catalog.AttachTable(ctx, def, u.IfNotExists)
	return notices, err
}

// attachDef turns ATTACH TABLE into a definition.
func (r *Runner) attachDef(u *tree.AttachTable) (*catalog.AttachDef, error) {
	pos := u.Name.Pos
	for i := range u.Columns {
		if c := &u.Columns[i]; c.Generated != nil {
			return nil, unsupportedAt(c.Pos, "Others write the rows: compute the value in the query.", "generated columns in ATTACH TABLE are not supported")
		}
	}
	switch {
	case len(u.Like) > 0:
		return nil, unsupportedAt(u.Like[0].Table.Pos, "Write the columns: SHOW CREATE TABLE prints them.", "LIKE in ATTACH TABLE is not supported")
	case len(u.Checks) > 0:
		return nil, unsupportedAt(u.Checks[0].Pos, "Attach the table, then use ALTER TABLE … ADD CONSTRAINT, which reads its rows.", "CHECK in ATTACH TABLE is not supported")
	case len(u.Uniques) > 0:
		return nil, unsupportedAt(u.Uniques[0].Pos, "Attach the table, then use ALTER TABLE … ADD CONSTRAINT, which reads its rows.", "UNIQUE in ATTACH TABLE is not supported")
	case len(u.SplitOn) > 0:
		return nil, unsupportedAt(pos, "Leave it out: the storage table is there already.", "SPLIT ON in ATTACH TABLE is not supported")
	}
	if u.KeyFormat != nil {
		return r.formatDef(u)
	}
	r = r.ofPhoenix()
	u, maps, err := r.splitMaps(u, phoenixTypeOf)
	if err != nil {
		return nil, err
	}
	table, err := r.tableDef(&u.CreateTable, phoenixTypeOf)
	if err != nil {
		return nil, err
	}
	table.Maps = maps
	for i := range u.Columns {
		c, cd := &u.Columns[i], &table.Columns[i]
		if c.Format != "" {
			return nil, formatOfPhoenix(c)
		}
		if c.Identity != "" || cd.Identity != 0 {
			return nil, unsupportedAt(c.Pos, "Attach the column as BIGINT, then use ALTER TABLE … SET DEFAULT nextval(…).", "identity columns in ATTACH TABLE are not supported")
		}
		if !c.FamilyQuoted {
			cd.Family = strings.ToUpper(cd.Family)
		}
		name := c.Name
		if !c.Quoted {
			name = strings.ToUpper(name)
		}
		cd.Number, cd.PlainQualifier = c.Number, []byte(name)
		if c.HasQualifier {
			cd.Qualifier = c.Qualifier
		}
		if c.Default != nil {
			if cd.Missing, err = planner.FixedDefault(r.Host.Planner(), c.Default, c.Name, cd.Type); err != nil {
				return nil, err
			}
		}
	}
	return &catalog.AttachDef{TableDef: *table, Physical: u.From, Pos: u.FromPos}, nil
}

// phoenixTypeOf resolves a type name as Phoenix does.
func phoenixTypeOf(n *tree.TypeName) (types.T, rowcodec.Column, error) {
	t, store, err := catalog.PhoenixType(n.Schema, n.Name, n.Mods, n.Array(), n.Bare)
	return t, store, at(err, n.Pos)
}
