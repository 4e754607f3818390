package catalog

import (
	"github.com/saltsql/saltsql/internal/expr"
)

// Entries is an index's entries as rows of a table of their own, by which planning and
// reading treat both alike: its columns are those of the index's key, in order, then its
// cells, and its primary key is the index's. A column that the table has too has its ID,
// type and name; one of an expression has ID 0 and the expression's text for a name.
//
// Entries do not expire by themselves: of a table with a TTL, whether a row is still there
// is known by the row alone.
type Entries struct {
	Table *Table
	// Source is, per column, where Table.Columns of the index's table has it; -1 is an
	// expression, or what tells the entries of equal parts of a UNIQUE index apart.
	Source []int
	// Exprs are, per column, the expression over the columns of the index's table, by
	// position; nil for others. Where is the predicate, likewise; nil is none.
	Exprs []expr.Expr
	Where expr.Expr
}

// Entries gives those of an index other than the primary key.
func (ix *Index) Entries() *Entries { return ix.entries }

// entriesOf makes them; the index is finished.
func (t *Table) entriesOf(ix *Index) (*Entries, error) {
	r := &Entries{Table: &Table{
		ID: ix.ID, Schema: t.Schema, Name: ix.Name, Version: t.Version, Physical: ix.Physical,
		PrimaryKeyName: ix.Name, Adopted: t.FromPhoenix(), codec: ix.codec,
	}}
	to := r.Table
	to.Options = t.Options
	to.Epochs = nil
	to.Options.SaltBuckets, to.Options.SaltColumns, to.Options.Splits = ix.SaltBuckets, nil, nil
	to.Options.Layout = ix.codec.Layout
	to.Options.TTL = 0
	bind := func(s expr.Stored) (expr.Expr, error) {
		return s.Bind(t.Types, func(id int) (*expr.Col, bool) {
			i := t.columnIndex(id)
			if i < 0 {
				return nil, false
			}
			return &expr.Col{Index: i, T: t.Columns[i].Type, Name: t.Columns[i].Name}, true
		})
	}
	var err error
	if ix.Where != "" {
		if r.Where, err = bind(ix.Where); err != nil {
			return nil, err
		}
	}
	for k, key := range ix.Key {
		c := Column{Name: ix.codec.Key.Columns[k].Name, Type: ix.codec.Key.Columns[k].SQL, Store: ix.codec.Key.Columns[k].Column}
		var e expr.Expr
		switch {
		case key.Column >= 0:
			c = t.Columns[key.Column]
		case key.Part >= 0:
			p := &ix.Parts[key.Part]
			if e, err = bind(p.Expr); err != nil {
				return nil, err
			}
			c.Name, c.Type, c.Store = expr.ToText(e), p.Type, p.Store
		}
		c.KeyPos, c.Desc = k, ix.codec.Key.Columns[k].Desc
		c.NotNull = c.NotNull || !ix.codec.Key.Columns[k].Nullable
		for to.ColumnByName(c.Name) != nil {
			c.Name += " " // a column whose name is an expression's text
		}
		to.PrimaryKey = append(to.PrimaryKey, len(to.Columns))
		to.Columns, r.Source, r.Exprs = append(to.Columns, c), append(r.Source, key.Column), append(r.Exprs, e)
	}
	for _, at := range ix.Cells {
		c := t.Columns[at]
		c.KeyPos, c.Desc = -1, false
		for to.ColumnByName(c.Name) != nil {
			c.Name += " "
		}
		to.Columns, r.Source, r.Exprs = append(to.Columns, c), append(r.Source, at), append(r.Exprs, nil)
	}
	if ix.SaltParts != nil {
		for _, k := range ix.SaltParts {
			to.Options.SaltColumns = append(to.Options.SaltColumns, to.Columns[k].Name)
		}
	}
	return r, nil
}
