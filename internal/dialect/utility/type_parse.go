package utility

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// createType reads CREATE TYPE at the word TYPE. Types that are no enums are not read further.
func (p reader) createType(begin int) tree.Utility {
	at := p.At
	p.Next()
	c := &tree.CreateEnum{Name: p.Qualified()}
	if !p.Accept2(lex.KAs, lex.KEnum) {
		p.At = at
		return p.refused(create, begin)
	}
	p.ExpectKind(lex.LParen)
	for p.Kind() != lex.RParen {
		c.Labels = append(c.Labels, p.StringConst())
		if !p.AcceptKind(lex.Comma) {
			break
		}
		if p.Kind() == lex.RParen {
			p.SyntaxError()
		}
	}
	p.ExpectKind(lex.RParen)
	return c
}

// alterType reads ALTER TYPE at the word TYPE. What is for composite types is not read further.
func (p reader) alterType(begin int) tree.Utility {
	at := p.At
	p.Next()
	a := &tree.AlterUserType{Name: p.Qualified()}
	switch {
	case p.Accept2(lex.KAdd, lex.KValue):
		v := &tree.EnumValue{IfNotExists: p.ifNotExists(), Text: p.StringConst()}
		if p.Keyword() == lex.KBefore || p.Keyword() == lex.KAfter {
			v.HasNeighbour, v.After = true, p.Keyword() == lex.KAfter
			p.Next()
			v.Neighbour = p.StringConst()
		}
		a.AddValue = v
	case p.Accept2(lex.KRename, lex.KValue):
		r := [2]string{p.StringConst()}
		p.Expect(lex.KTo)
		r[1] = p.StringConst()
		a.RenameValue = &r
	case p.Accept2(lex.KRename, lex.KTo):
		a.NewName = p.ColID()
	case p.Accept2(lex.KOwner, lex.KTo):
		r := p.roleSpec()
		a.Owner = &r
	case p.Accept2(lex.KSet, lex.KSchema):
		a.Schema = p.ColID()
	default:
		p.At = at
		return p.refused(alter, begin)
	}
	return a
}
