package ddl

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// like is one LIKE clause of CREATE TABLE while its table is defined: what of the source goes
// into it. Columns and NOT NULL always do. COMPRESSION and STATISTICS are kept of no table, so
// that there is nothing to copy.
type like struct {
	of        *tree.LikeClause
	source    *catalog.Table // nil where it is a view
	columns   []catalog.ColumnDef
	including map[string]bool
}

// likes finds the sources of a statement's LIKE clauses: 42P01, 42501 for who may not read
// one, 42809 for what has no columns.
func (r *Runner) likes(u *tree.CreateTable) ([]*like, error) {
	var out []*like
	for i := range u.Like {
		l := &like{of: &u.Like[i], including: map[string]bool{}}
		for _, o := range l.of.Options {
			verb, what, _ := strings.Cut(o, " ")
			l.including[what] = verb == "including"
			for _, w := range tree.LikeOptions {
				if what == "all" {
					l.including[w] = verb == "including"
				}
			}
		}
		if err := r.likeColumns(l); err != nil {
			return nil, at(err, l.of.Table.Pos)
		}
		out = append(out, l)
	}
	return out, nil
}

func (r *Runner) likeColumns(l *like) error {
	var rel catalog.Relation
	err := r.Host.Lookup(context.Background(), func() (version uint64, err error) {
		rel, err = r.Host.Planner().Catalog.Resolve(r.Host.SearchPath(), l.of.Table.Schema, l.of.Table.Name)
		return r.Catalog.Seen().Version(), err
	})
	if err != nil {
		return err
	}
	if have, _ := r.Catalog.Seen().RelationRights(r.Host.Actor().Current, rel); have&acl.Select == 0 {
		return catalog.Denied(rel.RelKind(), rel.RelName())
	}
	pos := l.of.Table.Pos
	switch rel := rel.(type) {
	case *catalog.Table:
		l.source = rel
		for i := range rel.Visible() {
			c, err := l.column(r.Catalog.Seen(), &rel.Columns[i])
			if err != nil {
				return err
			}
			l.columns = append(l.columns, c)
		}
	case *catalog.View:
		for i := range rel.Columns {
			c := catalog.ColumnDef{Name: rel.Columns[i].Name, Type: rel.Columns[i].Type, Pos: pos}
			if l.including["comments"] {
				c.Comment = rel.Columns[i].Comment
			}
			l.columns = append(l.columns, c)
		}
	case *catalog.Virtual:
		for _, c := range rel.Columns {
			if !c.System {
				l.columns = append(l.columns, catalog.ColumnDef{Name: c.Name, Type: c.Type, NotNull: c.NotNull, Pos: pos})
			}
		}
	default:
		return sqlerr.New(sqlerr.WrongObjectType, `relation "%s" is invalid in LIKE clause`, rel.RelName()).
			WithDetail("This operation is not supported for %ss.", rel.RelKind())
	}
	return nil
}

// column is what a column of the source is in the new table.
func (l *like) column(snap *catalog.Snapshot, c *catalog.Column) (catalog.ColumnDef, error) {
	d := catalog.ColumnDef{Name: c.Name, Type: c.Type, Store: c.Store, NotNull: c.NotNull, Pos: l.of.Table.Pos}
	if l.including["storage"] && c.Family != l.source.Options.DefaultFamily {
		d.Family = c.Family
	}
	if l.including["comments"] {
		d.Comment = c.Comment
	}
	switch {
	case c.Identity != 0:
		q, ok := snap.Descriptor(c.Sequence).(*catalog.Sequence)
		if !l.including["identity"] {
			break
		}
		if !ok {
			return d, sqlerr.Internal(nil, "the sequence of column %q of %q is not there", c.Name, l.source.Name)
		}
		d.Identity = c.Identity
		d.Sequence = catalog.SequenceOptions{
			Type: q.Type, Start: &q.Start, Increment: &q.Increment, Min: &q.Min, Max: &q.Max, Cycle: q.Cycle, Cache: q.Cache,
		}
	case l.including["defaults"]:
		d.Default = catalog.ColumnDefault{Expr: c.DefaultExpr, Text: c.Default, Sequence: c.Sequence, Uses: c.DefaultUses}
	}
	return d, nil
}

