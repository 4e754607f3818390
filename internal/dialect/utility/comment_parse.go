package utility

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// comment reads COMMENT ON object IS text.
func (p reader) comment() tree.Utility {
	p.Next()
	p.Expect(lex.KOn)
	c := &tree.Comment{Pos: p.Here()}
	switch {
	case p.Accept(lex.KColumn):
		c.Object = "column"
		c.Name.Pos = p.Here()
		at := p.Offset()
		parts := []string{p.ColID()}
		for p.AcceptKind(lex.Dot) {
			parts = append(parts, p.Label())
		}
		if len(parts) > 3 {
			parts = p.InDatabase(at, 3, parts, "")
		}
		switch len(parts) {
		case 2:
			c.Name.Name, c.Column = parts[0], parts[1]
		case 3:
			c.Name.Schema, c.Name.Name, c.Column = parts[0], parts[1], parts[2]
		default:
			p.SyntaxError()
		}
	case p.Accept(lex.KConstraint):
		c.Object, c.Column = "constraint", p.ColID()
		p.Expect(lex.KOn)
		if p.Accept(lex.KDomain) {
			c.Detail = "domain"
		}
		c.Name = p.Qualified()
	default:
		p.commentObject(c)
	}
	p.Expect(lex.KIs)
	if p.Accept(lex.KNull) {
		c.IsNull = true
	} else {
		c.Text = p.StringConst()
	}
	return c
}

// commentObjects are the kinds COMMENT ON takes; a second word follows where
// the value is not 0.
var commentObjects = map[lex.Keyword]lex.Keyword{
	lex.KAccess: lex.KMethod, lex.KAggregate: 0, lex.KCast: 0, lex.KCollation: 0, lex.KConversion: 0,
	lex.KDatabase: 0, lex.KDomain: 0, lex.KExtension: 0, lex.KEvent: lex.KTrigger, lex.KForeign: 0,
	lex.KFunction: 0, lex.KIndex: 0, lex.KLanguage: 0, lex.KLarge: lex.KObject, lex.KMaterialized: lex.KView,
	lex.KOperator: 0, lex.KPolicy: 0, lex.KProcedure: 0, lex.KPublication: 0, lex.KRole: 0, lex.KRoutine: 0,
	lex.KRule: 0, lex.KSchema: 0, lex.KSequence: 0, lex.KServer: 0, lex.KStatistics: 0, lex.KSubscription: 0,
	lex.KTable: 0, lex.KTablespace: 0, lex.KText: lex.KSearch, lex.KTransform: 0, lex.KTrigger: 0,
	lex.KType: 0, lex.KView: 0,
}

// commentObject reads the object's kind and name; what else stands before IS
// is kept as Detail.
func (p reader) commentObject(c *tree.Comment) {
	second, ok := commentObjects[p.Keyword()]
	if !ok || p.Keyword() == 0 {
		p.SyntaxError()
	}
	k := p.Keyword()
	begin := p.At
	p.Next()
	if second != 0 {
		p.Expect(second)
	}
	switch {
	case k == lex.KForeign && !p.Accept(lex.KTable):
		p.Expect(lex.KData)
		p.Expect(lex.KWrapper)
	case k == lex.KText:
		p.Label()
	case k == lex.KOperator && (p.Keyword() == lex.KClass || p.Keyword() == lex.KFamily):
		p.Next()
	}
	c.Object = lex.Fold(p.textSince(begin))
	switch k {
	case lex.KCast, lex.KLarge, lex.KTransform, lex.KOperator:
	default:
		c.Name = p.Qualified()
	}
	i := p.At
	switch k {
	case lex.KAggregate, lex.KFunction, lex.KProcedure, lex.KRoutine:
		if p.Kind() == lex.LParen && p.Token().Match > 0 {
			p.At = int(p.Token().Match) + 1
		}
	case lex.KCast, lex.KLarge, lex.KTransform, lex.KOperator, lex.KPolicy, lex.KRule, lex.KTrigger:
		for p.Keyword() != lex.KIs && p.Kind() != lex.EOF && p.Kind() != lex.Semicolon {
			p.Next()
		}
	}
	c.Detail = p.textSince(i)
}
