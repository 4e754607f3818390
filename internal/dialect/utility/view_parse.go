package utility

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// createView reads CREATE VIEW.
func (p reader) createView(v tree.CreateView) tree.Utility {
	v.IfNotExists = p.ifNotExists()
	v.Name = p.Qualified()
	if p.Kind() == lex.LParen {
		v.ColumnDefs = p.viewColumns()
		named := true
		for _, c := range v.ColumnDefs {
			named = named && c.Type == nil
		}
		if named {
			for _, c := range v.ColumnDefs {
				v.Columns = append(v.Columns, c.Name)
			}
			v.ColumnDefs = nil
		}
	}
	if v.Recursive && v.Columns == nil {
		p.SyntaxError()
	}
	if p.Keyword() == lex.KWith {
		p.Next()
		v.Options = p.optionList(false)
	}
	switch {
	case p.Accept(lex.KAs):
		at := p.Offset()
		p.AllowInto()
		v.Query = p.nestedQuery()
		if p.TakeInto() != nil {
			p.Unsupported(at, "views must not contain SELECT INTO", "Leave INTO out: CREATE TABLE … AS keeps the rows of a query.")
		}
	case v.ColumnDefs == nil:
		p.SyntaxError()
	}
	v.Options = append(v.Options, p.phoenixOptions()...)
	if p.Keyword() == lex.KWith {
		at := p.Offset()
		p.Next()
		v.CheckOption = "cascaded"
		if p.Accept(lex.KLocal) {
			v.CheckOption = "local"
		} else {
			p.Accept(lex.KCascaded)
		}
		p.Expect(lex.KCheck)
		p.Expect(lex.KOption)
		if v.Recursive {
			p.Unsupported(at, "WITH CHECK OPTION not supported on recursive views", "Leave it out: no row can be written to a recursive query.")
		}
	}
	return &v
}

// viewColumns reads ( name, … ), or Phoenix's column definitions.
func (p reader) viewColumns() []tree.ColumnDef {
	p.Next()
	var t tree.CreateTable
	for {
		p.tableElement(&t, true)
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	p.ExpectKind(lex.RParen)
	if t.Primary != nil || len(t.Checks)+len(t.Uniques)+len(t.ForeignKeys)+len(t.Like)+len(t.Excludes) > 0 {
		p.Unsupported(p.Offset(), "constraints in CREATE VIEW are not supported", "Declare the key on the table under the view.")
	}
	return t.Columns
}
