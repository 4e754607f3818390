package utility

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// grant reads GRANT and REVOKE, of rights or of roles.
func (p reader) grant() tree.Utility {
	g := &tree.Grant{Revoke: p.Keyword() == lex.KRevoke}
	p.Next()
	admin := false
	if g.Revoke {
		switch {
		case p.Keyword() == lex.KGrant && p.Peek(1).Keyword == lex.KOption && p.Peek(2).Keyword == lex.KFor:
			p.At += 3
			g.Option = true
		case p.Keyword() == lex.KAdmin && p.Peek(1).Keyword == lex.KOption && p.Peek(2).Keyword == lex.KFor:
			p.At += 3
			admin = true
		}
	}
	if p.Kind() == lex.String {
		p.Unsupported(p.Offset(), "rights in HBase's letters are not supported", "Name them: GRANT SELECT, INSERT, UPDATE, DELETE ON t TO role.")
	}
	for {
		g.Privileges = append(g.Privileges, p.privilege())
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	if p.Keyword() != lex.KOn {
		return p.grantRole(g, admin)
	}
	if admin {
		p.SyntaxError()
	}
	p.Next()
	p.grantObjects(g)
	p.grantEnd(g)
	return g
}

// grantEnd reads the grantees of rights, and what follows.
func (p reader) grantEnd(g *tree.Grant) {
	p.expectOneOf(g.Revoke)
	g.Grantees = p.roleSpecs(true)
	if !g.Revoke && p.Accept(lex.KWith) {
		p.Expect(lex.KGrant)
		p.Expect(lex.KOption)
		g.Option = true
	}
	g.GrantedBy = p.grantedBy()
	if g.Revoke {
		g.Cascade = p.cascade()
	}
}

func (p reader) expectOneOf(revoke bool) {
	if revoke {
		p.Expect(lex.KFrom)
	} else {
		p.Expect(lex.KTo)
	}
}

func (p reader) grantedBy() *tree.RoleSpec {
	if !p.Accept2(lex.KGranted, lex.KBy) {
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
			p.SyntaxError()
		}
		r.Roles = append(r.Roles, tree.RoleSpec{Pos: x.Pos, Name: x.Name})
	}
	p.expectOneOf(g.Revoke)
	r.Grantees = p.roleSpecs(false)
	if !g.Revoke && p.Accept(lex.KWith) {
		p.Expect(lex.KAdmin)
		p.Expect(lex.KOption)
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
	x := tree.Privilege{Pos: p.Here()}
	switch k := p.Keyword(); {
	case p.Accept(lex.KAll):
		p.Accept(lex.KPrivileges)
		x.Name = "all"
	case p.Accept2(lex.KAlter, lex.KSystem):
		x.Name = "alter system"
	case k == lex.KSelect || k == lex.KReferences || k == lex.KCreate:
		p.Next()
		x.Name = k.String()
	default:
		x.Name = p.ColID()
	}
	if p.Kind() == lex.LParen {
		x.Columns = p.ColIDList()
	}
	return x
}

// grantObjects reads the kind and the names of what is granted on.
func (p reader) grantObjects(g *tree.Grant) {
	i, callable := p.At, false
	switch p.Keyword() {
	case lex.KTable, lex.KSequence, lex.KSchema, lex.KDatabase, lex.KFunction, lex.KProcedure, lex.KRoutine,
		lex.KLanguage, lex.KType, lex.KDomain, lex.KTablespace, lex.KParameter:
		callable = p.Keyword() == lex.KFunction || p.Keyword() == lex.KProcedure || p.Keyword() == lex.KRoutine
		p.Next()
	case lex.KAll:
		p.Next()
		switch p.Keyword() {
		case lex.KTables, lex.KSequences, lex.KFunctions, lex.KProcedures, lex.KRoutines:
			p.Next()
		default:
			p.SyntaxError()
		}
		p.Expect(lex.KIn)
		p.Expect(lex.KSchema)
	case lex.KForeign:
		p.Next()
		if p.Accept(lex.KData) {
			p.Expect(lex.KWrapper)
		} else {
			p.Expect(lex.KServer)
		}
	case lex.KLarge:
		p.Next()
		p.Expect(lex.KObject)
		g.Object = "large object"
		for {
			n, ok := p.signedNumber()
			if !ok {
				p.SyntaxError()
			}
			g.Names = append(g.Names, tree.Name{Name: n})
			if !p.AcceptKind(lex.Comma) {
				return
			}
		}
	default:
		g.Object = "table"
	}
	if p.At > i {
		g.Object = lex.Fold(p.textSince(i))
	}
	for {
		g.Names = append(g.Names, p.Qualified())
		if callable && p.Kind() == lex.LParen && p.Token().Match > 0 {
			p.At = int(p.Token().Match) + 1
		}
		if !p.AcceptKind(lex.Comma) {
			return
		}
	}
}

// defaultPrivileges reads ALTER DEFAULT PRIVILEGES after these words.
func (p reader) defaultPrivileges() tree.Utility {
	a := &tree.AlterDefaultPrivileges{Grant: &tree.Grant{}}
	for {
		switch {
		case p.Accept2(lex.KFor, lex.KRole), p.Accept2(lex.KFor, lex.KUser):
			a.Roles = p.roleSpecs(false)
			continue
		case p.Accept2(lex.KIn, lex.KSchema):
			a.Schemas = p.names()
			continue
		}
		break
	}
	g := a.Grant
	switch {
	case p.Accept(lex.KGrant):
	case p.Accept(lex.KRevoke):
		g.Revoke = true
		if p.Accept2(lex.KGrant, lex.KOption) {
			p.Expect(lex.KFor)
			g.Option = true
		}
	default:
		p.SyntaxError()
	}
	for {
		x := p.privilege()
		if len(x.Columns) > 0 {
			p.SyntaxError()
		}
		g.Privileges = append(g.Privileges, x)
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	p.Expect(lex.KOn)
	switch k := p.Keyword(); k {
	case lex.KTables, lex.KSequences, lex.KFunctions, lex.KRoutines, lex.KTypes, lex.KSchemas:
		g.Object = k.String()
		p.Next()
	default:
		p.SyntaxError()
	}
	p.grantEnd(g)
	return a
}
