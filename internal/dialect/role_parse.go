package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// roleSpec reads the name of a role, or a key word that stands for one.
func (p reader) roleSpec() tree.RoleSpec {
	r := tree.RoleSpec{Pos: p.here()}
	switch k := p.kw(); k {
	case lex.KCurrentUser, lex.KCurrentRole, lex.KSessionUser:
		p.next()
		r.Keyword = k.String()
		return r
	}
	t := p.tok()
	if !isLabel(t) || t.Kind == lex.Ident && t.Keyword != 0 && t.Keyword.Category() == lex.Reserved {
		p.syntaxError()
	}
	quoted := t.Kind == lex.QuotedID
	name := p.label()
	switch {
	case name == "public" && !quoted:
		r.Keyword = name
	case name == "public" || name == "none":
		p.fail(sqlerr.New(sqlerr.ReservedName, `role name "%s" is reserved`, name).At(r.Pos))
	default:
		r.Name = name
	}
	return r
}

// roleSpecs reads a list of roles; group says that the word GROUP may stand before each.
func (p reader) roleSpecs(group bool) []tree.RoleSpec {
	var list []tree.RoleSpec
	for {
		if group {
			p.accept(lex.KGroup)
		}
		list = append(list, p.roleSpec())
		if !p.acceptKind(lex.Comma) {
			return list
		}
	}
}

// roleID reads the name of a role that must be one.
func (p reader) roleID() tree.RoleSpec {
	at := p.here()
	r := p.roleSpec()
	switch r.Keyword {
	case "":
	case "public":
		p.fail(sqlerr.New(sqlerr.ReservedName, `role name "public" is reserved`).At(at))
	default:
		p.fail(sqlerr.New(sqlerr.ReservedName, "%s cannot be used as a role name here", upper(r.Keyword)).At(at))
	}
	return r
}

// atRole tells whether the kind of a role stands here; USER MAPPING is something else.
func (p reader) atRole() bool {
	switch p.kw() {
	case lex.KRole, lex.KGroup:
		return true
	case lex.KUser:
		return p.peek(1).Keyword != lex.KMapping
	}
	return false
}

// createRole reads CREATE ROLE at its kind.
func (p reader) createRole() tree.Utility {
	c := &tree.CreateRole{Kind: p.kw().String()}
	p.next()
	c.Role = p.roleID()
	p.accept(lex.KWith)
	c.Options = p.roleOptions(true)
	return c
}

// roleFlags are the options that are words, and what they set.
var roleFlags = map[string]struct {
	name  string
	value bool
}{
	"superuser": {"superuser", true}, "nosuperuser": {"superuser", false}, "inherit": {"inherit", true}, "noinherit": {"inherit", false},
	"createrole": {"createrole", true}, "nocreaterole": {"createrole", false}, "createdb": {"createdb", true}, "nocreatedb": {"createdb", false},
	"login": {"login", true}, "nologin": {"login", false}, "replication": {"replication", true}, "noreplication": {"replication", false},
	"bypassrls": {"bypassrls", true}, "nobypassrls": {"bypassrls", false}, "createuser": {"superuser", true}, "nocreateuser": {"superuser", false},
}

// roleOptions reads options as long as there are some. Some are of CREATE ROLE alone.
func (p reader) roleOptions(create bool) []tree.RoleOption {
	var list []tree.RoleOption
	for {
		o := tree.RoleOption{Pos: p.here()}
		switch {
		case p.accept(lex.KEncrypted):
			p.expect(lex.KPassword)
			o.Name, o.Text = "password", p.stringConst()
		case p.accept(lex.KPassword):
			o.Name = "password"
			if o.Null = p.accept(lex.KNull); !o.Null {
				o.Text = p.stringConst()
			}
		case p.accept2(lex.KConnection, lex.KLimit):
			n, ok := p.signedNumber()
			if !ok {
				p.syntaxError()
			}
			o.Name, o.Text = "connection limit", n
		case p.accept2(lex.KValid, lex.KUntil):
			o.Name, o.Text = "valid until", p.stringConst()
		case create && (p.accept2(lex.KIn, lex.KRole) || p.accept2(lex.KIn, lex.KGroup)):
			o.Name, o.Roles = "in role", p.roleSpecs(false)
		case create && p.accept(lex.KRole), p.accept(lex.KUser):
			o.Name, o.Roles = "role", p.roleSpecs(false)
		case create && p.accept(lex.KAdmin):
			o.Name, o.Roles = "admin", p.roleSpecs(false)
		case create && p.accept(lex.KSysid):
			n, ok := p.signedNumber()
			if !ok {
				p.syntaxError()
			}
			o.Name, o.Text = "sysid", n
		case p.kind() == lex.Ident:
			word := lex.Fold(p.lx.Raw(*p.tok()))
			f, ok := roleFlags[word]
			if !ok {
				p.fail(sqlerr.New(sqlerr.SyntaxError, `unrecognized role option "%s"`, word).At(o.Pos))
			}
			p.next()
			o.Name, o.Value = f.name, f.value
		default:
			return list
		}
		list = append(list, o)
	}
}

// alterRole reads ALTER ROLE at its kind.
func (p reader) alterRole() tree.Utility {
	group := p.kw() == lex.KGroup
	p.next()
	at := p.here()
	if !group && p.kw() == lex.KAll {
		p.next()
		return p.alterRoleSet(&tree.AlterRoleSet{All: true, Pos: at})
	}
	a := &tree.AlterRole{Role: p.roleSpec()}
	switch {
	case p.accept2(lex.KRename, lex.KTo):
		return &tree.RenameRole{From: a.Role, To: p.roleID()}
	case group && p.accept2(lex.KAdd, lex.KUser):
		a.Add = p.roleSpecs(false)
		return a
	case group && p.accept2(lex.KDrop, lex.KUser):
		a.Drop = p.roleSpecs(false)
		return a
	case group:
		p.syntaxError()
	case p.kw() == lex.KSet, p.kw() == lex.KReset, p.kw() == lex.KIn && p.peek(1).Keyword == lex.KDatabase:
		return p.alterRoleSet(&tree.AlterRoleSet{Role: a.Role, Pos: at})
	}
	p.accept(lex.KWith)
	a.Options = p.roleOptions(false)
	return a
}

func (p reader) alterRoleSet(a *tree.AlterRoleSet) tree.Utility {
	if p.accept2(lex.KIn, lex.KDatabase) {
		a.Database = p.colID()
	}
	switch p.kw() {
	case lex.KSet:
		s, ok := p.set().(*tree.Set)
		if !ok {
			p.syntaxError()
		}
		a.Set = s
	case lex.KReset:
		a.Reset = p.resetParam().(*tree.Reset)
	default:
		p.syntaxError()
	}
	return a
}

// dropRole reads DROP ROLE at its kind.
func (p reader) dropRole() tree.Utility {
	p.next()
	return &tree.DropRole{IfExists: p.ifExists(), Roles: p.roleSpecs(false)}
}

// reassign reads REASSIGN OWNED.
func (p reader) reassign() tree.Utility {
	p.next()
	p.expect(lex.KOwned)
	p.expect(lex.KBy)
	r := &tree.ReassignOwned{From: p.roleSpecs(false)}
	p.expect(lex.KTo)
	r.To = p.roleSpec()
	return r
}
