package utility

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// createDomain reads CREATE DOMAIN behind the word DOMAIN.
func (p reader) createDomain() tree.Utility {
	c := &tree.CreateDomain{Name: p.AnyName()}
	p.Accept(lex.KAs)
	c.Is = tree.ColumnDef{Pos: p.Here(), Name: c.Name.Name, Type: p.TypeName()}
	p.columnConstraints(&c.Is)
	return c
}

// alterDomain reads ALTER DOMAIN behind the word DOMAIN.
func (p reader) alterDomain() tree.Utility {
	d := &tree.AlterDomain{Name: p.AnyName()}
	as := func(a tree.AlterUserType) tree.Utility {
		a.Name, a.Domain = d.Name, true
		return &a
	}
	switch {
	case p.Accept2(lex.KRename, lex.KTo):
		return as(tree.AlterUserType{NewName: p.ColID()})
	case p.Accept2(lex.KOwner, lex.KTo):
		r := p.roleSpec()
		return as(tree.AlterUserType{Owner: &r})
	case p.Accept2(lex.KSet, lex.KSchema):
		return as(tree.AlterUserType{Schema: p.ColID()})
	case p.Accept2(lex.KRename, lex.KConstraint):
		d.Rename = &[2]string{p.ColID()}
		p.Expect(lex.KTo)
		d.Rename[1] = p.ColID()
	case p.Accept2(lex.KSet, lex.KDefault):
		e := p.Expression()
		d.SetDefault = &e
	case p.Accept2(lex.KDrop, lex.KDefault):
		d.DropDefault = true
	case p.Keyword() == lex.KSet:
		p.Next()
		p.Expect(lex.KNot)
		p.Expect(lex.KNull)
		d.SetNotNull = true
	case p.Accept2(lex.KDrop, lex.KConstraint):
		d.IfExists = p.ifExists()
		d.Drop = p.ColID()
		p.cascade()
	case p.Keyword() == lex.KDrop:
		p.Next()
		p.Expect(lex.KNot)
		p.Expect(lex.KNull)
		d.DropNotNull = true
	case p.Accept2(lex.KValidate, lex.KConstraint):
		d.Validate = p.ColID()
	case p.Accept(lex.KAdd):
		if !p.atTableConstraint() {
			p.SyntaxError()
		}
		pos, t := p.Offset(), p.tableConstraint()
		if t.Check == nil {
			p.Unsupported(pos, "constraints other than CHECK are not possible for domains", "Constrain the columns of the domain.")
		}
		d.AddCheck = t.Check
		if d.AddCheck.Name == "" {
			d.AddCheck.Name = t.Name
		}
	default:
		p.SyntaxError()
	}
	return d
}
