package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// comment reads COMMENT ON object IS text.
func (p reader) comment() tree.Utility {
	p.next()
	p.expect(lex.KOn)
	c := &tree.Comment{Pos: p.here()}
	switch {
	case p.accept(lex.KColumn):
		c.Object = "column"
		c.Name.Pos = p.here()
		parts := []string{p.colID()}
		for p.acceptKind(lex.Dot) {
			parts = append(parts, p.label())
		}
		switch len(parts) {
		case 2:
			c.Name.Name, c.Column = parts[0], parts[1]
		case 3:
			c.Name.Schema, c.Name.Name, c.Column = parts[0], parts[1], parts[2]
		default:
			p.syntaxError()
		}
	case p.accept(lex.KConstraint):
		c.Object, c.Column = "constraint", p.colID()
		p.expect(lex.KOn)
		if p.accept(lex.KDomain) {
			c.Detail = "domain"
		}
		c.Name = p.qualified()
	default:
		p.commentObject(c)
	}
	p.expect(lex.KIs)
	if p.accept(lex.KNull) {
		c.IsNull = true
	} else {
		c.Text = p.stringConst()
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
	second, ok := commentObjects[p.kw()]
	if !ok || p.kw() == 0 {
		p.syntaxError()
	}
	k := p.kw()
	begin := p.i
	p.next()
	if second != 0 {
		p.expect(second)
	}
	switch {
	case k == lex.KForeign && !p.accept(lex.KTable):
		p.expect(lex.KData)
		p.expect(lex.KWrapper)
	case k == lex.KText:
		p.label()
	case k == lex.KOperator && (p.kw() == lex.KClass || p.kw() == lex.KFamily):
		p.next()
	}
	c.Object = lex.Fold(p.textSince(begin))
	switch k {
	case lex.KCast, lex.KLarge, lex.KTransform, lex.KOperator:
	default:
		c.Name = p.qualified()
	}
	i := p.i
	switch k {
	case lex.KAggregate, lex.KFunction, lex.KProcedure, lex.KRoutine:
		if p.kind() == lex.LParen && p.tok().Match > 0 {
			p.i = int(p.tok().Match) + 1
		}
	case lex.KCast, lex.KLarge, lex.KTransform, lex.KOperator, lex.KPolicy, lex.KRule, lex.KTrigger:
		for p.kw() != lex.KIs && p.kind() != lex.EOF && p.kind() != lex.Semicolon {
			p.next()
		}
	}
	c.Detail = p.textSince(i)
}
