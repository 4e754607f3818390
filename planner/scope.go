package planner

import (
	"fmt"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// scope is what column names mean at one place of a statement: the columns of
// its relations, one after another, are the columns of the node below.
type scope struct {
	rels []*relation
}

// relation is one named set of columns.
type relation struct {
	name   string // the alias, or the relation's own name; empty for none
	schema string // where the name is the relation's own
	real   string // the relation's own name where an alias hides it
	table  *catalog.Table
	cols   []column
	first  int // position of cols[0] among the node's columns
	// prefix stands before the columns' names in EXPLAIN, where two relations have the same.
	prefix string
	// qualifiedOnly columns are found only by relation.column.
	qualifiedOnly bool
}

type column struct {
	name   string
	t      types.T
	family string // of the table's column, for Phoenix's family.column
}

// tableRelation gives all columns of a table, from position first on.
func tableRelation(t *catalog.Table, alias string, first int) *relation {
	r := &relation{name: t.Name, schema: t.Schema, table: t, first: first}
	if alias != "" {
		r.name, r.schema, r.real = alias, "", t.Name
	}
	r.cols = make([]column, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		r.cols[i] = column{name: c.Name, t: c.Type, family: c.Family}
	}
	return r
}

// nodeRelation gives the columns of a node under a name.
func nodeRelation(n plan.Node, name string) *relation {
	r := &relation{name: name}
	for _, c := range n.Columns() {
		r.cols = append(r.cols, column{name: c.Name, t: c.Type})
	}
	return r
}

// rename applies the column list of an alias: 42P10 if it is too long.
func (r *relation) rename(names []string, pos int) error {
	return r.renameAs("table", names, pos)
}

// renameAs is rename for what an error calls by another word than table.
func (r *relation) renameAs(what string, names []string, pos int) error {
	if len(names) > len(r.cols) {
		return sqlerr.New(sqlerr.InvalidColumnReference, what+` "%s" has %d columns available but %d columns specified`,
			r.name, len(r.cols), len(names)).At(pos)
	}
	for i, name := range names {
		r.cols[i].name = name
	}
	return nil
}

func (r *relation) ref(i, pos int) *expr.Col {
	c := &r.cols[i]
	return &expr.Col{Index: r.first + i, T: c.t, Name: r.prefix + c.name, At: pos}
}

// matches says whether a qualifier written as [schema.]name means r.
func (r *relation) matches(schema, name string) bool {
	return r.name == name && (schema == "" || schema == r.schema)
}

// column resolves a column reference: 42703, 42702, 42P01.
func (s *scope) column(schema, table, name string, pos int) (expr.Expr, error) {
	if table != "" {
		return s.qualified(schema, table, name, pos)
	}
	var found *expr.Col
	for _, r := range s.rels {
		if r.qualifiedOnly {
			continue
		}
		for i := range r.cols {
			if r.cols[i].name != name {
				continue
			}
			if found != nil {
				return nil, sqlerr.New(sqlerr.AmbiguousColumn, `column reference "%s" is ambiguous`, name).At(pos)
			}
			found = r.ref(i, pos)
		}
	}
	if found != nil {
		return found, nil
	}
	if s.relation("", name) != nil {
		return nil, wholeRow(name, pos)
	}
	return nil, s.undefined("", name, pos)
}

func (s *scope) qualified(schema, table, name string, pos int) (expr.Expr, error) {
	r := s.relation(schema, table)
	if r == nil {
		if schema == "" {
			if e := s.inFamily(table, name, pos); e != nil {
				return e, nil
			}
		}
		return nil, s.missingRelation(schema, table, pos)
	}
	var found *expr.Col
	for i := range r.cols {
		if r.cols[i].name != name {
			continue
		}
		if found != nil {
			return nil, sqlerr.New(sqlerr.AmbiguousColumn, `column reference "%s" is ambiguous`, name).At(pos)
		}
		found = r.ref(i, pos)
	}
	if found == nil {
		return nil, s.undefined(table, name, pos)
	}
	return found, nil
}

// inFamily resolves Phoenix's family.column; nil if no relation has it.
func (s *scope) inFamily(family, name string, pos int) expr.Expr {
	for _, r := range s.rels {
		if r.table == nil || r.qualifiedOnly {
			continue
		}
		for i := range r.cols {
			if r.cols[i].family == family && r.cols[i].name == name {
				return r.ref(i, pos)
			}
		}
	}
	return nil
}

func (s *scope) relation(schema, name string) *relation {
	for _, r := range s.rels {
		if r.matches(schema, name) {
			return r
		}
	}
	return nil
}

func (s *scope) missingRelation(schema, table string, pos int) error {
	full := table
	if schema != "" {
		full = schema + "." + table
	}
	for _, r := range s.rels {
		if r.real == table {
			return sqlerr.New(sqlerr.UndefinedTable, `invalid reference to FROM-clause entry for table "%s"`, table).
				WithHint(`Perhaps you meant to reference the table alias "%s".`, r.name).At(pos)
		}
	}
	return sqlerr.New(sqlerr.UndefinedTable, `missing FROM-clause entry for table "%s"`, full).At(pos)
}

// undefined is 42703, with a hint where a column's name is near.
func (s *scope) undefined(table, name string, pos int) error {
	written := `"` + name + `"`
	if table != "" {
		written = table + "." + name
	}
	e := sqlerr.New(sqlerr.UndefinedColumn, "column %s does not exist", written).At(pos)
	switch near := s.nearest(table, name); len(near) {
	case 1:
		e.WithHint(`Perhaps you meant to reference the column "%s".`, near[0])
	case 2:
		e.WithHint(`Perhaps you meant to reference the column "%s" or the column "%s".`, near[0], near[1])
	}
	return e
}

func wholeRow(name string, pos int) error {
	return sqlerr.Unsupported(fmt.Sprintf(`a whole row of "%s" as one value is not supported`, name),
		"Name the columns, or write "+name+".* in the select list.").At(pos)
}
