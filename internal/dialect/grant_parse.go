package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// grant reads GRANT and REVOKE.
func (p *translator) grant() tree.Utility {
	g := &tree.Grant{Revoke: p.kw() == lex.KRevoke}
	p.next()
	if g.Revoke && p.accept2(lex.KGrant, lex.KOption) || g.Revoke && p.accept2(lex.KAdmin, lex.KOption) {
		p.expect(lex.KFor)
		g.Option = true
	}
	for {
		g.Privileges = append(g.Privileges, p.privilege())
		if p.kind() == lex.LParen {
			p.colIDList()
			g.Columns = true
		}
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	if p.accept(lex.KOn) {
		p.grantObjects(g)
	}
	if g.Revoke {
		p.expect(lex.KFrom)
	} else {
		p.expect(lex.KTo)
	}
	for {
		p.accept(lex.KGroup)
		g.Grantees = append(g.Grantees, p.label())
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	if p.accept(lex.KWith) {
		if !p.accept(lex.KGrant) {
			p.expect(lex.KAdmin)
		}
		p.expect(lex.KOption)
		g.Option = true
	}
	if p.accept2(lex.KGranted, lex.KBy) {
		p.label()
	}
	g.Cascade = p.cascade()
	return g
}

// privilege reads a privilege or a role's name.
func (p *translator) privilege() string {
	switch {
	case p.accept(lex.KAll):
		p.accept(lex.KPrivileges)
		return "all"
	case p.accept2(lex.KAlter, lex.KSystem):
		return "alter system"
	}
	switch k := p.kw(); k {
	case lex.KSelect, lex.KReferences, lex.KCreate:
		p.next()
		return k.String()
	}
	return p.colID()
}

// grantObjects reads the kind and the names of what is granted on.
func (p *translator) grantObjects(g *tree.Grant) {
	i, callable := p.i, false
	switch p.kw() {
	case lex.KTable, lex.KSequence, lex.KSchema, lex.KDatabase, lex.KFunction, lex.KProcedure, lex.KRoutine,
		lex.KLanguage, lex.KType, lex.KDomain, lex.KTablespace, lex.KParameter:
		callable = p.kw() == lex.KFunction || p.kw() == lex.KProcedure || p.kw() == lex.KRoutine
		p.next()
	case lex.KAll:
		p.next()
		switch p.kw() {
		case lex.KTables, lex.KSequences, lex.KFunctions, lex.KProcedures, lex.KRoutines:
			p.next()
		default:
			p.syntaxError()
		}
		p.expect(lex.KIn)
		p.expect(lex.KSchema)
	case lex.KForeign:
		p.next()
		if p.accept(lex.KData) {
			p.expect(lex.KWrapper)
		} else {
			p.expect(lex.KServer)
		}
	case lex.KLarge:
		p.next()
		p.expect(lex.KObject)
		g.Object = "large object"
		for {
			n, ok := p.signedNumber()
			if !ok {
				p.syntaxError()
			}
			g.Names = append(g.Names, tree.Name{Name: n})
			if !p.acceptKind(lex.Comma) {
				return
			}
		}
	default:
		g.Object = "table"
	}
	if p.i > i {
		g.Object = lex.Fold(p.textSince(i))
	}
	for {
		g.Names = append(g.Names, p.qualified())
		if callable && p.kind() == lex.LParen && p.tok().Match > 0 {
			p.i = int(p.tok().Match) + 1
		}
		if !p.acceptKind(lex.Comma) {
			return
		}
	}
}
