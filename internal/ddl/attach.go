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
	switch {
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
	t, store, err := namedType(n)
	if err != nil {
		return t, store, err
	}
	elem := t
	if t.Kind == types.Array {
		elem = t.ElemType()
	}
	stored := store.Type
	if stored == rowcodec.Array {
		stored = store.Elem
	}
	const precision = 3 // milliseconds
	switch {
	case elem.Kind == types.Float8 && n.Bare:
		elem, stored = types.Of(types.Float4), rowcodec.Float
	case elem.Kind == types.Date:
		elem, stored = types.Of(types.Timestamp).WithTypmod(precision), rowcodec.Date
	case stored == rowcodec.UnsignedDate:
		elem = elem.WithTypmod(precision)
	case elem.Kind == types.Time && stored == rowcodec.Invalid:
		elem, stored = types.Of(types.Time).WithTypmod(precision), rowcodec.Time
	case stored == rowcodec.UnsignedTime:
		elem = elem.WithTypmod(precision)
	case elem.Kind == types.JSON || elem.Kind == types.JSONB:
		return t, store, unsupportedAt(n.Pos, "Phoenix keeps BSON there: attach the column as VARBINARY, and decode it in the program.", "%s in ATTACH TABLE is not supported", elem)
	default:
		t, err = storedTime(t)
		return t, store, at(err, n.Pos)
	}
	if t.Kind == types.Array {
		t = types.ArrayOf(elem)
		return t, rowcodec.Column{Type: rowcodec.Array, Elem: stored, Width: store.Width, SQL: t}, nil
	}
	return elem, rowcodec.Column{Type: stored, Width: store.Width, SQL: elem}, nil
}
