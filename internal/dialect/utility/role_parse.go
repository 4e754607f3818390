package utility

import (
	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// roleSpec reads the name of a role, or a key word that stands for one.
func (p reader) roleSpec() tree.RoleSpec {
	r := tree.RoleSpec{Pos: p.Here()}
	switch k := p.Keyword(); k {
	case lex.KCurrentUser, lex.KCurrentRole, lex.KSessionUser:
		p.Next()
		r.Keyword = k.String()
		return r
	}
	t := p.Token()
	if !cursor.IsLabel(t) || t.Kind == lex.Ident && t.Keyword != 0 && t.Keyword.Category() == lex.Reserved {
		p.SyntaxError()
	}
	quoted := t.Kind == lex.QuotedID
	name := p.Label()
	switch {
	case name == "public" && !quoted:
		r.Keyword = name
	case name == "public" || name == "none":
		p.Fail(sqlerr.New(sqlerr.ReservedName, `role name "%s" is reserved`, name).At(r.Pos))
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
			p.Accept(lex.KGroup)
		}
		list = append(list, p.roleSpec())
		if !p.AcceptKind(lex.Comma) {
			return list
		}
	}
}

// roleID reads the name of a role that must be one.
func (p reader) roleID() tree.RoleSpec {
	at := p.Here()
	r := p.roleSpec()
	switch r.Keyword {
	case "":
	case "public":
		p.Fail(sqlerr.New(sqlerr.ReservedName, `role name "public" is reserved`).At(at))
	default:
		p.Fail(sqlerr.New(sqlerr.ReservedName, "%s cannot be used as a role name here", upper(r.Keyword)).At(at))
	}
	return r
}

// atRole tells whether the kind of a role stands here; USER MAPPING is something else.
func (p reader) atRole() bool {
	switch p.Keyword() {
	case lex.KRole, lex.KGroup:
		return true
	case lex.KUser:
		return p.Peek(1).Keyword != lex.KMapping
	}
	return false
}

// createRole reads CREATE ROLE at its kind.
func (p reader) createRole() tree.Utility {
	c := &tree.CreateRole{Kind: p.Keyword().String()}
	p.Next()
	c.Role = p.roleID()
	p.Accept(lex.KWith)
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
		o := tree.RoleOption{Pos: p.Here()}
		switch {
		case p.Accept(lex.KEncrypted):
			p.Expect(lex.KPassword)
			o.Name, o.Text = "password", p.StringConst()
		case p.Accept(lex.KPassword):
			o.Name = "password"
			if o.Null = p.Accept(lex.KNull); !o.Null {
				o.Text = p.StringConst()
			}
		case p.Accept2(lex.KConnection, lex.KLimit):
			n, ok := p.signedNumber()
			if !ok {
				p.SyntaxError()
			}
			o.Name, o.Text = "connection limit", n
		case p.Accept2(lex.KValid, lex.KUntil):
			o.Name, o.Text = "valid until", p.StringConst()
		case create && (p.Accept2(lex.KIn, lex.KRole) || p.Accept2(lex.KIn, lex.KGroup)):
			o.Name, o.Roles = "in role", p.roleSpecs(false)
		case create && p.Accept(lex.KRole), p.Accept(lex.KUser):
			o.Name, o.Roles = "role", p.roleSpecs(false)
		case create && p.Accept(lex.KAdmin):
			o.Name, o.Roles = "admin", p.roleSpecs(false)
		case create && p.Accept(lex.KSysid):
			n, ok := p.signedNumber()
			if !ok {
				p.SyntaxError()
			}
			o.Name, o.Text = "sysid", n
		case p.Kind() == lex.Ident:
			word := lex.Fold(p.Lex.Raw(*p.Token()))
			f, ok := roleFlags[word]
			if !ok {
				p.Fail(sqlerr.New(sqlerr.SyntaxError, `unrecognized role option "%s"`, word).At(o.Pos))
			}
			p.Next()
			o.Name, o.Value = f.name, f.value
		default:
			return list
		}
		list = append(list, o)
	}
}

// alterRole reads ALTER ROLE at its kind.
func (p reader) alterRole() tree.Utility {
	group := p.Keyword() == lex.KGroup
	p.Next()
	at := p.Here()
	if !group && p.Keyword() == lex.KAll {
		p.Next()
		return p.alterRoleSet(&tree.AlterRoleSet{All: true, Pos: at})
	}
	a := &tree.AlterRole{Role: p.roleSpec()}
	switch {
	case p.Accept2(lex.KRename, lex.KTo):
		return &tree.RenameRole{From: a.Role, To: p.roleID()}
	case group && p.Accept2(lex.KAdd, lex.KUser):
		a.Add = p.roleSpecs(false)
		return a
	case group && p.Accept2(lex.KDrop, lex.KUser):
		a.Drop = p.roleSpecs(false)
		return a
	case group:
		p.SyntaxError()
	case p.Keyword() == lex.KSet, p.Keyword() == lex.KReset, p.Keyword() == lex.KIn && p.Peek(1).Keyword == lex.KDatabase:
		return p.alterRoleSet(&tree.AlterRoleSet{Role: a.Role, Pos: at})
	}
	p.Accept(lex.KWith)
	a.Options = p.roleOptions(false)
	return a
}

func (p reader) alterRoleSet(a *tree.AlterRoleSet) tree.Utility {
	if p.Accept2(lex.KIn, lex.KDatabase) {
		a.Database = p.ColID()
	}
	a.Set, a.Reset = p.setOrReset()
	return a
}

// setOrReset reads SET name = value or RESET name.
func (p reader) setOrReset() (*tree.Set, *tree.Reset) {
	switch p.Keyword() {
	case lex.KSet:
		if s, ok := p.set().(*tree.Set); ok {
			return s, nil
		}
	case lex.KReset:
		return nil, p.resetParam().(*tree.Reset)
	}
	p.SyntaxError()
	return nil, nil
}

// dropRole reads DROP ROLE at its kind.
func (p reader) dropRole() tree.Utility {
	p.Next()
	return &tree.DropRole{IfExists: p.ifExists(), Roles: p.roleSpecs(false)}
}

// reassign reads REASSIGN OWNED.
func (p reader) reassign() tree.Utility {
	p.Next()
	p.Expect(lex.KOwned)
	p.Expect(lex.KBy)
	r := &tree.ReassignOwned{From: p.roleSpecs(false)}
	p.Expect(lex.KTo)
	r.To = p.roleSpec()
	return r
}
