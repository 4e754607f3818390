package catalog

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// HasDefault says that an INSERT which does not name the column stores something
// else than NULL, a value of an identity column's sequence included.
func (c *Column) HasDefault() bool { return c.DefaultExpr != "" || c.Default != "" || c.Sequence != 0 }

// DefaultText prints a column's DEFAULT as pg_get_expr does; "" for none.
func (s *Snapshot) DefaultText(c *Column) string {
	if q, ok := s.objects[c.Sequence].desc.(*Sequence); ok {
		return "nextval(" + quoteLiteral(qualifiedName(q.Schema, q.Name)) + "::regclass)"
	}
	return s.exprText(c.DefaultExpr, c.Default, nil)
}

// CheckText prints the condition of a CHECK of t as pg_get_expr does.
func (s *Snapshot) CheckText(t *Table, k *Check) string { return s.exprText(k.Cond, k.Text, t) }

func (s *Snapshot) exprText(e expr.Stored, text string, t *Table) string {
	if e == "" {
		return text
	}
	out, err := e.Text(func(id int) string {
		if c := t.ColumnByID(id); c != nil {
			return ident.Quote(c.Name)
		}
		return "?column?"
	}, relationNames{s})
	if err != nil {
		return "/* " + err.Error() + " */"
	}
	return out
}

// relationNames prints regclass constants.
type relationNames struct{ s *Snapshot }

func (n relationNames) RelationName(id uint32) (string, bool) {
	r := n.s.ByID(id)
	if r == nil {
		return "", false
	}
	return qualifiedName(r.RelSchema(), r.RelName()), true
}

func (n relationNames) RelationOID(name string) (uint32, error) {
	return 0, sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, name)
}

// keepsBound says that the table has an expression that is kept bound.
func (t *Table) keepsBound() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.DefaultExpr != "" }) ||
		slices.ContainsFunc(t.Checks, func(c Check) bool { return c.Cond != "" })
}
