package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// grant reads GRANT and REVOKE, of rights or of roles.
func (p reader) grant() tree.Utility {
	g := &tree.Grant{Revoke: p.kw() == lex.KRevoke}
	p.next()
	admin := false
	if g.Revoke {
		switch {
		case p.kw() == lex.KGrant && p.peek(1).Keyword == lex.KOption && p.peek(2).Keyword == lex.KFor:
			p.i += 3
			g.Option = true
		case p.kw() == lex.KAdmin && p.peek(1).Keyword == lex.KOption && p.peek(2).Keyword == lex.KFor:
			p.i += 3
			admin = true
		}
	}
	for {
		g.Privileges = append(g.Privileges, p.privilege())
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	if p.kw() != lex.KOn {
		return p.grantRole(g, admin)
	}
	if admin {
		p.syntaxError()
	}
	p.next()
	p.grantObjects(g)
	p.grantEnd(g)
	return g
}

// grantEnd reads the grantees of rights, and what follows.
func (p reader) grantEnd(g *tree.Grant) {
	p.expectOneOf(g.Revoke)
	g.Grantees = p.roleSpecs(true)
	if !g.Revoke && p.accept(lex.KWith) {
		p.expect(lex.KGrant)
		p.expect(lex.KOption)
		g.Option = true
	}
	g.GrantedBy = p.grantedBy()
	if g.Revoke {
		g.Cascade = p.cascade()
	}
}

func (p reader) expectOneOf(revoke bool) {
	if revoke {
		p.expect(lex.KFrom)
	} else {
		p.expect(lex.KTo)
	}
}

func (p reader) grantedBy() *tree.RoleSpec {
	if !p.accept2(lex.KGranted, lex.KBy) {
		return nil
	}
	r := p.roleSpec()
	return &r
}

// grantRole reads what follows the names of roles.
func (p reader) grantRole(g *tree.Grant, admin bool) tree.Utility {
	r := &tree.GrantRole{Revoke: g.Revoke, Admin: admin}
	for _, x := range g.Privileges {
		if len(x.Columns) > 0 || g.Option {
			p.syntaxError()
		}
		r.Roles = append(r.Roles, tree.RoleSpec{Pos: x.Pos, Name: x.Name})
	}
	p.expectOneOf(g.Revoke)
	r.Grantees = p.roleSpecs(false)
	if !g.Revoke && p.accept(lex.KWith) {
		p.expect(lex.KAdmin)
		p.expect(lex.KOption)
		r.Admin = true
	}
	r.GrantedBy = p.grantedBy()
	if g.Revoke {
		r.Cascade = p.cascade()
	}
	return r
}

// privilege reads a right, perhaps on columns, or a role's name.
func (p reader) privilege() tree.Privilege {
	x := tree.Privilege{Pos: p.here()}
	switch k := p.kw(); {
	case p.accept(lex.KAll):
		p.accept(lex.KPrivileges)
		x.Name = "all"
	case p.accept2(lex.KAlter, lex.KSystem):
		x.Name = "alter system"
	case k == lex.KSelect || k == lex.KReferences || k == lex.KCreate:
		p.next()
		x.Name = k.String()
	default:
		x.Name = p.colID()
	}
	if p.kind() == lex.LParen {
		x.Columns = p.colIDList()
	}
	return x
}

// grantObjects reads the kind and the names of what is granted on.
func (p reader) grantObjects(g *tree.Grant) {
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

// defaultPrivileges reads ALTER DEFAULT PRIVILEGES after these words.
func (p reader) defaultPrivileges() tree.Utility {
	a := &tree.AlterDefaultPrivileges{Grant: &tree.Grant{}}
	for {
		switch {
		case p.accept2(lex.KFor, lex.KRole), p.accept2(lex.KFor, lex.KUser):
			a.Roles = p.roleSpecs(false)
			continue
		case p.accept2(lex.KIn, lex.KSchema):
			a.Schemas = p.names()
			continue
		}
		break
	}
	g := a.Grant
	switch {
	case p.accept(lex.KGrant):
	case p.accept(lex.KRevoke):
		g.Revoke = true
		if p.accept2(lex.KGrant, lex.KOption) {
			p.expect(lex.KFor)
			g.Option = true
		}
	default:
		p.syntaxError()
	}
	for {
		x := p.privilege()
		if len(x.Columns) > 0 {
			p.syntaxError()
		}
		g.Privileges = append(g.Privileges, x)
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	p.expect(lex.KOn)
	switch k := p.kw(); k {
	case lex.KTables, lex.KSequences, lex.KFunctions, lex.KRoutines, lex.KTypes, lex.KSchemas:
		g.Object = k.String()
		p.next()
	default:
		p.syntaxError()
	}
	p.grantEnd(g)
	return a
}