// define adds to a definition, which has all columns, what else is copied: CHECKs, and the
// key and the other indexes under names of their own, with their salts.
func (l *like) define(def *catalog.TableDef) error {
	if l.source == nil {
		return nil
	}
	t, pos := l.source, l.of.Table.Pos
	for i := range def.Columns {
		d, c := &def.Columns[i], t.VisibleColumn(def.Columns[i].Name)
		if c == nil || d.Pos != pos || c.Generated == "" || !l.including["generated"] {
			continue
		}
		var err error
		if d.Generated, d.GeneratedFrom, err = t.MovedExpr(l.ids(def), c.Generated); err != nil {
			return err
		}
	}
	if l.including["constraints"] {
		for i := range t.Checks {
			k := t.Checks[i]
			k.NotValid = false // the table has no rows yet
			var err error
			if k.Cond, k.Columns, err = t.MovedExpr(l.ids(def), k.Cond); err != nil {
				return err
			}
			if k.Text != "" {
				for _, id := range t.Checks[i].Columns {
					k.Columns = append(k.Columns, l.ids(def)(id))
				}
			}
			if !l.including["comments"] {
				k.Comment = ""
			}
			def.Checks = append(def.Checks, k)
		}
	}
	if !l.including["indexes"] {
		return nil
	}
	if t.HiddenKey() == nil {
		if len(def.PrimaryKey) > 0 {
			return multipleKeys(def.Name.Name, pos)
		}
		for _, i := range t.PrimaryKey {
			def.PrimaryKey = append(def.PrimaryKey, catalog.KeyDef{Name: t.Columns[i].Name, Desc: t.Columns[i].Desc, Pos: pos})
		}
		def.KeyByOption = t.KeyByOption
		if l.including["comments"] {
			def.KeyIndexComment = t.KeyIndexComment
		}
		l.salt(def)
	}
	for i := range t.Indexes {
		if !t.Indexes[i].Readable() {
			continue
		}
		d, err := l.index(def, &t.Indexes[i])
		if err != nil {
			return err
		}
		def.Uniques = append(def.Uniques, *d)
	}
	return nil
}

// salt gives the key the salt that it has in the source, unless the statement names one.
func (l *like) salt(def *catalog.TableDef) {
	o := &l.source.Options
	named := slices.ContainsFunc(def.Options, func(o catalog.OptionDef) bool { return strings.EqualFold(o.Name, "SALT_BUCKETS") })
	if named || o.SaltBuckets == 0 {
		return
	}
	def.Options = append(def.Options, saltBuckets(o.SaltBuckets))
	if len(o.SaltColumns) > 0 {
		def.Options = append(def.Options, catalog.OptionDef{Name: "SALT_COLUMNS", List: o.SaltColumns})
	}
}

func saltBuckets(n int) catalog.OptionDef {
	return catalog.OptionDef{Name: "SALT_BUCKETS", Value: strconv.Itoa(n), HasValue: true}
}

func (l *like) index(def *catalog.TableDef, ix *catalog.Index) (*catalog.IndexDef, error) {
	t, pos := l.source, l.of.Table.Pos
	d := &catalog.IndexDef{
		Unique: ix.Unique, NullsNotDistinct: ix.NullsNotDistinct, Constraint: ix.Constraint,
		Options: []catalog.OptionDef{saltBuckets(ix.SaltBuckets)}, Pos: pos,
	}
	if l.including["comments"] {
		d.Comment = ix.Comment
	}
	for i := range ix.Parts {
		p := &ix.Parts[i]
		part := catalog.IndexPartDef{
			Name: p.Name, Call: p.Call, Type: p.Type, Desc: p.Desc, NullsFirst: p.NullsFirst, NullsLast: !p.NullsFirst, OpClass: p.OpClass, Pos: pos,
		}
		if c := t.ColumnByID(p.Column); c != nil {
			part.Column, part.Type = c.Name, types.T{}
		} else {
			var err error
			if part.Expr, part.IDs, err = t.MovedExpr(l.ids(def), p.Expr); err != nil {
				return nil, err
			}
		}
		d.Parts = append(d.Parts, part)
	}
	for _, id := range ix.Include {
		d.Include = append(d.Include, t.ColumnByID(id).Name)
	}
	if len(ix.SaltParts) > 0 {
		o := catalog.OptionDef{Name: "SALT_COLUMNS"}
		for _, k := range ix.SaltParts {
			o.List = append(o.List, ix.Parts[k].Label(t))
		}
		d.Options = append(d.Options, o)
	}
	var err error
	d.Where, d.WhereColumns, err = t.MovedExpr(l.ids(def), ix.Where)
	return d, err
}

// ids gives the IDs that columns of the source have in the new table.
func (l *like) ids(def *catalog.TableDef) func(id int) int {
	return func(id int) int {
		name := l.source.ColumnByID(id).Name
		return 1 + slices.IndexFunc(def.Columns, func(c catalog.ColumnDef) bool { return c.Name == name })
	}
}
