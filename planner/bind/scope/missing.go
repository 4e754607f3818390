package scope

import "github.com/saltsql/saltsql/internal/sqlerr"

// MissingRelation is 42P01 for a qualifier that means nothing.
func (p *Place) MissingRelation(schema, table string, pos int) *sqlerr.Error {
	for l := p.Level; l != nil; l = l.Parent {
		for s := l.Scope; s != nil; s = s.Next {
			for _, r := range s.Rels {
				if schema != "" && r.Name == table {
					return elsewhere(r.Name, pos)
				}
				if r.OwnName == table {
					return sqlerr.New(sqlerr.UndefinedTable, `invalid reference to FROM-clause entry for table "%s"`, table).
						WithHint(`Perhaps you meant to reference the table alias "%s".`, r.Name).At(pos)
				}
			}
		}
	}
	for l := p.Level; l != nil; l = l.Parent {
		for s := l.Scope; s != nil; s = s.Next {
			for _, r := range s.Unseen {
				if r.matches(schema, table) || r.OwnName == table {
					return elsewhere(r.Name, pos)
				}
			}
		}
	}
	return sqlerr.New(sqlerr.UndefinedTable, `missing FROM-clause entry for table "%s"`, table).At(pos)
}

func elsewhere(table string, pos int) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedTable, `invalid reference to FROM-clause entry for table "%s"`, table).
		WithHint(`There is an entry for table "%s", but it cannot be referenced from this part of the query.`, table).At(pos)
}

// NotLateral is 42P10 for a lateral reference that the kind of a join does not allow.
func NotLateral(table string, pos int) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidColumnReference, `invalid reference to FROM-clause entry for table "%s"`, table).
		WithDetail("The combining JOIN type must be INNER or LEFT for a LATERAL reference.").At(pos)
}

// Undefined is 42703, with a hint where a column's name is near.
func (p *Place) Undefined(table, name string, pos int) *sqlerr.Error {
	written := `"` + name + `"`
	if table != "" {
		written = table + "." + name
	}
	e := sqlerr.New(sqlerr.UndefinedColumn, "column %s does not exist", written).At(pos)
	switch near := p.nearest(table, name); len(near) {
	case 1:
		e.WithHint(`Perhaps you meant to reference the column "%s".`, near[0])
	case 2:
		e.WithHint(`Perhaps you meant to reference the column "%s" or the column "%s".`, near[0], near[1])
	}
	return e
}
