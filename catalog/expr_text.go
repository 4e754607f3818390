package catalog

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	_ "github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// HasDefault says that an INSERT which does not name the column stores something
// else than NULL, a value of an identity column's sequence included.
func (c *Column) HasDefault() bool { return c.DefaultExpr != "" || c.Default != "" || c.Sequence != 0 }

// HasGenerated says that the table has generated columns.
func (t *Table) HasGenerated() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Generated != "" })
}

// Printer prints expressions with the names of relations as a search path shows them.
type Printer struct {
	s    *Snapshot
	path []string
	all  bool // the names of all schemas but public
	// pretty leaves out needless parentheses.
	pretty bool
}

// Pretty gives the printer that leaves out needless parentheses.
func (p Printer) Pretty(pretty bool) Printer { p.pretty = pretty; return p }

// In gives the printer of a search path.
func (s *Snapshot) In(path []string) Printer { return Printer{s: s, path: path} }

// DefaultText prints a column's DEFAULT as pg_get_expr does, with the names of all
// schemas but public; "" for none.
func (s *Snapshot) DefaultText(c *Column) string { return Printer{s: s, all: true}.DefaultText(c) }

// CheckText prints the condition of a CHECK of t in the same way.
func (s *Snapshot) CheckText(t *Table, k *Check) string {
	return Printer{s: s, all: true}.CheckText(t, k)
}

// DefaultText prints a column's DEFAULT as pg_get_expr does; "" for none.
func (p Printer) DefaultText(c *Column) string {
	if q, ok := p.s.Descriptor(c.Sequence).(*Sequence); ok {
		return "nextval(" + quoteLiteral(p.name(q)) + "::regclass)"
	}
	return p.assigned(c.DefaultExpr, c.Default, nil, c.Type)
}

// GeneratedText prints what a generated column of t is computed by as pg_get_expr does; "" for
// any other.
func (p Printer) GeneratedText(t *Table, c *Column) string {
	return p.assigned(c.Generated, "", t, c.Type)
}

// GeneratedText prints the same with the names of all schemas but public.
func (s *Snapshot) GeneratedText(t *Table, c *Column) string {
	return Printer{s: s, all: true}.GeneratedText(t, c)
}

// CheckText prints the condition of a CHECK of t as pg_get_expr does.
func (p Printer) CheckText(t *Table, k *Check) string { return p.text(k.Cond, k.Text, t) }

// DomainText prints the DEFAULT of a domain, or the condition of a CHECK, as pg_get_expr does.
func (p Printer) DomainText(e string) string {
	return p.printed(expr.Stored(e), types.T{}, func(int) string { return "VALUE" })
}

// PartText prints a part of an index of t without its order. Expressions that do not look
// like a function's call stand in parentheses.
func (p Printer) PartText(t *Table, part *IndexPart) string {
	if c := t.ColumnByID(part.Column); c != nil {
		return ident.Quote(c.Name)
	}
	return partText(p.text(part.Expr, "", t), part)
}

// ExprText prints the expression of a part of an index of t as pg_get_expr does.
func (p Printer) ExprText(t *Table, part *IndexPart) string { return p.text(part.Expr, "", t) }

// WhereText prints the predicate of an index of t; "" for none.
func (p Printer) WhereText(t *Table, ix *Index) string { return p.text(ix.Where, "", t) }

func partText(text string, part *IndexPart) string {
	if part.Call {
		return text
	}
	return "(" + text + ")"
}

func (p Printer) name(r Relation) string {
	if p.all {
		return QualifiedName(r.RelSchema(), r.RelName())
	}
	if t, ok := r.(*Type); ok {
		return p.TypeName(p.s.Users.Of(t.ID).T())
	}
	if found := p.s.Lookup(Name{Name: r.RelName(), Path: append([]string{}, p.path...)}); found != nil && found.RelID() == r.RelID() {
		return ident.Quote(r.RelName())
	}
	return ident.Quote(r.RelSchema()) + "." + ident.Quote(r.RelName())
}

func (p Printer) text(e expr.Stored, text string, t *Table) string {
	return p.assigned(e, text, t, types.T{})
}

// assigned prints an expression that is assigned to a column of type to.
func (p Printer) assigned(e expr.Stored, text string, t *Table, to types.T) string {
	if e == "" {
		return text
	}
	return p.printed(e, to, func(id int) string {
		if c := t.ColumnByID(id); c != nil {
			return ident.Quote(c.Name)
		}
		return "?column?"
	})
}

func (p Printer) printed(e expr.Stored, to types.T, column func(id int) string) string {
	out, err := e.Text(p.s.Users, column, relationNames{p}, p.pretty, to)
	if err != nil {
		return "/* " + err.Error() + " */"
	}
	return out
}

// relationNames prints regclass constants.
type relationNames struct{ p Printer }

func (n relationNames) RelationName(id uint32) (string, bool) {
	r := n.p.s.ByID(id)
	if r == nil {
		return "", false
	}
	return n.p.name(r), true
}

// TypeName and EnumValue make it an expr.UserNames.
func (n relationNames) TypeName(t types.T) string { return n.p.TypeName(t) }

func (n relationNames) EnumValue(t types.T, code int64) string {
	return quoteLiteral(types.Format(t, types.NewInt(code), nil))
}

func (n relationNames) RelationOID(name string) (uint32, error) {
	return 0, sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, name)
}

// MovedExpr is an expression over t's columns as one over those of another table, by the IDs
// that they have there, and lists the IDs that it names.
func (t *Table) MovedExpr(to func(id int) int, e expr.Stored) (out expr.Stored, ids []int, err error) {
	if e == "" {
		return "", nil, nil
	}
	x, err := e.Bind(t.Types, func(id int) (*expr.Col, bool) {
		c := t.ColumnByID(id)
		if c == nil {
			return nil, false
		}
		return &expr.Col{Index: to(id), T: c.Type, Name: c.Name}, true
	})
	if err != nil {
		return "", nil, err
	}
	out, err = expr.Store(x, func(id int) int { return id })
	return out, expr.Cols(x), err
}
